// The particles of all ranks in the order of their ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/domain/packed_rows.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/transport.hpp"
#include "kernels/particles/item_order.hpp"

namespace grove {

/// Particles of all ranks sorted by id, rank by rank, with the same number on every rank to within one (except for equal ids). Particles of
/// equal id are on one rank, in the order of their former ranks and places.
///
/// Every rank sorts its ids and sends each to the rank that it belongs to, which sorts the runs that arrive. The particles follow in
/// rounds: in each, a rank gets the next rows of its share, packed by the ranks that hold them.
///
/// Memory of the space: 48 bytes for each particle at first, later 24, and 3 x 32 MiB; on one rank 28, later 12, and 32 MiB. It replaces
/// the memory of the trees of the last force evaluation.
template <class Space>
class OrderById final : public ItemOrder<Space> {
 public:
  using Piece = typename ItemOrder<Space>::Piece;

  /// The arguments must outlive the object; the particles, fewer than 2^32 on each rank, must not change meanwhile. Valid until the next
  /// step begins. Collective; synchronises.
  OrderById(Space& space, const Communicator& comm, Transport<Space>& transport, const Particles<Space>& particles);

  std::size_t size() const override { return count_; }
  std::size_t piece_count() const override { return rounds_; }
  /// Pieces must be requested in order, all for the same arrays. Throws std::logic_error otherwise.
  Piece bring(std::size_t piece, std::span<const std::size_t> arrays, std::span<const std::byte*> items) override;

 private:
  using Counts = std::vector<std::uint64_t>;

  Counts count_below(std::span<const std::uint64_t> ids);
  void find_runs();
  void exchange_ids();
  void merge_runs();
  void share_bounds();
  void send_round(std::size_t round, const std::vector<TravellingArray>& arrays);
  void receive_round(std::size_t round, const std::vector<TravellingArray>& arrays);
  std::size_t ranks() const { return static_cast<std::size_t>(comm_.size()); }
  std::size_t first_of(std::size_t round) const;
  std::size_t message_bytes(std::size_t rows, std::size_t messages) const;

  Space& space_;
  const Communicator& comm_;
  Transport<Space>& transport_;
  const Particles<Space>& particles_;
  std::size_t rows_per_round_;
  StepBuffer<Space, std::uint64_t> ids_;    ///< ids of this rank, sorted
  StepBuffer<Space, std::uint32_t> order_;  ///< index of the particle with each of these
  StepBuffer<Space, std::uint64_t> runs_;   ///< ids that arrive, a sorted run from each rank
  StepBuffer<Space, std::uint32_t> next_;   ///< index in runs_ of each id in sorted order
  Counts to_, from_;                        ///< [ranks + 1] first id for each rank in ids_, and from each rank in runs_
  Counts sent_before_, received_before_;    ///< [ranks][rounds + 1] rows of each run before each round
  std::size_t count_ = 0, rounds_ = 0;
  std::size_t sent_round_ = 0;  ///< the round that was sent last
  MessageRows arriving_;        ///< rows that arrive in that round
  StepBuffer<Space, std::byte> items_, outgoing_, incoming_;
};

}  // namespace grove
