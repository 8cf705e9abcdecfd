#include "io/formats/reader_nemo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "io/formats/particle_rows.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

static_assert(std::is_trivially_copyable_v<NemoSnapshot>);

constexpr std::uint8_t type_of_all = 1;

/// Reads the positions and velocities of the rows from `begin` on out of an array of both.
void read_phase_space(std::ifstream& file, const NumbersInFile& where, std::uint64_t begin, ParticleSet& particles) {
  constexpr std::size_t rows_per_read = 1 << 15;
  std::vector<double> both;
  for (std::size_t done = 0; done < particles.size() && file;) {
    const std::size_t now = std::min(rows_per_read, particles.size() - done);
    both.resize(6 * now);
    read_floats(file, where, 6 * (begin + done), both);
    for (std::size_t i = 0; i < now; ++i, ++done) {
      std::copy_n(&both[6 * i], 3, &particles.position[3 * done]);
      std::copy_n(&both[6 * i + 3], 3, &particles.velocity[3 * done]);
    }
  }
}

/// Reads the rows [begin, end) of the snapshot.
ParticleSet read_rows(const std::filesystem::path& path, const NemoSnapshot& snapshot, const FieldTablePtr& fields, std::uint64_t begin,
                      std::uint64_t end) {
  ParticleSet particles = make_rows(fields, begin, end, path);
  if (begin == end) return particles;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading");
  read_floats(file, snapshot.mass, begin, particles.mass);
  if (snapshot.has_phase_space) read_phase_space(file, snapshot.phase_space, begin, particles);
  if (snapshot.has_position) read_floats(file, snapshot.position, 3 * begin, particles.position);
  if (snapshot.has_velocity) read_floats(file, snapshot.velocity, 3 * begin, particles.velocity);
  if (!file) throw SystemError(fmt::format("{}: rows {} to {} cannot be read", path.string(), begin, end - 1));
  std::fill(particles.type.begin(), particles.type.end(), type_of_all);
  return particles;
}

}  // namespace

ParticleSet read_nemo(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) {
  NemoSnapshot snapshot;
  comm.agree([&] {
    if (!comm.is_root()) return;
    std::vector<std::string> unused;
    snapshot = read_nemo_snapshot(path, unused);
    info.count_of_type[type_of_all] = snapshot.particles;
    if (snapshot.has_time) info.time = snapshot.time;
    if (!unused.empty()) info.notes.push_back(fmt::format("what else the particles have is not used: {}", fmt::join(unused, ", ")));
  });
  comm.broadcast(std::span<NemoSnapshot>(&snapshot, 1));
  const std::uint64_t begin = first_of_rank(snapshot.particles, comm.rank(), comm.size());
  const std::uint64_t end = first_of_rank(snapshot.particles, comm.rank() + 1, comm.size());
  ParticleSet particles;
  comm.agree([&] { particles = read_rows(path, snapshot, fields, begin, end); });
  validate_particles(particles, path.string(), begin, comm);
  return particles;
}

std::vector<FieldDescription> nemo_fields(const std::filesystem::path& path) {
  std::vector<std::string> unused;
  const NemoSnapshot snapshot = read_nemo_snapshot(path, unused);
  const std::string n = std::to_string(snapshot.particles);
  std::vector<FieldDescription> fields;
  const auto add = [&](bool is_there, const char* name, const NumbersInFile& numbers, const std::string& shape) {
    if (is_there) fields.push_back({name, fmt::format("f{}", numbers.element_bytes), shape});
  };
  add(snapshot.has_mass, "Mass", snapshot.mass, n);
  add(snapshot.has_position, "Position", snapshot.position, n + " x 3");
  add(snapshot.has_velocity, "Velocity", snapshot.velocity, n + " x 3");
  add(snapshot.has_phase_space, "PhaseSpace", snapshot.phase_space, n + " x 2 x 3");
  for (const std::string& name : unused) fields.push_back({name, "not used", ""});
  return fields;
}

}  // namespace grove
