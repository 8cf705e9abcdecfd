// The domain cuts: where the domains of the ranks begin on the Morton curve.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/domain/frame.hpp"

namespace grove {

/// The weight of a particle is its work over a base step plus the mean work divided by this. A domain of particles without work then has at
/// most three times the mean number of particles.
inline constexpr std::uint64_t idle_share_of_work = 2;
/// The weight of each domain is within this fraction of the mean. A closer balance would leave less choice of where to cut.
inline constexpr double balance_tolerance = 0.02;

/// State kept from step to step; the same on all ranks.
struct CutState {
  KeyCube cube;                       ///< cube of the last step; the cuts are keys in it
  std::vector<std::uint64_t> splits;  ///< [ranks - 1]
  double threshold = 0;               ///< domains are cut again at a larger imbalance
  double before_cut = 0;              ///< imbalance before the last cut
  bool is_new = false;                ///< the last step has cut the domains
};

/// Keeps the cuts of the domains from step to step. Each domain has the same measured work, and at most three times the mean number of
/// particles, where equal keys allow it. Domains are cut again if particles.has_acceleration is not set, if the cube of the keys has
/// changed, or if the work has become so uneven that a cut pays.
template <class Space>
class DomainCuts {
 public:
  /// `comm` must outlive it.
  DomainCuts(Space& space, const Communicator& comm) : space_(space), comm_(comm) {}

  /// Cuts the domains again if needed. Returns whether it did. Collective; synchronises if it did.
  bool update(const Frame& frame, const Particles<Space>& particles);
  /// [ranks - 1] The first key of each domain except the first.
  const std::vector<std::uint64_t>& splits() const { return state_.splits; }
  /// State for a restart.
  const CutState& state() const { return state_; }
  void restore(CutState state) { state_ = std::move(state); }

 private:
  bool must_cut(const Frame& frame, bool is_restarted);
  void cut(const Frame& frame, const Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  CutState state_;
};

}  // namespace grove
