#include "src/config/config_table.hpp"

#include <algorithm>
#include <utility>

#include "kernels/gravity/gravity_names.hpp"
#include "kernels/gravity/opening.hpp"

namespace grove {
namespace {

// A key for a member of a section of Config; its default is what a fresh Config holds.
template <class Section, class Type>
ConfigSetting setting_for(Section Config::*section, Type Section::*member, const std::string& section_name, Setting setting) {
  setting.default_value = Config{}.*section.*member;
  return {section_name, std::move(setting), [=](Config& config, const Value& value) { config.*section.*member = std::get<Type>(value); },
          [=](const Config& config) { return Value(config.*section.*member); }};
}

void add_initial_conditions(std::vector<ConfigSetting>& table) {
  const auto add = [&](auto member, Setting setting) {
    table.push_back(setting_for(&Config::initial_conditions, member, "initial_conditions", setting));
  };
  using IC = InitialConditions;
  add(&IC::file, {"file", {}, {}, "input particles, relative to the current directory: GADGET/SWIFT HDF5, TIPSY or a text table"});
  add(&IC::generator, {"generator", {}, {}, "makes the particles instead", generator_names()});
  add(&IC::n, {"n", {}, {1.0, 1e12}, "number of particles, all ranks together"});
  add(&IC::seed, {"seed", {}, {0.0, 9e18}, "of the random numbers; same seed, same particles on any number of ranks"});
}

void add_gravity(std::vector<ConfigSetting>& table) {
  const auto add = [&](auto member, Setting setting) { table.push_back(setting_for(&Config::gravity, member, "gravity", setting)); };
  using Gravity = GravityParameters;
  add(&Gravity::method, {"method", {}, {}, "how forces are computed", method_names()});
  add(&Gravity::opening, {"opening", {}, {}, "criterion by which a cell may stand for its particles", opening_names()});
  add(&Gravity::tolerance, {"tolerance",
                            {},
                            {0.0, 1.0, false},
                            "opening = relative only: allowed error of a single cell's force, relative to the particle's acceleration"});
  add(&Gravity::order, {"order", {}, {4.0, 5.0}, "method = fmm only: order of the expansions; 5 pays for 99 % errors below 1e-3"});
  add(&Gravity::theta, {"theta",
                        {},
                        {0.0, 1.5, false},
                        "opening angle; smaller is more accurate and slower. opening = relative: of the first forces alone"});
  add(&Gravity::softening, {"softening", {}, not_negative, "softening length in code units; 0 is Newtonian"});
  add(&Gravity::softening_kernel, {"softening_kernel", {}, {}, "form of the softening", softening_names()});
  add(&Gravity::G, {"G", {}, positive, "gravitational constant in code units", {}, "or \"cgs\": the physical one, from [units]"});
}

void add_time(std::vector<ConfigSetting>& table) {
  const auto add = [&](auto member, Setting setting) { table.push_back(setting_for(&Config::time, member, "time", setting)); };
  using Time = TimeParameters;
  add(&Time::begin, {"begin", {}, any_number, "time of the initial conditions"});
  add(&Time::end, {"end", {}, any_number, "time of the last state", {}, "not before time.begin"});
  add(&Time::dt, {"dt", {}, positive, "time step, shared by all particles"});
}

void add_output(std::vector<ConfigSetting>& table) {
  const auto add = [&](auto member, Setting setting) { table.push_back(setting_for(&Config::output, member, "output", setting)); };
  using Output = OutputParameters;
  add(&Output::directory, {"directory", {}, {}, "for snapshots and logs, relative to the current directory"});
  add(&Output::snapshots, {"snapshots", {}, {}, "none: no state is kept, only energies and timings, to measure speed", {"all", "none"}});
  add(&Output::snapshot_every, {"snapshot_every", {}, not_negative, "time between snapshots; 0: the first and the last state only"});
  add(&Output::order, {"order", {}, {}, "order of the particles in a snapshot", {"id", "morton"}});
}

void add_units(std::vector<ConfigSetting>& table) {
  const auto add = [&](auto member, Setting setting) { table.push_back(setting_for(&Config::units, member, "units", setting)); };
  add(&UnitSystem::length_in_cm, {"length_in_cm", {}, positive, "unit of length"});
  add(&UnitSystem::mass_in_g, {"mass_in_g", {}, positive, "unit of mass"});
  add(&UnitSystem::velocity_in_cm_per_s, {"velocity_in_cm_per_s", {}, positive, "unit of velocity"});
}

void add_run(std::vector<ConfigSetting>& table) {
  table.push_back(setting_for(&Config::run, &RunParameters::device, "run",
                              {"device", {}, {}, "where forces are computed; auto: on a GPU if there is one", {"auto", "gpu", "cpu"}}));
}

std::vector<ConfigSetting> make_table() {
  std::vector<ConfigSetting> table;
  add_initial_conditions(table);
  add_gravity(table);
  add_time(table);
  add_output(table);
  add_units(table);
  add_run(table);
  return table;
}

}  // namespace

const std::vector<ConfigSection>& config_sections() {
  static const std::vector<ConfigSection> sections = {
      {"initial_conditions", "where the particles come from: exactly one of file and generator"},
      {"gravity", "forces"},
      {"time", "in code units"},
      {"output", "what is written, and where"},
      {"units", "of the numbers above; give all three or none. All 1: N-body units. Nothing is converted"},
      {"run", "the machine"}};
  return sections;
}

const std::vector<ConfigSetting>& config_settings() {
  static const std::vector<ConfigSetting> table = make_table();
  return table;
}

const ConfigSetting* find_config_setting(const std::string& section, const std::string& name) {
  const auto& table = config_settings();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const ConfigSetting& row) { return row.section == section && row.setting.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool belongs_to_generators(const ConfigSetting& row) { return row.section == "initial_conditions" && row.setting.name != "file"; }

std::string setting_that_disables(const ConfigSetting& row, const GravityParameters& gravity) {
  if (row.section != "gravity") return "";
  if (row.setting.name == "tolerance" && gravity.opening != RelativeOpening::name) return "opening";
  if (row.setting.name == "order" && gravity.method == "tree") return "method";
  return "";
}

}  // namespace grove
