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
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;
  virtual ~Walker() = default;

  ExpansionForm multipole_form() const { return form_; }
  /// The form of multipoles of a tree whose cells have sides of `side` [code units].
  virtual ExpansionForm form_for_cells(const GravityLaw&, double /*side*/) const { return form_; }
  /// The most particles of a group.
  int largest_group() const { return largest_group_; }

  /// Marks in the particles' tree_level where the groups of targets of a new tree begin, and where they are divided since they had much
  /// work. Before set_targets(). `keys` [particles]: those of the tree. May synchronise.
  virtual void choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles);
  /// Lists the target groups that the particles' tree_level marks. The tree needs no moments yet. Tree and particles must stay valid until
  /// the last walk. Takes memory of the step. Synchronises.
  void set_targets(const Tree<Space>& tree, const Particles<Space>& particles);
  /// Begins a force evaluation. Its moments come next, and with them the smallest last acceleration in each group.
  LeastInGroups begin_forces(const LastAccelerations& last_acceleration);
  /// Sets the targets of the next walks. `active` [particles]: not 0 for active ones; null: all are active. They may have `parts`.
  virtual void set_active(const std::uint8_t* active, const ParticleParts& parts);
  /// Sets the work of all groups to zero, to which walks of other trees add. Asynchronous.
  void clear_work() { space_.fill_bytes(group_work_.data(), 0, group_work_.size() * sizeof(GroupWork)); }
  /// Restricts the next walks, until set_active(), to the parts [begin, end) of these targets. Work of the parts adds up.
  void set_parts(int begin, int end) {
    next_targets_ = active_lists_.of_parts(begin, end);
    if (!next_targets_.groups.empty()) next_targets_ = with_cells(next_targets_);
  }
  /// The targets of the next walks.
  const ActiveTargets& next_targets() const { return next_targets_; }
  /// The active targets of all parts, without their cells.
  ActiveTargets all_active() const { return are_listed_ ? active_lists_.all() : ActiveTargets{}; }
  /// Counts a direct sum of so many sources on the next targets as work of their groups.
  void add_pairs(std::size_t sources);
  virtual View<const std::uint32_t> group_start() const = 0;
  /// Whether cells in the trees of the next walks may be too few: walk() then tells whether a target had to open one that is closed.
  void set_may_lack_cells(bool may_lack_cells) { may_lack_cells_ = may_lack_cells; }
  /// Whether walk() checks the bounds of a tree with one class of softening.
  virtual bool checks_bounds() const { return false; }
  /// Sets the forces of the targets to those of `sources`, or adds these, as `mode` says. The tree of the targets must have its moments.
  /// If it checks the bounds of this tree, it sets no force where that is out of `bounds`. `meanwhile` as in FmmWalk::walk().
  virtual WalkOutcome walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const TreeBounds& bounds = {},
                           const std::function<void()>& meanwhile = {}) = 0;
  /// Work of the walks since the last one of the own tree. Synchronises.
  virtual WorkCounts work_counts();
  /// Work of each group in these walks; zero for groups that were not walked for.
  View<const GroupWork> group_work() const { return group_work_.view(); }

 protected:
  Walker(Space& space, ExpansionForm form, int largest_group)
      : space_(space),
        form_(form),
        largest_group_(largest_group),
        group_work_(space),
        group_least_acceleration_(space),
        active_lists_(space) {}
  virtual void list_targets() = 0;
  /// Adds the target cells above the groups, where there are target cells.
  virtual ActiveTargets with_cells(const ActiveTargets& some) { return some; }

  Space& space_;
  const ExpansionForm form_;
  const int largest_group_;
  const Tree<Space>* tree_ = nullptr;  ///< of the targets
  const Particles<Space>* particles_ = nullptr;
  StepBuffer<Space, GroupWork> group_work_;
  StepBuffer<Space, float> group_least_acceleration_;
  ActiveTargetLists<Space> active_lists_;
  ActiveTargets next_targets_;
  bool are_listed_ = false;  ///< the active targets, since not all are active, or they have parts
  bool may_lack_cells_ = false;
};

template <class Space>
class TreeWalker final : public Walker<Space> {
 public:
  explicit TreeWalker(Space& space) : Walker<Space>(space, WalkTerms::form, grove::largest_group), group_start_(space) {}
  View<const std::uint32_t> group_start() const override { return group_start_.view(); }
  WalkOutcome walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const TreeBounds& bounds,
                   const std::function<void()>& meanwhile) override;

 private:
  void list_targets() override { list_target_groups<Space>(this->space_, this->particles_->tree_level.view(), group_start_); }

  StepBuffer<Space, std::uint32_t> group_start_;
};

template <class Space>
class FmmWalker final : public Walker<Space> {
 public:
  /// `form` of the expansions, of order 4 or 5.
  FmmWalker(Space& space, ExpansionForm form) : Walker<Space>(space, form, largest_fmm_group<Space>), targets_(space), fmm_walk_(space) {}
  ExpansionForm form_for_cells(const GravityLaw& law, double side) const override {
    // On a CPU the harmonic terms of order 4 take a little longer than all terms (docs/development/constants.md).
    return Space::on_gpu || this->form_.order > 4 ? law.form_for_cells(side) : law.expansion_form();
  }
  void choose_groups(const Tree<Space>& tree, View<const std::uint64_t> keys, Particles<Space>& particles) override;
  void set_active(const std::uint8_t* active, const ParticleParts& parts) override {
    Walker<Space>::set_active(active, parts);
    fmm_walk_.begin(this->space_, targets_.view().cell_count, !active);
  }
  View<const std::uint32_t> group_start() const override { return targets_.group_start(); }
  bool checks_bounds() const override { return true; }
  WalkOutcome walk(const ScaledLaw& law, const TreeView& sources, WalkMode mode, const TreeBounds& bounds,
                   const std::function<void()>& meanwhile) override;
  WorkCounts work_counts() override;

 private:
  void list_targets() override {
    targets_.build(this->space_, *this->tree_, this->particles_->tree_level.view(), this->particles_->work.view());
  }
  ActiveTargets with_cells(const ActiveTargets& some) override { return this->active_lists_.with_cells(this->space_, targets_, some); }

  FmmTargets<Space> targets_;
  FmmWalk<Space> fmm_walk_;
};

}  // namespace grove
