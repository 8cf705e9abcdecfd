#include "io/snapshot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/gadget_info.hpp"
#include "io/gadget_layout.hpp"
#include "io/hdf5_attributes.hpp"
#include "io/hdf5_elements.hpp"
#include "io/hdf5_handles.hpp"
#include "io/hdf5_image.hpp"
#include "io/physical_constants.hpp"

namespace grove {

namespace {

// HDF5 keeps an attribute in the header of its object, which has room for 64 KiB; longer texts become datasets.
constexpr std::size_t longest_attribute = 60000;

// What HDF5 may add to its metadata and round up when the datasets get their space; it adds a few KiB at most.
constexpr std::uint64_t metadata_allowance = 64 << 10;

constexpr double seconds_per_gyr = 1e9 * year_in_s;

void write_header_group(const Hdf5Handle& file, const SnapshotHeader& header, const SnapshotContents& contents) {
  const Hdf5Handle group = create_group(file, "Header");
  const std::array<std::uint32_t, particle_type_count> zeros{};
  const std::array<double, particle_type_count> no_masses{};
  write_attribute(group, "NumPart_ThisFile", std::span<const std::uint64_t>(contents.count_of_type));
  write_attribute(group, "NumPart_Total", std::span<const std::uint64_t>(contents.count_of_type));
  // NumPart_Total has 64 bits. Readers that still add the high word shifted by 32 bits would count it twice if it were not 0.
  write_attribute(group, "NumPart_Total_HighWord", std::span<const std::uint32_t>(zeros));
  write_attribute(group, "MassTable", std::span<const double>(no_masses));
  write_attribute(group, "Time", header.time);
  write_attribute(group, "Redshift", 0.0);
  write_attribute(group, "BoxSize", contents.box_size);
  write_attribute(group, "NumFilesPerSnapshot", std::int32_t{1});
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
  for (const char* name : {"Omega0", "OmegaLambda", "OmegaBaryon"}) write_attribute(group, name, 0.0);
  write_attribute(group, "HubbleParam", 1.0);
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
  // pynbody takes the time from here, and makes one up from the redshift otherwise.
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
  const Hdf5Handle type(check_hdf5(H5Tcopy(H5T_C_S1), "H5Tcopy"), H5Tclose);
  check_hdf5(H5Tset_size(type.id(), text.size()), "H5Tset_size");
  check_hdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "H5Tset_strpad");
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

void create_field(const Hdf5Handle& group, const ParticleField& field, std::uint64_t count, const UnitSystem& units) {
  const std::vector<hsize_t> shape = field.components == 1 ? std::vector<hsize_t>{count} : std::vector<hsize_t>{count, field.components};
  const Hdf5Handle dataset = create_dataset(group, field.dataset, file_type_of(field.type), shape);
  write_attribute(dataset, "a_scaling", 0.0);
  write_attribute(dataset, "h_scaling", 0.0);
  write_attribute(dataset, "length_scaling", field.unit.length);
  write_attribute(dataset, "mass_scaling", field.unit.mass);
  write_attribute(dataset, "velocity_scaling", field.unit.velocity);
  write_attribute(dataset, "to_cgs", in_cgs(field.unit, units));
}

}  // namespace

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
    for (const ParticleField* field : contents.fields) create_field(group, *field, count, units);
  }
  return image.close();
}

std::uint64_t largest_snapshot_size(std::uint64_t image_bytes, const SnapshotContents& contents) {
  std::uint64_t bytes = image_bytes + metadata_allowance;
  for (const std::uint64_t count : contents.count_of_type) {
    for (const ParticleField* field : contents.fields) {
      const std::uint64_t size = count * field->row_bytes();
      bytes += size + (size >= dataset_alignment ? dataset_alignment : 0);
    }
  }
  return bytes;
}

}  // namespace grove
