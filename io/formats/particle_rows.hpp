// What readers of binary files have in common.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The rows [begin, end) of a file, without values; their ids are the numbers of the rows.
/// @throws SystemError naming the file when there is no memory for them
ParticleSet make_rows(const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end, const std::filesystem::path& path);

/// Rows [first, first + count) of one type in one file of a snapshot of GADGET; `row` is the number of the first of them over the whole
/// snapshot.
struct GadgetBlock {
  std::size_t piece = 0;
  int type = 0;
  std::uint64_t first = 0, count = 0, row = 0;
};

/// The blocks that make up the rows [begin, end) of a snapshot, in order. Rows go by type, within a type by file.
/// @param counts  [files]
std::vector<GadgetBlock> blocks_of_rows(const std::vector<std::array<std::uint64_t, particle_type_count>>& counts, std::uint64_t begin,
                                        std::uint64_t end);

}  // namespace grove
