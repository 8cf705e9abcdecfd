// Some of a snapshot's particles, in all snapshots of a run the same: for animations.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "io/formats/read_info.hpp"

namespace grove {

/// A sample of a snapshot's particles, chosen by their ids alone, so that all snapshots of a run have the same sample.
struct ParticleSample {
  std::optional<double> time;  ///< code units
  TypeCounts count_of_type{};  ///< of the whole snapshot
  ComponentNames components;
  std::array<double, 3> centre{};   ///< mean of the sample in each coordinate, without its outer tenths
  double radius = 0;                ///< nine tenths of the sample are closer to the centre; code units
  std::vector<float> positions;     ///< [particles][3] from the centre, code units
  std::vector<std::uint8_t> types;  ///< [particles]
  std::vector<double> masses;       ///< [particles], code units
  std::uint64_t not_finite = 0;     ///< particles of the sample without finite positions and masses, which are omitted

  std::uint64_t particles() const { return sum_of(count_of_type); }  ///< of the whole snapshot
};

/// Whether the particle of this id is in the sample of about `most` of `particles`.
bool is_in_sample(std::uint64_t id, std::uint64_t particles, std::uint64_t most);

/// Samples an HDF5 snapshot in GADGET's layout: about `most` particles (within 1 % at 50,000), or all if there are no more. Holds 10 MiB of
/// the file at a time. Waits for HDF5's turn. Not collective.
/// @param stop  on request, it gives up with a SystemError
/// @throws DataError, which names the file, if it is damaged, has its numbers in other files, or ids that are not unique; SystemError for
/// lack
///         of memory and errors of the file system
ParticleSample read_particle_sample(const std::filesystem::path& path, std::uint64_t most, const std::stop_token& stop = {});

}  // namespace grove
