// Whether a file's particles are an isolated system in plain numbers, which is all that Grove computes, or belong to an expanding universe
// or a periodic box. One verdict for all formats whose headers say something of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace grove {

/// What a header says of the universe of its particles. Empty: it does not say.
struct HeaderFacts {
  std::optional<double> time{};          ///< code units, or the scale factor of a universe that expands
  std::optional<double> redshift{};      ///< GADGET's headers have 0 where nothing expands
  std::optional<double> scale_factor{};  ///< SWIFT: beside the time
  std::optional<double> omega_matter{}, omega_lambda{};
  std::optional<double> h{};          ///< Hubble's constant in 100 km/s/Mpc
  bool has_h_in_units = true;         ///< lengths and masses are in units of 1/h; not in SWIFT's files
  std::optional<bool> expands{};      ///< said in so many words: SWIFT's "Cosmological run", GADGET's ComovingIntegrationOn
  std::optional<bool> is_periodic{};  ///< said in so many words
  std::optional<double> box_size{};   ///< code units
  std::uint64_t gas = 0;              ///< particles of type 0
  std::uint64_t particles = 0;        ///< of all types

  bool operator==(const HeaderFacts&) const = default;
};

/// Why the particles are no isolated system in plain numbers, and what would be wrong if they were taken as one: "is of a cosmological
/// simulation: ...", to be put after the name of the file. Empty: nothing says so.
std::string why_not_isolated(const HeaderFacts& facts);

/// What to do about it: the sentence that ends the message that refuses such a file.
inline constexpr const char* how_to_allow = "initial_conditions.allow_cosmological = true takes it so, its numbers as they are";

}  // namespace grove
