// This rank's own tree: its frame, its particles, cells and moments.
#pragma once

#include <span>
#include <vector>

#include "decomposition/domain/cut_cells.hpp"
#include "decomposition/domain/particle_exchange.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/last_accelerations.hpp"
#include "kernels/space/phase_clock.hpp"
#include "kernels/tree/group_motion.hpp"
#include "src/solver/walkers.hpp"

namespace grove {

/// The gravity law in the units of a tree, for the pairs of any two classes of softening.
class TreeLaws {
 public:
  explicit TreeLaws(const GravityLaw& law)
      : classes_(law.classes().count()),
        of_pair_(static_cast<std::size_t>(classes_ * classes_), law.unscaled()),
        largest_(law.unscaled()) {}

  /// In the scale of the frame, with expansions of that form.
  void set(const GravityLaw& law, const Frame& frame, ExpansionForm form) {
    const auto with_mass = [&](ScaledLaw scaled) {
      scaled.common_mass = static_cast<float>(frame.common_mass / frame.scale.mass);
      return scaled;
    };
    largest_ = with_mass(law.at(frame.scale, form));
    for (int a = 0; a < classes_; ++a)
      for (int b = 0; b < classes_; ++b) of_pair_[index(a, b)] = with_mass(law.of_pair(a, b, frame.scale, form));
  }

  const ScaledLaw& of_pair(int a, int b) const { return of_pair_[index(a, b)]; }
  /// The law of the largest softening.
  const ScaledLaw& largest() const { return largest_; }

 private:
  std::size_t index(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(classes_) + static_cast<std::size_t>(b);
  }

  int classes_;
  std::vector<ScaledLaw> of_pair_;
  ScaledLaw largest_;
};

/// Owns the tree. A new tree takes, in this order: find_frame(), exchange(), build(), find_moments(). A tree that is reused keeps its cells
/// and their particles, and takes update_moments(), after link_again() where its memory is gone.
template <class Space>
class OwnTree {
 public:
  /// `space`, `comm` and `walker` must outlive it.
  OwnTree(Space& space, const Communicator& comm, const GravityLaw& law, Walker<Space>& walker, TransportWay way);

  /// Finds the frame of a new tree, which is built from where the particles will be after the time `lead`. Frames of one run follow from
  /// each other. Returns whether the particles' extent has grown so much since the previous frame that the last accelerations tell nothing
  /// of the next ones. Collective. Throws PositionsNotFinite, and AgreedError for an extent that does not fit into FP32.
  bool find_frame(const Particles<Space>& particles, double lead, bool is_new_run);
  /// Sets the laws in the scale of the frame, and moves every particle to the rank to which it belongs. Collective. Throws AgreedError for
  /// a softening that does not fit into FP32.
  void exchange(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock);
  /// In place of both, for points on which other trees act: with the scale of these, on this rank alone.
  void set_frame(const Frame& frame) { frame_ = frame; }
  /// Sorts the particles; builds the links, the groups of targets, and chooses the form of expansions. Returns the magnitudes of the last
  /// accelerations [particles], in the memory of the accelerations, which are lost. Takes memory of the step. Collective.
  View<const float> build(const GravityLaw& law, Particles<Space>& particles, PhaseClock<Space>& clock);
  /// Links the cells once more, in memory of the present step of the arena. Synchronises.
  void link_again(const Particles<Space>& particles);
  /// Whether the links lie in memory of the present step.
  bool is_in_memory() const { return space_.arena().step() == step_; }

  /// Finds geometry and moments of all cells, and the smallest last acceleration in each cell and group. Asynchronous.
  void find_moments(const Particles<Space>& particles, const LastAccelerations& last_acceleration, PhaseClock<Space>& clock);
  /// The same for a tree that is reused, whose accelerations lie where the last forces have put them: they stay.
  void update_moments(const Particles<Space>& particles, PhaseClock<Space>& clock);
  /// The first call after either enlarges the cells that a border cuts; `ranges` [ranks]: the keys of each.
  void enlarge_cut_cells(std::span<const KeyRange> ranges);
  /// Where to put the magnitudes of the present accelerations for the next update_moments(); nowhere if the tree is not in memory.
  MagnitudesAhead magnitudes_ahead();

  /// How fast the particles of the groups of all ranks move apart. Collective; synchronises.
  GroupMotion motion(const Particles<Space>& particles) const;
  /// Where the particles of a tree that is reused must be.
  TreeBounds bounds() const;
  /// Whether the tree can be reused: all particles were well within the bounds when the frame was found.
  bool can_be_reused() const;
  /// Whether this rank's particles are within the bounds. The host waits for the moments.
  bool is_within_bounds() const;

  const Frame& frame() const { return frame_; }
  const TreeLaws& laws() const { return laws_; }
  Tree<Space>& tree() { return tree_; }
  const Tree<Space>& tree() const { return tree_; }
  /// The smallest and the largest key of this rank's particles; empty without particles, and on one rank.
  View<const std::uint64_t> end_keys() const { return end_keys_.view(); }

  /// What the next frame and exchange depend on, and what the tree consists of, except the particles' field tree_level. Collective.
  void save(SavedState& state) const;
  /// On as many ranks. Returns false where this law or walk would have built another tree. `particle_count`: of this rank.
  bool restore(const SavedState& state, std::size_t particle_count);

 private:
  void take_memory(std::size_t particle_count);
  View<const float> sort(Particles<Space>& particles, View<std::uint64_t> keys, PhaseClock<Space>& clock);
  void keep_end_keys(View<const std::uint64_t> keys);
  void choose_form(const GravityLaw& law);
  void restore_frame(const SavedState& state);
  SavedState::Counts classes_of_types() const;

  Space& space_;
  const Communicator& comm_;
  const GravityLaw law_;
  Walker<Space>& walker_;
  TreeLaws laws_;
  Frame frame_;
  ParticleExchange<Space> particle_exchange_;
  Tree<Space> tree_;
  Buffer<Space, std::uint64_t> end_keys_;
  std::uint64_t step_ = 0;              ///< of the arena, in whose memory the links lie
  StepBuffer<Space, float> magnitude_;  ///< [particles] of the last accelerations, for update_moments()
  bool are_cut_cells_enlarged_ = false;
  bool has_magnitudes_ahead_ = false;  ///< magnitude_ is set by the time of update_moments(), since magnitudes_ahead() was called
};

}  // namespace grove
