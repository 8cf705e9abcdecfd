// From particles that every rank has sorted by id to the order of ids over all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// The splits that give every rank the same number of ids; `sorted` are this rank's. Collective.
std::vector<std::uint64_t> splits_of_sorted_ids(std::span<const std::uint64_t> sorted, const Communicator& comm);

/// Brings particles into the order of their ids over all ranks: ranks one after the other, the same number on every rank to within one (as
/// far as ids differ). What a rank receives from another is a sorted run; the runs are merged once, by their ids, and every field then
/// follows that merge. Particles of equal id are on one rank, in the order of the ranks and places they came from.
///
/// Takes 2 bytes for each particle of the rank, at first 28 more, and then those of three copies of the longest field.
class IdMerge {
 public:
  /// Bytes that it takes to bring `count` particles to a rank, when a row of the longest field has `longest_row` bytes.
  static std::uint64_t bytes_of(std::uint64_t count, std::size_t longest_row);

  /// `ids`: this rank's, not decreasing. Collective; `comm` must outlive the object. Throws AgreedError.
  IdMerge(std::span<const std::uint64_t> ids, const Communicator& comm);

  /// Particles of this rank in the new order.
  std::size_t size() const { return size_; }
  /// One field. `rows` [ids * row_bytes], in the order of the ids that were given; returns [size() * row_bytes], valid
  /// until the call after the next and no longer than `rows`. Collective; the same row_bytes on all ranks. Throws AgreedError.
  std::span<const std::byte> merge(std::span<const std::byte> rows, std::size_t row_bytes);

 private:
  /// Uninitialised memory that grows.
  class Bytes {
   public:
    std::byte* with_room_for(std::size_t bytes);

   private:
    std::size_t capacity_ = 0;
    std::unique_ptr<std::byte[]> memory_;
  };
  using Runs = std::vector<std::span<const std::byte>>;

  /// The runs of this rank, in the order of the ranks they come from; none is empty. Their memory is `received_`, and `rows` for its own.
  Runs exchange(std::span<const std::byte> rows, std::size_t row_bytes);
  void merge_ids(const Runs& runs);

  const Communicator* comm_;
  std::vector<std::uint64_t> send_counts_, receive_counts_;
  std::size_t size_ = 0;
  std::vector<std::uint16_t> source_;  ///< [size] from which run the next particle comes; empty when there are not two runs
  Bytes received_;
  Bytes merged_[2];  ///< by turns, so that a field can be used while the next one is merged
  int turn_ = 0;
};

/// Particles that every rank has sorted by id, in the order of ids over all ranks. `sorted` knows the same fields on all ranks.
class ColumnsById final : public ParticleColumns {
 public:
  /// Collective, as values() is. The arguments must outlive the object. Throws AgreedError.
  ColumnsById(ParticleColumns& sorted, const Communicator& comm);
  const FieldTablePtr& table() const override { return sorted_.table(); }
  std::size_t size() const override { return merge_.size(); }
  bool knows(const ParticleField& field) const override { return sorted_.knows(field); }
  std::span<const std::byte> values(const ParticleField& field) override;

 private:
  ParticleColumns& sorted_;
  IdMerge merge_;
  const ParticleField* present_ = nullptr;
  std::span<const std::byte> values_;
};

}  // namespace grove
