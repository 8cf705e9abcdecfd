#include "io/hdf5/hdf5_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

std::string attribute_path(const Hdf5Handle& object, const std::string& name) { return hdf5_name(object) + ", attribute " + name; }

void write_values(const Hdf5Handle& object, const std::string& name, hid_t type, const Hdf5Handle& space, const void* values) {
  const std::string what = attribute_path(object, name) + ": cannot be written";
  const hid_t id = H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle attribute(check_hdf5(id, what), H5Aclose);
  check_hdf5(H5Awrite(attribute.id(), type, values), what);
}

Hdf5Handle scalar_space() { return {check_hdf5(H5Screate(H5S_SCALAR), "H5Screate"), H5Sclose}; }

Hdf5Handle array_space(std::size_t size) {
  const hsize_t length = size;
  return {check_hdf5(H5Screate_simple(1, &length, nullptr), "H5Screate_simple"), H5Sclose};
}

/// An attribute that is open; without a handle: there is none of this name.
struct Attribute {
  std::string what;  ///< for messages
  Hdf5Handle handle{}, type{}, space{};

  explicit operator bool() const { return static_cast<bool>(handle); }
  H5T_class_t kind() const { return H5Tget_class(type.id()); }
  bool is_number() const { return kind() == H5T_FLOAT || kind() == H5T_INTEGER; }
};

Attribute open_attribute(const Hdf5Handle& object, const std::string& name) {
  Attribute attribute{attribute_path(object, name)};
  const std::string& what = attribute.what;
  if (check_hdf5(H5Aexists(object.id(), name.c_str()), what) == 0) return attribute;
  attribute.handle = {check_hdf5(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), what), H5Aclose};
  attribute.type = {check_hdf5(H5Aget_type(attribute.handle.id()), what), H5Tclose};
  attribute.space = {check_hdf5(H5Aget_space(attribute.handle.id()), what), H5Sclose};
  return attribute;
}

/// A damaged attribute may have any size: no memory is allocated for more than the file can hold.
void require_room(const Attribute& attribute, hssize_t count) {
  const Hdf5Handle file(check_hdf5(H5Iget_file_id(attribute.handle.id()), attribute.what), H5Fclose);
  hsize_t bytes = 0;
  check_hdf5(H5Fget_filesize(file.id(), &bytes), attribute.what);
  const std::size_t each = std::max<std::size_t>(H5Tget_size(attribute.type.id()), 1);
  if (count > 0 && static_cast<hsize_t>(count) > bytes / each)
    throw DataError(attribute.what + ": is larger than the file; the file is damaged");
}

template <class T>
std::vector<T> values_of(const Attribute& attribute, hid_t memory_type) {
  if (!attribute.is_number()) throw DataError(attribute.what + ": must be a number");
  const hssize_t count = H5Sget_simple_extent_npoints(attribute.space.id());
  require_room(attribute, count);
  std::vector<T> values(static_cast<std::size_t>(std::max<hssize_t>(0, count)));
  if (!values.empty()) check_hdf5(H5Aread(attribute.handle.id(), memory_type, values.data()), attribute.what);
  return values;
}

/// Numbers that must be counts.
template <class T>
std::vector<std::uint64_t> counts_of(const Attribute& attribute, const std::vector<T>& numbers) {
  constexpr double end = 9007199254740992.0;  // from here on, doubles skip integers
  for (const T x : numbers) {
    bool is_count = x >= 0;
    if constexpr (std::is_floating_point_v<T>) is_count = is_count && x < end && std::floor(x) == x;
    if (!is_count) throw DataError(fmt::format("{}: holds {}; a count is needed", attribute.what, x));
  }
  return {numbers.begin(), numbers.end()};
}

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

Hdf5Handle text_type(std::size_t length) {
  Hdf5Handle type(check_hdf5(H5Tcopy(H5T_C_S1), "H5Tcopy"), H5Tclose);
  check_hdf5(H5Tset_size(type.id(), length), "H5Tset_size");
  check_hdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

void write_attribute(const Hdf5Handle& object, const std::string& name, double value) {
  write_values(object, name, H5T_NATIVE_DOUBLE, scalar_space(), &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::int32_t value) {
  write_values(object, name, H5T_NATIVE_INT32, scalar_space(), &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::uint32_t value) {
  write_values(object, name, H5T_NATIVE_UINT32, scalar_space(), &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, const std::string& text) {
  // HDF5 has no texts of length 0: the terminating zero is written.
  write_values(object, name, text_type(std::max<std::size_t>(1, text.size())).id(), scalar_space(), text.c_str());
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const double> values) {
  write_values(object, name, H5T_NATIVE_DOUBLE, array_space(values.size()), values.data());
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint64_t> values) {
  write_values(object, name, H5T_NATIVE_UINT64, array_space(values.size()), values.data());
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::span<const std::uint32_t> values) {
  write_values(object, name, H5T_NATIVE_UINT32, array_space(values.size()), values.data());
}

std::optional<std::vector<double>> read_numbers(const Hdf5Handle& object, const std::string& name) {
  const Attribute attribute = open_attribute(object, name);
  return attribute ? std::optional(values_of<double>(attribute, H5T_NATIVE_DOUBLE)) : std::nullopt;
}

std::optional<std::vector<std::uint64_t>> read_counts(const Hdf5Handle& object, const std::string& name) {
  const Attribute attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  // Read as signed numbers: HDF5 would silently turn a negative count into 0 and truncate fractions.
  if (attribute.kind() == H5T_FLOAT) return counts_of(attribute, values_of<double>(attribute, H5T_NATIVE_DOUBLE));
  return counts_of(attribute, values_of<std::int64_t>(attribute, H5T_NATIVE_INT64));
}

std::optional<double> read_number(const Hdf5Handle& object, const std::string& name) {
  const auto numbers = read_numbers(object, name);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (!std::isfinite(numbers->front()))
    throw DataError(fmt::format("{}: is {}; a finite number is needed", attribute_path(object, name), numbers->front()));
  return numbers->front();
}

std::optional<double> read_number_if_number(const Hdf5Handle& object, const std::string& name) {
  const Attribute attribute = open_attribute(object, name);
  return attribute && attribute.is_number() ? read_number(object, name) : std::nullopt;
}

bool has_attribute(const Hdf5Handle& object, const std::string& name) { return static_cast<bool>(open_attribute(object, name)); }

std::optional<std::string> read_text(const Hdf5Handle& object, const std::string& name) {
  const Attribute attribute = open_attribute(object, name);
  if (!attribute || attribute.kind() != H5T_STRING || H5Sget_simple_extent_npoints(attribute.space.id()) != 1) return std::nullopt;
  const hid_t id = attribute.handle.id(), type = attribute.type.id();
  if (check_hdf5(H5Tis_variable_str(type), attribute.what) > 0) {
    char* text = nullptr;
    check_hdf5(H5Aread(id, type, &text), attribute.what);
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return printable_text(copy);
  }
  require_room(attribute, 1);
  std::string text(H5Tget_size(type), '\0');
  check_hdf5(H5Aread(id, type, text.data()), attribute.what);
  text.resize(std::min(text.size(), text.find('\0')));
  return printable_text(text);
}

std::vector<std::string> attribute_names(const Hdf5Handle& object) {
  // The search for a missing attribute reads all. HDF5 1.10 then reports a damaged one, on which H5Aiterate2() crashes.
  check_hdf5(H5Aexists(object.id(), "\x01"), hdf5_name(object));
  std::vector<std::string> names;
  check_hdf5(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names), hdf5_name(object));
  return names;
}

}  // namespace grove
