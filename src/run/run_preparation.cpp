#include "src/run/run_preparation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "decomposition/rank_place.hpp"
#include "kernels/space/activity.hpp"
#include "kernels/space/error.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/config/units.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/run/advice.hpp"
#include "src/run/component_softening.hpp"
#include "src/run/disk_check.hpp"
#include "src/run/last_words.hpp"
#include "src/run/memory_check.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/run_file_names.hpp"
#include "src/run/same_on_all_ranks.hpp"
#include "src/simulation/all_pairs.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/memory_model.hpp"
#include "src/text/text_table.hpp"

namespace grove {

namespace {

std::unique_ptr<StepSchedule> make_schedule(const Config& config, const Communicator& comm) {
  std::unique_ptr<StepSchedule> schedule;
  comm.agree([&] {
    schedule = std::make_unique<StepSchedule>(config.time.begin, config.time.end, config.time.dt, config.output.snapshot_every,
                                              config.time.unit_of_dt);
    schedule->require_recurrence("pictures.every", config.pictures.every);
  });
  return schedule;
}

std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm) {
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm,
                                 {.integrator = config.time.integrator,
                                  .integrator_settings = config.time.parameters,
                                  .transport = transport_way_named(config.run.transport),
                                  .external = config.external_sections()});
  });
  return simulation;
}

}  // namespace

RunPreparation::RunPreparation(Config config, const EarlierRunOptions& earlier, const Communicator& comm)
    : earlier_(earlier), comm_(comm), config_(std::move(config)), directory_(config_.output.directory) {
  // Held before anything in the directory is looked at.
  lock_directory();
  if (earlier_.continues) advise(keep_former_G(config_, directory_, comm_));
  schedule_ = make_schedule(config_, comm_);
  simulation_ = make_configured_simulation(config_, comm_);
  comm_.agree([&] { device_ = simulation_->device_state(); });
  name_device(device_.name);
  if (earlier_.continues) find_earlier_state();
}

void RunPreparation::lock_directory() {
  comm_.agree([&] {
    if (comm_.is_root()) lock_.take(directory_.path());
  });
}

void RunPreparation::find_earlier_state() {
  from_ = find_continuation({directory_, config_, *schedule_, simulation_->fields(), device_.is_gpu(), earlier_.force_config}, comm_);
  if (!goes_on()) from_.notes.push_back("there is nothing to go on from in " + directory_.path() + ": the run begins anew");
  advise(from_.notes);
}

void RunPreparation::load_particles() {
  begin_activity("reading the particles");
  load_what_fits();
  set_component_softening(config_.gravity, state_, *simulation_, comm_);
  const auto count_of_type = count_of_types(state_.particles, comm_);
  comm_.agree([&] { shown_types(PicturePlan(config_.pictures), state_.components, count_of_type); });
}

void RunPreparation::load_what_fits() {
  const bool is_generated = !goes_on() && config_.initial_conditions.file.empty();
  if (is_generated) require_memory_for(config_.initial_conditions.n, false);
  state_ = goes_on() ? take_state_of_earlier_run() : load_initial_state(config_, comm_, simulation_->fields());
  if (!is_generated) require_memory_for(state_.count, true);
}

void RunPreparation::require_memory_for(std::uint64_t particles, bool are_loaded) {
  const MemoryModel model(config_.gravity, *simulation_->fields(), device_.is_gpu(), config_.output.snapshots != "none");
  advise(require_memory(memory_pools(model, device_, host_memory_limits(), particles, are_loaded, comm_), model, particles, comm_));
}

/// The particles of a checkpoint or snapshot, which have been read.
InitialState RunPreparation::take_state_of_earlier_run() {
  InitialState state;
  state.particles = std::move(from_.particles);
  state.components = from_.components;
  state.count = comm_.sum(static_cast<std::uint64_t>(state.particles.size()));
  state.description = fmt::format("{} particles of {}, after step {}", format_count(state.count), from_.file, from_.step);
  return state;
}

void RunPreparation::prepare_directory() {
  begin_activity("output directory");
  advise_on_machine();
  advise(require_disk_room(config_, *simulation_->fields(), *schedule_, from_, state_.count, comm_));
  const bool was_held = lock_.is_held();
  const std::vector<std::string> done = make_directory();
  lock_directory();  // one that was made just now
  comm_.agree([&] {
    // Another run may have been faster, and be over by now.
    if (comm_.is_root() && !was_held) directory_.prepare(EarlierResults::refuse);
  });
  advise(done);
}

/// What the user should know of settings, devices and ranks. Collective.
void RunPreparation::advise_on_machine() {
  advise(advice_on_G(config_.gravity.G, config_.units));
  const std::vector<RankDevice> devices = all_rank_devices(device_, comm_);
  advise(
      settings_advice(config_, std::any_of(devices.begin(), devices.end(), [](const RankDevice& rank) { return !rank.device.empty(); })));
  advise(schedule_->snapshot_advice());
  advise(task_count_advice(comm_.size(), std::getenv("SLURM_NTASKS")));
  advise(device_advice(devices, config_.run.device != "cpu"));
  advise(rank_count_advice(config_.gravity, state_.count, comm_.size(), device_.is_gpu(), omp_get_max_threads()));
  advise(direct_summation_advice(config_.gravity, state_.count, comm_.size(), device_.is_gpu()));
}

/// What becomes of results that are in the output directory.
EarlierResults RunPreparation::earlier_results() const {
  if (earlier_.overwrite) return EarlierResults::set_aside;
  if (!earlier_.continues) return EarlierResults::refuse;
  return goes_on() ? EarlierResults::keep : EarlierResults::set_aside;
}

/// A new run must not set aside the file that it has begun with. Not collective.
void RunPreparation::require_input_elsewhere() const {
  const std::string& input = config_.initial_conditions.file;
  if (goes_on() || input.empty() || !directory_.contains(input)) return;
  if (earlier_.overwrite || is_result(std::filesystem::weakly_canonical(input)))
    throw ConfigError(
        fmt::format("initial_conditions.file = \"{}\" lies in output.directory = \"{}\", whose results would take its place: "
                    "name another directory",
                    input, directory_.path()));
}

/// Makes the output directory ready; returns what was done in it. Collective; throws AgreedError.
std::vector<std::string> RunPreparation::make_directory() const {
  std::vector<std::string> done;
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    require_input_elsewhere();
    done = directory_.prepare(earlier_results());
    if (!goes_on()) return;
    const auto first = [&](bool writes_others, const char* name) {
      return writes_others ? std::optional(from_.state.has(name) ? from_.state.count(name) : 0) : std::nullopt;
    };
    for (const std::string& line : directory_.set_aside_from(first(from_.writes_other_snapshots, saved_snapshot_count),
                                                             first(from_.writes_other_pictures, saved_picture_count)))
      done.push_back(line);
  });
  require_same_directory(directory_.path(), "output.directory", comm_);
  remove_partial_files_on_failure(directory_.path(), is_made_under_partial_name);
  return done;
}

/// Nothing, where there is nothing to say.
void RunPreparation::advise(const std::string& sentence) {
  if (!sentence.empty()) advice_.push_back(sentence);
}

void RunPreparation::advise(const std::vector<std::string>& sentences) {
  advice_.insert(advice_.end(), sentences.begin(), sentences.end());
}

RunBeginning RunPreparation::beginning() const {
  if (!goes_on()) return {};
  const bool is_checkpoint = from_.source == Continuation::Source::checkpoint;
  return {from_.step, &from_.state, is_checkpoint && !from_.energy_jumps, from_.energy_jumps,
          KeptState{from_.file, from_.step, schedule_->time(from_.step)}};
}

ObserverSetup RunPreparation::observer_setup(ProgressStyle progress) const {
  ObserverSetup setup{config_, directory_, *schedule_, simulation_->device_description(), progress};
  const RunBeginning begins = beginning();
  setup.first_step = begins.step;
  setup.components = state_.components;
  setup.resume = begins.state;
  if (setup.resume) setup.states_seen = setup.resume->count(saved_states_seen);
  return setup;
}

}  // namespace grove
