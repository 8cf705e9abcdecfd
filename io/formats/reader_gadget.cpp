// HDF5 snapshots in GADGET's layout: by GADGET-2 to 4, SWIFT, AREPO, and Grove itself, in one file or several.
//
// Read are /Header, /Parameters, /Units, /Provenance and, from each /PartTypeK, K = 0 to 5, Coordinates, Velocities, Masses (or the
// header's MassTable), ParticleIDs and optional fields of the table, of any float and integer types. Numbers are taken as they are: factors
// of the scale factor or the Hubble parameter in cosmological files stay in; a note says so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "io/files/file_fingerprint.hpp"
#include "io/files/printable.hpp"
#include "io/formats/gadget_checksums.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/formats/gadget_numbers.hpp"
#include "io/formats/input_format.hpp"
#include "io/formats/shared.hpp"
#include "io/hdf5/hdf5_apart.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Called by HDF5 for a number that the type in memory cannot hold; it would silently take the nearest one that fits.
H5T_conv_ret_t note_misfit(H5T_conv_except_t what, hid_t, hid_t, void*, void*, void* found) {
  if (what == H5T_CONV_EXCEPT_RANGE_HI || what == H5T_CONV_EXCEPT_RANGE_LOW) *static_cast<bool*>(found) = true;
  return H5T_CONV_UNHANDLED;
}

/// Reads rows of a dataset, converted to the type in memory. Throws DataError.
void read_rows(const Hdf5Handle& group, const std::string& field, const TypeBlock& block, hid_t memory_type, void* values,
               GadgetChecksums& checksums) {
  const Hdf5Handle dataset = open_dataset(group, field);
  Hdf5Handle memory;
  const Hdf5Handle space = select_rows(dataset, block.first, block.count, memory);
  const Hdf5Handle transfer(check_hdf5(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"), H5Pclose);
  bool misfit = false;
  // Floating-point numbers that do not fit become infinite, which validate_particles() finds.
  if (H5Tget_class(memory_type) == H5T_INTEGER) check_hdf5(H5Pset_type_conv_cb(transfer.id(), note_misfit, &misfit), "H5Pset_type_conv_cb");
  const auto rows = [&] { return fmt::format("{}: rows {} to {}", hdf5_name(dataset), block.first, block.first + block.count - 1); };
  if (H5Dread(dataset.id(), memory_type, memory.id(), space.id(), transfer.id(), values) < 0)
    throw DataError(fmt::format("{} cannot be read: {}", rows(), hdf5_error_text()));
  if (misfit) {
    const char* const kind = H5Tget_sign(memory_type) == H5T_SGN_NONE ? "unsigned" : "signed";
    throw DataError(
        fmt::format("{}: a number is too small or too large; {} integers of {} bytes are needed", rows(), kind, H5Tget_size(memory_type)));
  }
  checksums.add(dataset, gadget_group(block.type) + '/' + field, block, memory_type, values);
}

void read_ids(const Hdf5Handle& group, const TypeBlock& block, std::uint64_t* ids, GadgetChecksums& checksums) {
  const bool is_signed = describe_dataset(open_dataset(group, "ParticleIDs")).is_signed;
  // HDF5 would silently turn negative ids into 0.
  read_rows(group, "ParticleIDs", block, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, ids, checksums);
  if (!is_signed) return;
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t* bad = std::find_if(ids, ids + block.count, [](std::uint64_t id) { return id > largest; });
  if (bad == ids + block.count) return;
  const std::uint64_t row = block.first + static_cast<std::uint64_t>(bad - ids);
  throw DataError(
      fmt::format("{}/ParticleIDs, row {}: the id is {}; it must not be negative", hdf5_name(group), row, static_cast<std::int64_t>(*bad)));
}

/// Reads one field of a block into the particles from index `at` on.
void read_field(const Hdf5Handle& group, const TypeBlock& block, const ParticleField& field, const std::string& dataset,
                ParticleSet& particles, std::size_t at, GadgetChecksums& checksums) {
  const std::span<std::byte> values = particles.resize(field, particles.size());
  read_rows(group, dataset, block, hdf5_type(field.type), values.data() + at * field.row_bytes(), checksums);
}

/// Reads one block into the particles from index `at` on.
void read_block(const Hdf5Handle& file, const GadgetLayout& layout, const TypeBlock& block, ParticleSet& particles, std::size_t at,
                GadgetChecksums& checksums) {
  const Hdf5Handle group = open_group(file, gadget_group(block.type));
  const std::vector<ParticleField>& rows = particles.fields->rows();
  for (const ParticleField& field : rows) {
    if (field.input != InInput::required || field.dataset.empty() || field.name == "id") continue;
    const std::string dataset = field.name == "mass" ? gadget_mass_field(group) : field.dataset;
    if (dataset.empty())
      std::fill_n(&particles.mass[at], block.count, layout.mass_of_type[block.piece][static_cast<std::size_t>(block.type)]);
    else
      read_field(group, block, field, dataset, particles, at, checksums);
  }
  for (const std::size_t row : layout.optional_fields) read_field(group, block, rows[row], rows[row].dataset, particles, at, checksums);
  if (layout.has_ids) read_ids(group, block, &particles.id[at], checksums);
  checksums.add_others(group, block);
  std::fill_n(&particles.type[at], block.count, static_cast<std::uint8_t>(block.type));
}

/// This rank's rows [begin, end). Not collective.
ParticleSet read_share(const GadgetLayout& layout, const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end,
                       GadgetChecksums& checksums) {
  ParticleSet particles;
  particles.fields = fields;
  particles.resize(end - begin);
  for (const std::size_t row : layout.optional_fields) particles.resize(fields->rows()[row], end - begin);
  for (std::uint64_t row = begin; row < end; ++row) particles.id[row - begin] = row;
  std::map<std::size_t, std::vector<TypeBlock>> blocks_of_piece;
  for (const TypeBlock& block : blocks_of_rows(layout.count, begin, end)) blocks_of_piece[block.piece].push_back(block);
  for (const auto& [piece, blocks] : blocks_of_piece) {
    const Hdf5Handle file = open_hdf5_file(layout.pieces[piece]);
    for (const TypeBlock& block : blocks) read_block(file, layout, block, particles, block.row - begin, checksums);
  }
  return particles;
}

/// "file: PartType1/Coordinates, row 17 (row 217 over all types and files)".
std::string name_row(const GadgetLayout& layout, const ParticleField& field, std::uint64_t row) {
  const TypeBlock block = blocks_of_rows(layout.count, row, row + 1).at(0);
  const std::string over_all = block.first == row ? "" : fmt::format(" (row {} over all types and files)", row);
  return fmt::format("{}: {}/{}, row {}{}", layout.pieces[block.piece].string(), gadget_group(block.type),
                     field.dataset.empty() ? field.name : field.dataset, block.first, over_all);
}

/// Runs `read`; a failure of HDF5 means that the file is damaged.
template <class Read>
auto read_checked(const std::filesystem::path& path, Read read) {
  try {
    return read();
  } catch (const SystemError& error) {
    const std::string text = error.what();
    const bool names_file = text.find(path.string()) != std::string::npos;
    throw DataError(names_file ? text + ": the file is damaged" : fmt::format("{}: is damaged: {}", path.string(), text));
  } catch (const std::bad_alloc&) {
    throw SystemError(path.string() + ": there is too little memory to read its particles");
  }
}

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

/// The attributes of all groups and datasets of a file, by object; links into other files are not followed. Long values are cut. Throws
/// SystemError for what HDF5 cannot read.
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

bool recognises_gadget(const FileHead& head) {
  constexpr char signature[] = "\x89HDF\r\n\x1a\n";
  // HDF5 allows other data before its own, of 512 bytes times a power of two.
  for (std::size_t at = 0; at < head.bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (head.bytes.compare(at, 8, signature) == 0) return true;
  }
  return false;
}

/// The root looks at the metadata of all files; then each rank reads its own rows, opening files by itself. Collective.
ParticleSet read_gadget(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  const Hdf5Turn turn;
  GadgetLayout layout;
  GadgetChecksums checksums;
  comm.agree([&] {
    if (!comm.is_root()) return;
    require_harmless(path);
    read_checked(path, [&] {
      layout = read_gadget_layout(path, *fields, info);
      checksums.find(layout);
    });
  });
  checksums.share_recorded(comm);
  share(comm, layout.pieces, layout.other_files, layout.count, layout.mass_of_type, layout.mass_beside, layout.has_ids,
        layout.optional_fields);
  std::vector<std::filesystem::path> files = layout.pieces;
  files.insert(files.end(), layout.other_files.begin(), layout.other_files.end());
  require_same_files(files, comm);
  const auto read = [&](std::uint64_t begin, std::uint64_t end) {
    return read_checked(path, [&] { return read_share(layout, fields, begin, end, checksums); });
  };
  const auto name = [&](const ParticleField& field, std::uint64_t row) { return name_row(layout, field, row); };
  ParticleSet particles = read_own_rows(path, layout.total(), comm, read, name, [&] { checksums.require_all(path, comm); });
  check_numbers(layout, particles, info, comm);
  return particles;
}

std::vector<FieldDescription> gadget_fields(const std::filesystem::path& path) {
  const Hdf5Turn turn;
  return read_checked(path, [&] {
    std::vector<FieldDescription> fields;
    const Hdf5Handle file = open_hdf5_file(path);
    for (int type = 0; type < particle_type_count; ++type) {
      if (!has_link(file, gadget_group(type))) continue;
      const Hdf5Handle group = open_group(file, gadget_group(type));
      for (const std::string& name : link_names(group)) {
        const std::string shown = gadget_group(type) + '/' + printable_line(name);
        const std::string link = where_link_leads(group, name);
        if (!link.empty()) fields.push_back({shown, "link", link});
        if (!is_dataset(group, name)) continue;
        const DatasetInfo found = describe_dataset(open_dataset(group, name));
        fields.push_back({shown, found.type_name, fmt::format("{}", fmt::join(found.shape, " x "))});
      }
    }
    return fields;
  });
}

std::vector<FileAttribute> gadget_attributes(const std::filesystem::path& path) {
  const Hdf5Turn turn;
  return read_checked(path, [&] { return list_attributes(open_hdf5_file(path)); });
}

void gadget_info(const std::filesystem::path& path, ReadInfo& info) {
  const Hdf5Turn turn;
  require_harmless(path);
  read_checked(path, [&] {
    const Hdf5Handle file = open_hdf5_file(path);
    // A file without a header is refused when it is read.
    if (!has_link(file, "Header")) return;
    const auto counts = read_counts(open_group(file, "Header"), "NumPart_Total");
    if (counts) std::copy_n(counts->begin(), std::min(counts->size(), info.count_of_type.size()), info.count_of_type.begin());
    read_gadget_info(file, info);
    info.softenings = read_softening_parameters(file, info.count_of_type);
  });
}

}  // namespace

std::string look_at_gadget(const std::filesystem::path& path, const std::string&) {
  try {
    ReadInfo info;
    read_gadget_layout(path, *standard_fields(), info);
    gadget_fields(path);
    gadget_attributes(path);
  } catch (const std::exception&) {
    // Whoever reads the file says what is wrong.
  }
  return "";
}

InputFormat gadget_format() {
  return {.name = "GADGET/SWIFT HDF5",
          .extensions = ".hdf5 .h5",
          .recognises = recognises_gadget,
          .read = read_gadget,
          .fields = gadget_fields,
          .attributes = gadget_attributes,
          .info = gadget_info};
}

}  // namespace grove
