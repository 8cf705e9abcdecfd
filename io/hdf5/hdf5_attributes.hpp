// Attributes of HDF5 objects: the small numbers and texts that describe a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// The type of a text of `length` bytes: of fixed length, padded with zeros.
Hdf5Handle text_type(std::size_t length);

/// Writes a scalar attribute. Text gets a fixed length, since some readers fail on a variable one. Throws SystemError.
void write_attribute(const Hdf5Handle& object, const std::string& name, double value);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::int32_t value);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::uint32_t value);
void write_attribute(const Hdf5Handle& object, const std::string& name, const std::string& text);
/// Writes an array attribute.
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const double> values);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint64_t> values);
void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint32_t> values);

/// The numbers of an attribute, scalar or array, of any numeric type; nothing if it does not exist. Throws DataError if it is not numeric.
std::optional<std::vector<double>> read_numbers(const Hdf5Handle& object, const std::string& name);
/// The same for counts, which a double would round. Throws DataError also for anything but integers >= 0.
std::optional<std::vector<std::uint64_t>> read_counts(const Hdf5Handle& object, const std::string& name);
/// The first number of an attribute: SWIFT writes arrays of length 1 where GADGET writes scalars. Throws DataError if it is not finite.
std::optional<double> read_number(const Hdf5Handle& object, const std::string& name);
/// The same; nothing if it is not numeric.
std::optional<double> read_number_if_number(const Hdf5Handle& object, const std::string& name);
/// The text of a string attribute, of fixed or variable length, as printable_text(); nothing if it does not exist or is no string.
std::optional<std::string> read_text(const Hdf5Handle& object, const std::string& name);

bool has_attribute(const Hdf5Handle& object, const std::string& name);

/// The names of all attributes of an object, sorted.
std::vector<std::string> attribute_names(const Hdf5Handle& object);

}  // namespace grove
