// What many ranks would exchange: one set of particles, cut into many domains in one process.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Mean over the ranks, and that of the rank with most.
struct MeanAndMost {
  double mean = 0, most = 0;
};

/// The exchange of essential trees on `ranks` ranks.
struct VirtualRanks {
  int ranks = 1;
  double particles = 0;            ///< of a rank, mean
  MeanAndMost imported_particles;  ///< that a rank receives with the trees of others
  MeanAndMost imported_cells;
  MeanAndMost imported_bytes;
  MeanAndMost near_ranks;  ///< ranks that get the fine description of a rank
  MeanAndMost senders;     ///< ranks whose trees have more than one cell for a rank
  double table_bytes = 0;  ///< what a rank holds of all other ranks
  double balance = 1;      ///< largest over mean weight of a domain

  /// Imported particles for each of a rank's own, mean.
  double import_share() const { return particles > 0 ? imported_particles.mean / particles : 0; }
};

/// For each number of ranks. Forces of the whole set come first, on the CPU, so that domains are cut by work and criteria know
/// accelerations. The method must be `tree` or `fmm`. Not collective: runs on this rank alone.
std::vector<VirtualRanks> measure_virtual_ranks(ParticleSet particles, const GravityParameters& gravity, const std::vector<int>& ranks);

/// A table for people, several lines.
std::string virtual_ranks_text(const std::vector<VirtualRanks>& rows);
nlohmann::ordered_json virtual_ranks_json(const std::vector<VirtualRanks>& rows);

}  // namespace grove
