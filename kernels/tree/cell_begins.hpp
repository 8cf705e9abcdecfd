// Which cells begin at each particle. This alone tells the number of each cell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/particles/morton_key.hpp"
#include "kernels/space/bits.hpp"

namespace grove {

/// A bit for each level and each particle: whether a cell of that level begins there. Cells are numbered level by level and, within a
/// level, in the order of their particles. So the number of a cell is the number of bits before its own.
struct CellBegins {
  static constexpr std::uint32_t block = 64;  ///< particles of a word
  static constexpr int levels = deepest_level + 1;
  static constexpr std::size_t blocks_of(std::size_t particles) { return (particles + block - 1) / block; }

  const std::uint64_t* word;          ///< [levels * blocks], level by level
  const std::uint32_t* cells_before;  ///< [levels * blocks + 1] bits in all words before each
  std::size_t blocks;

  /// The number of the first cell of a level; for `levels`, the number of all cells.
  GROVE_HD std::uint32_t first_cell(int level) const { return cells_before[static_cast<std::size_t>(level) * blocks]; }
  /// The number of the first cell of the level that does not begin before the particle. If there is none it is the first cell of the next
  /// level, or the number of all cells.
  GROVE_HD std::uint32_t cell_at(int level, std::uint32_t particle) const {
    return cells_up_to(level, particle, (std::uint64_t{1} << particle % block) - 1);
  }
  /// The same for the cell that begins after the particle.
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
