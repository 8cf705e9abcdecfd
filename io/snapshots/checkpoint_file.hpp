// A checkpoint that is read.
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

/// Of the layout, which a later program may change.
inline constexpr std::int32_t checkpoint_version = 1;
/// Where write_checkpoint() notes how many particles each rank had.
inline constexpr const char* particles_of_ranks = "particles.of_ranks";

/// An open checkpoint. Whoever makes one has HDF5's turn. Not collective; throws DataError, which names the file, for what is no
/// checkpoint, is damaged or is of another version.
class CheckpointFile {
 public:
  explicit CheckpointFile(const std::filesystem::path& path);

  /// Reads the state, and checks it.
  SavedState state() const;
  bool has(const ParticleField& field) const;
  /// Reads the rows of a field from `first` on, `count` in all. `to` [count * row bytes]; empty: they are only looked at. Returns their
  /// checksum.
  Checksum read(const ParticleField& field, std::uint64_t first, std::uint64_t count, std::span<std::byte> to) const;
  /// The checksum that the field, of all particles, must have.
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

/// Reads the particles: as many ranks as wrote them get those that they had, in their order; another number gets equal shares. Fields of
/// the table that belong to a restart and are not in the file stay unknown. Waits for HDF5's turn. Collective. Throws AgreedError (exit
/// code of DataError) for a file that is damaged.
ParticleSet read_checkpoint_particles(const std::filesystem::path& path, const SavedState& state, const Communicator& comm,
                                      const FieldTablePtr& fields);

/// Reads all fields of `fields` that belong to a restart and throws AgreedError if one is not as it was written. `first`, `count`: the rows
/// that this rank looks at. Collective.
void verify_checkpoint(const std::filesystem::path& path, std::uint64_t first, std::uint64_t count, const FieldTable& fields,
                       const Communicator& comm, const Hdf5Turn& turn);

}  // namespace grove
