// Snapshots: one HDF5 file in GADGET-4's layout, written by all ranks together, which yt, pynbody, GADGET-4 and SWIFT read as it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/unit_system.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// Which program wrote a snapshot and how; goes into the group /Provenance.
struct Provenance {
  std::string version;                                     ///< of Grove
  std::string git_commit;                                  ///< of Grove; empty when not known
  std::string git_date;                                    ///< of that commit; empty when not known
  std::string configuration;                               ///< the text of the configuration file, any length
  std::string device;                                      ///< e.g. "NVIDIA H200"
  std::vector<std::pair<std::string, std::string>> extra;  ///< more attributes: name and text
};

/// Everything in a snapshot besides the particles. Only the root's is used.
struct SnapshotHeader {
  double time = 0;  ///< code units
  UnitSystem units;
  double G = 1;                             ///< code units
  double softening = 0;                     ///< code units, Plummer equivalent
  std::vector<double> softening_of_type{};  ///< [types] the same of each type; empty: all have `softening`
  ComponentNames components = usual_component_names();
  Provenance provenance;
  FieldChoice fields{};
  /// Level of deflate (gzip), 1 to 9, by which the particles' numbers are packed, without loss; 0: they are not.
  unsigned compression = 0;
  /// Most bytes that a rank hands over in one call: bounds the scratch memory and keeps MPI's counts within an int. At least 24.
  std::size_t transfer_bytes = std::size_t{256} << 20;
};

/// The side of the box a snapshot announces: the smallest power of two above twice the largest absolute coordinate over all
/// ranks, so that a box centred on the origin encloses all particles; 1 when all are at the origin. Non-finite ones are left out.
/// Collective.
double enclosing_box_size(const ParticleSet& local, const Communicator& comm);

/// Why this program's HDF5 library cannot pack what several ranks write, in a few words; empty: it can.
std::string why_no_compression();

/// Writes all particles of all ranks to `final_name`. Collective; any rank may have none, but not all.
///
/// Within a type, particles are in rank order and on each rank in the order of `local`. A field that should be written is left out if some
/// rank with particles does not know it. Of `local`, the field "type" is asked for first, then each field that is written, in the order of
/// the table, in which "position" comes first; this one is asked for twice in a row. Rows that lie one after the other are written from
/// where they are; others, and those in single precision, are brought together in at most `transfer_bytes` of memory. Compression takes
/// about as much again, of at most 64 MiB at a time. The file is made under the name `final_name`.partial,
/// flushed to the disk and then renamed, so that a file under its final name is always complete; an older file of that name is replaced.
/// The bytes depend on the arguments alone.
/// @param turn  held by whoever calls this, on whichever thread
/// @throws AgreedError on all ranks; then the partial file is gone and an older file of the final name is as it was
void write_snapshot(const std::filesystem::path& final_name, ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm,
                    const Hdf5Turn& turn);

/// The same of a ParticleSet. Waits for HDF5's turn. Throws AgreedError also for fields of a wrong length.
void write_snapshot(const std::filesystem::path& final_name, const ParticleSet& local, const SnapshotHeader& header,
                    const Communicator& comm);

}  // namespace grove
