#include "src/plot/profile_picture.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "io/files/partial_file.hpp"
#include "src/plot/axis_units.hpp"
#include "src/plot/python.hpp"

namespace grove {

extern const std::string_view profile_script;

void draw_profiles(nlohmann::ordered_json profiles, const UnitSystem& units, const std::string& out) {
  auto& snapshots = profiles["snapshots"];
  double longest = 0;
  for (std::size_t s = 0; s < snapshots.size(); ++s) {
    if (snapshots[s]["time"].is_number()) longest = std::max(longest, std::abs(snapshots[s]["time"].get<double>()));
    if (s == 0 || s + 1 == snapshots.size()) continue;
    for (auto& group : snapshots[s]["groups"]) group.erase("profile");
  }
  const TimeUnit time = unit_of_time(longest, units);
  nlohmann::ordered_json drawing = {{"units", axis_units(units)}, {"profiles", std::move(profiles)}};
  drawing["units"]["time"] = time.name;
  drawing["time_unit"] = time.per_code_unit;
  // A series may be longer than an argument can be. As ASCII, JSON is a literal of Python's, with no three quotes in a row.
  const std::string data = drawing.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);  // a file name need not be UTF-8
  write_whole_file(out, draw_png(std::string(profile_script) + "\nmain(r\"\"\"" + data + "\"\"\")\n", {}, "the profiles"));
}

}  // namespace grove
