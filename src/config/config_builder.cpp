#include "src/config/config_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "io/formats/text_columns.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/quantity.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/particles/fields.hpp"
#include "src/config/config_source.hpp"
#include "src/config/given_galaxies.hpp"
#include "src/config/given_units.hpp"
#include "src/external/external_info.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/integrators/tableaux.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/solver/force_method.hpp"

namespace grove {
namespace {

const std::string initial_section = "initial_conditions", units_section = "units", pictures_section = "pictures";
/// The value of gravity.G that asks for the physical constant.
constexpr const char* physical_G = "cgs";

using GivenSettings = std::map<std::pair<std::string, std::string>, GivenSetting>;

bool is_of_galaxies(const GivenSetting& given) { return given.section == galaxies_section || !given.path.empty(); }

/// Those of the galaxies, in their order.
std::vector<GivenSetting> keys_of_galaxies(const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides) {
  std::vector<GivenSetting> keys;
  for (const auto* source : {&file, &overrides}) std::copy_if(source->begin(), source->end(), std::back_inserter(keys), is_of_galaxies);
  return keys;
}

/// All others. The overrides win. `units = "file"`, outside all sections, is short for units.system.
GivenSettings by_name(const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides) {
  GivenSettings settings;
  for (const auto* source : {&file, &overrides}) {
    for (GivenSetting given : *source) {
      if (is_of_galaxies(given)) continue;
      if (given.section.empty() && given.name == "units" && given.text()) {
        given.section = "units";
        given.name = units_key;
      }
      settings[{given.section, given.name}] = given;
    }
  }
  return settings;
}

// Turns given keys into a Config; for one use.
class ConfigBuilder {
 public:
  ConfigBuilder(std::string name, GivenSettings given, std::vector<GivenSetting> of_galaxies, const ConfigTable& table,
                const ReadInfo* in_file)
      : name_(std::move(name)), table_(table), in_file_(in_file), given_(std::move(given)), of_galaxies_(std::move(of_galaxies)) {}

  Config build() {
    for (const auto& [path, given] : given_) check_section(given);
    for (const ConfigSetting& row : table_.settings) row.set(config_, row.setting.default_value);
    choose_source();
    choose_rows();
    choose_galaxies();
    // Before the keys whose values may have a unit.
    set_units();
    for (const auto& [path, given] : given_) {
      if (!given.name.empty() && given.section != units_section) set(given);
    }
    set_unit_of_dt();
    check_theta();
    check_external_masses();
    drop_idle_settings();
    check_shortest_step();
    check_substeps();
    check_core();
    resolve_G();
    resolve_begin();
    check_times();
    check_fields();
    check_columns();
    check_pictures();
    set_galaxies();
    check_generator_parameters();
    match_softening(galaxies_, find("gravity", "softening"), config_);
    const GravityParameters& gravity = config_.gravity;
    config_.initial_conditions.softening =
        gravity.softening_of_component.empty() ? NumberTable{{"", gravity.softening}} : gravity.softening_of_component;
    return config_;
  }

 private:
  const GivenSetting* find(const std::string& section, const std::string& name) const {
    const auto found = given_.find({section, name});
    return found == given_.end() ? nullptr : &found->second;
  }

  // The key as it was given or, if it was not, with its default: for messages.
  GivenSetting describe(const std::string& section, const std::string& name, const Value& value) const {
    if (const GivenSetting* given = find(section, name)) return *given;
    return {section, name, {}, to_toml(value) + " (the default)", name_};
  }

  void check_section(const GivenSetting& given) const {
    const std::vector<std::string> names = names_of(table_.sections);
    if (given.section.empty()) {
      throw ConfigError(fmt::format("{}: {}: stands outside all sections; it must be in one of [{}]{}", given.where, full_name(given),
                                    fmt::join(names, "], ["), home_of(given.name)));
    }
    if (std::find(names.begin(), names.end(), given.section) != names.end()) return;
    throw ConfigError(fmt::format("{}: unknown section [{}]{}. Allowed: {}", given.where, given.section, suggestion(given.section, names),
                                  fmt::join(names, ", ")));
  }

  // Says to which section a misplaced key belongs.
  std::string home_of(const std::string& name) const {
    for (const ConfigSetting& row : table_.settings) {
      if (row.setting.name == name) return fmt::format(" ({} belongs in [{}])", name, row.section);
    }
    return "";
  }

  /// Fields of the standard table and of the chosen integrator may be requested, and the steps of the particles where these differ.
  void check_fields() const {
    const IntegratorInfo* integrator = find_integrator_info(config_.time.integrator);
    std::vector<ParticleField> further = integrator ? integrator->fields : std::vector<ParticleField>();
    if (config_.time.divide()) further.push_back(time_step_row());
    const FieldTablePtr fields = further.empty() ? standard_fields() : fields_with(further);
    const FieldChoice choice = config_.output.field_choice();
    const auto where = [&](const char* key) {
      const GivenSetting& given = *find("output", key);
      return fmt::format("{}: {}", given.where, full_name(given));
    };
    if (!choice.further.empty()) require_fields_on_request(*fields, choice.further, where("fields"));
    if (!choice.left_out.empty()) require_fields_to_leave_out(*fields, choice.left_out, where("leave_out"));
    if (!choice.single_precision.empty()) require_fields_to_shorten(*fields, choice, where("single_precision"));
    if (!walks_trees(config_.gravity.method) && std::count(choice.further.begin(), choice.further.end(), "work") > 0)
      fail(*find("output", "fields"), "gravity.method = \"" + config_.gravity.method +
                                          "\" does not measure the field work, which divides particles among ranks for tree and fmm");
    if (const std::string reason = why_no_compression(); config_.output.compression > 0 && !reason.empty())
      fail(*find("output", "compression"), "only 0 is possible here: " + reason);
  }

  /// Whether the file is a table at all is left to its reader.
  void check_columns() const {
    const GivenSetting* columns = find(initial_section, "columns");
    if (!columns || config_.initial_conditions.columns.empty()) return;
    const std::string complaint = complaint_about_columns(config_.initial_conditions.columns);
    if (!complaint.empty()) fail(*columns, complaint);
  }

  void check_pictures() const {
    const auto complaint = complaint_about(config_.pictures);
    if (!complaint) return;
    const Value value = table_.find(pictures_section, complaint->key)->get(config_);
    fail(describe(pictures_section, complaint->key, value), complaint->must);
  }

  void choose_source() {
    const GivenSetting* file = find(initial_section, "file");
    const GivenSetting* generator = find(initial_section, "generator");
    if (file && generator) fail(*generator, "give either this or initial_conditions.file, not both");
    if (!file && !generator) {
      throw ConfigError(fmt::format("{}: [initial_conditions] needs file = \"...\" or generator = one of {}", name_,
                                    fmt::join(names_of(generators()), ", ")));
    }
    if (file && file->text() && file->text()->empty()) fail(*file, "must name a file");
    if (file) config_.initial_conditions.generator.clear();
  }

  // The rows are chosen before any other key is set, since they say which keys there are. Their own keys start with their defaults.
  void choose_rows() {
    for (const ConfigChoice& choice : table_.choices) {
      if (const GivenSetting* given = find(choice.section, choice.name)) set(*given);
      const ConfigChoice::Row* row = find_named(choice.rows, chosen_name(table_, choice, config_));
      if (!row) continue;
      for (const Setting& setting : row->settings) choice.values(config_)[setting.name] = setting.default_value;
    }
  }

  /// The keys of the chosen generator that name galaxies, with texts as values.
  std::vector<GivenSetting> galaxy_choice() const {
    std::vector<GivenSetting> choice;
    for (const char* key : galaxy_keys) {
      const Setting* const setting = find_named(settings_of(generators(), config_.initial_conditions.generator), key);
      if (!setting) continue;
      const GivenSetting* const given = find(initial_section, key);
      choice.push_back(describe(initial_section, key, setting->default_value));
      choice.back().value = std::get<std::string>(given ? accept(*setting, *given, {}) : setting->default_value);
    }
    return choice;
  }

  // Before the units, which follow from a preset where none are given.
  void choose_galaxies() {
    galaxies_ = used_galaxies(of_galaxies_, galaxy_choice());
    has_preset_ = std::any_of(galaxies_.begin(), galaxies_.end(), [](const GivenGalaxy& galaxy) { return !galaxy.preset().empty(); });
  }

  void set_galaxies() {
    std::vector<GivenSetting> reasons = galaxy_choice();
    const GivenSetting* const file = find(initial_section, "file");
    if (reasons.empty()) reasons = {file ? *file : *find(initial_section, "generator")};
    require_used(of_galaxies_, galaxies_, reasons);
    for (const GivenGalaxy& galaxy : galaxies_) config_.initial_conditions.galaxies.push_back(galaxy_of(galaxy, config_.units));
  }

  void set(const GivenSetting& given) {
    // resolve_G() and resolve_begin() set them.
    if (given.section == "gravity" && given.name == "G" && given.says(physical_G)) return;
    if (given.section == "time" && given.name == "begin" && given.says(of_the_file)) return;
    if (given.section == "time" && given.name == "dt" && given.says(automatic_dt)) {
      config_.time.dt_is_auto = true;
      return;
    }
    const ConfigSetting* row = table_.find(given.section, given.name);
    if (!row) {
      if (!set_for_choice(given)) fail_unknown(given);
      return;
    }
    if (belongs_to_generators(*row) && config_.initial_conditions.generator.empty())
      fail(given, "is for generators; with initial_conditions.file it has no effect and must go");
    if (belongs_to_files(*row) && !find(initial_section, "file"))
      fail(given, "is for initial_conditions.file; with a generator it has no effect and must go");
    row->set(config_, accept(row->setting, given, config_.units));
  }

  // Sets a key of the chosen generator or integrator. False when no row of any choice has such a key.
  bool set_for_choice(const GivenSetting& given) {
    for (const ConfigChoice& choice : table_.choices) {
      if (choice.section != given.section) continue;
      const std::string chosen = chosen_name(table_, choice, config_);
      std::vector<std::string> owners;
      for (const ConfigChoice::Row& row : choice.rows) {
        const Setting* setting = find_named(row.settings, given.name);
        if (!setting) continue;
        owners.push_back(row.name);
        if (row.name != chosen) continue;
        choice.values(config_)[given.name] = accept(*setting, given, config_.units);
        return true;
      }
      if (owners.empty()) continue;
      // Only a generator can be missing.
      const std::string instead = chosen.empty() ? "the particles come from a file" : choice.name + " " + chosen + " is chosen";
      fail(given, fmt::format("belongs to {} {}, but {}", choice.name, fmt::join(owners, ", "), instead));
    }
    return false;
  }

  [[noreturn]] void fail_unknown(const GivenSetting& given) const {
    if (const FormerName* const former = table_.find_former(given.section, given.name)) {
      const bool must_go = former->is_unset(given) || find(former->section, former->now);
      const std::string today = former->section + "." + former->now;
      fail(given, (must_go ? "must go: " + today + " says it" : "is called " + today) + " in this version of Grove");
    }
    std::vector<std::string> names;
    for (const ConfigSetting& row : table_.settings) {
      if (row.section == given.section) names.push_back(row.setting.name);
    }
    for (const ConfigChoice& choice : table_.choices) {
      if (choice.section != given.section) continue;
      const ConfigChoice::Row* row = find_named(choice.rows, chosen_name(table_, choice, config_));
      const std::vector<std::string> own = row ? names_of(row->settings) : std::vector<std::string>{};
      names.insert(names.end(), own.begin(), own.end());
    }
    std::string hint = home_of(given.name);
    if (hint.empty()) hint = suggestion(given.name, names);
    fail(given, fmt::format("unknown key{}. Allowed in [{}]: {}", hint, given.section, fmt::join(names, ", ")));
  }

  // A theta without an opening criterion was probably meant for a geometric one. With `relative` it affects only the first forces, so the
  // user must name the criterion, too.
  void check_theta() const {
    const GravityParameters& gravity = config_.gravity;
    const GivenSetting *theta = find("gravity", "theta"), *opening = find("gravity", "opening");
    if (!theta || !walks_trees(gravity.method) || gravity.opening != RelativeOpening::name) return;
    if (opening && (opening->from_command_line || !theta->from_command_line)) return;
    const std::string chosen = full_name(describe("gravity", "opening", gravity.opening));
    fail(*theta, fmt::format("with {} it is for the first forces alone, and gravity.tolerance sets the accuracy. Choose gravity.opening "
                             "beside it",
                             chosen));
  }

  /// Whether the command line has this key of [time].
  bool is_changed(const char* key) const {
    const GivenSetting* const given = find("time", key);
    return given && given->from_command_line;
  }

  // Only steps whose length is chosen can be too short, which is so for either of two keys; else like drop_idle_settings().
  void check_shortest_step() {
    const GivenSetting* const given = find("time", "dt_min");
    if (!given || config_.time.dt_min == 0) return;
    if (!config_.time.dt_is_auto && config_.time.dt_min > config_.time.dt)
      fail(*given, "must not be longer than time.dt, the longest step");
    if (config_.time.chooses_steps()) return;
    if (given->from_command_line || !(is_changed("steps") || is_changed("integrator") || is_changed(error_key)))
      fail(*given, "has no effect and must go: neither time.steps nor time.error lets steps be chosen");
    config_.time.dt_min = 0;
  }

  // Steps that are chosen are not given; else like drop_idle_settings().
  void check_substeps() {
    TimeParameters& time = config_.time;
    if (time.substeps == 1) return;
    const GivenSetting *const given = find("time", "substeps"), *const chosen = find("time", "steps");
    if (!std::has_single_bit(time.substeps)) fail(*given, "must be a power of two");
    if (time.steps == steps::shared) return;
    if (given->from_command_line || !chosen->from_command_line)
      fail(*given, fmt::format("with time.steps = \"{}\" it has no effect and must go", time.steps));
    time.substeps = 1;
  }

  // Only divided steps have a core; else like drop_idle_settings().
  void check_core() {
    TimeParameters& time = config_.time;
    const GivenSetting* const given = find("time", "core_up_to");
    if (time.divide() || time.core_up_to == TimeParameters().core_up_to) return;
    if (given->from_command_line || !(is_changed("steps") || is_changed("substeps") || is_changed("integrator")))
      fail(*given, "has no effect and must go: neither time.steps nor time.substeps divides steps");
    time.core_up_to = TimeParameters().core_up_to;
  }

  // A key without effect is an error, unless it is in the file and the command line has changed the key on which it depends.
  void drop_idle_settings() {
    std::vector<const ConfigSetting*> idle;
    for (const ConfigSetting& row : table_.settings) {
      const GivenSetting* given = find(row.section, row.setting.name);
      const Condition* const broken = broken_condition(table_, row, config_);
      if (!given || !broken) continue;
      const std::string& section = row.section_of(*broken);
      const GivenSetting chosen = describe(section, broken->name, table_.find(section, broken->name)->get(config_));
      if (!chosen.from_command_line || given->from_command_line)
        fail(*given, fmt::format("with {} it has no effect and must go", full_name(chosen)));
      idle.push_back(&row);
    }
    // Not before all conditions are looked at: one idle key may depend on another.
    for (const ConfigSetting* row : idle) row->set(config_, row->setting.default_value);
  }

  /// The one in which it is given; for a bare number the unit of [units] where that has a name, so that messages tell what it means;
  /// million years for a step that is chosen.
  void set_unit_of_dt() {
    const GivenSetting* const dt = find("time", "dt");
    if (!dt) return;
    if (config_.time.dt_is_auto) {
      if (is_physical(config_.units)) config_.time.unit_of_dt = unit_of("1 Myr", Dimension::time, config_.units);
    } else if (dt->text()) {
      config_.time.unit_of_dt = unit_of(*dt->text(), Dimension::time, config_.units);
    } else if (const TimeUnit unit = unit_of_time(1, config_.units); std::abs(unit.per_code_unit - 1) < same_when_joined) {
      config_.time.unit_of_dt = {unit.name, 1};
    }
  }

  void set_units() {
    std::vector<std::string> names;
    for (const ConfigSetting& row : table_.settings)
      if (row.section == units_section && !row.is_shorthand) names.push_back(row.setting.name);
    const GivenUnits units = given_units([&](const std::string& name) { return find(units_section, name); }, names);
    for (const auto& [path, given] : given_)
      if (given.section == units_section && !given.name.empty() && !table_.find(given.section, given.name)) fail_unknown(given);
    for (const GivenSetting* given : units.single) set(*given);
    if (has_preset_ && !units.system && units.single.empty()) config_.units = usual_units_of_galaxies();
    if (!are_usable(config_.units))
      throw ConfigError(
          fmt::format("{}: [units]: the gravitational constant or the unit of time in them is beyond the numbers of 64 bits", name_));
    takes_file_units_ = units.system && units.system->says(of_the_file);
    const GivenSetting* const of_file = find(initial_section, "units");
    units_of_numbers_ = of_file ? units_in_text(*of_file) : std::nullopt;
    if (units_of_numbers_ && (takes_file_units_ || (!units.system && units.single.empty())))
      config_.units = *units_of_numbers_;
    else if (units.system)
      config_.units = resolve_units(*units.system, path_of_file(), in_file_);
    if (units_of_numbers_ && !is_physical(config_.units))
      fail(*of_file, "is converted to the units of [units], which must then be physical ones and no N-body units");
  }

  std::string path_of_file() const {
    const GivenSetting* const file = find(initial_section, "file");
    return file && file->text() ? *file->text() : "";
  }

  /// The units that a text names; nothing for the empty text, which is what a printed configuration shows.
  static std::optional<UnitSystem> units_in_text(const GivenSetting& given) {
    if (!given.text()) fail(given, "must be a text, as \"kpc, km/s, 1e10 Msun\"");
    if (given.text()->empty()) return std::nullopt;
    const Understood<UnitSystem> units = read_unit_system(*given.text());
    if (!units.value) fail(given, units.complaint);
    return units.value;
  }

  void resolve_begin() {
    const GivenSetting* const begin = find("time", "begin");
    if (!begin || !begin->says(of_the_file)) return;
    const std::string path = path_of_file();
    if (path.empty()) fail(*begin, "takes the time of initial_conditions.file, but the particles come from a generator");
    if (!in_file_) fail(*begin, fmt::format("the time of {} is not known here", path));
    if (!in_file_->time) fail(*begin, fmt::format("{} ({}) does not say its time: give the number", path, in_file_->format));
    config_.time.begin = *in_file_->time * (units_of_numbers_ ? units_of_numbers_->time_in_s() / config_.units.time_in_s() : 1);
    if (!std::isfinite(config_.time.begin)) fail(*begin, fmt::format("the time of {} is {}: give the number", path, config_.time.begin));
  }

  // G if not given: in physical units the physical constant; in N-body units 1, or that of the file whose units are taken.
  void resolve_G() {
    const GivenSetting* given = find("gravity", "G");
    const bool wants_physical = given && given->says(physical_G);
    if (given && !wants_physical) return;
    if (!is_physical(config_.units)) {
      if (wants_physical) fail(*given, "needs physical units in [units]");
      if (takes_file_units_ && in_file_->G && std::isnormal(*in_file_->G) && *in_file_->G > 0) config_.gravity.G = *in_file_->G;
      return;
    }
    config_.gravity.G = gravitational_constant(config_.units);
  }

  void check_external_masses() const {
    if (!is_physical(config_.units)) return;
    for (const auto& [section, member] : external_sections()) {
      const ExternalParameters& external = config_.*member;
      if (!external.is_there() || find(section, "mass")) continue;
      if (const Setting* const mass = find_named(settings_of(external_infos(), external.potential), "mass"))
        fail(describe(section, "mass", mass->default_value),
             "must be given: the run has physical units, in which one code unit of mass is no useful default");
    }
  }

  void check_times() const {
    const TimeParameters& time = config_.time;
    if (time.end < time.begin) fail(describe("time", "end", time.end), fmt::format("must be >= time.begin = {}", to_toml(time.begin)));
    // With a step that is too small to change the time, the run would never end.
    const double latest = std::max(std::abs(time.begin), std::abs(time.end));
    if (!time.dt_is_auto && latest + time.dt == latest && time.end > time.begin)
      fail(describe("time", "dt", time.dt), fmt::format("must be large enough to change the time {}", to_toml(latest)));
  }

  void check_generator_parameters() const {
    const InitialConditions& conditions = config_.initial_conditions;
    const auto complaint = check_generator(conditions);
    if (!complaint) return;
    const Value value = complaint->setting == "n" ? Value(conditions.n) : conditions.parameters.at(complaint->setting);
    fail(describe(initial_section, complaint->setting, value), "must be " + complaint->allowed);
  }

  std::string name_;
  const ConfigTable& table_;
  const ReadInfo* in_file_;
  GivenSettings given_;
  std::vector<GivenSetting> of_galaxies_;
  std::vector<GivenGalaxy> galaxies_;  ///< those that the generator uses
  bool has_preset_ = false;
  bool takes_file_units_ = false;
  std::optional<UnitSystem> units_of_numbers_;  // of the file: initial_conditions.units
  Config config_;
};

}  // namespace

Config build_config(const std::string& name, const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides,
                    const ConfigTable& table, const ReadInfo* in_file) {
  return ConfigBuilder(name, by_name(file, overrides), keys_of_galaxies(file, overrides), table, in_file).build();
}

GivenInput given_input(const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides) {
  const GivenSettings settings = by_name(file, overrides);
  const auto given = [&](const std::string& section, const std::string& name) {
    const auto found = settings.find({section, name});
    return found != settings.end() ? found->second : GivenSetting{};
  };
  GivenInput input{given(initial_section, "file")};
  input.is_asked = input.file.text() && (given(units_section, units_key).says(of_the_file) || given("time", "begin").says(of_the_file));
  return input;
}

}  // namespace grove
