#include "io/hdf5/hdf5_checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "io/hdf5/hdf5_attributes.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Rows are read in pieces of about this size.
constexpr std::uint64_t bytes_at_once = std::uint64_t{16} << 20;

Hdf5Handle type_of(const Hdf5Handle& dataset) { return {check_hdf5(H5Dget_type(dataset.id()), hdf5_name(dataset)), H5Tclose}; }

std::uint64_t row_bytes_of(const Hdf5Handle& dataset, const Hdf5Handle& type) {
  const std::vector<hsize_t> shape = describe_dataset(dataset).shape;
  return std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{H5Tget_size(type.id())}, std::multiplies<>());
}

}  // namespace

void write_checksum(const Hdf5Handle& dataset, std::uint32_t value) {
  if (!has_attribute(dataset, checksum_attribute)) {
    write_attribute(dataset, checksum_attribute, value);
    return;
  }
  const std::string what = hdf5_name(dataset) + ": its checksum cannot be written";
  const Hdf5Handle attribute(check_hdf5(H5Aopen(dataset.id(), checksum_attribute, H5P_DEFAULT), what), H5Aclose);
  check_hdf5(H5Awrite(attribute.id(), H5T_NATIVE_UINT32, &value), what);
}

std::optional<std::uint32_t> recorded_checksum(const Hdf5Handle& dataset) {
  const auto counts = read_counts(dataset, checksum_attribute);
  return counts && counts->size() == 1 ? std::optional(static_cast<std::uint32_t>(counts->front())) : std::nullopt;
}

Checksum checksum_of_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count) {
  const Hdf5Handle type = type_of(dataset);
  const std::uint64_t row_bytes = row_bytes_of(dataset, type), longest = std::max<std::uint64_t>(1, bytes_at_once / row_bytes);
  std::vector<std::byte> rows(std::min(count, longest) * row_bytes);
  Checksum sum;
  for (std::uint64_t at = 0; at < count; at += longest) {
    const std::uint64_t some = std::min(longest, count - at);
    Hdf5Handle memory;
    const Hdf5Handle space = select_rows(dataset, first + at, some, memory);
    check_hdf5(H5Dread(dataset.id(), type.id(), memory.id(), space.id(), H5P_DEFAULT, rows.data()), hdf5_name(dataset));
    sum.append(Checksum(std::span(rows).first(some * row_bytes)));
  }
  return sum;
}

Checksum checksum_of_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count, hid_t memory_type, const void* values) {
  const Hdf5Handle type = type_of(dataset);
  if (H5Tequal(type.id(), memory_type) <= 0) return checksum_of_rows(dataset, first, count);
  return Checksum({static_cast<const std::byte*>(values), count * row_bytes_of(dataset, type)});
}

void require_checksum(const Checksum& numbers, std::uint32_t recorded, const std::string& name) {
  if (numbers.value() == recorded) return;
  throw DataError(
      fmt::format("{}: is damaged: its numbers have the checksum {:08x}, those that were written had {:08x}. Take another copy of the "
                  "file; if you have "
                  "changed the numbers on purpose, delete the attribute {} of the dataset",
                  name, numbers.value(), recorded, checksum_attribute));
}

}  // namespace grove
