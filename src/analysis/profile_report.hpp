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

/// For a terminal: of one snapshot its profiles and Lagrangian radii; of several the Lagrangian radii over time.
std::string profile_text(const ProfileReport& report);

/// The columns of all profiles as CSV: a row of names, then numbers alone, in the shortest form that gives the same bits. First come the
/// number of the snapshot from 0, its time, and the particle type, -1 for all. What is not known is "nan".
std::string profile_csv(const ProfileReport& report);

/// In the same way a row for each snapshot and group: particles, mass, centre, its velocity, Lagrangian radii.
std::string lagrangian_csv(const ProfileReport& report);

/// What is not known is NaN, which JSON shows as null.
nlohmann::ordered_json profile_json(const ProfileReport& report);

/// "densest", "mass" or "1,2,3".
std::string centre_text(const CentreChoice& choice);

}  // namespace grove
