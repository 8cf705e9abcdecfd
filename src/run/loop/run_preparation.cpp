#include "src/run/loop/run_preparation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/partial_file.hpp"
#include "kernels/base/activity.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/advice/advice.hpp"
#include "src/advice/memory_check.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/process/last_words.hpp"
#include "src/run/files/disk_room.hpp"
#include "src/run/files/run_file_names.hpp"
#include "src/run/files/same_on_all_ranks.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/start/automatic_step.hpp"
#include "src/run/start/configured_simulation.hpp"
#include "src/run/start/rounded_positions.hpp"
#include "src/solver/force_method.hpp"
#include "src/solver/memory_model.hpp"

namespace grove {

RunPreparation::RunPreparation(Config config, const EarlierRunOptions& earlier, const Communicator& comm)
    : earlier_(earlier), comm_(comm), config_(std::move(config)), directory_(config_.output.directory) {
  // Before the directory is read.
  lock_directory();
  const bool chooses_step = config_.time.dt_is_auto;
  earlier_.continues ? take_step_of_earlier_run() : make_schedule();
  simulation_ = make_configured_simulation(config_, comm_);
  comm_.agree([&] {
    simulation_->require_times(config_.time.begin, config_.time.end);
    device_ = simulation_->device_state();
  });
  name_device(device_.name);
  if (!earlier_.continues) return;
  restart_ = find_restart_point({directory_, config_, simulation_->fields(), device_.is_gpu(), earlier_.force_config}, comm_);
  schedule_ = restart_.schedule;
  if (restart_.exists() && config_.time.dt_is_auto)
    comm_.agree([&] {
      throw ConfigError(fmt::format("time.dt = \"auto\": {}, which says the step of the run so far, is missing: give the number",
                                    directory_.used_parameters()));
    });
  if (!restart_.exists()) {
    config_.time.dt_is_auto = chooses_step;
    make_schedule();
    restart_.notes.push_back("there is nothing to continue from in " + directory_.path() + ": the run begins anew");
  }
  advise(restart_.notes);
}

/// Not before the step is known.
void RunPreparation::make_schedule() {
  if (config_.time.dt_is_auto) return;
  comm_.agree([&] { schedule_ = schedule_of(config_); });
}

/// A run that chose its step keeps it.
void RunPreparation::take_step_of_earlier_run() {
  if (!config_.time.dt_is_auto) return;
  double dt = 0;
  comm_.agree([&] {
    const std::string file = directory_.used_parameters();
    if (comm_.is_root() && std::filesystem::exists(file)) dt = parse_recorded_config(read_config_text(file), file).time.dt;
  });
  comm_.broadcast(std::span<double>(&dt, 1));
  if (dt == 0) return;
  config_.time.dt = dt;
  config_.time.dt_is_auto = false;
  advise(fmt::format("time.dt = {}, the step of the run so far, is kept", dt));
}

/// By the forces at the start.
void RunPreparation::choose_step() {
  begin_activity("choosing the time step");
  TimeParameters& time = config_.time;
  const double duration = time.end - time.begin;
  time.dt_is_auto = false;
  // A run without a step needs none.
  if (!(duration > 0)) return make_schedule();
  simulation_->start(ParticleSet(state_.particles), time.begin);
  // Not more than one snapshot or picture is due after a step.
  double most = duration;
  for (const double every : {config_.output.snapshot_every, config_.pictures.every})
    if (every > 0) most = std::min(most, every);
  time.dt = StepSchedule::dividing_step(duration, config_.output.snapshot_every, automatic_step(*simulation_, config_, comm_, most));
  make_schedule();
  advise(fmt::format("time.dt = {}, by the forces at the start", schedule_->text(schedule_->dt())));
}

void RunPreparation::lock_directory() {
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    directory_.require_usable();
    lock_.take(directory_.path());
  });
}

void RunPreparation::load_particles() {
  begin_activity("reading the particles");
  const bool is_generated = !restart_.exists() && config_.initial_conditions.file.empty();
  if (is_generated) require_memory_for(config_.initial_conditions.n, false);
  state_ = restart_.exists() ? take_state_of_earlier_run() : load_initial_state(config_, comm_, simulation_->fields());
  if (!is_generated) require_memory_for(state_.count, true);
  advise(set_component_softening(config_.gravity, state_, *simulation_, comm_));
  advise(notes_on_rounded_positions(state_.particles, config_, !restart_.exists() && !is_generated, comm_));
  const auto count_of_type = count_of_types(state_.particles, comm_);
  comm_.agree([&] { shown_types(PicturePlan(config_.pictures), state_.components, count_of_type); });
  if (config_.time.dt_is_auto) choose_step();
}

void RunPreparation::require_memory_for(std::uint64_t particles, bool are_loaded) {
  const MemoryModel model(config_.gravity, *simulation_->fields(), device_.is_gpu(), config_.output.snapshots != "none");
  advise(require_memory(memory_pools(model, device_, host_memory_limits(), particles, are_loaded, comm_), model, particles, comm_));
}

/// Takes the particles that were read with the restart point.
InitialState RunPreparation::take_state_of_earlier_run() {
  InitialState state;
  state.particles = std::move(restart_.particles);
  state.components = restart_.components;
  state.count = comm_.sum(static_cast<std::uint64_t>(state.particles.size()));
  state.description = fmt::format("{} particles of {}, after step {}", format_count(state.count), restart_.file, restart_.step);
  return state;
}

void RunPreparation::prepare_directory() {
  begin_activity("output directory");
  advise_on_machine();
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    const int checkpoints = restart_.is_checkpoint ? directory_.checkpoints() : 0;
    const OutputBytes needed =
        grove::output_bytes(*simulation_->fields(), config_.output, *schedule_, restart_.step, state_.count, checkpoints);
    output_bytes_ = needed.all;
    advise(require_disk_room(config_.output, needed, free_disk_bytes(directory_.path())));
  });
  const bool was_held = lock_.is_held();
  const std::vector<std::string> done = make_directory();
  lock_directory();  // one that was made just now
  comm_.agree([&] {
    // Another run may have begun and ended meanwhile.
    if (comm_.is_root() && !was_held) directory_.prepare(EarlierResults::refuse);
  });
  advise(done);
}

/// Notes on settings, devices and ranks. Collective.
void RunPreparation::advise_on_machine() {
  advise(advice_on_G(config_.gravity.G, config_.units));
  const std::vector<RankDevice> devices = all_rank_devices(device_, comm_);
  advise(
      settings_advice(config_, std::any_of(devices.begin(), devices.end(), [](const RankDevice& rank) { return !rank.device.empty(); })));
  advise(schedule_->snapshot_advice());
  advise(schedule_->length_advice());
  advise(task_count_advice(comm_.size(), std::getenv("SLURM_NTASKS")));
  advise(device_advice(devices, config_.run.device != "cpu"));
  advise(thread_advice(devices));
  advise(rank_count_advice(config_.gravity, state_.count, comm_.size(), device_.is_gpu(), omp_get_max_threads()));
  advise(direct_summation_advice(config_.gravity, state_.count, comm_.size(), device_.is_gpu()));
}

/// What to do with the results in the output directory.
EarlierResults RunPreparation::earlier_results() const {
  if (earlier_.overwrite) return EarlierResults::set_aside;
  if (!earlier_.continues) return EarlierResults::refuse;
  return restart_.exists() ? EarlierResults::keep : EarlierResults::set_aside;
}

/// A new run must not set aside its own input. Not collective.
void RunPreparation::require_input_elsewhere() const {
  const std::string& input = config_.initial_conditions.file;
  if (restart_.exists() || input.empty() || !directory_.contains(input)) return;
  if (earlier_.overwrite || is_result(std::filesystem::weakly_canonical(input)))
    throw ConfigError(
        fmt::format("initial_conditions.file = \"{}\" lies in output.directory = \"{}\", whose results would take its place: "
                    "name another directory",
                    input, directory_.path()));
}

/// Prepares the output directory; returns what was done in it. Collective; throws AgreedError.
std::vector<std::string> RunPreparation::make_directory() const {
  std::vector<std::string> done;
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    require_input_elsewhere();
    done = directory_.prepare(earlier_results());
    if (!restart_.exists()) return;
    const auto first = [&](bool writes_others, const char* name) {
      return writes_others ? std::optional(restart_.state.has(name) ? restart_.state.count(name) : 0) : std::nullopt;
    };
    for (const std::string& line : directory_.set_aside_from(first(restart_.writes_other_snapshots, saved_snapshot_count),
                                                             first(restart_.writes_other_pictures, saved_picture_count)))
      done.push_back(line);
  });
  require_same_directory(directory_.path(), "output.directory", comm_);
  remove_partial_files_on_failure(directory_.path(), [directory = std::filesystem::path(directory_.path())](const std::string& name) {
    return is_unfinished(directory / partial_name(name));
  });
  return done;
}

void RunPreparation::advise(const std::string& sentence) {
  if (!sentence.empty()) advice_.push_back(sentence);
}

void RunPreparation::advise(const std::vector<std::string>& sentences) {
  advice_.insert(advice_.end(), sentences.begin(), sentences.end());
}

ObserverSetup RunPreparation::observer_setup(ProgressStyle progress) const {
  ObserverSetup setup{config_, directory_, *schedule_, simulation_->device_description(), progress};
  setup.first_step = restart_.step;
  setup.components = state_.components;
  if (restart_.exists()) setup.resume = &restart_.state;
  return setup;
}

}  // namespace grove
