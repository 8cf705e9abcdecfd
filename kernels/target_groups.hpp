// The targets of the walk: runs of consecutive sibling cells, merged up to one group's worth of particles.
#pragma once

#include "kernels/tree.hpp"

namespace grove {

/// Divides the particles of `tree` into groups of at most `largest` consecutive particles: sibling cells that fit are merged, cells that
/// do not are divided at their children. Sets `group_start` [groups + 1] to the first particle of each group and the end; to length 0
/// for an empty tree. Synchronises once.
template <class Space>
void make_target_groups(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest,
                        Buffer<Space, std::uint32_t>& group_start);

}  // namespace grove
