#include "src/analysis/profile_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_image.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "src/analysis/profile_columns.hpp"
#include "src/run/files/version.hpp"

namespace grove {

namespace {

void write_column(const Hdf5Handle& group, const ProfileColumn& column, const std::vector<double>& values, const UnitSystem& units) {
  const Hdf5Handle dataset = create_dataset(group, column.name, H5T_IEEE_F64LE, {values.size()});
  if (!values.empty())
    check_hdf5(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), hdf5_name(dataset));
  const std::string unit = unit_text(column.unit);
  write_attribute(dataset, "unit", unit.empty() ? "none" : unit);
  write_attribute(dataset, "meaning", std::string(column.meaning));
  if (is_physical(units)) write_attribute(dataset, "to_cgs", in_cgs(column.unit, units));
}

void write_vector(const Hdf5Handle& group, const char* name, const Double3& a) {
  const std::array<double, 3> values{a.x, a.y, a.z};
  write_attribute(group, name, std::span<const double>(values));
}

void write_count(const Hdf5Handle& group, const char* name, std::uint64_t count) {
  write_attribute(group, name, std::span<const std::uint64_t>(&count, 1));
}

void write_group(const Hdf5Handle& parent, const GroupProfile& group, const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  const bool is_all = group.group.type == all_types;
  const Hdf5Handle handle = create_group(parent, is_all ? "all" : fmt::format("PartType{}", group.group.type));
  write_attribute(handle, "ComponentName", group.group.name);
  write_count(handle, "Particles", group.group.particles);
  write_attribute(handle, "Mass", group.group.mass);
  write_count(handle, "ParticlesInside", group.inside);
  write_count(handle, "ParticlesOutside", group.outside);
  if (snapshot.profile.is_disc) {
    write_attribute(handle, "BarA2", group.bar.a2);
    write_attribute(handle, "BarNoise", group.bar.noise);
    write_attribute(handle, "BarRadius", group.bar.radius);
    write_attribute(handle, "BarPhase", group.bar.phase);
    write_attribute(handle, "PatternSpeed", group.bar.pattern_speed);
  }
  const auto columns = profile_columns(snapshot.profile.is_disc);
  for (std::size_t c = 0; c < columns.size(); ++c) write_column(handle, columns[c], group.columns[c], snapshot.units);
  write_column(handle, {"lagrangian_fractions", {}, "shares of the mass of the component", nullptr}, request.fractions, snapshot.units);
  write_column(handle, {"lagrangian_radii", {1, 0, 0}, "smallest radius with that share inside", nullptr}, group.lagrangian_radii,
               snapshot.units);
}

void write_snapshot_group(const Hdf5Handle& file, std::size_t number, const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  const Hdf5Handle group = create_group(file, fmt::format("snapshot_{:04}", number));
  write_attribute(group, "File", snapshot.file);
  write_attribute(group, "Format", snapshot.format);
  if (snapshot.time) write_attribute(group, "Time", *snapshot.time);
  if (!snapshot.notes.empty()) write_attribute(group, "Notes", fmt::format("{}", fmt::join(snapshot.notes, "\n")));
  write_attribute(group, "G", snapshot.G);
  write_attribute(group, "UnitLength_in_cm", snapshot.units.length_in_cm);
  write_attribute(group, "UnitMass_in_g", snapshot.units.mass_in_g);
  write_attribute(group, "UnitVelocity_in_cm_per_s", snapshot.units.velocity_in_cm_per_s);
  const Centre& centre = snapshot.profile.centre;
  write_vector(group, "Centre", centre.position);
  write_vector(group, "CentreVelocity", centre.velocity);
  write_count(group, "CentreVelocityParticles", centre.particles);
  if (snapshot.profile.is_disc) write_vector(group, "Axis", snapshot.profile.plane.axis);
  for (const GroupProfile& of_group : snapshot.profile.groups) write_group(group, of_group, snapshot, request);
}

}  // namespace

std::string profile_file_image(const std::string& name, const ProfileReport& report) {
  const Hdf5Turn turn;
  Hdf5Image image(name);
  {
    const Hdf5Handle provenance = create_group(image.file(), "Provenance");
    const Provenance of_program = program_provenance();
    write_attribute(provenance, "Code", std::string("Grove"));
    write_attribute(provenance, "Version", of_program.version);
    write_attribute(provenance, "Git_commit", of_program.git_commit);
    write_attribute(provenance, "Command", std::string("grove profile"));
    write_attribute(provenance, "Centre", centre_text(report.request.centre));
    if (!report.request.disc.empty()) write_attribute(provenance, "Disc", report.request.disc);
  }
  for (std::size_t s = 0; s < report.snapshots.size(); ++s) write_snapshot_group(image.file(), s, report.snapshots[s], report.request);
  return image.close();
}

}  // namespace grove
