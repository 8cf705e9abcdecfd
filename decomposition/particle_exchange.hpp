// Step 3 (docs/architecture.md): particles move to the rank that owns their key.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/frame.hpp"
#include "decomposition/transport.hpp"

namespace grove {

/// How many particles go from rank to rank.
struct ParticleMoves {
  std::vector<std::uint64_t> leaving, arriving;  ///< [ranks]
  std::size_t leaving_total = 0, arriving_total = 0;
};

/// The cuts of the domains, and when they are made anew: what is kept from step to step. The same on all ranks.
struct DomainCuts {
  KeyCube cube;                       ///< of the last exchange, to whose keys the cuts belong
  std::vector<std::uint64_t> splits;  ///< [ranks - 1] first key of each domain but the first
  double threshold = 0;               ///< domains are cut anew at a larger imbalance
  double before_cut = 0;              ///< the imbalance before the last cut
  bool is_new = false;                ///< the step before has cut the domains
};

/// Moves particles between ranks; keeps the cuts of the domains from step to step.
template <class Space>
class ParticleExchange {
 public:
  /// `comm` must outlive it.
  ParticleExchange(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), transport_(space, comm, way), leaving_(space) {}

  /// Moves every particle to the rank that owns its key; particles that stay on their rank are not sent. They are then in no particular
  /// order. All fields travel, except those whose row in the table says that they do not. Collective; synchronises.
  ///
  /// Domains are cut so that each has the same measured work, and none more than three times the mean number of particles, as far as equal
  /// keys allow. They are cut anew if particles.has_acceleration is not set, if the cube of the keys is another one, and if the work has
  /// become uneven by more than a step would gain.
  void run(const Frame& frame, Particles<Space>& particles);

  /// For a run that goes on: the particles must be those of the cuts.
  const DomainCuts& cuts() const { return cuts_; }
  void restore(DomainCuts cuts) { cuts_ = std::move(cuts); }

 private:
  bool must_cut(const Frame& frame, bool starts_anew);
  void cut(const Frame& frame, const Particles<Space>& particles);
  void move(const ParticleMoves& moves, bool one_by_one, Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  Buffer<Space, std::uint32_t> leaving_;  ///< particles that leave, by the rank to which they go
  DomainCuts cuts_;
};

}  // namespace grove
