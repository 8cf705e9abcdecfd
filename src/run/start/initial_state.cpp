#include "src/run/start/initial_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/formats/validate.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/quantity.hpp"
#include "kernels/base/setting.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "src/advice/memory_check.hpp"
#include "src/run/files/same_on_all_ranks.hpp"
#include "src/run/start/recorded_physics.hpp"

namespace grove {

namespace {

/// Of a generated particle: mass, position, velocity, id and type.
constexpr double bytes_of_particle = 7 * sizeof(double) + sizeof(std::uint64_t) + sizeof(std::uint8_t);

bool differs(double a, double b) { return differ(a, b, same_when_compared); }

ParticleSet generate_share(const Config& config, const Model& model, const Communicator& comm) {
  const std::uint64_t n = config.initial_conditions.n;
  const std::uint64_t begin = first_of_rank(n, comm.rank(), comm.size()), end = first_of_rank(n, comm.rank() + 1, comm.size());
  require_memory_of_particles(config.initial_conditions, static_cast<double>(end - begin) * bytes_of_particle, comm);
  ParticleSet particles = generate(config.initial_conditions, model, comm);
  validate_particles(particles, "generator " + config.initial_conditions.generator, begin, comm);
  return particles;
}

void require_isolated(const InitialConditions& wanted, const ReadInfo& info) {
  const std::string why = why_not_isolated(info.universe);
  if (!why.empty() && !wanted.allow_cosmological) throw DataError(fmt::format("{}: {}. {}", wanted.file, why, how_to_allow));
}

/// Converts the numbers of a file that names no units to those of the configuration.
void convert_units(const Config& config, InitialState& state) {
  const InitialConditions& wanted = config.initial_conditions;
  if (wanted.units.empty()) return;
  ReadInfo& info = state.info;
  if (info.units)
    throw ConfigError(
        fmt::format("initial_conditions.units is for files that name no units and must go: {} has {}", wanted.file, in_words(*info.units)));
  const UnitSystem from = read_unit_system(wanted.units).value.value(), to = config.units;
  const double length = from.length_in_cm / to.length_in_cm, mass = from.mass_in_g / to.mass_in_g;
  const double velocity = from.velocity_in_cm_per_s / to.velocity_in_cm_per_s;
  for (double& x : state.particles.position) x *= length;
  for (double& v : state.particles.velocity) v *= velocity;
  for (double& m : state.particles.mass) m *= mass;
  if (info.time) *info.time *= from.time_in_s() / to.time_in_s();
  if (info.G) *info.G *= length * velocity * velocity / mass;
  for (FileSoftening& softening : info.softenings) {
    softening.lowest *= length;
    softening.highest *= length;
  }
  info.units = to;
  if (from != to) info.notes.push_back(fmt::format("{}: all numbers are converted from {} to {}", wanted.file, wanted.units, in_words(to)));
}

/// The softening used for particles that have a softening in the file; for unknown types the largest one.
double used_softening(const GravityParameters& gravity, const FileSoftening& of) {
  if (of.type < 0 || gravity.softening_of_type.empty()) return gravity.softening;
  return gravity.softening_of_type.at(static_cast<std::size_t>(of.type));
}

/// Gas in a file that is refused, or not, for other reasons is named there.
void add_notes_on_universe(const Config& config, const InitialState& state, std::vector<std::string>& notes) {
  const std::string& file = config.initial_conditions.file;
  const std::string why = why_not_isolated(state.info.universe);
  if (!why.empty()) {
    notes.push_back(fmt::format("{}: {}; the numbers are taken as they are", file, why));
  } else if (state.info.count_of_type[0] > 0 && state.components[0] == component_name(0)) {
    notes.push_back(fmt::format("{} has gas: {} of {} particles, which move without pressure, as all others do", file,
                                format_count(state.info.count_of_type[0]), format_count(state.count)));
  }
}

std::string list_of(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// The names of the components that have particles.
std::vector<std::string> present_components(const ComponentNames& names, const std::vector<std::uint64_t>& count) {
  std::vector<std::string> present;
  for (std::size_t type = 0; type < count.size(); ++type)
    if (count[type] > 0) present.push_back(names[type]);
  return present;
}

[[noreturn]] void fail_no_component(const std::string& key, const std::string& name, const std::vector<std::string>& present) {
  throw ConfigError(fmt::format("{}: there is no component called \"{}\"; the particles have {}{}", key, name, list_of(present),
                                suggestion(name, present)));
}

}  // namespace

InitialState load_initial_state(const Config& config, const Communicator& comm, const FieldTablePtr& fields) {
  const InitialConditions& wanted = config.initial_conditions;
  InitialState state;
  if (wanted.file.empty()) {
    Model model;
    comm.agree([&] { model = prepare_model(wanted, config.gravity.G); });
    state.particles = generate_share(config, model, comm);
    state.particles.fields = fields;
    state.components = component_names(model);
    state.info.notes = std::move(model.notes);
    if (!model.galaxies.empty() && config.gravity.softening > 0 && config.gravity.softening_kernel != "plummer")
      state.info.notes.push_back(
          fmt::format("the model is in equilibrium with Plummer's softening of these lengths; forces have the kernel {}",
                      config.gravity.softening_kernel));
    state.table = std::move(model.table);
    state.galaxies = std::move(model.galaxies);
  } else {
    require_same_file(wanted.file, "initial_conditions.file", comm);
    state.particles = read_particles(wanted.file, comm, &state.info, fields, wanted.columns);
    if (wanted.renumber) renumber(state.particles, comm);
    require_unique_ids(state.particles.id, wanted.file, comm, how_to_renumber);
    comm.agree([&] {
      require_isolated(wanted, state.info);
      convert_units(config, state);
    });
    state.components = state.info.components;
  }
  state.count = comm.sum(static_cast<std::uint64_t>(state.particles.size()));
  // What was converted may be too large for a number.
  if (!wanted.units.empty())
    validate_particles(state.particles, wanted.file + ", converted", first_of_rank(state.count, comm.rank(), comm.size()), comm);
  state.description = wanted.file.empty()
                          ? fmt::format("{} particles of generator {}, seed {}", format_count(state.count), wanted.generator, wanted.seed)
                          : fmt::format("{} particles from {} ({})", format_count(state.count), wanted.file, state.info.format);
  return state;
}

std::array<std::uint64_t, particle_type_count> count_of_types(const ParticleSet& particles, const Communicator& comm) {
  std::array<std::uint64_t, particle_type_count> count{};
  for (const std::uint8_t type : particles.type) ++count.at(type);
  comm.sum(std::span<std::uint64_t>(count));
  return count;
}

std::vector<std::string> notes_on_softening(const Config& config, const InitialState& state) {
  // One note for each length, whatever the number of components that have it.
  std::map<std::pair<std::string, std::string>, std::string> components;  // by the text before and after them
  for (const FileSoftening& softening : state.info.softenings) {
    const double used = used_softening(config.gravity, softening);
    if (!(softening.highest > 0)) continue;  // initial conditions that say nothing have 0
    if (!differs(softening.lowest, used) && !differs(softening.highest, used)) continue;
    const std::string to = softening.lowest == softening.highest ? "" : fmt::format(" to {:.6g}", softening.highest);
    std::string& names = components[{fmt::format("softening {:.6g}{}", softening.lowest, to),
                                     fmt::format("({}), the configuration has gravity.softening = {:.6g}", softening.what, used)}];
    if (softening.type >= 0) names += (names.empty() ? "of " : ", ") + state.components[static_cast<std::size_t>(softening.type)];
  }
  std::vector<std::string> notes;
  for (const auto& [text, names] : components)
    notes.push_back(fmt::format("{} has {} {}{}, which is used", config.initial_conditions.file, text.first,
                                names.empty() ? "" : names + " ", text.second));
  const std::optional<Value> of_file = softening_in(state.info);
  if (!notes.empty() && of_file) notes.push_back(fmt::format("gravity.softening = {} is that of the file", to_toml(*of_file)));
  return notes;
}

std::vector<std::string> notes_on_file(const Config& config, const InitialState& state) {
  std::vector<std::string> notes = state.info.notes;
  const std::string& file = config.initial_conditions.file;
  const auto add = [&](const std::string& what, double in_file, const std::string& key, double used, const char* remedy = "") {
    notes.push_back(
        fmt::format("{} has {} {:.6g}, the configuration has {} = {:.6g}, which is used{}", file, what, in_file, key, used, remedy));
  };
  if (state.info.time && differs(*state.info.time, config.time.begin))
    add("time", *state.info.time, "time.begin", config.time.begin, ". time.begin = \"file\" takes that of the file");
  if (state.info.G && differs(*state.info.G, config.gravity.G)) add("G", *state.info.G, "gravity.G", config.gravity.G);
  for (const std::string& note : notes_on_softening(config, state)) notes.push_back(note);
  add_notes_on_universe(config, state, notes);
  if (!state.info.units) return notes;
  const UnitSystem &in_file = *state.info.units, &used = config.units;
  if (is_physical(in_file) != is_physical(used)) {
    notes.push_back(
        fmt::format("{} has {}, the configuration has {}; nothing is converted. units.system = \"file\" takes those of the file", file,
                    in_words(in_file), in_words(used)));
    return notes;
  }
  if (differs(in_file.length_in_cm, used.length_in_cm))
    add("unit of length in cm", in_file.length_in_cm, "units.length_in_cm", used.length_in_cm);
  if (differs(in_file.mass_in_g, used.mass_in_g)) add("unit of mass in g", in_file.mass_in_g, "units.mass_in_g", used.mass_in_g);
  if (differs(in_file.velocity_in_cm_per_s, used.velocity_in_cm_per_s))
    add("unit of velocity in cm/s", in_file.velocity_in_cm_per_s, "units.velocity_in_cm_per_s", used.velocity_in_cm_per_s);
  return notes;
}

std::vector<double> softening_of_types(const GravityParameters& gravity, const ComponentNames& names,
                                       const std::vector<std::uint64_t>& count) {
  const auto& length = gravity.softening_of_component;
  if (length.empty()) return gravity.softening_between.empty() ? std::vector<double>{} : std::vector(count.size(), gravity.softening);
  const std::vector<std::string> present = present_components(names, count);
  double smallest = length.begin()->second;
  for (const auto& [name, value] : length) {
    if (std::find(present.begin(), present.end(), name) == present.end()) fail_no_component("gravity.softening", name, present);
    smallest = std::min(smallest, value);
  }
  std::vector<double> of_type(count.size(), smallest);
  std::vector<std::string> missing;
  for (std::size_t type = 0; type < count.size(); ++type) {
    if (count[type] == 0) continue;
    const auto found = length.find(names[type]);
    if (found == length.end())
      missing.push_back(names[type]);
    else
      of_type[type] = found->second;
  }
  if (!missing.empty())
    throw ConfigError(
        fmt::format("gravity.softening has no length for {}: the particles have the components {}", list_of(missing), list_of(present)));
  return of_type;
}

std::vector<SofteningBetween> softening_between_types(const GravityParameters& gravity, const ComponentNames& names,
                                                      const std::vector<std::uint64_t>& count) {
  const auto type_of = [&](const std::string& pair, const std::string& name) {
    for (std::size_t type = 0; type < count.size(); ++type)
      if (count[type] > 0 && names[type] == name) return static_cast<int>(type);
    fail_no_component(fmt::format("gravity.softening_between: \"{}\"", pair), name, present_components(names, count));
  };
  std::vector<SofteningBetween> all;
  for (const auto& [pair, length] : gravity.softening_between) {
    const std::vector<std::string> parts = parts_between_commas(pair);
    if (parts.size() != 2 || parts[0] == parts[1])
      throw ConfigError(fmt::format("gravity.softening_between: \"{}\": give two different components, as \"stars, hole\"", pair));
    const SofteningBetween one{type_of(pair, parts[0]), type_of(pair, parts[1]), length};
    for (const SofteningBetween& other : all)
      if (std::minmax(one.a, one.b) == std::minmax(other.a, other.b))
        throw ConfigError(fmt::format("gravity.softening_between: \"{}\" stands twice, in both orders", pair));
    all.push_back(one);
  }
  if (all.empty()) return all;
  // Types of which there are no particles are like one of those with the shortest softening, and so in its class.
  const std::vector<double> of_type = softening_of_types(gravity, names, count);
  int like = -1;
  for (std::size_t type = 0; type < count.size(); ++type)
    if (count[type] > 0 && (like < 0 || of_type[type] < of_type[static_cast<std::size_t>(like)])) like = static_cast<int>(type);
  const std::size_t given = all.size();
  for (std::size_t type = 0; type < count.size(); ++type)
    for (std::size_t k = 0; k < given && count[type] == 0; ++k)
      if (all[k].a == like || all[k].b == like)
        all.push_back({static_cast<int>(type), all[k].a == like ? all[k].b : all[k].a, all[k].length});
  return all;
}

std::vector<std::string> notes_on_single_particles(const GravityParameters& gravity, const ComponentNames& names,
                                                   const std::vector<std::uint64_t>& count) {
  std::vector<std::string> notes;
  const auto has_own = [&](std::size_t type, std::size_t other) {
    return std::any_of(gravity.softening_between_types.begin(), gravity.softening_between_types.end(), [&](const SofteningBetween& pair) {
      return std::minmax(pair.a, pair.b) == std::minmax(static_cast<int>(type), static_cast<int>(other));
    });
  };
  for (std::size_t type = 0; type < gravity.softening_of_type.size(); ++type) {
    // The softening of all its pairs is that of the others: the shortest one, or its own where that is longer.
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < count.size(); ++other)
      if (other != type && count[other] > 0 && !has_own(type, other)) shortest = std::min(shortest, gravity.softening_of_type[other]);
    const double own = gravity.softening_of_type[type];
    if (count[type] == 1 && own < shortest && std::isfinite(shortest))
      notes.push_back(
          fmt::format("gravity.softening of {0} = {1:.6g} has no effect: there is one particle of it, and a pair has the larger "
                      "softening of its two particles, so that {0} has {2:.6g} or more in all of its pairs",
                      names[type], own, shortest));
  }
  return notes;
}

std::vector<std::string> set_component_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation,
                                                 const Communicator& comm) {
  if (!has_softening_of_components(gravity)) return {};
  const auto count = count_of_types(state.particles, comm);
  comm.agree([&] {
    gravity.softening_of_type = softening_of_types(gravity, state.components, {count.begin(), count.end()});
    gravity.softening_between_types = softening_between_types(gravity, state.components, {count.begin(), count.end()});
    simulation.set_softening(gravity.softening_of_type, gravity.softening_between_types);
  });
  return notes_on_single_particles(gravity, state.components, {count.begin(), count.end()});
}

}  // namespace grove
