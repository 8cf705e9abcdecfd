// How much work a force evaluation was.
#pragma once

#include <cstdint>

namespace grove {

/// What the last force evaluation did on this rank.
struct WorkCounts {
  std::uint64_t targets = 0;            ///< particles that received a force
  std::uint64_t particle_particle = 0;  ///< pair interactions evaluated
  std::uint64_t cell_particle = 0;      ///< multipole interactions evaluated
  std::uint64_t cell_cell = 0;          ///< multipoles added to local expansions
  std::uint64_t opening_tests = 0;      ///< cells tested against the opening criterion
  std::uint64_t cells = 0;              ///< cells of the local tree
  std::uint64_t imported_cells = 0;     ///< cells received from other ranks
  std::uint64_t imported_particles = 0;
  /// The most memory that was allocated at any time during the evaluation: particles, trees, lists and scratch, and old blocks as long as
  /// larger ones were replacing them. On a GPU only the memory of the device counts, without the CUDA context.
  std::uint64_t bytes_held = 0;
};

}  // namespace grove
