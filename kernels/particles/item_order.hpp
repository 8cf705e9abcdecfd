// The order in which the items of particle arrays are read.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/particles/particles.hpp"

namespace grove {

/// An order of the particles, in which the items of their arrays can be had some at a time. The particles must not change as long as it is
/// used.
template <class Space>
class ItemOrder {
 public:
  /// Particles that come one after the other.
  struct Piece {
    std::size_t first, count;
  };

  virtual ~ItemOrder() = default;
  /// Particles of this rank in this order.
  virtual std::size_t size() const = 0;
  /// Pieces in which they come.
  virtual std::size_t piece_count() const = 0;
  /// Sets items[i], memory of the space, to the items of array arrays[i] of the particles of a piece. They are there for work that is
  /// enqueued later, until the next call. Collective where the particles of several ranks are brought into one order: all ranks ask for the
  /// same.
  virtual Piece bring(std::size_t piece, std::span<const std::size_t> arrays, std::span<const std::byte*> items) = 0;
};

/// The order in which a rank has its particles.
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
