#include "io/snapshots/file_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

ParticleTotals totals_of(const ParticleSet& particles) {
  ParticleTotals totals;
  std::copy_n(particles.position.begin(), 3, totals.low.begin());
  totals.high = totals.low;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double mass = particles.mass[i];
    totals.mass += mass;
    totals.mass_of_type[particles.type[i]] += mass;
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = particles.position[3 * i + c];
      totals.low[c] = std::min(totals.low[c], x);
      totals.high[c] = std::max(totals.high[c], x);
      totals.centre_of_mass[c] += mass * x;
      totals.velocity[c] += mass * particles.velocity[3 * i + c];
    }
  }
  for (std::size_t c = 0; c < 3 && totals.mass > 0; ++c) {
    totals.centre_of_mass[c] /= totals.mass;
    totals.velocity[c] /= totals.mass;
  }
  return totals;
}

void require_unique(std::vector<std::uint64_t> ids, const std::filesystem::path& path) {
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) throw DataError(fmt::format("{}: the id {} occurs twice; ids must be unique", path.string(), *twice));
}

}  // namespace

FileSummary summarise_file(const std::filesystem::path& path, const std::string& columns) {
  const DetectedFile found = detect_format(path);
  const Communicator alone(MPI_COMM_SELF);
  FileSummary summary;
  summary.path = found.path;
  const ParticleSet particles = read_particles(found.path, alone, &summary.info, standard_fields(), columns);
  require_unique(particles.id, found.path);
  summary.totals = totals_of(particles);
  summary.fields = columns.empty() ? found.format->fields(found.path) : found.format->fields_of_columns(found.path, columns);
  if (found.format->attributes) summary.attributes = found.format->attributes(found.path);
  if (const std::string why = why_not_isolated(summary.info.universe); !why.empty())
    summary.info.notes.push_back(fmt::format("the file {}. A run refuses it; {}", why, how_to_allow));
  return summary;
}

}  // namespace grove
