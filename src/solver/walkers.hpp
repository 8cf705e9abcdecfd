// The walks of trees behind one interface: `tree`, whose groups evaluate multipoles, and `fmm`, with local expansions.
#pragma once

#include <functional>

#include "decomposition/domain/essential_tree.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "src/solver/work_counts.hpp"

namespace grove {

/// Walks trees for the targets of this rank.
template <class Space>
class Walker {
 public:
  virtual ~Walker() = default;

  virtual ExpansionForm multipole_form() const = 0;
  /// The form of multipoles of a tree whose cells have sides of `side` [code units].
  virtual ExpansionForm form_for_cells(const GravityLaw& law, double side) const = 0;

  /// Marks in the particles' tree_level where the groups of targets of a new tree begin, and where they are divided since they had much
  /// work. Before set_targets(). `keys` [particles]: those of the tree. May synchronise.
  virtual void choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) = 0;
  /// The most particles of a group.
  virtual int largest_group() const = 0;
  /// Lists the target groups that the particles' tree_level marks. The tree needs no moments yet. Tree and particles must stay valid until
  /// the last walk. Takes memory of the step. Synchronises.
  virtual void set_targets(const Tree<Space>& tree, const Outliers& outliers, const Particles<Space>& particles) = 0;
  /// Begins a force evaluation. Its moments come next, and with them the smallest last acceleration in each group.
  virtual LeastInGroups begin_forces(const LastAccelerations& last_acceleration) = 0;
  /// Sets the targets of the next walks. `active` [particles]: not 0 for active ones; null: all are active.
  virtual void set_active(const std::uint8_t* active) = 0;
  /// Restricts the next walks, until set_active(), to a part of these targets; `part` is as `active` above and must stay valid until the
  /// walks are over. Work of the parts adds up.
  virtual void set_part(const std::uint8_t* part) = 0;
  virtual ActiveTargets active() const = 0;
  virtual View<const std::uint32_t> group_start() const = 0;
  /// Whether walk() checks the box around the particles of a tree with one class of softening.
  virtual bool checks_box() const = 0;
  /// Sets the forces of the targets to those of `sources`, or adds these, as `mode` says. The tree of the targets must have its moments.
  /// Returns false, and sets no force, if it checks the box of this tree and that is longer than `longest_box`. `meanwhile` as in
  /// FmmWalk::walk().
  virtual bool walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const LongestBox& longest_box = {},
                    const std::function<void()>& meanwhile = {}) = 0;
  /// Work of the walks since the last one of the own tree. Synchronises.
  virtual WorkCounts work_counts() = 0;
  /// Work of each group in these walks; zero for groups that were not walked for.
  virtual View<const GroupWork> group_work() const = 0;
};

template <class Space>
class TreeWalker final : public Walker<Space> {
 public:
  explicit TreeWalker(Space& space)
      : space_(space), group_start_(space), group_work_(space), group_least_acceleration_(space), active_(space), part_(space) {}
  ExpansionForm multipole_form() const override { return WalkTerms::form; }
  ExpansionForm form_for_cells(const GravityLaw&, double) const override { return WalkTerms::form; }
  void choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) override;
  int largest_group() const override { return grove::largest_group; }
  void set_targets(const Tree<Space>& tree, const Outliers& outliers, const Particles<Space>& particles) override;
  LeastInGroups begin_forces(const LastAccelerations& last_acceleration) override;
  void set_active(const std::uint8_t* active) override;
  void set_part(const std::uint8_t* part) override { targets_.active = part_.find(space_, group_start(), part); }
  ActiveTargets active() const override { return all_active_; }
  View<const std::uint32_t> group_start() const override { return group_start_.view(); }
  bool checks_box() const override { return false; }
  bool walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const LongestBox& longest_box,
            const std::function<void()>& meanwhile) override;
  WorkCounts work_counts() override;
  View<const GroupWork> group_work() const override { return group_work_.view(); }

 private:
  Space& space_;
  const Particles<Space>* particles_ = nullptr;
  WalkTargets targets_;
  StepBuffer<Space, std::uint32_t> group_start_;
  StepBuffer<Space, GroupWork> group_work_;
  StepBuffer<Space, float> group_least_acceleration_;
  ActiveTargets all_active_;  ///< those of all parts
  ActiveTargetLists<Space> active_, part_;
};

template <class Space>
class FmmWalker final : public Walker<Space> {
 public:
  /// `form` of the expansions, of order 4 or 5.
  FmmWalker(Space& space, ExpansionForm form)
      : space_(space),
        form_(form),
        targets_(space),
        fmm_walk_(space),
        group_work_(space),
        group_least_acceleration_(space),
        active_(space),
        part_(space) {}
  ExpansionForm multipole_form() const override { return form_; }
  ExpansionForm form_for_cells(const GravityLaw& law, double side) const override {
    // On a CPU the harmonic terms of order 4 take a little longer than all terms (docs/measurements.md).
    return Space::on_gpu || form_.order > 4 ? law.form_for_cells(side) : law.expansion_form();
  }
  void choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) override;
  int largest_group() const override { return largest_fmm_group<Space>; }
  void set_targets(const Tree<Space>& tree, const Outliers& outliers, const Particles<Space>& particles) override;
  LeastInGroups begin_forces(const LastAccelerations& last_acceleration) override;
  void set_active(const std::uint8_t* active) override;
  void set_part(const std::uint8_t* part) override { data_.active = part_.find(space_, targets_, part); }
  ActiveTargets active() const override { return all_active_; }
  View<const std::uint32_t> group_start() const override { return targets_.group_start(); }
  bool checks_box() const override { return true; }
  bool walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const LongestBox& longest_box,
            const std::function<void()>& meanwhile) override;
  WorkCounts work_counts() override;
  View<const GroupWork> group_work() const override { return group_work_.view(); }

 private:
  Space& space_;
  const ExpansionForm form_;
  const Tree<Space>* tree_ = nullptr;  ///< of the targets
  const Particles<Space>* particles_ = nullptr;
  FmmTargets<Space> targets_;
  FmmWalkTargets data_;  ///< walk() sets the members that need the tree's moments
  FmmWalk<Space> fmm_walk_;
  bool is_first_walk_ = true;  ///< the next walk is the first one for these targets
  StepBuffer<Space, GroupWork> group_work_;
  StepBuffer<Space, float> group_least_acceleration_;
  ActiveTargets all_active_;  ///< those of all parts
  ActiveTargetLists<Space> active_, part_;
};

}  // namespace grove
