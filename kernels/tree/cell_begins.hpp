// Which cells begin at each particle. The numbers of all cells follow from this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/particles/morton_key.hpp"
#include "kernels/space/bits.hpp"

namespace grove {

/// A bit for each level and each particle: whether a cell of that level begins at the particle. Cells are numbered level by level and,
/// within a level, in the order of their particles. So the number of a cell is the number of bits set before its own.
struct CellBegins {
  static constexpr std::uint32_t block = 64;  ///< particles for each word
  static constexpr int levels = deepest_level + 1;
  static constexpr std::size_t blocks_of(std::size_t particles) { return (particles + block - 1) / block; }

  const std::uint64_t* word;          ///< [levels * blocks], level by level
  const std::uint32_t* cells_before;  ///< [levels * blocks + 1] number of bits set in all words before each
  std::size_t blocks;

  /// The number of the first cell of a level; for `levels`, the number of all cells.
  GROVE_HD std::uint32_t first_cell(int level) const { return cells_before[static_cast<std::size_t>(level) * blocks]; }
  /// The number of the first cell of the level that begins at the particle or after it. If there is none, the first cell of the next level
  /// or the number of all cells.
  GROVE_HD std::uint32_t cell_at(int level, std::uint32_t particle) const {
    return cells_up_to(level, particle, (std::uint64_t{1} << particle % block) - 1);
  }
  /// The same, but for cells that begin after the particle.
  GROVE_HD std::uint32_t cell_after(int level, std::uint32_t particle) const {
    return cells_up_to(level, particle, (std::uint64_t{2} << particle % block) - 1);
  }

 private:
  GROVE_HD std::uint32_t cells_up_to(int level, std::uint32_t particle, std::uint64_t bits) const {
    const std::size_t at = static_cast<std::size_t>(level) * blocks + particle / block;
    return cells_before[at] + count_ones(word[at] & bits);
  }
};

}  // namespace grove
