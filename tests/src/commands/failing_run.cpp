// A run in which one rank fails at a chosen place, for failures_test.sh. Everything but the place of the failure is the program's own. The
// rank leaves a file `failed`, whose time is that of the failure.
//
//   failing_run PLACE KIND RANK DIRECTORY
//
//   PLACE  start      before the ranks have agreed on anything
//          section    inside a section at whose end all ranks agree
//          step       in the middle of a step: the other ranks wait in the exchange of trees (the third step has the tree of the second)
//          threads    in a step, on a thread of OpenMP
//          observer   in an observer, outside an agreed section
//          output     while the particles are collected for a snapshot
//          all        on every rank at once, in a step
//   KIND   memory     std::bad_alloc
//          exhausted  the rank takes memory until there is none (for use with ulimit -v)
//          gpu        what an error of CUDA becomes
//          defect     an exception that is not Grove's
//          number     an exception that is no std::exception
//          mpi        an error of MPI
//          exit       the process exits without a word
//          kill       the process is killed
//          slow       the rank does nothing for three seconds, and continues; a watchdog with short limits watches all ranks
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"
#include "src/commands/program.hpp"
#include "src/generators/generator.hpp"
#include "src/process/last_words.hpp"
#include "src/process/watchdog.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/loop/run_loop.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/simulation/devices.hpp"

namespace grove {
namespace {

struct Failure {
  std::string place, kind;
  int rank;

  bool is_at(const std::string& where, const Communicator& comm) const {
    return (place == where && comm.rank() == rank) || (place == "all" && where == "step");
  }
  void happen() const;
};

[[noreturn]] void take_all_memory() {
  std::vector<std::unique_ptr<std::vector<char>>> all;
  for (std::size_t bytes = std::size_t{1} << 26; true;) all.push_back(std::make_unique<std::vector<char>>(bytes));
}

void Failure::happen() const {
  if (std::FILE* moment = std::fopen("failed", "w")) std::fclose(moment);
  if (kind == "memory") throw std::bad_alloc();
  if (kind == "exhausted") take_all_memory();
  if (kind == "gpu") throw SystemError("CUDA: cudaStreamSynchronize: unspecified launch failure; the GPU is lost to this run");
  if (kind == "defect") throw std::logic_error("memory of a step is used in a later one");
  if (kind == "number") throw 42;
  if (kind == "mpi") throw CommunicationError("MPI_Waitall failed: MPI_ERR_OTHER");
  if (kind == "exit") std::_Exit(7);
  if (kind == "kill") std::raise(SIGKILL);
  if (kind == "slow") return std::this_thread::sleep_for(std::chrono::seconds(3));
  std::fprintf(stderr, "failing_run: no failure is called %s\n", kind.c_str());
  std::abort();
}

/// The program's own simulation, which fails in its third step.
class FailingSimulation final : public Simulation {
 public:
  FailingSimulation(std::unique_ptr<Simulation> inner, const Communicator& comm, const Failure& failure)
      : inner_(std::move(inner)), comm_(comm), failure_(failure) {}

  void set_softening(const std::vector<double>& of_type, const std::vector<SofteningBetween>& between) override {
    inner_->set_softening(of_type, between);
  }
  void start(ParticleSet particles, double time) override { inner_->start(std::move(particles), time); }
  std::unique_ptr<Field> field_of(ParticleSet particles, double time) const override {
    return inner_->field_of(std::move(particles), time);
  }
  void step_to(double time_after, double dt, const StepOverlap&) override {
    const bool is_third = ++steps_ == 3;
    if (is_third && failure_.is_at("step", comm_)) failure_.happen();
    if (is_third && failure_.is_at("threads", comm_)) fail_on_a_thread();
    inner_->step_to(time_after, dt);
  }
  void save(SavedState& state) const override { inner_->save(state); }
  void resume(ParticleSet particles, const SavedState& state) override { inner_->resume(std::move(particles), state); }
  std::unique_ptr<ParticleColumns> columns() override { return inner_->columns(); }
  void compute_forces() override { inner_->compute_forces(); }
  const FieldTablePtr& fields() const override { return inner_->fields(); }
  double time() const override { return inner_->time(); }
  Diagnostics diagnostics() override { return inner_->diagnostics(); }
  StepCriterion check_step(double dt, const StepParameters& steps, double tolerated) override {
    return inner_->check_step(dt, steps, tolerated);
  }
  ParticleSet particles() override { return inner_->particles(); }
  ForceBalance force_balance() override { return inner_->force_balance(); }
  ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) override { return inner_->reference_forces(targets, seed); }
  ForceSample compare_forces(const ReferenceForces& reference) override { return inner_->compare_forces(reference); }
  void visit(ParticleVisitor& visitor) override { inner_->visit(visitor); }
  ParticleMemory memory() override { return inner_->memory(); }
  void memory_was_written() override { inner_->memory_was_written(); }
  std::vector<PhaseTime> phase_times() const override { return inner_->phase_times(); }
  WorkCounts work_counts() const override { return inner_->work_counts(); }
  std::uint64_t most_bytes_held() const override { return inner_->most_bytes_held(); }
  std::string transport_description() override { return ""; }
  std::string device_description() const override { return inner_->device_description(); }
  DeviceState device_state() const override { return inner_->device_state(); }

 private:
  void fail_on_a_thread() const {
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int thread = 0; thread < 2; ++thread)
      if (thread == 1) failure_.happen();
  }

  std::unique_ptr<Simulation> inner_;
  const Communicator& comm_;
  const Failure& failure_;
  int steps_ = 0;
};

class FailingObserver final : public Observer {
 public:
  FailingObserver(const Communicator& comm, const Failure& failure, std::string place, std::uint64_t step)
      : comm_(comm), failure_(failure), place_(std::move(place)), step_(step) {}
  bool due(const RunState& state) const override { return state.step == step_; }
  void observe(const RunState&) override {
    if (failure_.is_at(place_, comm_)) failure_.happen();
  }

 private:
  const Communicator& comm_;
  const Failure& failure_;
  std::string place_;
  std::uint64_t step_;
};

int run(const Failure& failure, const std::string& path, const Communicator& comm) {
  if (failure.is_at("start", comm)) failure.happen();
  const OutputDirectory directory(path);
  comm.agree([&] {
    if (comm.is_root()) directory.prepare(EarlierResults::set_aside);
  });
  remove_partial_files_on_failure(
      path, [parent = std::filesystem::path(path)](const std::string& name) { return is_unfinished(parent / partial_name(name)); });
  FailingSimulation simulation(make_simulation("cpu", {}, comm), comm, failure);
  name_device(simulation.device_state().name);
  comm.agree([&] {
    if (failure.is_at("section", comm)) failure.happen();
  });
  const std::uint64_t n = 3000, first = first_of_rank(n, comm.rank(), comm.size());
  InitialConditions conditions;
  conditions.n = n;
  Config config;
  const StepSchedule schedule(0, 0.1, 0.01, 0.05);
  const ObserverSetup setup{config, directory, schedule, "CPU"};
  // In the step of the second snapshot, which the other ranks begin to write.
  Observers observers;
  observers.push_back(std::make_unique<FailingObserver>(comm, failure, "output", 5));
  for (auto& observer : make_observers(simulation, comm, setup)) observers.push_back(std::move(observer));
  observers.push_back(std::make_unique<FailingObserver>(comm, failure, "observer", 2));
  std::optional<Watchdog> watchdog;
  if (failure.kind == "slow") watchdog.emplace(comm, WatchdogLimits{.shortest_s = 1, .usual_times = 2, .first_s = 100, .interval_s = 0.05});
  RunLoop(simulation, comm, schedule, std::move(observers))
      .run(generate(conditions, 1, first, first_of_rank(n, comm.rank() + 1, comm.size()) - first));
  return 0;
}

}  // namespace
}  // namespace grove

int main(int argc, char** argv) {
  if (argc != 5) return 99;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const grove::Failure failure{argv[1], argv[2], std::atoi(argv[3])};
  grove::Request request;
  request.action = [&](const grove::Communicator& comm) { return run(failure, argv[4], comm); };
  const int code = grove::carry_out(request);
  MPI_Finalize();
  return code;
}
