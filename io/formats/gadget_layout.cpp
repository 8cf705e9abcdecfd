#include "io/formats/gadget_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "io/files/find_file.hpp"
#include "io/files/sealed_file.hpp"
#include "io/formats/foreign_format.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/formats/gadget_set.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_storage.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The six (in SWIFT's files: seven or more) counts of a header attribute.
TypeCounts read_type_counts(const Hdf5Handle& header, const std::string& file, const std::string& name) {
  const auto counts = read_counts(header, name);
  if (!counts) throw DataError(fmt::format("{}: missing field: /Header has no attribute {}", file, name));
  TypeCounts result{};
  for (std::size_t k = 0; k < counts->size(); ++k) {
    if (k < result.size()) {
      result[k] = (*counts)[k];
    } else if ((*counts)[k] > 0) {
      throw DataError(fmt::format("{}: holds {} particles of type {}{}; types 0 to {} can be read", file, (*counts)[k], k,
                                  std::string(k == 6 ? ", neutrinos in SWIFT's files" : ""), result.size() - 1));
    }
  }
  return result;
}

[[noreturn]] void fail_without_header(const std::filesystem::path& path) {
  if (has_seal(path))
    throw DataError(path.string() +
                    ": is a checkpoint of Grove, not a file of particles: 'grove run CONFIG.toml --continue' starts from it");
  refuse_foreign_hdf5(path);
  throw DataError(path.string() + ": missing field: there is no group /Header");
}

/// Throws unless the dataset exists with `count` rows of `components` numbers of this kind. Returns the other files that its numbers are
/// in.
std::vector<std::filesystem::path> check_field(const Hdf5Handle& group, const std::string& file, const std::string& name,
                                               std::uint64_t count, hsize_t components, H5T_class_t kind) {
  const std::string field = fmt::format("{}: {}", file, name);
  const std::string inside = name.substr(name.find('/') + 1);
  if (!has_link(group, inside)) throw DataError(field + ": missing field");
  const Hdf5Handle dataset = open_dataset(group, inside);
  const DatasetInfo found = describe_dataset(dataset);
  const std::vector<hsize_t> wanted = components == 1 ? std::vector<hsize_t>{count} : std::vector<hsize_t>{count, components};
  const bool column = components == 1 && found.shape == std::vector<hsize_t>{count, 1};
  if (found.shape != wanted && !column) {
    throw DataError(fmt::format("{}: wrong shape [{}]; [{}] is needed, as /Header NumPart_ThisFile announces {} particles", field,
                                fmt::join(found.shape, " x "), fmt::join(wanted, " x "), count));
  }
  if (found.kind != kind && !(kind == H5T_FLOAT && found.kind == H5T_INTEGER)) {
    throw DataError(fmt::format("{}: wrong type; {} are needed", field, kind == H5T_FLOAT ? "floating-point numbers" : "integers"));
  }
  require_stored(dataset);
  return other_files_of(dataset);
}

/// Throws for a group of particles that the header does not announce: it would be silently omitted.
void refuse_unannounced(const Hdf5Handle& file, const std::string& file_name, const TypeCounts& count) {
  const std::string prefix = "PartType";
  for (const std::string& name : link_names(file)) {
    std::size_t type = 0;
    const char* const end = name.data() + name.size();
    if (!name.starts_with(prefix) || std::from_chars(name.data() + prefix.size(), end, type).ptr != end) continue;
    if ((type < count.size() && count[type] > 0) || !has_path(file, name + "/Coordinates")) continue;
    const std::vector<hsize_t> shape = describe_dataset(open_dataset(file, name + "/Coordinates")).shape;
    if (shape.empty() || shape[0] == 0) continue;
    const std::string particles = fmt::format("{}: {} has {} particles", file_name, name, shape[0]);
    if (type < count.size()) throw DataError(particles + ", but /Header NumPart_ThisFile announces none");
    throw DataError(fmt::format("{}; types 0 to {} can be read", particles, count.size() - 1));
  }
}

H5T_class_t class_of(ElementType type) { return type == ElementType::f4 || type == ElementType::f8 ? H5T_FLOAT : H5T_INTEGER; }

/// For each row of the table: a group that has the field, and one that lacks it; empty: there is none. And the other files that numbers are
/// in.
struct SeenFields {
  std::vector<std::string> present_in, absent_from;
  std::set<std::filesystem::path> other_files;
  explicit SeenFields(const FieldTable& fields) : present_in(fields.rows().size()), absent_from(fields.rows().size()) {}
};

/// Whether all particles of a file may lack the field: ids, and optional fields.
bool may_be_absent(const ParticleField& field) { return field.name == "id" || field.input == InInput::when_there; }

/// Checks all fields of a type in one file.
void check_type(const Hdf5Handle& file, const std::string& file_name, int type, std::uint64_t count, double table_mass,
                const FieldTable& fields, SeenFields& optional) {
  const std::string name = gadget_group(type);
  if (!has_link(file, name))
    throw DataError(fmt::format("{}: {}: missing group, though /Header announces {} particles", file_name, name, count));
  const Hdf5Handle group = open_group(file, name);
  for (std::size_t row = 0; row < fields.rows().size(); ++row) {
    const ParticleField& field = fields.rows()[row];
    if (field.input == InInput::never || field.dataset.empty()) continue;
    const std::string dataset = field.name == "mass" ? gadget_mass_field(group) : field.dataset;
    if (field.name == "mass" && dataset.empty()) {
      if (std::isfinite(table_mass) && table_mass > 0) continue;
      throw DataError(fmt::format("{}: {}/Masses: missing field, and /Header MassTable gives {} for type {}", file_name, name,
                                  table_mass == 0 ? "no mass" : fmt::format("the mass {}", table_mass), type));
    }
    const bool absent = may_be_absent(field) && !has_link(group, dataset);
    (absent ? optional.absent_from : optional.present_in)[row] = fmt::format("{}: {}", file_name, name);
    if (absent) continue;
    const std::string full_name = fmt::format("{}/{}", name, dataset);
    for (auto& other : check_field(group, file_name, full_name, count, field.components, class_of(field.type)))
      optional.other_files.insert(std::move(other));
  }
}

/// Throws if an earlier file has another mass in MassTable for particles of the type.
void require_same_mass(const GadgetLayout& layout, const std::filesystem::path& path, int type, double mass) {
  const auto k = static_cast<std::size_t>(type);
  for (std::size_t piece = 0; piece < layout.pieces.size(); ++piece) {
    const double before = layout.mass_of_type[piece][k];
    if (before != 0 && before != mass)
      throw DataError(fmt::format("{}: /Header MassTable gives {} for type {}, but {} in {}: they are no files of one snapshot",
                                  path.string(), mass, type, before, layout.pieces[piece].string()));
  }
}

/// Adds one file to the layout.
void add_piece(GadgetLayout& layout, const std::filesystem::path& path, const FieldTable& fields, SeenFields& optional) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!has_link(file, "Header")) fail_without_header(path);
  const Hdf5Handle header = open_group(file, "Header");
  const TypeCounts count = read_type_counts(header, path.string(), "NumPart_ThisFile");
  const std::vector<double> table = read_numbers(header, "MassTable").value_or(std::vector<double>());
  GadgetLayout::Masses masses{}, beside{};
  std::copy_n(table.begin(), std::min(table.size(), masses.size()), masses.begin());
  refuse_unannounced(file, path.string(), count);
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (count[k] == 0) continue;
    check_type(file, path.string(), type, count[k], masses[k], fields, optional);
    if (gadget_mass_field(open_group(file, gadget_group(type))).empty())
      require_same_mass(layout, path, type, masses[k]);
    else
      std::swap(masses[k], beside[k]);
  }
  layout.mass_of_type.push_back(masses);
  layout.mass_beside.push_back(beside);
  layout.pieces.push_back(path);
  layout.count.push_back(count);
}

/// Optional fields must be there for all particles or for none.
void settle_optional_fields(GadgetLayout& layout, const FieldTable& fields, const SeenFields& optional) {
  for (std::size_t row = 0; row < fields.rows().size(); ++row) {
    const ParticleField& field = fields.rows()[row];
    if (!may_be_absent(field)) continue;
    const std::string &present = optional.present_in[row], &absent = optional.absent_from[row];
    if (!present.empty() && !absent.empty())
      throw DataError(fmt::format("{}/{}: missing field; other particles of the snapshot have it", absent, field.dataset));
    if (field.name == "id")
      layout.has_ids = absent.empty();
    else if (!present.empty())
      layout.optional_fields.push_back(row);
  }
}

/// The files must add up to the total that each of them announces.
void check_total(const GadgetLayout& layout, const Hdf5Handle& header, const std::string& file) {
  const auto low = read_counts(header, "NumPart_Total");
  if (!low) return;
  const auto high = read_counts(header, "NumPart_Total_HighWord").value_or(std::vector<std::uint64_t>());
  const TypeCounts found = layout.count_of_type();
  for (std::size_t k = 0; k < std::min(found.size(), low->size()); ++k) {
    // Old files have the upper 32 bits in another attribute; in new ones NumPart_Total has all.
    const std::uint64_t joined = (*low)[k] + (k < high.size() ? high[k] << 32U : 0);
    if (found[k] == (*low)[k] || found[k] == joined) continue;
    throw DataError(fmt::format("{}: the {} file(s) of the snapshot hold {} particles of type {}, /Header NumPart_Total announces {}", file,
                                layout.pieces.size(), found[k], k, joined));
  }
}

/// Adds the softening lengths of all files, one range for each source and type.
void add_softenings(const GadgetLayout& layout, ReadInfo& info) {
  for (std::size_t piece = 0; piece < layout.pieces.size(); ++piece) {
    for (const FileSoftening& softening : read_softenings(open_hdf5_file(layout.pieces[piece]), layout.count[piece])) {
      if (!(softening.lowest >= 0) || !std::isfinite(softening.highest)) {
        info.notes.push_back(fmt::format("{}: {} is {}, which is no length: it is left out", layout.pieces[piece].string(), softening.what,
                                         softening.lowest >= 0 ? softening.highest : softening.lowest));
        continue;
      }
      const auto known = std::find_if(info.softenings.begin(), info.softenings.end(),
                                      [&](const FileSoftening& s) { return s.what == softening.what && s.type == softening.type; });
      if (known == info.softenings.end()) {
        info.softenings.push_back(softening);
        continue;
      }
      known->include(softening.lowest);
      known->include(softening.highest);
    }
  }
}

}  // namespace

GadgetLayout read_gadget_layout(const std::filesystem::path& path, const FieldTable& fields, ReadInfo& info) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!has_link(file, "Header")) fail_without_header(path);
  const Hdf5Handle header = open_group(file, "Header");
  const auto pieces = read_counts(header, "NumFilesPerSnapshot");
  const std::uint64_t files = pieces && !pieces->empty() ? pieces->front() : 1;
  GadgetLayout layout;
  SeenFields optional(fields);
  const CommonHeader common = read_common_header(file, path);
  std::string other_in_units;
  const std::string complaint =
      fmt::format("/Header NumFilesPerSnapshot is {}, but the file's name has no number as in name.0.hdf5", files);
  for (const auto& piece : files_of_snapshot(path, files, path.extension().string(), complaint)) {
    add_piece(layout, piece, fields, optional);
    if (piece == path) continue;
    const CommonHeader other = read_common_header(open_hdf5_file(piece), piece);
    require_same_header(common, other);
    if (names_units(other) != names_units(common) && other_in_units.empty()) other_in_units = piece.string();
  }
  if (!other_in_units.empty())
    info.notes.push_back(fmt::format("{} {} units, {} {}: what the first says is taken for all files", path.string(),
                                     names_units(common) ? "names" : "does not name", other_in_units,
                                     names_units(common) ? "does not" : "does"));
  check_total(layout, header, path.string());
  settle_optional_fields(layout, fields, optional);
  layout.other_files.assign(optional.other_files.begin(), optional.other_files.end());
  if (!layout.has_ids) info.notes.push_back("there are no ParticleIDs; particles are numbered from 0 in the order of the file");
  info.count_of_type = layout.count_of_type();
  if (layout.pieces.size() > 1) info.notes.push_back(fmt::format("the snapshot is split over {} files", layout.pieces.size()));
  add_note_on_stray_file(path, layout.pieces.size(), info.notes);
  read_gadget_info(file, info);
  add_softenings(layout, info);
  return layout;
}

std::string gadget_mass_field(const Hdf5Handle& group) {
  // SWIFT's black holes have a dynamical mass and a subgrid mass.
  for (const char* name : {"Masses", "DynamicalMasses"}) {
    if (has_link(group, name)) return name;
  }
  return "";
}

}  // namespace grove
