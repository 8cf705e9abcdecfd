// What readers of binary files have in common.
#pragma once

#include <cstdint>
#include <filesystem>

#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The rows [begin, end) of a file, without values; their ids are the numbers of the rows.
/// @throws SystemError naming the file when there is no memory for them
ParticleSet make_rows(const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end, const std::filesystem::path& path);

}  // namespace grove
