#include "decomposition/direct_sum_over_ranks.hpp"

namespace grove {

template <class Space>
void DirectSumOverRanks<Space>::add_all(Space& space, const Communicator& comm, const ScaledLaw& law, const Particles<Space>& particles,
                                        const DirectTargets& targets) {
  const int size = comm.size(), right = (comm.rank() + 1) % size, left = (comm.rank() + size - 1) % size;
  const std::vector<std::uint64_t> counts = comm.all_gather(std::uint64_t{particles.size()});
  DirectSources present{particles.position.view(), particles.id.view()};
  for (int hop = 1; hop < size; ++hop) {
    // The block that arrives at hop h comes from the rank h places to the left.
    Block& next = blocks_[hop % 2];
    next.resize(counts[static_cast<std::size_t>((comm.rank() + size - hop) % size)]);
    transport_.begin(comm, Tag::ring_block);
    transport_.receive(bytes_of(next.position.view()), left);
    transport_.receive(bytes_of(next.id.view()), left);
    transport_.send(bytes_of(present.position), right);
    transport_.send(bytes_of(present.id), right);
    transport_.start();
    transport_.dispatch();
    add_direct_sum<Space>(space, law, present, targets);
    transport_.arrive(0, transport_.receive_count());
    transport_.finish();
    present = {next.position.view(), next.id.view()};
  }
  add_direct_sum<Space>(space, law, present, targets);
}

template class DirectSumOverRanks<BackEnd>;

}  // namespace grove
