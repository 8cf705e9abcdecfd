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

Hdf5Handle open_attribute(const Hdf5Handle& object, const std::string& name) {
  const std::string what = attribute_path(object, name);
  if (check_hdf5(H5Aexists(object.id(), name.c_str()), what) == 0) return {};
  return {check_hdf5(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), what), H5Aclose};
}

H5T_class_t class_of(const Hdf5Handle& attribute, const std::string& what) {
  return H5Tget_class(Hdf5Handle(check_hdf5(H5Aget_type(attribute.id()), what), H5Tclose).id());
}

/// Damage may give an attribute any size: memory is taken only for what the file can hold.
void require_room(const Hdf5Handle& attribute, hssize_t count, const Hdf5Handle& type, const std::string& what) {
  const Hdf5Handle file(check_hdf5(H5Iget_file_id(attribute.id()), what), H5Fclose);
  hsize_t bytes = 0;
  check_hdf5(H5Fget_filesize(file.id(), &bytes), what);
  const std::size_t each = std::max<std::size_t>(H5Tget_size(type.id()), 1);
  if (count > 0 && static_cast<hsize_t>(count) > bytes / each) throw DataError(what + ": is larger than the file; the file is damaged");
}

template <class T>
std::optional<std::vector<T>> read_values(const Hdf5Handle& object, const std::string& name, hid_t memory_type) {
  const Hdf5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const std::string what = attribute_path(object, name);
  const H5T_class_t kind = class_of(attribute, what);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw DataError(what + ": must be a number");
  const Hdf5Handle space(check_hdf5(H5Aget_space(attribute.id()), what), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  require_room(attribute, count, Hdf5Handle(check_hdf5(H5Aget_type(attribute.id()), what), H5Tclose), what);
  std::vector<T> values(static_cast<std::size_t>(std::max<hssize_t>(0, count)));
  if (!values.empty()) check_hdf5(H5Aread(attribute.id(), memory_type, values.data()), what);
  return values;
}

std::vector<std::uint64_t> whole_numbers(const std::vector<double>& numbers, const Hdf5Handle& object, const std::string& name) {
  constexpr double end = 9007199254740992.0;  // from here on a double does not have every whole number
  for (const double x : numbers)
    if (!(x >= 0 && x < end && std::floor(x) == x))
      throw DataError(fmt::format("{}: holds {}; a count is needed", attribute_path(object, name), x));
  return {numbers.begin(), numbers.end()};
}

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

void write_attribute(const Hdf5Handle& object, const std::string& name, double value) {
  write_values(object, name, H5T_NATIVE_DOUBLE, scalar_space(), &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, std::int32_t value) {
  write_values(object, name, H5T_NATIVE_INT32, scalar_space(), &value);
}

void write_attribute(const Hdf5Handle& object, const std::string& name, const std::string& text) {
  const Hdf5Handle type(check_hdf5(H5Tcopy(H5T_C_S1), "H5Tcopy"), H5Tclose);
  // HDF5 knows no strings of length 0; the buffer read here is at least the terminating zero.
  check_hdf5(H5Tset_size(type.id(), std::max<std::size_t>(1, text.size())), "H5Tset_size");
  check_hdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "H5Tset_strpad");
  write_values(object, name, type.id(), scalar_space(), text.c_str());
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
  return read_values<double>(object, name, H5T_NATIVE_DOUBLE);
}

std::optional<std::vector<std::uint64_t>> read_counts(const Hdf5Handle& object, const std::string& name) {
  const Hdf5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  // Read as signed numbers: HDF5 would silently turn a negative count into 0, and cut a fraction off.
  if (class_of(attribute, attribute_path(object, name)) == H5T_FLOAT) return whole_numbers(*read_numbers(object, name), object, name);
  const auto numbers = read_values<std::int64_t>(object, name, H5T_NATIVE_INT64);
  const auto negative = std::find_if(numbers->begin(), numbers->end(), [](std::int64_t n) { return n < 0; });
  if (negative != numbers->end()) throw DataError(fmt::format("{}: holds {}; a count is needed", attribute_path(object, name), *negative));
  return std::vector<std::uint64_t>(numbers->begin(), numbers->end());
}

std::optional<double> read_number(const Hdf5Handle& object, const std::string& name) {
  const auto numbers = read_numbers(object, name);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (!std::isfinite(numbers->front()))
    throw DataError(fmt::format("{}: is {}; a finite number is needed", attribute_path(object, name), numbers->front()));
  return numbers->front();
}

std::optional<double> read_number_if_number(const Hdf5Handle& object, const std::string& name) {
  const Hdf5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const H5T_class_t kind = class_of(attribute, attribute_path(object, name));
  return kind == H5T_FLOAT || kind == H5T_INTEGER ? read_number(object, name) : std::nullopt;
}

bool has_attribute(const Hdf5Handle& object, const std::string& name) { return static_cast<bool>(open_attribute(object, name)); }

std::optional<std::string> read_text(const Hdf5Handle& object, const std::string& name) {
  const Hdf5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const std::string what = attribute_path(object, name);
  const Hdf5Handle type(check_hdf5(H5Aget_type(attribute.id()), what), H5Tclose);
  const Hdf5Handle space(check_hdf5(H5Aget_space(attribute.id()), what), H5Sclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;
  if (check_hdf5(H5Tis_variable_str(type.id()), what) > 0) {
    char* text = nullptr;
    check_hdf5(H5Aread(attribute.id(), type.id(), &text), what);
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return printable_text(copy);
  }
  require_room(attribute, 1, type, what);
  std::string text(H5Tget_size(type.id()), '\0');
  check_hdf5(H5Aread(attribute.id(), type.id(), text.data()), what);
  text.resize(std::min(text.size(), text.find('\0')));
  return printable_text(text);
}

std::vector<std::string> attribute_names(const Hdf5Handle& object) {
  // Looks at every attribute, for one that is not there. HDF5 1.10 then reports a damaged one; H5Aiterate2() crashes on it.
  check_hdf5(H5Aexists(object.id(), "\x01"), hdf5_name(object));
  std::vector<std::string> names;
  check_hdf5(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names), hdf5_name(object));
  return names;
}

}  // namespace grove
