// Checkpoints: all that a run needs to go on, in one HDF5 file that all ranks write together.
//
//   /Particles   a dataset for each field of the table that belongs to a restart, in the order of the ranks and of the particles there
//   /State       a dataset for each value of a SavedState: f8 numbers, u8 counts, u1 texts
//   /Checksums   u4, the CRC-32 of each dataset; the attribute Checksum_row of a dataset says which is its own
//
// Behind the end of what HDF5 knows is the checksum of its metadata: see sealed_file.hpp.
#pragma once

#include <filesystem>

#include "decomposition/ranks/communicator.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// Writes the particles of all ranks and `state`, the same on all ranks, to `final_name`. The file is made as `final_name`.partial, flushed
/// to the disk and read back; only when all checksums agree, it gets its name and takes the place of an older file. Collective; any rank
/// may have no particles, but not all.
/// @param local  must know all fields of its table that belong to a restart
/// @param turn   held by whoever calls this
/// @throws AgreedError on all ranks; then the partial file is gone and an older file of the final name is as it was
void write_checkpoint(const std::filesystem::path& final_name, ParticleColumns& local, const SavedState& state, const Communicator& comm,
                      const Hdf5Turn& turn);

}  // namespace grove
