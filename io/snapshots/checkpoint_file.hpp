// Reading checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/files/checksum.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Version of the layout.
inline constexpr std::int32_t checkpoint_version = 1;
/// The state in which write_checkpoint() records how many particles each rank had.
inline constexpr const char* particles_of_ranks = "particles.of_ranks";

/// An open checkpoint. The caller holds HDF5's turn. Not collective; throws DataError, which names the file, if it is no checkpoint,
/// damaged or of another version.
class CheckpointFile {
 public:
  explicit CheckpointFile(const std::filesystem::path& path);

  /// Reads and checks the state.
  SavedState state() const;
  bool has(const ParticleField& field) const;
  /// Reads `count` rows of a field from `first` on; returns their checksum. `to` [count * row bytes]; empty: they are not kept.
  Checksum read(const ParticleField& field, std::uint64_t first, std::uint64_t count, std::span<std::byte> to) const;
  /// The checksum that the whole field must have.
  std::uint32_t expected(const ParticleField& field) const;

 private:
  std::uint32_t expected(const Hdf5Handle& dataset) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  Hdf5Handle file_, particles_, state_;
  std::vector<std::uint32_t> checksums_;
};

/// The state in a checkpoint. Waits for HDF5's turn. Not collective; throws DataError.
SavedState read_checkpoint_state(const std::filesystem::path& path);

/// Reads the particles. As many ranks as wrote them get their own particles in the same order; another number of ranks gets equal shares.
/// Fields that are not in the file stay unknown. Waits for HDF5's turn. Collective; throws AgreedError (exit code of DataError) for a
/// damaged file.
ParticleSet read_checkpoint_particles(const std::filesystem::path& path, const SavedState& state, const Communicator& comm,
                                      const FieldTablePtr& fields);

/// Reads back all fields that belong to a restart; throws AgreedError if one differs from what was written. `first`, `count`: the rows that
/// this rank reads. Collective.
void verify_checkpoint(const std::filesystem::path& path, std::uint64_t first, std::uint64_t count, const FieldTable& fields,
                       const Communicator& comm, const Hdf5Turn& turn);

}  // namespace grove
