#include "io/snapshots/snapshot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_checksum.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_image.hpp"
#include "kernels/base/physical_constants.hpp"

namespace grove {

namespace {

// An attribute is in the header of its object, which has room for 64 KiB; longer texts become datasets.
constexpr std::size_t longest_attribute = 60000;

// Smaller than dataset_alignment, so that chunks are close together; large enough to compress well.
constexpr std::uint64_t chunk_bytes = 512 << 10;
// Below this, the index of the chunks takes more than compression saves.
constexpr std::uint64_t smallest_packed = 64 << 10;
// What the index of a dataset's chunks takes in the file: a node with room for 64 of them is at least half full.
constexpr std::uint64_t bytes_in_list = 256, bytes_of_list = 16 << 10;

constexpr double seconds_per_gyr = 1e9 * year_in_s;

/// In 32 bits if they fit: most readers of GADGET's files know no others.
void write_counts(const Hdf5Handle& group, const std::string& name, const TypeCounts& counts) {
  std::array<std::uint32_t, particle_type_count> narrow{};
  std::transform(counts.begin(), counts.end(), narrow.begin(), [](std::uint64_t count) { return static_cast<std::uint32_t>(count); });
  if (std::equal(counts.begin(), counts.end(), narrow.begin()))
    write_attribute(group, name, std::span<const std::uint32_t>(narrow));
  else
    write_attribute(group, name, std::span<const std::uint64_t>(counts));
}

/// A universe that does not expand.
void write_cosmology(const Hdf5Handle& group) {
  for (const char* name : {"Omega0", "OmegaLambda"}) write_attribute(group, name, 0.0);
  write_attribute(group, "HubbleParam", 1.0);
}

void write_header_group(const Hdf5Handle& file, const SnapshotHeader& header, const SnapshotContents& contents) {
  const Hdf5Handle group = create_group(file, "Header");
  const std::array<std::uint32_t, particle_type_count> zeros{};
  const std::array<double, particle_type_count> no_masses{};
  for (const char* name : {"NumPart_ThisFile", "NumPart_Total"}) write_counts(group, name, contents.count_of_type);
  // NumPart_Total has all bits. Readers that still add the high word would count the upper bits twice if it were not 0.
  write_attribute(group, "NumPart_Total_HighWord", std::span<const std::uint32_t>(zeros));
  write_attribute(group, "MassTable", std::span<const double>(no_masses));
  write_attribute(group, "Time", header.time);
  write_attribute(group, "Redshift", 0.0);
  write_attribute(group, "BoxSize", contents.box_size);
  write_attribute(group, "NumFilesPerSnapshot", std::int32_t{1});
  write_cosmology(group);
  // For older readers of GADGET's files, such as unsio: there is no gas, and the positions have 4 or 8 bytes.
  for (const char* name : {"Flag_Sfr", "Flag_Cooling", "Flag_Feedback", "Flag_StellarAge", "Flag_Metals", "Flag_IC_Info"})
    write_attribute(group, name, std::int32_t{0});
  write_attribute(group, "Flag_DoublePrecision", std::int32_t{contents.has_double_positions() ? 1 : 0});
  write_attribute(group, "Flag_Entropy_ICs", std::span<const std::uint32_t>(zeros));
  write_attribute(group, "Code", std::string("Grove"));
  write_attribute(group, "Git_commit", header.provenance.git_commit);
  write_attribute(group, "Git_date", header.provenance.git_date);
}

void write_unit_attributes(const Hdf5Handle& group, const UnitSystem& units) {
  write_attribute(group, "UnitLength_in_cm", units.length_in_cm);
  write_attribute(group, "UnitMass_in_g", units.mass_in_g);
  write_attribute(group, "UnitVelocity_in_cm_per_s", units.velocity_in_cm_per_s);
}

void write_parameters_group(const Hdf5Handle& file, const SnapshotHeader& header, const SnapshotContents& contents,
                            const UnitSystem& units) {
  const Hdf5Handle group = create_group(file, "Parameters");
  write_unit_attributes(group, units);
  write_attribute(group, "BoxSize", contents.box_size);
  write_attribute(group, "ComovingIntegrationOn", std::int32_t{0});
  write_cosmology(group);
  write_attribute(group, "OmegaBaryon", 0.0);
  write_attribute(group, "GravityConstantInternal", header.G);
  std::vector<double> of_type = header.softening_of_type;
  of_type.resize(particle_type_count, header.softening);
  std::vector<double> classes = of_type;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    write_attribute(group, fmt::format("SofteningComovingClass{}", k), classes[k]);
    write_attribute(group, fmt::format("SofteningMaxPhysClass{}", k), classes[k]);
  }
  for (std::size_t type = 0; type < of_type.size(); ++type) {
    const auto its_class = std::lower_bound(classes.begin(), classes.end(), of_type[type]) - classes.begin();
    write_attribute(group, fmt::format("SofteningClassOfPartType{}", type), static_cast<std::int32_t>(its_class));
  }
  // pynbody takes the time from here; otherwise it would derive one from the redshift.
  write_attribute(group, "Time_GYR", header.time * units.time_in_s() / seconds_per_gyr);
}

void write_units_group(const Hdf5Handle& file, const SnapshotHeader& header, const UnitSystem& units) {
  const Hdf5Handle group = create_group(file, "Units");
  write_unit_attributes(group, units);
  write_attribute(group, "UnitTime_in_s", units.time_in_s());
  write_attribute(group, "G", header.G);
  if (!is_physical(header.units)) write_attribute(group, n_body_units_attribute, std::int32_t{1});
}

void write_long_text(const Hdf5Handle& group, const std::string& name, const std::string& text) {
  if (text.size() <= longest_attribute) {
    write_attribute(group, name, text);
    return;
  }
  const Hdf5Handle type = text_type(text.size());
  const Hdf5Handle dataset = create_dataset(group, name, type.id(), {1});
  check_hdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), hdf5_name(dataset) + ": cannot be written");
}

void write_provenance_group(const Hdf5Handle& file, const SnapshotHeader& header, int ranks) {
  const Hdf5Handle group = create_group(file, "Provenance");
  const Provenance& provenance = header.provenance;
  write_attribute(group, "Version", provenance.version);
  write_attribute(group, "Git_commit", provenance.git_commit);
  write_attribute(group, "Device", provenance.device);
  write_attribute(group, "Ranks", static_cast<std::int32_t>(ranks));
  write_long_text(group, "Configuration", provenance.configuration);
  for (const auto& [name, text] : provenance.extra) write_long_text(group, name, text);
}

/// The pieces of a dataset with `count` rows, compressed at this level.
DatasetPieces pieces_of(const ParticleField& field, std::uint64_t count, unsigned compression) {
  if (compression == 0 || count * field.row_bytes() < smallest_packed) return {};
  return {std::min<std::uint64_t>(count, chunk_bytes / field.row_bytes()), compression};
}

/// Quantity and unit as the simulations EAGLE and OWLS write them: "velocity U_V [cgs]". Something must follow the last unit, or pynbody
/// does not read its power.
std::string described(const ParticleField& field) {
  std::string text = field.name;
  const auto add = [&](const char* unit, double power) {
    if (power != 0) text += power == 1 ? fmt::format(" {}", unit) : fmt::format(" {}^{}", unit, power);
  };
  add("U_L", field.unit.length);
  add("U_M", field.unit.mass);
  add("U_V", field.unit.velocity);
  return text + (text == field.name ? " [no unit]" : " [cgs]");
}

/// The attributes of a dataset, in the names of GADGET-4 (the first six) and of EAGLE (the next four).
void describe_field(const Hdf5Handle& dataset, const ParticleField& field, const UnitSystem& units) {
  write_attribute(dataset, "a_scaling", 0.0);
  write_attribute(dataset, "h_scaling", 0.0);
  write_attribute(dataset, "length_scaling", field.unit.length);
  write_attribute(dataset, "mass_scaling", field.unit.mass);
  write_attribute(dataset, "velocity_scaling", field.unit.velocity);
  write_attribute(dataset, "to_cgs", in_cgs(field.unit, units));
  write_attribute(dataset, "VarDescription", described(field));
  write_attribute(dataset, "CGSConversionFactor", in_cgs(field.unit, units));
  write_attribute(dataset, "aexp-scale-exponent", 0.0);
  write_attribute(dataset, "h-scale-exponent", 0.0);
  // It has its room, and its value when the numbers are written.
  write_checksum(dataset, 0);
}

void create_field(const Hdf5Handle& group, const ParticleField& field, std::uint64_t count, unsigned compression, const UnitSystem& units) {
  const std::vector<hsize_t> shape = field.components == 1 ? std::vector<hsize_t>{count} : std::vector<hsize_t>{count, field.components};
  const DatasetPieces pieces = pieces_of(field, count, compression);
  describe_field(create_dataset(group, field.dataset, hdf5_type(field.type), shape, pieces), field, units);
}

/// The most bytes that a compressed dataset takes in the file. Chunks that do not become smaller stay uncompressed. A chunk whose rows
/// several ranks write is compressed by each, and its old space may not be reused.
std::uint64_t largest_packed_size(const ParticleField& field, std::uint64_t count, std::uint64_t rows, int ranks) {
  const std::uint64_t pieces = (count + rows - 1) / rows, again = static_cast<std::uint64_t>(ranks);
  return (pieces + again) * rows * field.row_bytes() + pieces * bytes_in_list + bytes_of_list;
}

}  // namespace

bool SnapshotContents::has_double_positions() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const ParticleField& field) { return field.name == "position" && field.type == ElementType::f8; });
}

std::string make_snapshot_image(const std::string& name, const SnapshotHeader& header, const SnapshotContents& contents) {
  Hdf5Image image(name);
  const Hdf5Handle& file = image.file();
  write_header_group(file, header, contents);
  const UnitSystem units = units_for_others(header.units, header.G);
  write_parameters_group(file, header, contents, units);
  write_units_group(file, header, units);
  write_provenance_group(file, header, contents.ranks);
  for (int type = 0; type < particle_type_count; ++type) {
    const std::uint64_t count = contents.count_of_type[static_cast<std::size_t>(type)];
    if (count == 0) continue;
    const Hdf5Handle group = create_group(file, gadget_group(type));
    write_attribute(group, "ComponentName", header.components[static_cast<std::size_t>(type)]);
    for (const ParticleField& field : contents.fields) create_field(group, field, count, contents.compression, units);
  }
  return image.close();
}

std::uint64_t largest_snapshot_size(std::uint64_t image_bytes, const SnapshotContents& contents) {
  std::uint64_t bytes = image_bytes + metadata_allowance;
  for (const std::uint64_t count : contents.count_of_type) {
    for (const ParticleField& field : contents.fields) {
      const DatasetPieces pieces = pieces_of(field, count, contents.compression);
      bytes += pieces.rows > 0 ? largest_packed_size(field, count, pieces.rows, contents.ranks) : largest_place(count * field.row_bytes());
    }
  }
  return bytes;
}

}  // namespace grove
