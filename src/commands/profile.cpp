// grove profile: density, circular velocity and dispersions against radius, and radii that hold shares of the mass.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "io/files/partial_file.hpp"
#include "io/files/printable.hpp"
#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/units.hpp"
#include "src/analysis/named_units.hpp"
#include "src/analysis/profile_file.hpp"
#include "src/analysis/profile_report.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/config_source.hpp"
#include "src/plot/profile_picture.hpp"
#include "src/plot/python.hpp"
#include "src/run/files/same_on_all_ranks.hpp"
#include "src/run/start/recorded_physics.hpp"

namespace grove {

namespace {

struct ProfileOptions {
  std::vector<std::string> files;
  std::string columns, centre, centre_on, velocity_within, spacing, from, to, fractions = "0.1,0.5,0.9", disc, bar_radius;
  std::uint64_t shells = ShellChoice{}.count;
  std::string csv, lagrangian_csv, hdf5, picture;
  CommonOptions common;
  JsonOption json;
};

double number_of(const std::string& option, const std::string& text, double least, double most, const std::string& allowed) {
  const std::optional<double> value = parse_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < least || *value > most)
    throw ConfigError(fmt::format("{} {}: must be {}", option, text, allowed));
  return *value;
}

std::optional<double> radius_of(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return number_of(option, text, 0, std::numeric_limits<double>::max(), "a number >= 0, in the unit of length of the file");
}

CentreChoice centre_of(const std::string& given, bool is_disc) {
  const std::string text = !given.empty() ? given : is_disc ? "inner" : "densest";
  if (text == "densest") return {};
  if (text == "inner") return {CentreKind::inner, {}, {}};
  if (text == "mass") return {CentreKind::mass, {}, {}};
  constexpr double most = std::numeric_limits<double>::max();
  const std::string allowed = "densest, inner, mass or three numbers with commas between them, e.g. 10,0,-2.5";
  const std::vector<std::string> words = comma_separated("--centre", text);
  if (words.size() != 3) throw ConfigError(fmt::format("--centre {}: must be {}", text, allowed));
  const auto coordinate = [&](std::size_t d) { return number_of("--centre", words[d], -most, most, allowed); };
  return {CentreKind::given, {coordinate(0), coordinate(1), coordinate(2)}, {}};
}

ProfileRequest request_of(const ProfileOptions& options) {
  ProfileRequest request;
  request.centre = centre_of(options.centre, !options.disc.empty());
  request.centre.velocity_radius = radius_of("--velocity-within", options.velocity_within);
  request.disc = options.disc;
  request.bar_radius = radius_of("--bar-radius", options.bar_radius);
  if (request.bar_radius && request.disc.empty()) throw ConfigError("--bar-radius has no effect without --disc, and must go");
  if (request.bar_radius && *request.bar_radius == 0) throw ConfigError("--bar-radius 0: must be > 0");
  request.centre_on = options.centre_on;
  if (!request.centre_on.empty() && request.centre.kind == CentreKind::given)
    throw ConfigError("--centre-on has no effect with a --centre that is given as a point, and must go");
  request.shells.count = options.shells;
  request.shells.spacing = shell_spacing_named(!options.spacing.empty() ? options.spacing : options.disc.empty() ? "log" : "linear");
  request.shells.from = radius_of("--from", options.from);
  request.shells.to = radius_of("--to", options.to);
  if (request.shells.spacing == ShellSpacing::log && request.shells.from && *request.shells.from == 0)
    throw ConfigError("--from 0: must be > 0 with logarithmic spacing; --spacing linear can begin at 0");
  if (request.shells.from && request.shells.to && *request.shells.from >= *request.shells.to)
    throw ConfigError(fmt::format("--from {}: must be less than --to {}", options.from, options.to));
  request.fractions.clear();
  for (const std::string& word : comma_separated("--lagrangian", options.fractions)) {
    const double fraction = number_of("--lagrangian", word, 0, 1, "shares of the mass > 0 and <= 1, e.g. 0.1,0.5,0.9");
    if (!(fraction > 0)) throw ConfigError(fmt::format("--lagrangian {}: must be shares of the mass > 0 and <= 1", word));
    request.fractions.push_back(fraction);
  }
  std::sort(request.fractions.begin(), request.fractions.end());
  request.fractions.erase(std::unique(request.fractions.begin(), request.fractions.end()), request.fractions.end());
  return request;
}

/// Throws ConfigError for settings other than G and units, the only ones with an effect on a profile.
void require_effect_on_profile(const std::vector<std::string>& settings) {
  for (const std::string& text : settings) {
    const GivenSetting given = read_override(text);
    if (given.section != "units" && !(given.section == "gravity" && given.name == "G"))
      throw ConfigError(fmt::format("--set {}: has no effect on a profile and must go: there are gravity.G and [units]", text));
  }
}

bool replaces_table(const ProfileOptions& options) {
  return options.json.replaces_table() || options.csv == "-" || options.lagrangian_csv == "-";
}

/// The files of results must be new and different. On the root.
void require_new_files(const ProfileOptions& options) {
  std::vector<std::filesystem::path> taken;
  const auto check = [&](const std::string& option, const std::string& file) {
    if (file.empty()) return;
    const std::filesystem::path path = file == "-" ? std::filesystem::path(file) : std::filesystem::weakly_canonical(file);
    if (std::find(taken.begin(), taken.end(), path) != taken.end())
      throw ConfigError(
          fmt::format("{} {}: another result goes to {}: name another file", option, file, file == "-" ? "standard output" : "this file"));
    taken.push_back(path);
  };
  check("--json", options.json.replaces_table() ? "-" : options.json.file());
  check("--csv", options.csv);
  check("--lagrangian-csv", options.lagrangian_csv);
  check("--hdf5", options.hdf5);
  check("--picture", options.picture);
  if (!options.hdf5.empty()) require_new_snapshot(options.hdf5, false, options.files, "--hdf5");
  for (const auto& [option, file] :
       {std::pair{"--csv", options.csv}, {"--lagrangian-csv", options.lagrangian_csv}, {"--picture", options.picture}})
    if (!file.empty() && file != "-") require_new_file(file, option);
  if (options.picture.empty()) return;
  require_png(options.picture, "--picture");
  require_matplotlib();
}

/// Writes text to a new file, which appears when it is complete, or to standard output for "-". Not collective.
void write_result(const std::string& option, const std::string& file, const std::string& text) {
  if (file == "-") return write_text(file, text);
  // It may have been made since the first check.
  require_new_file(file, option);
  const IgnoreFileSizeSignal ignore;
  write_whole_file(file, text);
}

/// On the root.
void write_results(const ProfileOptions& options, const ProfileReport& report) {
  if (!options.csv.empty()) write_result("--csv", options.csv, profile_csv(report));
  if (!options.lagrangian_csv.empty()) write_result("--lagrangian-csv", options.lagrangian_csv, lagrangian_csv(report));
  if (!options.hdf5.empty()) write_result("--hdf5", options.hdf5, profile_file_image(options.hdf5, report));
  if (!replaces_table(options)) write_text("-", printable_text(profile_text(report)));
  if (options.json.given()) options.json.write(profile_json(report));
  if (options.picture.empty()) return;
  require_new_file(options.picture, "--picture");
  const IgnoreFileSizeSignal ignore;
  draw_profiles(profile_json(report), report.snapshots.front().units, options.picture);
}

/// Whether one of the settings is of this section and, if a name is given, has this name.
bool has_setting(const std::vector<std::string>& settings, const std::string& section, const std::string& name = "") {
  return std::any_of(settings.begin(), settings.end(), [&](const std::string& text) {
    const GivenSetting given = read_override(text);
    return given.section == section && (name.empty() || given.name == name);
  });
}

/// A file and the physics that it records.
struct ProfileSource {
  std::string file;
  RecordedPhysics physics;
  std::vector<std::string> notes;  ///< for the user, one sentence each
};

/// All files, before the first is measured. A file that names no units has those of the others. Units of the command line hold for all,
/// whatever the files name. Collective; throws AgreedError: for files that cannot be read, and for units that differ.
std::vector<ProfileSource> profile_sources(const std::vector<std::string>& files, const std::vector<std::string>& settings,
                                           const Communicator& comm) {
  std::vector<ReadInfo> infos;
  std::vector<NamedUnits> units;
  for (const std::string& file : files) {
    require_same_file(file, "SNAPSHOT", comm);
    infos.push_back(read_info(file, comm));
    units.push_back(named_units(file, infos.back()));
  }
  std::vector<ProfileSource> sources;
  comm.agree([&] {
    const NamedUnits* const common = has_setting(settings, "units") ? nullptr : common_units(units);
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (common && !units[k].units) infos[k].units = common->units;
      ProfileSource& source = sources.emplace_back(ProfileSource{files[k], {files[k], infos[k], settings}, {}});
      if (std::string note = note_on_units(units[k], common); !note.empty()) source.notes.push_back(std::move(note));
    }
  });
  return sources;
}

/// Where the G of a configuration with these units comes from: "recorded in the file".
std::string origin_of_G(const RecordedPhysics& physics, const std::vector<std::string>& settings, const UnitSystem& units) {
  if (has_setting(settings, "gravity", "G")) return "--set";
  if (has_setting(physics.overrides(), "gravity", "G")) return "recorded in the file";
  // A G in the file would be that of the units in the file.
  const char* const reason = has_setting(settings, "units") ? "for the units of --set" : "the file does not say";
  return fmt::format("{}; {}", is_physical(units) ? "the physical constant" : "by default", reason);
}

/// Collective; throws AgreedError.
MeasuredSnapshot measure(const ProfileSource& source, const ProfileOptions& options, const ProfileRequest& request,
                         const Communicator& comm) {
  const std::string& file = source.file;
  const Config config = config_of_file(file, source.physics, options.common, comm);
  ReadInfo info;
  const ParticleSet particles = read_particles(file, comm, &info, standard_fields(), options.columns);
  MeasuredSnapshot snapshot{
      file,         info.format,  info.time, config.gravity.G, origin_of_G(source.physics, options.common.settings, config.units),
      config.units, source.notes, {}};
  snapshot.notes.insert(snapshot.notes.end(), info.notes.begin(), info.notes.end());
  if (const std::string why = why_not_isolated(info.universe); !why.empty())
    snapshot.notes.push_back("the file " + why + "; the numbers are taken as they are");
  if (const std::string advice = advice_on_G(config.gravity.G, config.units); !advice.empty()) snapshot.notes.push_back(advice);
  if (!source.physics.note().empty()) snapshot.notes.push_back(source.physics.note());
  std::vector<ExternalParameters> external = source.physics.external();
  // The file does not say where one is that moves.
  if (std::erase_if(external, [](const ExternalParameters& p) { return p.is_there() && !p.text("orbit").empty(); }) > 0)
    snapshot.notes.push_back("circular_velocity counts no external potential that moves");
  if (const auto potentials = external_texts(external); !potentials.empty() && request.disc.empty())
    snapshot.notes.push_back(
        fmt::format("circular_velocity of all particles counts what the file records: {}", fmt::join(potentials, "; ")));
  snapshot.profile = measure_profile(particles, info.components, config.gravity.G, request, comm, external);
  if (!snapshot.profile.note.empty()) snapshot.notes.push_back(snapshot.profile.note);
  return snapshot;
}

int profile(const ProfileOptions& options, const Communicator& comm) {
  ProfileReport report;
  comm.agree([&] {
    options.json.require_input("SNAPSHOT", "profile SNAPSHOT", !options.files.empty());
    report.request = request_of(options);
    require_effect_on_profile(options.common.settings);
    require_columns("--columns", options.columns);
    if (comm.is_root()) require_new_files(options);
  });
  const std::vector<ProfileSource> sources = profile_sources(options.files, options.common.settings, comm);
  options.json.require_writable(comm);
  for (const ProfileSource& source : sources) {
    report.snapshots.push_back(measure(source, options, report.request, comm));
    // With units.system = "file" in --set, each file has its own.
    MeasuredSnapshot &first = report.snapshots.front(), &last = report.snapshots.back();
    if (report.snapshots.size() > 1 && last.profile.is_disc)
      add_pattern_speeds(report.snapshots[report.snapshots.size() - 2], last, report.request.disc);
    comm.agree([&] { common_units(std::array{NamedUnits{first.file, first.units}, NamedUnits{last.file, last.units}}); });
  }
  comm.agree([&] {
    if (comm.is_root()) write_results(options, report);
  });
  return 0;
}

void declare_shells(CLI::App& app, ProfileOptions& options) {
  app.add_option("--shells", options.shells, "number of shells or rings [30]")->check(whole_number(1, 100000))->type_name("N");
  app.add_option("--spacing", options.spacing, "log, linear or number (as many particles in each) [log, with --disc linear]")
      ->type_name("KIND");
  app.add_option("--from", options.from, "inner radius of the first [what holds 0.1 % of the particles; 0 with linear spacing]")
      ->type_name("R");
  app.add_option("--to", options.to, "outer radius of the last [what holds 99.9 % of the particles]")->type_name("R");
}

}  // namespace

CommandAction declare_profile(CLI::App& app) {
  auto options = std::make_shared<ProfileOptions>();
  app.add_option("SNAPSHOT", options->files, "files of particles, in any format that Grove reads; several are a series over time");
  app.add_option("--centre", options->centre,
                 "densest, inner (of the inner half), mass (centre of mass) or a point [densest; inner with --disc]")
      ->type_name("CENTRE|X,Y,Z");
  app.add_option("--centre-on", options->centre_on,
                 "the component whose densest point or centre of mass is taken, or 'all' [with --disc that component, else all]")
      ->type_name("COMPONENT");
  app.add_option("--velocity-within", options->velocity_within, "velocities are relative to the mean within this radius of the centre")
      ->type_name("R");
  declare_shells(app, *options);
  app.add_option("--lagrangian", options->fractions, "shares of the mass whose radii are shown [0.1,0.5,0.9]")->type_name("LIST");
  app.add_option("--disc", options->disc,
                 "rings about the angular momentum of this component, instead of shells; e.g. --disc disc, or --disc all")
      ->type_name("COMPONENT");
  app.add_option("--bar-radius", options->bar_radius,
                 "with --disc, measure the bar inside of the ring that ends nearest to this radius [where it is strongest]")
      ->type_name("R");
  app.add_option("--csv", options->csv, "write all profiles as CSV to a new file; -: to standard output instead of the table")
      ->type_name("FILE");
  app.add_option("--lagrangian-csv", options->lagrangian_csv,
                 "write centres, Lagrangian radii and, with --disc, the bar as CSV to a new file; or -")
      ->type_name("FILE");
  app.add_option("--hdf5", options->hdf5, "write all as HDF5 to a new file")->type_name("FILE");
  app.add_option("--picture", options->picture,
                 "draw velocities, densities, dispersions, and radii over time, or the height and bar of a disc, with Python and "
                 "matplotlib, to a new file")
      ->type_name("FILE.png");
  app.add_option("--columns", options->columns, "what the columns of a text table are, as initial_conditions.columns of a run")
      ->type_name("LIST");
  options->json.declare(app);
  options->common.declare_settings(app);
  app.footer(
      "One snapshot gives a table of its profiles; several give the radii that hold shares of the mass over time and, with --disc, "
      "strength\n"
      "and pattern speed of the bar, and the files have the profiles. Numbers are in the units of the file. G is what the file records, "
      "or\n"
      "--set gravity.G=NUMBER. docs/analysis.md says what each column is.");
  return [options](const Communicator& comm) { return profile(*options, comm); };
}

}  // namespace grove
