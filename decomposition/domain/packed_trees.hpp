// Messages with essential trees: the trees of all classes for one rank, one after the other, each array by array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/space/rounded_up.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Where the arrays of a tree are among the bytes of messages. Each begins at a multiple of `alignment`.
struct PackedTree {
  static constexpr std::uint64_t alignment = 64, nowhere = ~std::uint64_t{0};

  std::uint64_t links = nowhere;  ///< nowhere: the tree is in no message
  std::uint64_t geometry = 0, multipole = 0, particles = 0, end = 0;

  PackedTree() = default;
  /// A tree of which the first byte is `begin`. `stride`: see multipole_stride().
  PackedTree(std::uint64_t begin, std::uint64_t cells, std::uint64_t particle_count, std::uint64_t stride)
      : links(begin),
        geometry(aligned(links + cells * sizeof(CellLinks))),
        multipole(aligned(geometry + cells * sizeof(CellGeometry))),
        particles(aligned(multipole + cells * stride * sizeof(float))),
        end(aligned(particles + particle_count * sizeof(Double4))) {}

  template <class Byte>
  GROVE_HD auto* links_in(Byte* bytes) const {
    return at<CellLinks>(bytes, links);
  }
  template <class Byte>
  GROVE_HD auto* geometry_in(Byte* bytes) const {
    return at<CellGeometry>(bytes, geometry);
  }
  template <class Byte>
  GROVE_HD auto* multipole_in(Byte* bytes) const {
    return at<float>(bytes, multipole);
  }
  template <class Byte>
  GROVE_HD auto* particles_in(Byte* bytes) const {
    return at<Double4>(bytes, particles);
  }

  friend bool operator==(const PackedTree&, const PackedTree&) = default;

 private:
  static std::uint64_t aligned(std::uint64_t bytes) { return rounded_up(bytes, alignment); }
  /// Const where the bytes are.
  template <class T, class Byte>
  GROVE_HD static auto* at(Byte* bytes, std::uint64_t offset) {
    static_assert(alignof(T) <= alignment);
    return reinterpret_cast<std::conditional_t<std::is_const_v<Byte>, const T, T>*>(bytes + offset);
  }
};

/// A tree in a message, in memory of this rank or of another one.
struct ReceivedTree {
  const std::byte* message = nullptr;
  PackedTree packed{};

  friend bool operator==(const ReceivedTree&, const ReceivedTree&) = default;
};

}  // namespace grove
