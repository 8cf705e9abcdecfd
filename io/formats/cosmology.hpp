// Whether a file's particles are an isolated system, which is all that Grove computes, or belong to an expanding universe or a periodic
// box. One rule for all formats whose headers say something about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace grove {

/// What a header says about the universe of its particles. Empty: it does not say.
struct HeaderFacts {
  std::optional<double> time{};          ///< code units, or the scale factor of an expanding universe
  std::optional<double> redshift{};      ///< 0 in GADGET's headers where nothing expands
  std::optional<double> scale_factor{};  ///< in the files of SWIFT and EAGLE, which also have the time
  std::optional<double> omega_matter{}, omega_lambda{};
  std::optional<double> h{};          ///< Hubble's constant in 100 km/s/Mpc
  bool has_h_in_units = true;         ///< lengths and masses are in units of 1/h; not in SWIFT's files
  std::optional<bool> expands{};      ///< a flag: SWIFT's "Cosmological run", GADGET's ComovingIntegrationOn
  std::optional<bool> is_periodic{};  ///< a flag
  std::optional<double> box_size{};   ///< code units
  std::uint64_t gas = 0;              ///< particles of type 0
  std::uint64_t particles = 0;        ///< of all types

  bool operator==(const HeaderFacts&) const = default;
};

/// Why the particles are not an isolated system, and what would be wrong if they were taken as one, to be put after the name of the file:
/// "is of a cosmological simulation: ...". Empty: nothing says so.
std::string why_not_isolated(const HeaderFacts& facts);

/// A sentence on the units of an isolated system whose header has an h; empty: it has none.
std::string note_on_h(const HeaderFacts& facts);

/// The end of the message that refuses such a file: what to do about it.
inline constexpr const char* how_to_allow = "initial_conditions.allow_cosmological = true takes it so, its numbers as they are";

}  // namespace grove
