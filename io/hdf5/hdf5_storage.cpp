#include "io/hdf5/hdf5_storage.hpp"

#include <fmt/format.h>

#include <numeric>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

[[noreturn]] void fail(const Hdf5Handle& dataset, const std::string& what) { throw DataError(hdf5_name(dataset) + ": " + what); }

/// The product, or the largest number on overflow.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? ~std::uint64_t{0} : result;
}

std::uint64_t elements_of(const DatasetInfo& info) {
  return std::accumulate(info.shape.begin(), info.shape.end(), std::uint64_t{1}, product);
}

std::uint64_t bytes_of(const Hdf5Handle& dataset, const DatasetInfo& info) {
  const Hdf5Handle type(check_hdf5(H5Dget_type(dataset.id()), hdf5_name(dataset)), H5Tclose);
  return product(elements_of(info), H5Tget_size(type.id()));
}

/// Creation properties of a dataset.
Hdf5Handle creation_of(const Hdf5Handle& dataset) { return {check_hdf5(H5Dget_create_plist(dataset.id()), hdf5_name(dataset)), H5Pclose}; }

std::filesystem::path file_of(const Hdf5Handle& object) {
  return hdf5_text([&](char* text, std::size_t size) { return H5Fget_name(object.id(), text, size); }, "H5Fget_name");
}

constexpr const char* never_written = "was never written, and would be read as zeros";

void check_contiguous(const Hdf5Handle& dataset, const Hdf5Handle& creation, const DatasetInfo& info) {
  if (check_hdf5(H5Pget_external_count(creation.id()), hdf5_name(dataset)) > 0)
    fail(dataset, "its numbers are in a file beside this one, which is no HDF5 file; h5repack brings them in");
  const haddr_t at = H5Dget_offset(dataset.id());
  if (at == HADDR_UNDEF) fail(dataset, never_written);
  const std::uint64_t needed = bytes_of(dataset, info), stored = H5Dget_storage_size(dataset.id());
  const std::uint64_t file_bytes = std::filesystem::file_size(file_of(dataset));
  if (stored < needed || at > file_bytes || needed > file_bytes - at)
    fail(dataset, fmt::format("is damaged: its {} numbers take {} bytes, which the file does not have", elements_of(info), needed));
}

void check_chunks(const Hdf5Handle& dataset, const Hdf5Handle& creation, const DatasetInfo& info) {
  std::vector<hsize_t> chunk(info.shape.size());
  check_hdf5(H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()), hdf5_name(dataset));
  std::uint64_t needed = 1;
  for (std::size_t d = 0; d < chunk.size(); ++d) needed = product(needed, chunk[d] == 0 ? 0 : (info.shape[d] - 1) / chunk[d] + 1);
  hsize_t stored = 0;
  const Hdf5Handle space(check_hdf5(H5Dget_space(dataset.id()), hdf5_name(dataset)), H5Sclose);
  check_hdf5(H5Dget_num_chunks(dataset.id(), space.id(), &stored), hdf5_name(dataset));
  if (stored == 0) fail(dataset, never_written);
  if (stored < needed)
    fail(dataset, fmt::format("{} of its {} pieces were never written, and would be read as zeros", needed - stored, needed));
  if (H5Dget_storage_size(dataset.id()) > std::filesystem::file_size(file_of(dataset)))
    fail(dataset, "is damaged: it takes more bytes than the file has");
}

/// One piece of a virtual dataset: numbers from a dataset of another file.
struct Mapping {
  Hdf5Handle here, there;  ///< selections
  std::string file, dataset;
};

Mapping mapping_of(const Hdf5Handle& dataset, const Hdf5Handle& creation, std::size_t i) {
  const std::string what = hdf5_name(dataset);
  const auto text_of = [&](auto get) {
    return hdf5_text([&](char* text, std::size_t size) { return get(creation.id(), i, text, size); }, what);
  };
  return {{check_hdf5(H5Pget_virtual_vspace(creation.id(), i), what), H5Sclose},
          {check_hdf5(H5Pget_virtual_srcspace(creation.id(), i), what), H5Sclose},
          text_of(H5Pget_virtual_filename),
          text_of(H5Pget_virtual_dsetname)};
}

/// HDF5 looks for the file of a piece in the directory of the one that names it.
std::filesystem::path file_of(const Hdf5Handle& dataset, const Mapping& mapping) {
  const std::filesystem::path own = file_of(dataset);
  return mapping.file == "." ? own : own.parent_path() / mapping.file;
}

/// Opens the dataset that a piece comes from.
Hdf5Handle open_source(const Hdf5Handle& dataset, const Mapping& mapping, Hdf5Handle& file) {
  const std::string name = printable_line(mapping.file);
  // A pattern of names stands for any number of files.
  if (mapping.file.find('%') != std::string::npos) fail(dataset, fmt::format("is made of files {}, a pattern that is not read", name));
  const std::filesystem::path path = file_of(dataset, mapping);
  const std::string piece = fmt::format("a part of it is in {}", name);
  if (!std::filesystem::is_regular_file(path)) fail(dataset, piece + ", where there is no such file: it would be read as zeros");
  file = open_hdf5_file(path);
  // The path of the dataset may lead through links.
  if (!has_path(file, mapping.dataset))
    fail(dataset, fmt::format("{}, which has no dataset {}: it would be read as zeros", piece, printable_line(mapping.dataset)));
  return open_dataset(file, mapping.dataset);
}

/// For all numbers of the source: the selection has no shape.
void check_whole_source(const Hdf5Handle& dataset, const Mapping& mapping, const Hdf5Handle& source) {
  const std::uint64_t there = elements_of(describe_dataset(source));
  const hssize_t here = check_hdf5(H5Sget_select_npoints(mapping.here.id()), hdf5_name(dataset));
  if (static_cast<std::uint64_t>(here) != there)
    fail(dataset, fmt::format("{} of its numbers are all those of {}, which has {}", here, hdf5_name(source), there));
}

void check_part_of_source(const Hdf5Handle& dataset, const Mapping& mapping, const Hdf5Handle& source) {
  const std::vector<hsize_t> shape = describe_dataset(source).shape;
  std::vector<hsize_t> low(shape.size()), high(shape.size());
  const bool fits = H5Sget_simple_extent_ndims(mapping.there.id()) == static_cast<int>(shape.size()) &&
                    H5Sget_select_bounds(mapping.there.id(), low.data(), high.data()) >= 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!fits || high[d] >= shape[d]) fail(dataset, hdf5_name(source) + " has fewer numbers than are taken from it: zeros would be read");
}

void check_source(const Hdf5Handle& dataset, const Mapping& mapping) {
  Hdf5Handle file;
  const Hdf5Handle source = open_source(dataset, mapping, file);
  if (H5Pget_layout(creation_of(source).id()) == H5D_VIRTUAL)
    fail(dataset, hdf5_name(source) + " is a virtual dataset in its turn, which is not read");
  require_stored(source);
  if (H5Sget_select_type(mapping.there.id()) == H5S_SEL_ALL)
    check_whole_source(dataset, mapping, source);
  else
    check_part_of_source(dataset, mapping, source);
}

/// Adds the selection of a piece, in the space of the dataset, to the earlier ones.
void add_selection(const Hdf5Handle& dataset, const Mapping& mapping, Hdf5Handle& all) {
  const auto is_whole = [](const Hdf5Handle& selection) { return H5Sget_select_type(selection.id()) == H5S_SEL_ALL; };
  if (all && is_whole(all)) return;
  if (!all || is_whole(mapping.here))
    all = Hdf5Handle(check_hdf5(H5Scopy(mapping.here.id()), hdf5_name(dataset)), H5Sclose);
  else if (H5Sget_select_type(mapping.here.id()) != H5S_SEL_HYPERSLABS || H5Sget_select_type(all.id()) != H5S_SEL_HYPERSLABS)
    fail(dataset, "is made of parts that are no rows and columns, which is not read");
  else
    check_hdf5(H5Smodify_select(all.id(), H5S_SELECT_OR, mapping.here.id()), hdf5_name(dataset));
}

std::vector<Mapping> mappings_of(const Hdf5Handle& dataset, const Hdf5Handle& creation) {
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(creation.id(), &count), hdf5_name(dataset));
  std::vector<Mapping> mappings;
  for (std::size_t i = 0; i < count; ++i) mappings.push_back(mapping_of(dataset, creation, i));
  return mappings;
}

void check_virtual(const Hdf5Handle& dataset, const Hdf5Handle& creation, const DatasetInfo& info) {
  Hdf5Handle all;
  for (const Mapping& mapping : mappings_of(dataset, creation)) {
    check_source(dataset, mapping);
    add_selection(dataset, mapping, all);
  }
  const hssize_t covered = all ? H5Sget_select_npoints(all.id()) : 0;
  if (covered < 0 || static_cast<std::uint64_t>(covered) != elements_of(info))
    fail(dataset, fmt::format("{} of its {} numbers come from no file: they would be read as zeros",
                              elements_of(info) - static_cast<std::uint64_t>(std::max<hssize_t>(covered, 0)), elements_of(info)));
}

}  // namespace

void require_stored(const Hdf5Handle& dataset) {
  const DatasetInfo info = describe_dataset(dataset);
  if (elements_of(info) == 0) return;
  const Hdf5Handle creation = creation_of(dataset);
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_CONTIGUOUS) check_contiguous(dataset, creation, info);
  if (layout == H5D_CHUNKED) check_chunks(dataset, creation, info);
  if (layout == H5D_VIRTUAL) check_virtual(dataset, creation, info);
  // The numbers of a compact dataset are in its header, which HDF5 has read.
}

std::vector<std::filesystem::path> other_files_of(const Hdf5Handle& dataset) {
  const Hdf5Handle creation = creation_of(dataset);
  if (H5Pget_layout(creation.id()) != H5D_VIRTUAL) return {};
  std::vector<std::filesystem::path> files;
  for (const Mapping& mapping : mappings_of(dataset, creation)) files.push_back(file_of(dataset, mapping));
  return files;
}

}  // namespace grove
