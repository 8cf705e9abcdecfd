#include "io/hdf5/hdf5_attribute_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/files/printable.hpp"
#include "io/hdf5/hdf5_attributes.hpp"

namespace grove {

namespace {

constexpr std::size_t longest_list = 16, longest_text = 160;

template <class Number>
std::string list_of(std::vector<Number> numbers) {
  const std::size_t count = numbers.size();
  numbers.resize(std::min(count, longest_list));
  return fmt::format("{}{}", fmt::join(numbers, " "), count > longest_list ? fmt::format(" ... ({} numbers)", count) : std::string());
}

std::string value_text(const Hdf5Handle& object, const std::string& name) {
  if (const auto text = read_text(object, name)) return printable_line(*text, longest_text);
  const Hdf5Handle attribute(check_hdf5(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), hdf5_name(object)), H5Aclose);
  const Hdf5Handle type(check_hdf5(H5Aget_type(attribute.id()), hdf5_name(object)), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_INTEGER && H5Tget_sign(type.id()) == H5T_SGN_NONE) return list_of(*read_counts(object, name));
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) return list_of(*read_numbers(object, name));
  return "of a type that is not shown";
}

herr_t collect(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  if (info->type == H5O_TYPE_GROUP || info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(paths)->emplace_back(name);
  return 0;
}

}  // namespace

std::vector<FileAttribute> list_attributes(const Hdf5Handle& file) {
  std::vector<std::string> paths;
#if H5_VERSION_GE(1, 12, 0)
  check_hdf5(H5Ovisit3(file.id(), H5_INDEX_NAME, H5_ITER_INC, collect, &paths, H5O_INFO_BASIC), hdf5_name(file));
#else
  check_hdf5(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, collect, &paths, H5O_INFO_BASIC), hdf5_name(file));
#endif
  std::vector<FileAttribute> attributes;
  for (const std::string& path : paths) {
    const Hdf5Handle object(check_hdf5(H5Oopen(file.id(), path.c_str(), H5P_DEFAULT), path), H5Oclose);
    const std::string shown = path == "." ? "/" : '/' + printable_line(path);
    for (const std::string& name : attribute_names(object)) attributes.push_back({shown, printable_line(name), value_text(object, name)});
  }
  return attributes;
}

}  // namespace grove
