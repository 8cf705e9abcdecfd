#include "src/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "decomposition/domain/vectors_of_ids.hpp"
#include "io/files/component_name.hpp"
#include "io/files/find_file.hpp"
#include "io/snapshots/checkpoint.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/setting.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/advice/state_advice.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/snapshot_writer.hpp"
#include "src/run/resume/checkpoints.hpp"
#include "src/run/resume/former_settings.hpp"
#include "src/run/start/automatic_step.hpp"
#include "src/run/start/configured_simulation.hpp"
#include "src/run/start/join.hpp"
#include "src/session/session_config.hpp"
#include "src/simulation/simulation_cuda.hpp"

namespace grove {

namespace {

/// Of a checkpoint: whether there is an external field of the caller's.
constexpr const char* saved_has_function = "session.has_external_function";

/// Before the configuration in a snapshot.
constexpr const char* particles_of_caller =
    "# Of a simulation in Python or C, whose particles are not those of [initial_conditions]. time.end has no meaning, either.\n";

/// Only what a simulation starts from.
void forget_forces(ParticleSet& particles) {
  for (const ParticleField& field : particles.fields->rows())
    if (field.input != InInput::required) particles.release(field);
}

void require_usable(const ParticleSet& some) {
  const std::size_t n = some.mass.size();
  if (some.position.size() != 3 * n || some.velocity.size() != 3 * n || some.id.size() != n || some.type.size() != n)
    throw DataError("particles need position, velocity, mass, id and type, each for as many particles");
  for (std::size_t i = 0; i < n; ++i) {
    const auto require = [&](bool holds, const char* what) {
      if (!holds) throw DataError(fmt::format("the particle with id {}: {}", some.id[i], what));
    };
    for (std::size_t d = 0; d < 3; ++d)
      require(std::isfinite(some.position[3 * i + d]) && std::isfinite(some.velocity[3 * i + d]), "its position or velocity is not finite");
    require(std::isfinite(some.mass[i]) && some.mass[i] >= 0, "its mass must be a number >= 0");
    require(some.type[i] < particle_type_count, "its type must be 0 to 5");
  }
}

}  // namespace

Session::Session(const std::string& toml, MPI_Comm comm) : comm_(comm) {
  SessionConfig given = read_session_config(toml, comm_);
  config_ = std::move(given.config);
  has_initial_conditions_ = given.has_initial_conditions;
  time_ = config_.time.begin;
  simulation_ = make_configured_simulation(config_, comm_);
  is_on_gpu_ = simulation_->device_state().is_gpu();
}

void Session::set_components(const ComponentNames& names) {
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  const std::uint64_t hash = std::hash<std::string>()(all), least = comm_.min(hash), most = comm_.max(hash);
  comm_.agree([&] {
    if (least != most) throw ConfigError("the ranks give components different names");
    for (std::size_t type = 0; type < names.size(); ++type) {
      if (!is_component_name(names[type]))
        throw ConfigError(fmt::format("the component of type {} is called {}: {}", type, to_toml(Value(names[type].substr(0, 60))),
                                      rule_of_component_names()));
    }
  });
  if (names == components_) return;
  components_ = names;
  if (config_.gravity.softening_of_component.empty()) return;
  bring_here();
  particles_are_in(Newer::share);
}

std::array<double, particle_type_count> Session::softening() const {
  std::array<double, particle_type_count> lengths;
  const auto& of_component = config_.gravity.softening_of_component;
  for (std::size_t type = 0; type < lengths.size(); ++type) {
    const auto found = of_component.find(components_[type]);
    lengths[type] = found != of_component.end() ? found->second
                    : of_component.empty()      ? config_.gravity.softening
                                                : std::numeric_limits<double>::quiet_NaN();
  }
  return lengths;
}

void Session::load() {
  comm_.agree([&] {
    if (!has_initial_conditions_)
      throw ConfigError(
          fmt::format("{}: [initial_conditions] names neither file nor generator: there are no particles to load", name_of_session_config));
  });
  InitialState state = load_initial_state(config_, comm_, simulation_->fields());
  components_ = state.components;
  notes_ = std::move(state.info.notes);
  set_particles(std::move(state.particles));
  time_ = config_.time.begin;
}

void Session::set_particles(ParticleSet some) {
  take(std::move(some), "these particles");
  has_advised_ = false;
}

void Session::take(ParticleSet some, const char* what) {
  comm_.agree([&] { require_usable(some); });
  some.fields = simulation_->fields();
  const bool is_in_order = comm_.size() == 1 && std::adjacent_find(some.id.begin(), some.id.end(), std::greater_equal<>()) == some.id.end();
  if (!is_in_order) {
    require_unique_ids(some.id, what, comm_);
    some = sort_by_id(std::move(some), comm_);
  }
  share_ = std::move(some);
  count_ = comm_.sum(static_cast<std::uint64_t>(share_.size()));
  particles_are_in(Newer::share);
}

void Session::add(ParticleSet some) {
  comm_.agree([&] { require_usable(some); });
  bring_here();
  ParticleSet all = share_;
  forget_forces(all);
  append(some, all);
  take(std::move(all), "these particles with those that are here already (particles that are added without ids get new ones)");
}

void Session::remove(const std::vector<std::uint64_t>& ids) {
  bring_here();
  std::vector<std::uint64_t> all_ids = comm_.all_gather_vectors<std::uint64_t>(ids);
  std::sort(all_ids.begin(), all_ids.end());
  all_ids.erase(std::unique(all_ids.begin(), all_ids.end()), all_ids.end());
  const ParticleSet& own = share_;
  ParticleSet left;
  left.fields = own.fields;
  std::uint64_t removed = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (std::binary_search(all_ids.begin(), all_ids.end(), own.id[i])) {
      ++removed;
      continue;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      left.position.push_back(own.position[3 * i + d]);
      left.velocity.push_back(own.velocity[3 * i + d]);
    }
    left.mass.push_back(own.mass[i]);
    left.id.push_back(own.id[i]);
    left.type.push_back(own.type[i]);
  }
  removed = comm_.sum(removed);
  comm_.agree([&] {
    if (removed != all_ids.size())
      throw DataError(fmt::format("{} of {} ids belong to no particle: nothing was removed", all_ids.size() - removed, all_ids.size()));
  });
  take(std::move(left), "these particles");
}

void Session::require_particles() const {
  comm_.agree([&] {
    if (count_ == 0) throw ConfigError("there are no particles yet");
  });
}

void Session::set_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation) const {
  const auto count = count_of_types(state.particles, comm_);
  const auto is_absent = [&](const std::string& name) {
    const auto found = std::find(state.components.begin(), state.components.end(), name);
    return found != state.components.end() && count.at(static_cast<std::size_t>(found - state.components.begin())) == 0;
  };
  GravityParameters present = gravity;
  std::erase_if(present.softening_of_component, [&](const auto& one) { return is_absent(one.first); });
  // None is left: the error is that of names which no particles have.
  if (present.softening_of_component.empty()) present.softening_of_component = gravity.softening_of_component;
  std::erase_if(present.softening_between, [&](const auto& one) {
    const std::vector<std::string> pair = parts_between_commas(one.first);
    return std::any_of(pair.begin(), pair.end(), is_absent);
  });
  set_component_softening(present, state, simulation, comm_);
  gravity.softening_of_type = std::move(present.softening_of_type);
  gravity.softening_between_types = std::move(present.softening_between_types);
}

void Session::bring_here() {
  if (newer_ != Newer::simulation) return;
  share_ = sort_by_id(simulation_->particles(), comm_);
  newer_ = Newer::neither;
}

void Session::bring_there() {
  require_particles();
  if (newer_ != Newer::share) return;
  InitialState state;
  state.components = components_;
  state.particles = share_;
  forget_forces(state.particles);
  set_softening(config_.gravity, state, *simulation_);
  simulation_->start(std::move(state.particles), time_);
  newer_ = Newer::simulation;
}

const ParticleSet& Session::particles() {
  bring_here();
  return share_;
}

const ParticleSet& Session::particles_with_forces() {
  bring_there();
  bring_here();
  return share_;
}

void Session::change(const std::function<void(ParticleSet&)>& change) {
  bring_here();
  ParticleSet changed = share_;
  comm_.agree([&] {
    change(changed);
    require_usable(changed);
    if (changed.id != share_.id) throw DataError("ids cannot change: remove these particles, and add others");
  });
  const bool is_in_place = changed.position == share_.position && changed.mass == share_.mass && changed.type == share_.type;
  const bool forces_stay = comm_.min(newer_ != Newer::share && is_in_place ? 1 : 0) == 1;
  share_ = std::move(changed);
  if (forces_stay && set_velocities()) return;
  forget_forces(share_);
  particles_are_in(Newer::share);
}

bool Session::set_velocities() {
  const std::unique_ptr<ParticleColumns> columns = simulation_->columns();
  const std::span<const std::byte> bytes = columns->values(*simulation_->fields()->find("id"));
  std::vector<std::uint64_t> ids(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(ids.data(), bytes.data(), bytes.size());
  return simulation_->set_velocities(vectors_of_ids(ids, share_.id, share_.velocity, comm_));
}

bool Session::go_on_everywhere(const std::function<bool()>& go_on) const {
  // It may ask for particles and energies, which is collective.
  std::exception_ptr failure;
  int goes_on = 0;
  try {
    goes_on = go_on() ? 1 : 0;
  } catch (...) {
    failure = std::current_exception();
  }
  comm_.agree([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return comm_.min(goes_on) == 1;
}

std::vector<std::string> Session::advice(double until) {
  const double least = comm_.min(until), most = comm_.max(until);
  // Other times are errors of evolve().
  if (has_advised_ || count_ == 0 || !(least > time_) || !std::isfinite(most)) return {};
  comm_.agree([&] { simulation_->require_times(time_, until); });
  bring_there();
  has_advised_ = true;
  std::vector<std::string> lines{advice_on_G(config_.gravity.G, config_.units)};
  if (lines.front().empty()) lines.clear();
  // Steps to a near time may be shorter than later ones.
  const bool is_chosen = config_.time.dt_is_auto;
  const double end = is_chosen ? until : std::max(until, time_ + config_.time.dt);
  std::optional<StepSchedule> schedule;
  comm_.agree([&] { schedule.emplace(time_, end, is_chosen ? end - time_ : dividing_step(end), 0, config_.time.unit_of_dt); });
  // Steps that are chosen are as long as they may be.
  const bool checks_step = !is_chosen && !config_.time.chooses_steps();
  const StepCriterion check = checks_step ? simulation_->check_step(schedule->dt(), config_.time, tolerated_share) : StepCriterion{};
  Diagnostics sums = simulation_->diagnostics();
  if (external_) sums.is_held = true;  // the zero of its potential is anywhere
  for (std::string& line : advice_on_first_state(sums, check, *schedule, config_)) lines.push_back(std::move(line));
  return lines;
}

bool Session::evolve(double until, const std::function<bool()>& go_on) {
  const double least = comm_.min(until), most = comm_.max(until);
  comm_.agree([&] {
    if (!std::isfinite(until)) throw ConfigError("the time to step to must be a finite number");
    if (least != most) throw ConfigError(fmt::format("the ranks step to different times, {:.10g} to {:.10g}", least, most));
    if (!(until >= time_)) throw ConfigError(fmt::format("the time {:.10g} is before {:.10g}, which is reached", until, time_));
    simulation_->require_times(time_, until);
  });
  if (config_.time.dt_is_auto && until > time_) {
    bring_there();
    config_.time.dt = automatic_step(*simulation_, config_, comm_, until - time_);
    config_.time.dt_is_auto = false;
  }
  std::optional<StepSchedule> schedule;
  comm_.agree([&] { schedule.emplace(time_, until, until > time_ ? dividing_step(until) : 1, 0); });
  bring_there();
  // Ranks need not all ask, but all must know that one does.
  const bool some_ask = comm_.max(go_on ? 1 : 0) == 1, some_may_interrupt = comm_.max(is_interrupted_ ? 1 : 0) == 1;
  const std::function<bool()> asked = go_on ? go_on : [] { return true; };
  bool ends = false;
  for (std::uint64_t step = 1; step <= schedule->steps(); ++step) {
    StepOverlap overlap;
    if (!some_ask && !ends && step < schedule->steps()) overlap.next_dt = schedule->dt();
    particles_are_in(Newer::simulation);
    simulation_->step_to(schedule->time(step), schedule->dt(), overlap);
    time_ = schedule->time(step);
    ++steps_;
    if (some_ask && !go_on_everywhere(asked)) return false;
    if (some_ask) bring_there();
    if (some_may_interrupt) ends = comm_.max(ends || (is_interrupted_ && is_interrupted_()) ? 1 : 0) == 1;
    if (ends && simulation_->is_synchronised()) return false;
  }
  return true;
}

ParticleMemory Session::lend() {
  bring_there();
  is_lent_ = true;
  return simulation_->memory();
}

void Session::take_back(bool is_written) {
  is_lent_ = false;
  if (comm_.max(is_written ? 1 : 0) == 0) return;
  particles_are_in(Newer::simulation);
  if (is_on_gpu()) wait_for_gpu();
  simulation_->memory_was_written();
}

Diagnostics Session::energies() {
  bring_there();
  return simulation_->diagnostics();
}

void Session::set_external(ExternalFunction function) {
  comm_.agree([&, some = comm_.sum(function ? 1 : 0)] {
    if (some != 0 && some != comm_.size()) throw ConfigError("an external field is given on some ranks, and not on others");
  });
  bring_here();
  simulation_ = make_configured_simulation(config_, comm_, function);
  external_ = std::move(function);
  forget_forces(share_);
  share_.fields = simulation_->fields();  // its particles have other fields
  particles_are_in(Newer::share);
}

FieldValues Session::field_at(std::span<const double> points) {
  require_particles();
  if (!field_) {
    InitialState state;
    state.components = components_;
    state.particles = particles();
    const std::unique_ptr<Simulation> simulation = make_configured_simulation(config_, comm_, external_);
    set_softening(config_.gravity, state, *simulation);
    field_ = simulation->field_of(std::move(state.particles), time_);
  }
  return field_->at(points, time_);
}

void Session::require_free(const std::string& file, bool overwrite) const {
  if (!comm_.is_root()) return;
  if (!overwrite && std::filesystem::exists(file)) throw ConfigError(fmt::format("{} exists already", file));
  require_free_or_own(file);
}

void Session::save(const std::string& file, bool overwrite) {
  const ParticleSet& now = particles_with_forces();
  comm_.agree([&] {
    if (!has_hdf5_ending(file)) throw ConfigError(fmt::format("{}: snapshots are HDF5 files; the name must end in .hdf5 or .h5", file));
    require_free(file, overwrite);
  });
  SnapshotRequest request = snapshot_request(file, time_, config_, simulation_->device_description(), components_);
  if (!has_initial_conditions_) request.header.provenance.configuration.insert(0, particles_of_caller);
  save_snapshot(request, now, comm_);
}

void Session::save_checkpoint(const std::string& file, bool overwrite) {
  bring_there();
  comm_.agree([&] { require_free(file, overwrite); });
  SavedState state;
  put_run(config_, components_, steps_, *simulation_, state);
  state.put_count(saved_has_function, external_ ? 1 : 0);
  const Hdf5Turn turn;
  write_checkpoint(file, *simulation_->columns(), state, comm_, turn);
}

void Session::restore(const std::string& file) {
  SavedState state;
  InitialState found;
  Config now = config_;
  comm_.agree([&] {
    state = read_checkpoint_state(file);
    found.components = component_names_in(state);
    Config before = parse_recorded_config(state.text(saved_configuration), file);
    if (now.time.dt_is_auto) now.time.dt = before.time.dt;
    now.time.dt_is_auto = false;
    before.time.dt = now.time.dt;
    before.initial_conditions = now.initial_conditions;
    if (before.units != now.units)
      throw ConfigError(
          fmt::format("{}: it has {}, and the simulation has {}: give the same", file, in_words(before.units), in_words(now.units)));
    for (const auto& [name, line] : changed_physics(before, now)) throw ConfigError(fmt::format("{}: {}: give the same", file, line));
    const bool had_function = state.has(saved_has_function) && state.count(saved_has_function) != 0;
    if (had_function != static_cast<bool>(external_))
      throw ConfigError(fmt::format("{}: {}", file,
                                    had_function ? "its forces had an external function, which no file can hold: set it before restoring"
                                                 : "it knows no external function, and one is set here: set it after restoring"));
  });
  std::unique_ptr<Simulation> simulation = make_configured_simulation(now, comm_, external_);
  found.particles = read_checkpoint_particles(file, state, comm_, simulation->fields());
  set_softening(now.gravity, found, *simulation);
  simulation->resume(std::move(found.particles), state);
  simulation_ = std::move(simulation);
  config_ = std::move(now);
  has_advised_ = false;
  components_ = found.components;
  const SavedState::Counts& of_ranks = state.counts(particles_of_ranks);
  count_ = std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
  time_ = simulation_->time();
  steps_ = state.count(saved_step);
  particles_are_in(Newer::simulation);
}

}  // namespace grove
