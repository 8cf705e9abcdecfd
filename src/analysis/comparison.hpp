// Differences between the particles of two snapshots with the same ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The differences of one field over the particles that are in both sets: lengths of the differences of vectors, code units.
struct FieldDifference {
  std::string field;  ///< "position"
  double rms = 0, median = 0, p99 = 0, max = 0;
  std::uint64_t id_of_max = 0;  ///< the lowest, if several have it
  /// What they are compared with. Of positions and velocities of the first set the rms distance from their mean, of other fields the rms.
  double spread = 0;
};

/// Particles that something holds for, and the lowest of their ids.
struct CountedIds {
  std::uint64_t count = 0, lowest = 0;
};

struct Comparison {
  std::uint64_t in_both = 0;
  CountedIds only_in_a, only_in_b;
  CountedIds of_other_type;                  ///< those in both whose types differ
  std::vector<FieldDifference> differences;  ///< of the fields that both have; empty where no particle is in both
};

/// The fields that are compared.
inline constexpr const char* compared_fields[] = {"position", "velocity", "mass", "acceleration", "potential"};

/// The standard fields; accelerations and potentials are read, too, if a file has them.
const FieldTablePtr& comparison_fields();

/// Compares particles of equal ids, which are unique in each set, on any rank and in any order. Both sets have comparison_fields(). The
/// particles are redistributed evenly over the ranks, which takes twice their memory. The same bits on any number of ranks. Collective.
/// Throws AgreedError (exit code of DataError) when a field is known on some ranks only.
Comparison compare_particles(ParticleSet a, ParticleSet b, const Communicator& comm);

}  // namespace grove
