// Step 3 (docs/architecture.md): particles move to the rank that owns their key.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/domain_cuts.hpp"
#include "decomposition/frame.hpp"
#include "decomposition/packed_rows.hpp"
#include "decomposition/transport.hpp"

namespace grove {

/// What the next exchange depends on beside the particles, of all ranks.
struct ExchangeState {
  CutState cuts;
  std::vector<std::uint64_t> expected;  ///< [ranks] particles that will leave, at most, if the next step is like the last one
};

/// Moves particles between ranks.
template <class Space>
class ParticleExchange {
 public:
  /// `comm` must outlive it.
  ParticleExchange(Space& space, const Communicator& comm, TransportWay way)
      : space_(space), comm_(comm), transport_(space, comm, way), cuts_(space, comm) {}

  /// Moves every particle to the rank that owns its key (see DomainCuts); particles that stay on their rank are not sent. They are then in
  /// no particular order. All fields travel, except those whose row in the table says that they do not. Where many leave, as in the first
  /// exchange of a run, they leave in rounds, so that little memory is needed. Collective; synchronises.
  void run(const Frame& frame, Particles<Space>& particles);

  /// For a run that goes on: the same on all ranks. Collective.
  ExchangeState state() const { return {cuts_.state(), comm_.all_gather(static_cast<std::uint64_t>(expected_))}; }
  /// Takes up the state of as many ranks, with the particles that each of them had.
  void restore(ExchangeState state) {
    expected_ = state.expected.at(static_cast<std::size_t>(comm_.rank()));
    cuts_.restore(std::move(state.cuts));
  }

 private:
  /// Those that must leave.
  struct Leavers {
    std::vector<std::uint64_t> first;  ///< [ranks + 1] of the rows of this round, by the rank to which they go
    std::uint64_t found;               ///< all of them; more than the rows if the round has no room for them
  };
  struct Round {
    MessageRows leaving, arriving;
    std::vector<TravellingArray> arrays;
    const std::uint32_t *ascending, *by_rank;  ///< [leaving] their indices in two orders
  };

  bool run_round(const Frame& frame, std::size_t room, Particles<Space>& particles);
  Leavers find_leavers(const ParticleKeys& keys, std::size_t particle_count, View<std::uint32_t> ascending, View<std::uint32_t> by_rank);
  void move(const Round& round, Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  Transport<Space> transport_;
  DomainCuts<Space> cuts_;
  std::size_t expected_ = 0;  ///< particles that will leave in the next step, at most, if it is like the last one
};

}  // namespace grove
