// Snapshots: one HDF5 file in GADGET-4's layout, written by all ranks together, which yt, pynbody, GADGET-4 and SWIFT can read.
#pragma once

#include <filesystem>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "io/snapshots/snapshot_layout.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// Why this program's HDF5 library cannot compress what several ranks write; empty: it can.
std::string why_no_compression();

/// Writes all particles of all ranks to `final_name`. Collective; any rank may have none, but not all.
///
/// Within a type, particles are in rank order and on each rank in the order of `local`. A field is omitted if a rank with particles does
/// not know it. Of `local`, the field "type" is requested first, then each field that is written, in the order of the table, in which
/// "position" comes first; it is requested twice in a row. Consecutive rows are written from where they are; others, and those in single
/// precision, are gathered in at most `transfer_bytes` of memory. Compression takes about as much once more, at most 64 MiB at a time. The
/// file is written as `final_name`.partial, flushed to the disk and renamed, so that a file under its final name is always complete; an
/// older one is replaced. Its bytes depend on the arguments alone.
/// @param turn  held by the caller, on any thread
/// @throws AgreedError on all ranks; the partial file is then removed and an older file unchanged
void write_snapshot(const std::filesystem::path& final_name, ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm,
                    const Hdf5Turn& turn);

/// The same for a ParticleSet. Waits for HDF5's turn. Throws AgreedError also for fields of a wrong length.
void write_snapshot(const std::filesystem::path& final_name, const ParticleSet& local, const SnapshotHeader& header,
                    const Communicator& comm);

}  // namespace grove
