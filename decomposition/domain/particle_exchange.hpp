// Step 3 (docs/development/overview.md): particles move to the rank that owns their key.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/domain/domain_cuts.hpp"
#include "decomposition/domain/frame.hpp"
#include "decomposition/domain/packed_rows.hpp"
#include "decomposition/ranks/transport.hpp"

namespace grove {

/// What the next exchange depends on, in addition to the particles.
struct ExchangeState {
  CutState cuts;
  std::vector<std::uint64_t> expected;  ///< [ranks] particles expected to leave in the next step, at most
};

/// Moves particles to the ranks that own their keys.
template <class Space>
class ParticleExchange {
 public:
  /// `comm` must outlive it.
  ParticleExchange(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), transport_(space, comm, way), cuts_(space, comm) {}

  /// Moves every particle to the rank that owns its key (see DomainCuts). Afterwards particles are in no particular order. Fields that do
  /// not travel are lost. Where many particles leave, as in the first exchange of a run, they leave in rounds to save memory. Collective;
  /// synchronises.
  void run(const Frame& frame, Particles<Space>& particles);

  /// State for a restart; the same on all ranks. Collective.
  ExchangeState state() const { return {cuts_.state(), comm_.all_gather(static_cast<std::uint64_t>(expected_))}; }
  /// Continues from the state of the same number of ranks, each with the particles it had.
  void restore(ExchangeState state) {
    expected_ = state.expected.at(static_cast<std::size_t>(comm_.rank()));
    cuts_.restore(std::move(state.cuts));
  }

 private:
  /// Particles that must leave.
  struct Leavers {
    std::vector<std::uint64_t> first;  ///< [ranks + 1] first row of this round for each rank
    std::uint64_t found;               ///< number of all leavers; there may be more than rows in this round
  };
  struct Round {
    MessageRows leaving, arriving;
    std::vector<TravellingArray> arrays;
    const std::uint32_t *ascending, *by_rank;  ///< [leaving] indices of the leavers in two orders
  };

  bool run_round(const Frame& frame, std::size_t room, Particles<Space>& particles);
  Leavers find_leavers(const ParticleKeys& keys, std::size_t particle_count, View<std::uint32_t> ascending, View<std::uint32_t> by_rank);
  void move(const Round& round, Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  DomainCuts<Space> cuts_;
  std::size_t expected_ = 0;  ///< particles expected to leave in the next step, at most
};

}  // namespace grove
