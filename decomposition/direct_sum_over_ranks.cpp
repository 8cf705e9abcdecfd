#include "decomposition/direct_sum_over_ranks.hpp"

namespace grove {

template <class Space>
void DirectSumOverRanks<Space>::add_all(Space& space, const Communicator& comm, const GravityParameters& gravity, const Particles<Space>& particles,
                                const DirectTargets& targets) {
  add_direct_sum(space, gravity, {particles.position.view(), particles.id.view()}, targets);
  if (comm.size() == 1) return;
  const std::vector<std::uint64_t> counts = comm.all_gather(std::uint64_t{particles.size()});
  present_.resize_discard(particles.size());
  present_id_.resize_discard(particles.size());
  space.copy_to_host(present_.data(), particles.position.data(), particles.size() * sizeof(Double4));
  space.copy_to_host(present_id_.data(), particles.id.data(), particles.size() * sizeof(std::uint64_t));

  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  for (int hop = 1; hop < comm.size(); ++hop) {
    // What arrives at hop h began h ranks to the left.
    const std::size_t n = counts[static_cast<std::size_t>((comm.rank() + comm.size() - hop) % comm.size())];
    next_.resize_discard(n);
    next_id_.resize_discard(n);
    Requests requests;
    comm.receive_bytes(std::as_writable_bytes(std::span(next_.data(), n)), left, Tag::ring_block, requests);
    comm.receive_bytes(std::as_writable_bytes(std::span(next_id_.data(), n)), left, Tag::ring_block, requests);
    comm.send_bytes(std::as_bytes(std::span(present_.data(), present_.size())), right, Tag::ring_block, requests);
    comm.send_bytes(std::as_bytes(std::span(present_id_.data(), present_id_.size())), right, Tag::ring_block, requests);
    requests.wait_all();
    present_.swap(next_);
    present_id_.swap(next_id_);
    // The copy waits for the sum over the block before; that sum ran while this block travelled.
    position_.resize_discard(n);
    id_.resize_discard(n);
    space.copy_from_host(position_.data(), present_.data(), n * sizeof(Double4));
    space.copy_from_host(id_.data(), present_id_.data(), n * sizeof(std::uint64_t));
    add_direct_sum<Space>(space, gravity, {position_.view(), id_.view()}, targets);
  }
}

template class DirectSumOverRanks<BackEnd>;

}  // namespace grove
