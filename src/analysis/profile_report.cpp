#include "src/analysis/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"
#include "src/analysis/profile_columns.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

/// For people; the CSV has all digits.
std::string short_number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); }
std::string cell_text(const ProfileColumn& column, double value) {
  return column.name == std::string("particles") ? format_count(static_cast<std::uint64_t>(value)) : short_number(value);
}
std::string vector_text(const Double3& a) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", a.x, a.y, a.z); }
/// "nan" never has a sign.
std::string csv_number(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }
double time_or_nan(const MeasuredSnapshot& snapshot) { return snapshot.time.value_or(std::numeric_limits<double>::quiet_NaN()); }
std::string time_text(const MeasuredSnapshot& snapshot) {
  if (!snapshot.time) return "-";
  return is_physical(snapshot.units) ? format_time(*snapshot.time, snapshot.units) : fmt::format("{:.6g}", *snapshot.time);
}

/// A component that is all there is says nothing new.
std::size_t groups_shown(const SnapshotProfile& profile) { return profile.groups.size() == 2 ? 1 : profile.groups.size(); }

std::string percent(double fraction) { return fmt::format("{:.6g}", 100 * fraction); }

std::vector<std::string> with_percents(std::vector<std::string> headers, const ProfileRequest& request) {
  for (const double fraction : request.fractions) headers.push_back(percent(fraction) + " %");
  return headers;
}

std::string particles_text(std::uint64_t count) { return format_count(count) + (count == 1 ? " particle" : " particles"); }

std::string centre_line(const MeasuredSnapshot& snapshot, const CentreChoice& choice) {
  const Centre& c = snapshot.profile.centre;
  const std::string& on = snapshot.profile.centre_on;
  const std::string of_what = on == "all" ? "" : fmt::format(" of '{}'", on);
  const std::string kind = choice.kind == CentreKind::densest ? "densest point" + of_what
                           : choice.kind == CentreKind::inner ? "centre of the inner half" + of_what
                           : choice.kind == CentreKind::mass  ? "centre of mass" + of_what
                                                              : "as given";
  const std::string of = std::isfinite(c.radius) ? fmt::format("the {} within {:.4g}", particles_text(c.particles), c.radius)
                                                 : fmt::format("all {}", particles_text(c.particles));
  return fmt::format("centre: {} {}; velocities are relative to {}, the mean of {}\n", kind, vector_text(c.position),
                     vector_text(c.velocity), of);
}

const GroupProfile* named_group(const SnapshotProfile& profile, const std::string& name) {
  const auto found =
      std::find_if(profile.groups.begin(), profile.groups.end(), [&](const GroupProfile& group) { return group.group.name == name; });
  return found == profile.groups.end() ? nullptr : &*found;
}

std::string bar_line(const Bar& bar, bool is_largest) {
  if (std::isnan(bar.a2)) return "";
  return fmt::format("bar: A2 = {:.4g} (noise {:.2g}) inside {:.4g},{} phase {} degrees\n", bar.a2, bar.noise, bar.radius,
                     is_largest ? " where it is largest," : "", short_number(bar.phase));
}

std::string head_text(const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  const std::string time = snapshot.time ? ", time " + time_text(snapshot) : "";
  std::string text =
      fmt::format("{} from {} ({}){}, {}, G = {:.6g} ({})\n", particles_text(snapshot.profile.groups.front().group.particles),
                  snapshot.file, snapshot.format, time, in_words(snapshot.units), snapshot.G, snapshot.origin_of_G);
  text += as_notes(snapshot.notes) + centre_line(snapshot, request.centre);
  if (snapshot.profile.is_disc)
    text += fmt::format("axis: angular momentum of '{}', {}\n", request.disc, vector_text(snapshot.profile.plane.axis)) +
            bar_line(named_group(snapshot.profile, request.disc)->bar, !request.bar_radius);
  return text;
}

std::string lagrangian_table(const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  if (request.fractions.empty()) return "";
  TextTable table(with_percents({"radius that holds", "particles", "mass"}, request));
  for (std::size_t g = 0; g < groups_shown(snapshot.profile); ++g) {
    const GroupProfile& group = snapshot.profile.groups[g];
    std::vector<std::string> row{group.group.name, format_count(group.group.particles), short_number(group.group.mass)};
    for (const double radius : group.lagrangian_radii) row.push_back(short_number(radius));
    table.add_row(row);
  }
  return "\n" + table.text();
}

std::string group_table(const GroupProfile& group, bool is_disc) {
  const auto columns = profile_columns(is_disc);
  std::vector<std::string> headers;
  for (const ProfileColumn& column : columns)
    if (column.in_text) headers.emplace_back(column.name);
  TextTable table(headers);
  for (std::size_t k = 0; k < group.columns.front().size(); ++k) {
    std::vector<std::string> row;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].in_text) row.push_back(cell_text(columns[c], group.columns[c][k]));
    table.add_row(row);
  }
  const char* const parts = is_disc ? "rings" : "shells";
  return fmt::format("\n{}: {}, {} inside of the {}, {} outside\n{}", group.group.name, particles_text(group.group.particles),
                     format_count(group.inside), parts, format_count(group.outside), table.text());
}

std::string one_snapshot(const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  std::string text = head_text(snapshot, request) + lagrangian_table(snapshot, request);
  const SnapshotProfile& profile = snapshot.profile;
  if (profile.groups.front().columns.front().empty())
    return text + "\nthere are no shells: no particle is at a distance from the centre that they cover\n";
  for (std::size_t g = 0; g < groups_shown(profile); ++g) text += group_table(profile.groups[g], profile.is_disc);
  return text;
}

/// Names of groups in the order in which they appear.
std::vector<std::string> group_names(const ProfileReport& report) {
  std::vector<std::string> names;
  for (const MeasuredSnapshot& snapshot : report.snapshots)
    for (std::size_t g = 0; g < groups_shown(snapshot.profile); ++g)
      if (const std::string& name = snapshot.profile.groups[g].group.name; std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

std::string series_of_group(const ProfileReport& report, const std::string& name) {
  TextTable table(with_percents({"snapshot", "time", "particles", "centre x", "y", "z"}, report.request));
  for (const MeasuredSnapshot& snapshot : report.snapshots)
    for (const GroupProfile& group : snapshot.profile.groups) {
      if (group.group.name != name) continue;
      const Double3& c = snapshot.profile.centre.position;
      std::vector<std::string> row{snapshot.file,     time_text(snapshot), format_count(group.group.particles),
                                   short_number(c.x), short_number(c.y),   short_number(c.z)};
      for (const double radius : group.lagrangian_radii) row.push_back(short_number(radius));
      table.add_row(row);
    }
  return fmt::format("\n{}: radii that hold shares of the mass\n{}", name, table.text());
}

std::string series_of_bar(const ProfileReport& report) {
  TextTable table({"snapshot", "time", "A2", "noise", "inside", "phase", "pattern speed"});
  for (const MeasuredSnapshot& snapshot : report.snapshots) {
    const Bar& bar = named_group(snapshot.profile, report.request.disc)->bar;
    std::vector<std::string> row{snapshot.file, time_text(snapshot)};
    for (const double value : {bar.a2, bar.noise, bar.radius, bar.phase, bar.pattern_speed}) row.push_back(short_number(value));
    table.add_row(row);
  }
  return fmt::format("\n{}: bar, with the pattern speed since the snapshot before\n{}", report.request.disc, table.text());
}

std::string series(const ProfileReport& report) {
  std::string text = fmt::format("{} snapshots, {}\n", report.snapshots.size(), in_words(report.snapshots.front().units));
  for (const MeasuredSnapshot& snapshot : report.snapshots)
    for (const std::string& note : snapshot.notes) text += as_note(snapshot.file + ": " + note);
  for (const std::string& name : group_names(report)) text += series_of_group(report, name);
  return report.request.disc.empty() ? text : text + series_of_bar(report);
}

void add_row(std::string& csv, std::size_t snapshot, const MeasuredSnapshot& of, int type, const std::vector<double>& values) {
  csv += fmt::format("{},{},{}", snapshot, csv_number(time_or_nan(of)), type);
  for (const double value : values) csv += "," + csv_number(value);
  csv += "\n";
}

Json vector_json(const Double3& a) { return {a.x, a.y, a.z}; }
Json bar_json(const Bar& bar) {
  return {{"a2", bar.a2}, {"noise", bar.noise}, {"radius", bar.radius}, {"phase", bar.phase}, {"pattern_speed", bar.pattern_speed}};
}

Json group_json(const GroupProfile& group, bool is_disc, const std::vector<double>& fractions) {
  Json json = {{"type", group.group.type}, {"name", group.group.name}, {"particles", group.group.particles}, {"mass", group.group.mass}};
  json["lagrangian"] = Json::array();
  for (std::size_t k = 0; k < fractions.size(); ++k)
    json["lagrangian"].push_back({{"fraction", fractions[k]}, {"radius", group.lagrangian_radii[k]}});
  json["inside"] = group.inside;
  json["outside"] = group.outside;
  if (is_disc) json["bar"] = bar_json(group.bar);
  const auto columns = profile_columns(is_disc);
  for (std::size_t c = 0; c < columns.size(); ++c) json["profile"][columns[c].name] = group.columns[c];
  return json;
}

Json snapshot_json(const MeasuredSnapshot& snapshot, const ProfileRequest& request) {
  const Centre& centre = snapshot.profile.centre;
  Json json = {{"file", snapshot.file},
               {"format", snapshot.format},
               {"time", time_or_nan(snapshot)},
               {"G", snapshot.G},
               {"centre", vector_json(centre.position)},
               {"velocity", vector_json(centre.velocity)},
               {"particles_of_velocity", centre.particles},
               {"notes", snapshot.notes}};
  if (snapshot.profile.is_disc) json["axis"] = vector_json(snapshot.profile.plane.axis);
  for (const GroupProfile& group : snapshot.profile.groups)
    json["groups"].push_back(group_json(group, snapshot.profile.is_disc, request.fractions));
  return json;
}

}  // namespace

std::string centre_text(const CentreChoice& choice) {
  if (choice.kind == CentreKind::densest) return "densest";
  if (choice.kind == CentreKind::inner) return "inner";
  if (choice.kind == CentreKind::mass) return "mass";
  return fmt::format("{},{},{}", choice.position.x, choice.position.y, choice.position.z);
}

void add_pattern_speeds(const MeasuredSnapshot& before, MeasuredSnapshot& after, const std::string& disc) {
  const double time = time_or_nan(after) - time_or_nan(before);
  for (GroupProfile& group : after.profile.groups) {
    const GroupProfile* const earlier = named_group(before.profile, group.group.name);
    if (!earlier || time == 0 || !earlier->bar.is_significant() || !group.bar.is_significant()) continue;
    const double turn = turn_of_bar(earlier->bar, before.profile.plane, group.bar, after.profile.plane);
    const double fastest = std::max(std::abs(earlier->bar.rotation), std::abs(group.bar.rotation));
    if (fastest * std::abs(time) < std::numbers::pi / 2)
      group.bar.pattern_speed = turn * std::numbers::pi / 180 / time;
    else if (group.group.name == disc)
      after.notes.push_back(
          fmt::format("the pattern speed since {} is unknown: in the time between, {:.4g}, the disc turns by {:.3g} degrees at the end of "
                      "the bar, and a phase tells no more than 90. Take snapshots at most {:.4g} apart",
                      before.file, std::abs(time), fastest * std::abs(time) * 180 / std::numbers::pi, std::numbers::pi / 2 / fastest));
  }
}

std::string profile_text(const ProfileReport& report) {
  return report.snapshots.size() == 1 ? one_snapshot(report.snapshots.front(), report.request) : series(report);
}

std::string profile_csv(const ProfileReport& report) {
  const bool is_disc = !report.request.disc.empty();
  std::string csv = "snapshot,time,type";
  for (const ProfileColumn& column : profile_columns(is_disc)) csv += std::string(",") + column.name;
  csv += "\n";
  for (std::size_t s = 0; s < report.snapshots.size(); ++s)
    for (const GroupProfile& group : report.snapshots[s].profile.groups)
      for (std::size_t k = 0; k < group.columns.front().size(); ++k) {
        std::vector<double> row;
        for (const std::vector<double>& column : group.columns) row.push_back(column[k]);
        add_row(csv, s, report.snapshots[s], group.group.type, row);
      }
  return csv;
}

std::string lagrangian_csv(const ProfileReport& report) {
  std::string csv = "snapshot,time,type,particles,mass,centre_x,centre_y,centre_z,velocity_x,velocity_y,velocity_z";
  for (const double fraction : report.request.fractions) {
    std::string name = percent(fraction);
    // numpy.genfromtxt drops other characters.
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c < '0' || c > '9'; }, '_');
    csv += ",radius_" + name + "_percent";
  }
  if (!report.request.disc.empty()) csv += ",bar_a2,bar_noise,bar_radius,bar_phase,pattern_speed";
  csv += "\n";
  for (std::size_t s = 0; s < report.snapshots.size(); ++s) {
    const auto& [x, v, particles, radius] = report.snapshots[s].profile.centre;
    for (const GroupProfile& group : report.snapshots[s].profile.groups) {
      std::vector<double> row{static_cast<double>(group.group.particles), group.group.mass, x.x, x.y, x.z, v.x, v.y, v.z};
      row.insert(row.end(), group.lagrangian_radii.begin(), group.lagrangian_radii.end());
      const Bar& bar = group.bar;
      if (!report.request.disc.empty()) row.insert(row.end(), {bar.a2, bar.noise, bar.radius, bar.phase, bar.pattern_speed});
      add_row(csv, s, report.snapshots[s], group.group.type, row);
    }
  }
  return csv;
}

nlohmann::ordered_json profile_json(const ProfileReport& report) {
  Json json = {{"centre", centre_text(report.request.centre)}, {"disc", report.request.disc.empty() ? Json() : Json(report.request.disc)}};
  for (const MeasuredSnapshot& snapshot : report.snapshots) json["snapshots"].push_back(snapshot_json(snapshot, report.request));
  return json;
}

}  // namespace grove
