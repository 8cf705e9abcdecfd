// Attributes of HDF5 objects: the small numbers and texts that describe a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// Writes a scalar attribute; text becomes a fixed-length string, since some readers fail on variable-length ones. Throws SystemError.
void write_attribute(const Hdf5Handle& object, const std::string& name, double value);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::int32_t value);
void write_attribute(const Hdf5Handle& object, const std::string& name, const std::string& text);
/// Writes an array attribute.
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const double> values);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint64_t> values);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint32_t> values);

/// The numbers of an attribute, scalar or array, converted from whatever type they are stored in; nothing when there is no
/// such attribute. Throws DataError when it is not numeric.
std::optional<std::vector<double>> read_numbers(const Hdf5Handle& object, const std::string& name);
/// The same for counts, which a double would round. Throws DataError, too, for what is no whole number >= 0.
std::optional<std::vector<std::uint64_t>> read_counts(const Hdf5Handle& object, const std::string& name);
/// First entry of a numeric attribute: SWIFT stores what GADGET writes as scalars in arrays of length 1. Throws DataError when it is not
/// finite.
std::optional<double> read_number(const Hdf5Handle& object, const std::string& name);
/// The same; nothing when it is no number.
std::optional<double> read_number_if_number(const Hdf5Handle& object, const std::string& name);
/// The text of a string attribute, of fixed or variable length, as printable_text() makes it; nothing when absent or not a string.
std::optional<std::string> read_text(const Hdf5Handle& object, const std::string& name);

bool has_attribute(const Hdf5Handle& object, const std::string& name);

/// The names of all attributes of an object, sorted.
std::vector<std::string> attribute_names(const Hdf5Handle& object);

}  // namespace grove
