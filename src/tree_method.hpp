// The method `tree`: one force evaluation by group walks of the own tree and of the essential trees of the other ranks.
#pragma once

#include "decomposition/domain.hpp"
#include "decomposition/tree_exchange.hpp"
#include "kernels/walk.hpp"
#include "src/force_method.hpp"

namespace grove {

template <class Space>
class TreeMethod final : public ForceMethod<Space> {
 public:
  TreeMethod(Space& space, const Communicator& comm, const GravityParameters& gravity)
      : space_(space), comm_(comm), gravity_(gravity), particle_exchange_(space), sorter_(space), tree_(space), essential_(space), tree_exchange_(space),
        group_start_(space), group_work_(space) {}

  void compute(Particles<Space>& particles, PhaseClock<Space>& clock) override;
  WorkCounts work_counts() override;

 private:
  void select_essential_trees(const Particles<Space>& particles);

  Space& space_;
  const Communicator& comm_;
  const GravityParameters gravity_;
  Frame frame_;
  ParticleExchange<Space> particle_exchange_;
  ParticleSorter<Space> sorter_;
  Tree<Space> tree_;
  EssentialTrees<Space> essential_;
  TreeExchange<Space> tree_exchange_;
  Buffer<Space, std::uint32_t> group_start_;
  Buffer<Space, GroupWork> group_work_;
};

}  // namespace grove
