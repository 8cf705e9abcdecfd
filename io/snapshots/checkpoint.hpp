// Checkpoints: all that a run needs to continue, in one HDF5 file that all ranks write together.
//
//   /Particles   a dataset for each field that belongs to a restart, in the order of ranks and of their particles
//   /State       a dataset for each value of a SavedState: f8 numbers, u8 counts, u1 texts
//   /Checksums   u4, the CRC-32 of each dataset; a dataset's attribute Checksum_row is its row
//
// The checksum of the metadata follows the end of the HDF5 data: see sealed_file.hpp.
#pragma once

#include <filesystem>

#include "decomposition/ranks/communicator.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// Writes the particles of all ranks and `state`, the same on all ranks, to `final_name`. The file is written as `final_name`.partial,
/// flushed to the disk and read back. Only if all checksums agree, it is renamed and replaces an older file. Collective; not all ranks may
/// be without particles.
/// @param local  must know all fields of its table that belong to a restart
/// @param turn   held by the caller
/// @throws AgreedError on all ranks; the partial file is then removed and an older file unchanged
void write_checkpoint(const std::filesystem::path& final_name, ParticleColumns& local, const SavedState& state, const Communicator& comm,
                      const Hdf5Turn& turn);

}  // namespace grove
