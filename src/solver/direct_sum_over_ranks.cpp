#include "src/solver/direct_sum_over_ranks.hpp"

namespace grove {

namespace {

// Larger blocks go by way of the host while the present one is summed: the memory of an outbox would be kept.
constexpr std::size_t largest_outbox = std::size_t{64} << 20;

}  // namespace

template <class Space>
void DirectSumOverRanks<Space>::add_all(const GravityLaw& law, const Particles<Space>& particles, const DirectTargets& targets) {
  const int size = comm_.size(), right = (comm_.rank() + 1) % size, left = (comm_.rank() + size - 1) % size;
  const std::vector<std::uint64_t> counts = comm_.all_gather(std::uint64_t{particles.size()});
  const bool has_classes = law.classes().count() > 1;
  DirectSources present{particles.position.view(), particles.id.view(), particles.type.view()};
  for (int hop = 1; hop < size; ++hop) {
    // The block that arrives at hop h comes from the rank h places to the left.
    Block& next = blocks_[hop % 2];
    next.resize(counts[static_cast<std::size_t>((comm_.rank() + size - hop) % size)], has_classes);
    transport_.begin(Tag::ring_block, largest_outbox);
    transport_.receive(bytes_of(next.position.view()), left);
    transport_.receive(bytes_of(next.id.view()), left);
    if (has_classes) transport_.receive(bytes_of(next.type.view()), left);
    transport_.send(bytes_of(present.position), right);
    transport_.send(bytes_of(present.id), right);
    if (has_classes) transport_.send(bytes_of(present.type), right);
    transport_.start();
    transport_.dispatch();
    add_direct_sum<Space>(space_, law, present, targets);
    transport_.arrive(0, transport_.receive_count());
    transport_.finish();
    present = {next.position.view(), next.id.view(), next.type.view()};
  }
  add_direct_sum<Space>(space_, law, present, targets);
}

template class DirectSumOverRanks<BackEnd>;

}  // namespace grove
