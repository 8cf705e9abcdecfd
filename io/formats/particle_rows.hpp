// What readers of binary files have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/read_info.hpp"
#include "io/formats/validate.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Room for the rows [begin, end) of a file, with the row numbers as ids.
/// @throws SystemError, which names the file, for lack of memory
ParticleSet make_rows(const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end, const std::filesystem::path& path);

/// Reads this rank's share of `total` rows by `read`, which does not communicate, and validates it. Collective; throws AgreedError.
/// @param name_row  as in validate_particles()
/// @param check     collective; called when all ranks have read, before the rows are validated
ParticleSet read_own_rows(const std::filesystem::path& path, std::uint64_t total, const Communicator& comm,
                          const std::function<ParticleSet(std::uint64_t begin, std::uint64_t end)>& read, const RowNamer& name_row = {},
                          const std::function<void()>& check = {});

/// The numbers of particles over all files of a snapshot.
/// @param counts  [files]
TypeCounts sum_over_files(const std::vector<TypeCounts>& counts);

/// Rows [first, first + count) of one type in one file of a snapshot; `row` is the number of the first in the whole snapshot.
struct TypeBlock {
  std::size_t piece = 0;
  int type = 0;
  std::uint64_t first = 0, count = 0, row = 0;
};

/// The blocks of the rows [begin, end) of a snapshot, in order. Rows are sorted by type, within a type by file.
/// @param counts  [files]
std::vector<TypeBlock> blocks_of_rows(const std::vector<TypeCounts>& counts, std::uint64_t begin, std::uint64_t end);

}  // namespace grove
