// What a file says about itself and its particles as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/cosmology.hpp"
#include "kernels/base/units.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Numbers of particles by type.
using TypeCounts = std::array<std::uint64_t, particle_type_count>;
inline std::uint64_t sum_of(const TypeCounts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

/// Softening lengths of the run that wrote a file.
struct FileSoftening {
  std::string what;  ///< where they are, e.g. "PartType1/Softenings"
  double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();  ///< code units
  int type = -1;  ///< of the particles; -1: it does not say

  void include(double length) {
    lowest = std::min(lowest, length);
    highest = std::max(highest, length);
  }
  bool operator==(const FileSoftening&) const = default;
};

/// The same on all ranks. Empty: the file does not say.
struct ReadInfo {
  std::string format;                                   ///< e.g. "TIPSY binary"
  TypeCounts count_of_type{};                           ///< over all ranks and all files of the snapshot
  ComponentNames components = usual_component_names();  ///< the file's own names, where it has them
  std::array<bool, particle_type_count> is_named{};     ///< by type, whether `components` has the file's own name
  std::optional<double> time;                           ///< code units
  std::optional<double> G;                              ///< code units
  std::optional<UnitSystem> units;
  HeaderFacts universe;  ///< why_not_isolated() judges it
  std::vector<FileSoftening> softenings;
  bool has_n_body_units = false;                                ///< the file says so; otherwise all 1 in `units` may be cm, g and cm/s
  std::vector<std::string> notes;                               ///< what a user should know, one sentence each
  std::vector<std::pair<std::string, std::string>> provenance;  ///< name and text: which code wrote the file, and how

  std::uint64_t count() const { return sum_of(count_of_type); }
};

}  // namespace grove
