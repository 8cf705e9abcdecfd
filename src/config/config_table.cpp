#include "src/config/config_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kernels/base/named_rows.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "kernels/gravity/opening.hpp"
#include "src/config/config_source.hpp"
#include "src/config/picture_settings.hpp"
#include "src/external/external_info.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/integrators/step_parameters.hpp"
#include "src/solver/force_method.hpp"

namespace grove {
namespace {

using Rows = std::vector<ConfigSetting>;

void add_initial_conditions(Rows& rows) {
  const auto add = rows_of(rows, &Config::initial_conditions, "initial_conditions");
  using IC = InitialConditions;
  add(&IC::file, "file",
      "input particles, relative to the current directory: GADGET or SWIFT, TIPSY, NEMO, or a text table (docs/input.md)");
  add(&IC::columns, "columns",
      "what the columns of a text table are, where the file does not say it: m x y z vx vy vz, and id, type, galaxy or "
      "component; - for one to leave out");
  add(&IC::units, "units",
      "the units of a file that names none, as \"pc, km/s, Msun\". Its numbers are converted to those of [units]; without [units], these "
      "are "
      "the units of the run");
  add(&IC::renumber, "renumber",
      "true: the ids of the file are replaced by the numbers of its rows, from 0. false: ids that occur twice are refused");
  add(&IC::allow_cosmological, "allow_cosmological",
      "true: a file of a cosmological simulation or a periodic box is taken as an isolated system, its numbers as they are. false: it is "
      "refused");
  add(&IC::generator, "generator", "makes the particles instead", {.allowed = names_of(generators())});
  add(&IC::n, "n", "number of particles, all ranks together", {.range = {1.0, 1e12}});
  add(&IC::seed, "seed", "of the random numbers; same seed, same particles on any number of ranks", {.range = {0.0, 9e18}});
  add(&IC::recentre, "recentre", "gives every component its centre of mass and mean velocity exactly; false: the sample as it was drawn");
}

void set_softening(Config& config, const Value& value) {
  GravityParameters& gravity = config.gravity;
  gravity.softening_of_component.clear();
  if (const auto* number = std::get_if<double>(&value)) {
    gravity.softening = *number;
    return;
  }
  gravity.softening_of_component = std::get<NumberTable>(value);
  gravity.softening = 0;
  for (const auto& [name, length] : gravity.softening_of_component) gravity.softening = std::max(gravity.softening, length);
}

Value get_softening(const Config& config) {
  const GravityParameters& gravity = config.gravity;
  return gravity.softening_of_component.empty() ? Value(gravity.softening) : Value(gravity.softening_of_component);
}

// A parameter of one opening criterion or softening kernel is one row of the form
//   rows.push_back(gravity_parameter({"alpha", MyOpening::default_alpha, {0.0, 1.0}, "meaning"}, {"opening", {"mine"}}));
void add_gravity(Rows& rows) {
  const auto add = rows_of(rows, &Config::gravity, "gravity");
  using Gravity = GravityParameters;
  add(&Gravity::method, "method", "how forces are computed", {.allowed = method_names()});
  std::vector<std::string> with_trees = method_names();
  std::erase_if(with_trees, [](const std::string& name) { return !walks_trees(name); });
  const Condition has_cells{"method", with_trees};
  add(&Gravity::opening, "opening", "criterion by which a cell may stand for its particles", {.allowed = opening_names()}, has_cells);
  add(&Gravity::tolerance, "tolerance",
      "allowed error of a single cell's force, relative to the particle's acceleration: docs/performance.md says what "
      "that promises of all of them; above 0.1 nothing would be faster",
      {.range = {0.0, 0.1, false}}, Condition{"opening", {RelativeOpening::name}});
  add(&Gravity::order, "order", "order of the expansions of fmm; 5 pays for 99 % errors below 1e-3", {.range = {4.0, 5.0}},
      Condition{"method", {"fmm"}});
  add(&Gravity::theta, "theta",
      "opening angle; smaller is more accurate and slower. opening = relative: 1.25 times it, for the first forces alone",
      {.range = {0.0, 1.5, false}}, has_cells);
  add(&Gravity::all_pairs_up_to, "all_pairs_up_to",
      "with up to so many particles and one softening length, one rank uses direct summation on a GPU: faster and more accurate",
      {.range = {0.0, 100000.0}, .also = "on CPU cores up to an eighth of it; 0: never"}, has_cells);
  add(&Gravity::steps_per_tree, "steps_per_tree", "most steps that use one tree; the longer the steps, the sooner there is a new one",
      {.range = {1.0, 100.0}, .also = "1: a new tree for each"}, has_cells);
  rows.back().also_with = Condition{"integrator", {}, "time"};
  for (const IntegratorInfo& integrator : integrator_infos())
    if (integrator.tells_drift) rows.back().also_with->values.push_back(integrator.name);
  rows.push_back({"gravity",
                  {"softening",
                   Gravity{}.softening,
                   not_negative,
                   "softening length; 0 is Newtonian; not given, components of galaxies have lengths by size and number",
                   {},
                   "or one for each component: {halo = 1.0, disc = 0.4}; names with a space stand in quotes, \"halo 1\" = 1.0; a pair has "
                   "the larger of its two",
                   Dimension::length,
                   true},
                  set_softening,
                  get_softening});
  add(&Gravity::softening_between, "softening_between",
      "softening lengths of pairs of two components, {\"stars, hole\" = 0.001}; others have the larger of the two",
      {.range = not_negative, .dimension = Dimension::length});
  add(&Gravity::softening_kernel, "softening_kernel", "form of the softening", {.allowed = softening_names()});
  add(&Gravity::G, "G", "gravitational constant in code units; not given: the physical one in physical units, else 1",
      {.range = positive, .also = "or \"cgs\": the physical one, from [units]"});
}

void add_external(Rows& rows) {
  std::vector<std::string> names{ExternalParameters::none};
  for (const ExternalInfo& row : external_infos()) names.push_back(row.name);
  for (const auto& [name, member] : external_sections())
    rows_of(rows, member, name)(&ExternalParameters::potential, "potential", "its form; none: there is none", {.allowed = names});
}

void add_time(Rows& rows) {
  const auto add = rows_of(rows, &Config::time, "time");
  using Time = TimeParameters;
  add(&Time::begin, "begin", "time of the initial conditions",
      {.range = any_number, .also = "or \"file\": that of the input file", .dimension = Dimension::time});
  add(&Time::end, "end", "time of the last state", {.range = any_number, .also = "not before time.begin", .dimension = Dimension::time});
  add(&Time::dt, "dt", "time step; the longest one where steps are divided",
      {.range = positive, .also = "or \"auto\": what the forces at the start ask for", .dimension = Dimension::time});
  rows.back().get = [](const Config& config) -> Value {
    if (config.time.dt_is_auto) return automatic_dt;
    return config.time.dt;
  };
  add(&Time::integrator, "integrator", "how positions and velocities are stepped", {.allowed = names_of(integrator_infos())});
  Condition can_divide{"integrator", {}};
  for (const IntegratorInfo& integrator : integrator_infos())
    if (integrator.may_divide_steps) can_divide.values.push_back(integrator.name);
  add(&Time::steps, "steps",
      "shared: all particles take steps of dt; adaptive: all take the step that the most demanding of them wants; block: each takes its "
      "own; auto: adaptive or block, whichever is faster; dt is divided by powers of two",
      {.allowed = {steps::shared, steps::adaptive, steps::block, steps::automatic}}, can_divide);
  add(&Time::substeps, "substeps",
      "so many equal steps for all particles in each dt, a power of two: logs and all other output come at the ends of dt. With few "
      "particles on a GPU they take much less time than as many steps of that length",
      {.range = {1.0, static_cast<double>(most_substeps)}}, can_divide);
  const Condition divides{"steps", {steps::adaptive, steps::block, steps::automatic}};
  add(&Time::criterion, "criterion", "the step that a particle wants", {.allowed = names_of(step_criterion_infos())}, divides);
  add(&Time::accuracy, "accuracy", "of the criterion: smaller is more accurate and slower", {.range = positive}, divides);
  add(&Time::dt_min, "dt_min", "a particle that wants a shorter step ends the run, where steps are chosen; 0: dt / 2^20",
      {.range = not_negative, .dimension = Dimension::time});
  add(&Time::core_up_to, "core_up_to",
      "where steps are divided, also by substeps: up to so many particles, those with the shortest steps, are the core, which is "
      "integrated by direct summation, where that is faster",
      {.range = {0.0, 32768.0}, .also = "0: none"});
}

void add_output(Rows& rows) {
  const auto add = rows_of(rows, &Config::output, "output");
  using Output = OutputParameters;
  const Condition keeps_states{"snapshots", {"all"}};
  add(&Output::directory, "directory", "for snapshots and logs, relative to the current directory");
  add(&Output::snapshots, "snapshots",
      "none: no state is kept, neither snapshots nor checkpoints, only energies and timings, to measure speed",
      {.allowed = {"all", "none"}});
  add(&Output::snapshot_every, "snapshot_every", "time between snapshots, not below time.dt; 0: the first and the last state only",
      {.range = not_negative, .dimension = Dimension::time}, keeps_states);
  add(&Output::in_background, "in_background",
      "yes: the steps continue while a snapshot is written; on the host this takes up to 108 bytes a particle. no: they "
      "wait, and it takes 24",
      {.allowed = {"yes", "no"}}, keeps_states);
  add(&Output::order, "order", "order of the particles in a snapshot", {.allowed = {"id", "morton"}}, keeps_states);
  add(&Output::fields, "fields",
      "further particle fields to write, separated by commas: work (cost of the particle's last force, in issue slots of the "
      "processor), time_step (its last step; not where time.steps is shared)",
      {}, keeps_states);
  add(&Output::leave_out, "leave_out",
      "particle fields that are not written, separated by commas: acceleration, potential. Masses, positions, velocities and ids always "
      "are",
      {}, keeps_states);
  add(&Output::single_precision, "single_precision",
      "particle fields that are written in 32 bits instead of 64, separated by commas: position, velocity, mass, acceleration, potential. "
      "Half the room, 7 digits; checkpoints keep all digits",
      {}, keeps_states);
  add(&Output::compression, "compression",
      "gzip level by which snapshots are packed without loss, 1 (fast) to 9; 0: not at all. Readers unpack them by themselves; packing "
      "takes time, which levels above 1 seldom pay back. Fields of less than 64 KiB are left as they are",
      {.range = {0.0, 9.0}}, keeps_states);
  add(&Output::checkpoints, "checkpoints",
      "yes: the last two checkpoints are kept, from which --continue starts; at the start, at the end, when the run is "
      "stopped, and as the two keys below say",
      {.allowed = {"yes", "no"}}, keeps_states);
  add(&Output::checkpoint_minutes, "checkpoint_minutes", "wall time between checkpoints, in minutes; 0: not by time",
      {.range = not_negative}, Condition{"checkpoints", {"yes"}});
  add(&Output::checkpoint_steps, "checkpoint_steps", "steps between checkpoints; 0: not by steps", {.range = {0.0, 1e15}},
      Condition{"checkpoints", {"yes"}});
  add(&Output::on_error, "on_error",
      "when a snapshot, a checkpoint or a row of a log cannot be written: stop: the run ends. continue: the run omits it, and says so",
      {.allowed = {"stop", "continue"}});
}

void add_units(Rows& rows) {
  const auto add = rows_of(rows, &Config::units, "units");
  rows.push_back({"units",
                  {"system",
                   "",
                   {},
                   "all three of them by name, in place of the keys below, which then show them",
                   {},
                   "as \"kpc, km/s, 1e10 Msun\" or \"AU, yr, Msun\", or \"file\" for those that the input file says"},
                  [](Config&, const Value&) {},
                  [](const Config&) { return Value(""); },
                  {},
                  true});
  add(&UnitSystem::length_in_cm, "length_in_cm", "unit of length", {.range = positive});
  add(&UnitSystem::mass_in_g, "mass_in_g", "unit of mass", {.range = positive});
  add(&UnitSystem::velocity_in_cm_per_s, "velocity_in_cm_per_s", "unit of velocity", {.range = positive});
}

void add_run(Rows& rows) {
  const auto add = rows_of(rows, &Config::run, "run");
  add(&RunParameters::device, "device", "where forces are computed; auto: on a GPU if there is one", {.allowed = {"auto", "gpu", "cpu"}});
  add(&RunParameters::transport, "transport",
      "how messages travel between GPUs; auto: the fastest that there is; direct: from GPU to GPU, all on one node; "
      "shared: through host memory that ranks share, all on one node; mpi: by an MPI that knows GPU memory; "
      "staged: by MPI through host memory",
      {.allowed = {"auto", "direct", "shared", "mpi", "staged"}});
  add(&RunParameters::max_wall_time, "max_wall_time",
      "the run stops before so many minutes are over, and can be continued; 0: no limit but that of its SLURM "
      "job",
      {.range = not_negative});
}

std::vector<ConfigChoice> make_choices() {
  const auto rows_of_table = [](const auto& table) {
    std::vector<ConfigChoice::Row> rows;
    for (const auto& row : table) rows.push_back({row.name, row.meaning, row.source, row.settings});
    return rows;
  };
  std::vector<ConfigChoice> choices{{"initial_conditions", "generator", rows_of_table(generators()),
                                     [](Config& c) -> SettingValues& { return c.initial_conditions.parameters; }}};
  for (const auto& [name, member] : external_sections())
    choices.push_back({name, "potential", rows_of_table(external_infos()),
                       [member = member](Config& c) -> SettingValues& { return (c.*member).parameters; },
                       name == "external" ? "" : "external"});
  choices.push_back(
      {"time", "integrator", rows_of_table(integrator_infos()), [](Config& c) -> SettingValues& { return c.time.parameters; }});
  return choices;
}

ConfigTable make_table() {
  ConfigTable table{
      {{"initial_conditions", "where the particles come from: exactly one of file and generator"},
       {galaxies_section,
        "galaxies of the generators galaxy and merger: a section [galaxies.NAME] for each, with sections [galaxies.NAME.COMPONENT]"},
       {"gravity", "forces"},
       {"external",
        "an external potential, beside the particles' own gravity: it acts on them and feels nothing; at rest unless orbit is given"},
       {"external_2", "a second one, which is added, e.g. a disc beside a halo"},
       {"external_3", "a third one"},
       {"time", "times"},
       {"output", "what is written, and where"},
       {"pictures", "pictures of the particles in PNG files, beside the snapshots"},
       {"units",
        "the units of all numbers; nothing is converted. Give the three keys, or system alone. Without either, the run is in N-body units "
        "or, with a preset of a galaxy, in kpc, km/s, 1e10 Msun"},
       {"run", "the machine"}},
      {},
      make_choices(),
      {{"initial_conditions", "cutoff", "taper", 0.0}, {"output", "beside", "in_background"}}};
  add_initial_conditions(table.settings);
  add_gravity(table.settings);
  add_external(table.settings);
  add_time(table.settings);
  add_output(table.settings);
  add_picture_settings(table.settings);
  add_units(table.settings);
  add_run(table.settings);
  return table;
}

}  // namespace

const std::vector<std::pair<std::string, ExternalParameters Config::*>>& external_sections() {
  static const std::vector<std::pair<std::string, ExternalParameters Config::*>> sections{
      {"external", &Config::external}, {"external_2", &Config::external_2}, {"external_3", &Config::external_3}};
  return sections;
}

std::string conditions_in_words(const ConfigSetting& row) {
  std::string words;
  for (const std::optional<Condition>* condition : {&row.only_with, &row.also_with}) {
    if (!*condition) continue;
    const std::string section = (*condition)->section.empty() ? "" : (*condition)->section + ".";
    words += fmt::format("{} {}{} = {}", words.empty() ? "only with" : " and", section, (*condition)->name,
                         fmt::join((*condition)->values, " or "));
  }
  return words;
}

const ConfigSetting* ConfigTable::find(const std::string& section, const std::string& name) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const ConfigSetting& row) { return row.section == section && row.setting.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

bool FormerName::is_unset(const GivenSetting& given) const {
  const auto* const number = std::get_if<double>(&given.value);
  const auto* const whole = std::get_if<std::int64_t>(&given.value);
  return unset && ((number && *number == *unset) || (whole && static_cast<double>(*whole) == *unset));
}

const FormerName* ConfigTable::find_former(const std::string& section, const std::string& name) const {
  const auto found = std::find_if(former_names.begin(), former_names.end(),
                                  [&](const FormerName& former) { return former.section == section && former.before == name; });
  return found == former_names.end() ? nullptr : &*found;
}

const ConfigTable& config_table() {
  static const ConfigTable table = make_table();
  return table;
}

ConfigSetting gravity_parameter(Setting setting, Condition only_with) {
  const std::string name = setting.name;
  const double default_value = std::get<double>(setting.default_value);
  return {"gravity", std::move(setting),
          [=](Config& config, const Value& value) { config.gravity.parameters[name] = std::get<double>(value); },
          [=](const Config& config) { return Value(config.gravity.parameter(name, default_value)); }, std::move(only_with)};
}

bool belongs_to_files(const ConfigSetting& row) {
  static const std::set<std::string> names{"columns", "units", "renumber", "allow_cosmological"};
  return row.section == "initial_conditions" && names.contains(row.setting.name);
}

bool belongs_to_generators(const ConfigSetting& row) {
  return row.section == "initial_conditions" && row.setting.name != "file" && !belongs_to_files(row);
}

const Condition* broken_condition(const ConfigTable& table, const ConfigSetting& row, const Config& config) {
  for (const std::optional<Condition>* condition : {&row.only_with, &row.also_with}) {
    if (!*condition) continue;
    const std::vector<std::string>& values = (*condition)->values;
    const ConfigSetting* const other = table.find(row.section_of(**condition), (*condition)->name);
    const std::string value = std::get<std::string>(other->get(config));
    if (std::find(values.begin(), values.end(), value) == values.end()) return &**condition;
    if (const Condition* const broken = broken_condition(table, *other, config)) return broken;
  }
  return nullptr;
}

bool applies(const ConfigTable& table, const ConfigSetting& row, const Config& config) {
  if (row.is_shorthand) return false;
  const bool has_file = !config.initial_conditions.file.empty();
  if (belongs_to_files(row) && !has_file) return false;
  if (row.section == "initial_conditions" && !belongs_to_files(row) && belongs_to_generators(row) == has_file) return false;
  const Value value = row.get(config);
  if (const NumberTable* const numbers = std::get_if<NumberTable>(&value); numbers && numbers->empty()) return false;
  return !broken_condition(table, row, config);
}

std::string chosen_name(const ConfigTable& table, const ConfigChoice& choice, const Config& config) {
  return std::get<std::string>(table.find(choice.section, choice.name)->get(config));
}

}  // namespace grove
