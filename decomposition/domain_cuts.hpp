// Where the domains of the ranks begin on the Morton curve.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/frame.hpp"

namespace grove {

/// The weight of a particle is its work plus half the mean work. So a domain of particles without work has at most three times the mean
/// number.
inline constexpr std::uint64_t idle_share_of_work = 2;
/// Domains are cut to within this fraction of the mean weight: a better balance would only leave less choice of where to cut.
inline constexpr double balance_tolerance = 0.02;

/// What is kept from step to step; the same on all ranks.
struct CutState {
  KeyCube cube;                       ///< of the last step, to whose keys the cuts belong
  std::vector<std::uint64_t> splits;  ///< [ranks - 1]
  double threshold = 0;               ///< domains are cut anew at a larger imbalance
  double before_cut = 0;              ///< the imbalance before the last cut
  bool is_new = false;                ///< the step before has cut the domains
};

/// Keeps the cuts of the domains from step to step.
///
/// Domains are cut so that each has the same measured work, and none more than three times the mean number of particles, as far as equal
/// keys allow. They are cut anew if particles.has_acceleration is not set, if the cube of the keys is another one, and if the work has
/// become uneven by more than a step would gain.
template <class Space>
class DomainCuts {
 public:
  /// `comm` must outlive it.
  DomainCuts(Space& space, const Communicator& comm) : space_(space), comm_(comm) {}

  /// Cuts the domains anew if that is worth it; returns whether it was. Collective; synchronises if so.
  bool update(const Frame& frame, const Particles<Space>& particles);
  /// [ranks - 1] First key of each domain but the first.
  const std::vector<std::uint64_t>& splits() const { return state_.splits; }
  /// For a run that goes on with the particles of this state.
  const CutState& state() const { return state_; }
  void restore(CutState state) { state_ = std::move(state); }

 private:
  bool must_cut(const Frame& frame, bool starts_anew);
  void cut(const Frame& frame, const Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  CutState state_;
};

}  // namespace grove
