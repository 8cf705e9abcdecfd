// A simulation that another program drives: what `grove run` does, without an output directory, and with particles from memory.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// One simulation on the ranks of a communicator. All calls are collective unless stated otherwise. They throw ConfigError, DataError,
/// SystemError or AgreedError; after an error on all ranks the session may be used further.
///
/// Particles come and go as this rank's share, sorted by id over all ranks: rank by rank in increasing order, with the same number on every
/// rank to within one.
class Session {
 public:
  /// @param toml  a configuration, as a file has it. Without file or generator in [initial_conditions] the particles come from
  ///              set_particles(). Keys of a run's output, time.end and run.max_wall_time have no effect here, and are errors.
  Session(const std::string& toml, MPI_Comm comm);

  const Config& config() const { return config_; }
  const Communicator& comm() const { return comm_; }
  double time() const { return time_; }
  /// Over all ranks.
  std::uint64_t count() const { return count_; }
  /// Sentences on the particles that load() has taken.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Names of the components by type: those of load() and restore(), or that were set.
  const ComponentNames& components() const { return components_; }
  /// The same on all ranks, with a name for each type. Throws where is_component_name() does not hold for one.
  void set_components(const ComponentNames& names);
  /// Softening lengths by type: the same for all, or those of a table by the names of components. NaN where it does not name one.
  std::array<double, particle_type_count> softening() const;

  /// Takes the particles of [initial_conditions] in place of all, at time.begin.
  void load();
  /// Takes these in place of all. `some`: of this rank, in any order and number, with position, velocity, mass, id and type.
  void set_particles(ParticleSet some);
  /// Adds particles whose ids no other one has.
  void add(ParticleSet some);
  /// Removes the particles with these ids, which may be given on any rank.
  void remove(const std::vector<std::uint64_t>& ids);

  /// This rank's share. The reference is valid until the next call.
  const ParticleSet& particles();
  /// The same with accelerations and potentials of the present positions.
  const ParticleSet& particles_with_forces();
  /// Calls `change` for this rank's share, whose number, order and ids must stay. Forces are computed anew before they are asked for,
  /// unless only velocities have changed.
  void change(const std::function<void(ParticleSet&)>& change);

  /// What a run notes at its start on a time step that is too long, particles that are not bound and an unusual G: sentences, once for
  /// particles that were set, loaded or restored. Nothing where `time` is not after the present one.
  std::vector<std::string> advice(double time);
  /// Steps until `time`, in equal steps of time.dt or, where these do not divide the time, the longest ones below that do; time.dt = "auto"
  /// is chosen by the forces when the first steps begin. After each step `go_on` is called, on the ranks that have one; where it returns
  /// false on any rank, the steps end, and so does this call, with false. Where only some ranks have one, it can ask for nothing but the
  /// time: all else is collective.
  bool evolve(double time, const std::function<bool()>& go_on = {});
  /// evolve() also asks this after each step, and ends where it is true on any rank: after that step or, where the next one has begun,
  /// after that. It may not use the session, so that steps overlap as without it. Not collective.
  void set_interrupt(std::function<bool()> is_interrupted) { is_interrupted_ = std::move(is_interrupted); }

  /// Adds a field to the forces at each evaluation, in place of an earlier one; empty: none. What it throws ends the call that needs the
  /// forces, on all ranks.
  void set_external(ExternalFunction function);
  /// This rank's particles where they are, in their present order. Until take_back() nothing else may be called. On a GPU, all is there.
  ParticleMemory lend();
  bool is_lent() const { return is_lent_; }
  bool is_on_gpu() const { return is_on_gpu_; }
  /// `is_written`, on any rank: positions or velocities have been written. Masses must be as they were. Waits for what other code does on
  /// the GPU. Throws DataError for numbers that cannot be: the particles are then those numbers, until others are set.
  void take_back(bool is_written);

  Diagnostics energies();
  /// Acceleration and potential of all particles and external potentials at this rank's `points` [3 * any number]. A copy of the particles
  /// and their tree are kept until the particles change. Every rank holds the values of all ranks' points for a moment.
  FieldValues field_at(std::span<const double> points);

  /// Writes a snapshot. Throws where there is a file that may not be replaced, or that Grove has not written.
  void save(const std::string& file, bool overwrite);

  /// Writes particles and state, with which restore() continues to the bit. Otherwise as save().
  void save_checkpoint(const std::string& file, bool overwrite);
  /// Takes particles, time and state of a checkpoint, also of a run. With as many ranks of the same kind as then, what follows has the same
  /// bits. Throws ConfigError where the settings of the physics are others, except time.dt, and where an external field is set here and
  /// was not there, or the other way round.
  void restore(const std::string& file);

 private:
  enum class Newer : std::uint8_t { neither, share, simulation };

  void require_particles() const;
  /// Makes these all particles; `what` names them in messages.
  void take(ParticleSet some, const char* what);
  /// The length of steps from the present time to `until`.
  double dividing_step(double until) const { return StepSchedule::dividing_step(until - time_, 0, config_.time.dt); }
  void require_free(const std::string& file, bool overwrite) const;
  /// Sets the softening of the components that these particles have, in `gravity` and in a simulation that has not started. Lengths of
  /// other components stay for particles that may come. Collective.
  void set_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation) const;
  /// Gives the simulation the velocities of `share_`. Returns false where it has no forces to keep.
  bool set_velocities();
  /// There the particles have changed.
  void particles_are_in(Newer newer) {
    newer_ = newer;
    field_.reset();
  }
  /// `share_` becomes what the simulation has, if that is newer, or the other way round.
  void bring_here();
  void bring_there();
  bool go_on_everywhere(const std::function<bool()>& go_on) const;

  const Communicator comm_;
  bool has_initial_conditions_ = false;  ///< of the configuration
  Config config_;
  double time_ = 0;
  std::uint64_t count_ = 0, steps_ = 0;
  ComponentNames components_ = usual_component_names();
  std::vector<std::string> notes_;
  std::function<bool()> is_interrupted_;
  ExternalFunction external_;
  std::unique_ptr<Simulation> simulation_;
  bool is_on_gpu_ = false, is_lent_ = false;
  bool has_advised_ = false;  ///< on these particles
  ParticleSet share_;
  Newer newer_ = Newer::neither;
  std::unique_ptr<Field> field_;  ///< of the present particles; null: not asked for yet
};

}  // namespace grove
