#include "io/hdf5_attributes.hpp"

#include <algorithm>

#include "kernels/space/error.hpp"

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

template <class T>
std::optional<std::vector<T>> read_values(const Hdf5Handle& object, const std::string& name, hid_t memory_type) {
  const Hdf5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const std::string what = attribute_path(object, name);
  const Hdf5Handle type(check_hdf5(H5Aget_type(attribute.id()), what), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw DataError(what + ": must be a number");
  const Hdf5Handle space(check_hdf5(H5Aget_space(attribute.id()), what), H5Sclose);
  std::vector<T> values(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()))));
  if (!values.empty()) check_hdf5(H5Aread(attribute.id(), memory_type, values.data()), what);
  return values;
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
  // Read as signed numbers: HDF5 would silently turn a negative count into 0.
  const auto numbers = read_values<std::int64_t>(object, name, H5T_NATIVE_INT64);
  if (!numbers) return std::nullopt;
  if (std::any_of(numbers->begin(), numbers->end(), [](std::int64_t n) { return n < 0; })) {
    throw DataError(attribute_path(object, name) + ": holds a negative count");
  }
  return std::vector<std::uint64_t>(numbers->begin(), numbers->end());
}

std::optional<double> read_number(const Hdf5Handle& object, const std::string& name) {
  const auto numbers = read_numbers(object, name);
  if (!numbers || numbers->empty()) return std::nullopt;
  return numbers->front();
}

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
    return copy;
  }
  std::string text(H5Tget_size(type.id()), '\0');
  check_hdf5(H5Aread(attribute.id(), type.id(), text.data()), what);
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

std::vector<std::string> attribute_names(const Hdf5Handle& object) {
  std::vector<std::string> names;
  check_hdf5(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names), hdf5_name(object));
  return names;
}

}  // namespace grove
