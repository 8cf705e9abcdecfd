// Profiles of one or several snapshots as tables, CSV and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/units.hpp"
#include "src/analysis/profile.hpp"

namespace grove {

/// A file and what was measured in it; numbers in its code units.
struct MeasuredSnapshot {
  std::string file, format;
  std::optional<double> time;
  double G = 1;
  std::string origin_of_G;  ///< "recorded in the file"
  UnitSystem units;
  std::vector<std::string> notes;
  SnapshotProfile profile;
};

/// All results of `grove profile`, and the request.
struct ProfileReport {
  ProfileRequest request;
  std::vector<MeasuredSnapshot> snapshots;
};

/// Gives `after`, the next snapshot of a series with rings, the pattern speeds of bars that are significant in both: the angles by which
/// they have turned over the time between; and, for the component called `disc`, a note where they may have turned by more than 90 degrees,
/// which no phase tells. A bar is slower than the stars at its end (Contopoulos 1980, A&A 81, 198), whose angle is known.
void add_pattern_speeds(const MeasuredSnapshot& before, MeasuredSnapshot& after, const std::string& disc);

/// For a terminal: of one snapshot its profiles and Lagrangian radii; of several the Lagrangian radii over time and, of a disc, the bar.
std::string profile_text(const ProfileReport& report);

/// The columns of all profiles as CSV: a row of names, then numbers alone, in the shortest form that gives the same bits. First come the
/// number of the snapshot from 0, its time, and the particle type, -1 for all. What is not known is "nan".
std::string profile_csv(const ProfileReport& report);

/// In the same way a row for each snapshot and group: particles, mass, centre, its velocity, Lagrangian radii and, with rings, the bar.
std::string lagrangian_csv(const ProfileReport& report);

/// What is not known is NaN, which JSON shows as null.
nlohmann::ordered_json profile_json(const ProfileReport& report);

/// "densest", "mass" or "1,2,3".
std::string centre_text(const CentreChoice& choice);

}  // namespace grove
