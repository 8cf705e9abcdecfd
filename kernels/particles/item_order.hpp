// The order in which the items of particle arrays are read.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/particles/particles.hpp"

namespace grove {

/// An order of the particles, in which the items of their arrays are read piece by piece. Particles must not change meanwhile.
template <class Space>
class ItemOrder {
 public:
  /// Consecutive particles.
  struct Piece {
    std::size_t first, count;
  };

  virtual ~ItemOrder() = default;
  /// Number of particles of this rank.
  virtual std::size_t size() const = 0;
  /// Number of pieces.
  virtual std::size_t piece_count() const = 0;
  /// Sets items[i] to the items of array arrays[i] for the particles of a piece, in memory of the space. Valid until the next call, for
  /// work that is enqueued later. Collective if the order is of all ranks: all ranks make the same calls.
  virtual Piece bring(std::size_t piece, std::span<const std::size_t> arrays, std::span<const std::byte*> items) = 0;
};

/// The order in which a rank holds its particles.
template <class Space>
class PresentOrder final : public ItemOrder<Space> {
 public:
  explicit PresentOrder(const Particles<Space>& particles) : particles_(particles) {}
  std::size_t size() const override { return particles_.size(); }
  std::size_t piece_count() const override { return 1; }
  typename ItemOrder<Space>::Piece bring(std::size_t, std::span<const std::size_t> arrays, std::span<const std::byte*> items) override {
    for (std::size_t i = 0; i < arrays.size(); ++i) items[i] = particles_.array(arrays[i]).data();
    return {0, particles_.size()};
  }

 private:
  const Particles<Space>& particles_;
};

}  // namespace grove
