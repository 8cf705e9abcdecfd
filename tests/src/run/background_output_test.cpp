// Snapshots and pictures that are written in the background: the bytes are those of a write between the steps, each file has the state
// it was asked for, and failures, signals and errors elsewhere meanwhile leave whole files and one message.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "io/files/partial_file.hpp"
#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/loop/run_loop.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/snapshots.hpp"
#include "tests/support/drifting_simulation.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/mixed_bits.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

constexpr std::uint64_t particle_count = 60000;

/// Follows from all bits of the id; 0 to 1.
double start_of(std::uint64_t id, std::size_t axis) { return static_cast<double>(mixed(id + axis) >> 11) * 0x1p-53; }
double velocity_of(std::uint64_t id, std::size_t axis) { return start_of(~id, axis) - 0.5; }

/// Does what a test says, at every state.
class WhenObserved final : public Observer {
 public:
  explicit WhenObserved(std::function<void(const RunState&)> work) : work_(std::move(work)) {}
  bool due(const RunState&) const override { return true; }
  void observe(const RunState& state) override { work_(state); }

 private:
  std::function<void(const RunState&)> work_;
};

std::uint64_t no_memory() { return 0; }

class BackgroundOutputTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  OutputDirectory output{directory.file("background")};
  StepSchedule schedule{0, 1, 0.125, 0.125};
  Config config;
  DriftingSimulation simulation{comm};
  Observers observers;

  BackgroundOutputTest() { make(output); }

  void make(const OutputDirectory& one) const {
    if (comm.is_root()) std::filesystem::create_directory(one.path());
    comm.barrier();
  }
  ObserverSetup setup_for(const OutputDirectory& one) const { return {config, one, schedule, "the device of a test"}; }

  /// Every third particle on the last rank, the others by turns; of types 1 and 2 in no order.
  ParticleSet share() const {
    const auto ranks = static_cast<std::uint64_t>(comm.size()), rank = static_cast<std::uint64_t>(comm.rank());
    ParticleSet particles;
    for (std::uint64_t i = 0; i < particle_count; ++i) {
      if ((i % 3 == 0 ? ranks - 1 : i % ranks) != rank) continue;
      const std::uint64_t id = mixed(i);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        particles.position.push_back(start_of(id, axis));
        particles.velocity.push_back(velocity_of(id, axis));
      }
      particles.mass.push_back(1 + start_of(id, 3));
      particles.id.push_back(id);
      particles.type.push_back(id % 5 == 0 ? 2 : 1);
    }
    return particles;
  }

  RunReport run() { return RunLoop(simulation, comm, schedule, std::move(observers)).run(share()); }

  void watch(std::function<void(const RunState&)> work) { observers.push_back(std::make_unique<WhenObserved>(std::move(work))); }

  bool has(const std::string& path) const { return is_there(path, comm); }
  bool has_no_partial_file() const {
    comm.barrier();
    bool has_none = true;
    for (const auto& entry : std::filesystem::directory_iterator(output.path()))
      has_none = has_none && entry.path().extension() != ".partial";
    return comm.min(has_none ? 1 : 0) == 1;
  }

  /// The snapshot has all particles, where they are at `time`.
  void expect_state(const std::string& path, double time) const {
    comm.barrier();
    ReadInfo info;
    const ParticleSet read = read_particles(path, comm, &info);
    EXPECT_EQ(info.time, time);
    EXPECT_EQ(comm.sum(static_cast<std::uint64_t>(read.size())), particle_count);
    double largest = 0;
    for (std::size_t i = 0; i < read.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double expected = start_of(read.id[i], axis) + time * velocity_of(read.id[i], axis);
        largest = std::max(largest, std::abs(read.position[3 * i + axis] - expected));
      }
    EXPECT_LT(largest, 1e-14) << path;
  }

  std::string agreed_error_of(const std::function<void()>& work) const { return grove::agreed_error_of(work, 4, comm); }

  /// The same number of short steps on all ranks; a run to its end would take minutes.
  void take_many_short_steps() {
    schedule = StepSchedule(0, 100000, 1, 100000);
    simulation.on_step = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  }
};

TEST_F(BackgroundOutputTest, HasTheBytesOfAWriteBetweenTheStepsInBothOrders) {
  const OutputDirectory between(directory.file("between")), short_of_memory(directory.file("short")), saved(directory.file("saved"));
  for (const OutputDirectory* one : {&between, &short_of_memory, &saved}) make(*one);
  config.output.fields = "work";
  for (const char* order : {"id", "morton"}) {
    config.output.order = order;
    const ObserverSetup background_setup = setup_for(output), between_setup = setup_for(between), short_setup = setup_for(short_of_memory);
    observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(background_setup)));
    observers.push_back(
        std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(between_setup), WritingResources{MPI_THREAD_FUNNELED}));
    observers.push_back(
        std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(short_setup), WritingResources{thread_level_of_mpi(), no_memory}));
    // Uses HDF5 on this thread: it waits until the snapshot is written in the background.
    watch([&](const RunState& state) {
      save_snapshot(snapshot_request(saved.snapshot(state.step), state.time, config, "the device of a test", usual_component_names()),
                    simulation.particles(), comm);
    });
    const RunReport report = run();
    EXPECT_EQ(report.steps, 8U);
    for (std::uint64_t i = 0; i <= report.steps; ++i) {
      ASSERT_TRUE(has(saved.snapshot(i)));
      const std::string expected = text_of_file(saved.snapshot(i));
      EXPECT_GT(expected.size(), 100 * particle_count);
      for (const OutputDirectory& one : {output, between, short_of_memory})
        EXPECT_TRUE(text_of_file(one.snapshot(i)) == expected) << one.snapshot(i) << " in the order " << order;
      if (i > 0) {
        EXPECT_FALSE(text_of_file(saved.snapshot(i - 1)) == expected);
      }
    }
    ASSERT_EQ(report.written.size(), 3U);
    EXPECT_EQ(report.written[0].find("waited"), std::string::npos) << report.written[0];
    EXPECT_EQ(report.written[1].find("waited"), std::string::npos) << report.written[1];
    EXPECT_NE(report.written[2].find("the steps waited for 9 of them"), std::string::npos) << report.written[2];
    comm.barrier();
    simulation.steps = 0;
  }
}

/// Pictures of nine states, drawn in different ways.
class BackgroundPicturesTest : public BackgroundOutputTest {
 protected:
  BackgroundPicturesTest() {
    config.pictures.show = "both";
    config.pictures.every = 0.125;
    config.pictures.width = config.pictures.height = 64;
  }
  ~BackgroundPicturesTest() override { omp_set_num_threads(threads_before_); }

  /// The files, density and speed of each state. Ranks have `threads` OpenMP threads each, from which follows how many states are drawn at
  /// the same time.
  std::vector<std::string> pictures(int thread_level, int threads) {
    omp_set_num_threads(threads);
    const ObserverSetup setup = setup_for(output);
    observers.push_back(std::make_unique<PictureObserver<BackEnd>>(simulation.context(setup), thread_level));
    run();
    observers.clear();
    comm.barrier();
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i <= 8; ++i)
      for (const char* quantity : {"density", "speed"}) files.push_back(text_of_file(output.picture({quantity, "z", i})));
    comm.barrier();
    if (comm.is_root())
      for (const auto& entry : std::filesystem::directory_iterator(output.path())) std::filesystem::remove(entry);
    comm.barrier();
    return files;
  }

 private:
  const int threads_before_ = omp_get_max_threads();
};

TEST_F(BackgroundPicturesTest, HaveTheBytesOfThoseThatAreDrawnBetweenTheSteps) {
  const std::vector<std::string> between = pictures(MPI_THREAD_FUNNELED, 1);
  for (const std::string& file : between) EXPECT_GT(file.size(), 500U);
  for (std::size_t i = 2; i < between.size(); ++i) EXPECT_FALSE(between[i] == between[i - 2]) << i;
  for (const int threads : {1, 4, 16}) EXPECT_TRUE(pictures(thread_level_of_mpi(), threads) == between) << threads;
}

TEST_F(BackgroundPicturesTest, HaveTheColoursOfTheFirstOneThatShowsSomething) {
  // The particles come into view after some of the states. They move by up to half a length in each direction.
  config.pictures.centre = "1.3, 0.5, 0";
  config.pictures.field_of_view = 0.5;
  const std::vector<std::string> between = pictures(MPI_THREAD_FUNNELED, 1);
  EXPECT_TRUE(pictures(thread_level_of_mpi(), 16) == between);
}

TEST_F(BackgroundPicturesTest, EndARunThatCannotWriteOneOfThem) {
  omp_set_num_threads(16);
  const std::string taken = output.picture({"density", "z", 5});
  if (comm.is_root()) std::filesystem::create_directory(taken);
  comm.barrier();
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<PictureObserver<BackEnd>>(simulation.context(setup)));
  EXPECT_NE(agreed_error_of([&] { run(); }).find(taken), std::string::npos);
  observers.clear();
  comm.barrier();
  // Those that were begun before are there; those that were begun meanwhile are whole, or not there.
  for (std::uint64_t i = 0; i <= 4; ++i) EXPECT_TRUE(has(output.picture({"speed", "z", i}))) << i;
  EXPECT_TRUE(has_no_partial_file());
}

TEST_F(BackgroundPicturesTest, AreWrittenWithoutTheOneThatCannotBeWhereTheUserSaysSo) {
  omp_set_num_threads(16);
  config.output.on_error = "continue";
  const std::string taken = output.picture({"density", "z", 5});
  if (comm.is_root()) std::filesystem::create_directory(taken);
  comm.barrier();
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<PictureObserver<BackEnd>>(simulation.context(setup)));
  const RunReport report = run();
  ASSERT_EQ(report.written.size(), 1U);
  EXPECT_NE(report.written[0].find("those of 1 times could not be written"), std::string::npos) << report.written[0];
  for (const std::uint64_t i : {0U, 4U, 6U, 8U}) EXPECT_TRUE(has(output.picture({"density", "z", i}))) << i;
}

TEST_F(BackgroundOutputTest, HasTheStateOfItsStepAtEveryStep) {
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  // The memory of the particles is used again as soon as the next step begins.
  const RunReport report = run();
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, output.snapshot(8));
  for (std::uint64_t i = 0; i <= 8; ++i) expect_state(output.snapshot(i), schedule.time(i));
  EXPECT_FALSE(has(output.snapshot(9)));
  EXPECT_GT(report.writing_s, 0);
}

TEST_F(BackgroundOutputTest, LetsTheStepsGoOnMeanwhile) {
  const ObserverSetup setup = setup_for(output);
  take_many_short_steps();
  schedule = StepSchedule(0, 3000, 1, 100000);
  std::uint64_t meanwhile = 0;
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  watch([&](const RunState& state) {
    meanwhile += state.step > 0 && std::filesystem::exists(partial_name(output.snapshot(0))) ? 1 : 0;
    if (state.step > 0 && comm.max(std::filesystem::exists(output.snapshot(0)) ? 1 : 0) == 1) std::raise(SIGTERM);
  });
  run();
  EXPECT_GT(comm.max(meanwhile), 0U) << "no step ended while the first snapshot was written";
}

TEST_F(BackgroundOutputTest, IsCompleteWhenASignalStopsTheRunWhileItIsWritten) {
  const ObserverSetup setup = setup_for(output);
  take_many_short_steps();
  bool seen = false;
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  watch([&](const RunState& state) {
    // Once: a second signal would end the process. The loop looks for the first one after the next step.
    if (seen) return;
    seen = comm.is_root() && std::filesystem::exists(partial_name(output.snapshot(0)));
    if (seen || state.step == 5000) std::raise(SIGTERM);
  });
  const RunReport report = run();
  EXPECT_TRUE(seen || !comm.is_root()) << "the run was not stopped while the snapshot was written";
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_TRUE(has_no_partial_file());
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, output.snapshot(1));
  expect_state(output.snapshot(0), 0);
  expect_state(output.snapshot(1), report.time);
}

TEST_F(BackgroundOutputTest, ThatFailsEndsTheRunWithOneErrorSoon) {
  const ObserverSetup setup = setup_for(output);
  take_many_short_steps();
  // No directory any more, in which the first snapshot is to be made.
  if (comm.is_root()) std::filesystem::remove(output.path());
  comm.barrier();
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  const std::string message = agreed_error_of([&] { run(); });
  EXPECT_NE(message.find("snapshot_0000.hdf5.partial: cannot be created"), std::string::npos) << message;
  EXPECT_LT(simulation.steps, 5000) << "the end is in the 100,000th step";
}

TEST_F(BackgroundOutputTest, ThatFindsNoRoomEndsTheRunAndLeavesNoPartialFile) {
  const ObserverSetup setup = setup_for(output);
  schedule = StepSchedule(0, 8, 1, 2);
  std::unique_ptr<FileSizeLimit> limit;
  // In the midst of the metadata, and of the numbers. The third snapshot waits for the second at the latest.
  for (const rlim_t bytes : {rlim_t{5000}, rlim_t{1000000}}) {
    simulation.steps = 0;
    simulation.on_step = [&](int step) {
      if (step == 1) limit = std::make_unique<FileSizeLimit>(bytes);
    };
    observers.clear();
    observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
    // The first snapshot is written before there is a limit.
    watch([&](const RunState& state) {
      while (state.step == 0 && !std::filesystem::exists(output.snapshot(0))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    const std::string message = agreed_error_of([&] { run(); });
    limit.reset();
    EXPECT_NE(message.find("snapshot_0001.hdf5.partial"), std::string::npos) << message;
    EXPECT_LE(simulation.steps, 4);
    EXPECT_TRUE(has_no_partial_file());
    expect_state(output.snapshot(0), 0);
    EXPECT_FALSE(has(output.snapshot(1)));
    comm.barrier();
    if (comm.is_root()) std::filesystem::remove(output.snapshot(0));
    comm.barrier();
  }
}

TEST_F(BackgroundOutputTest, ThatFailsAtTheEndOfTheRunIsAnError) {
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  watch([&](const RunState& state) {
    // After the request for the last but one; the last one has no place.
    if (state.step != 7) return;
    if (comm.is_root()) std::filesystem::create_directory(output.snapshot(8) + ".partial");
    comm.barrier();
  });
  const std::string message = agreed_error_of([&] { run(); });
  EXPECT_NE(message.find("snapshot_0008.hdf5.partial"), std::string::npos) << message;
  EXPECT_EQ(simulation.steps, 8);
  expect_state(output.snapshot(7), schedule.time(7));
}

TEST_F(BackgroundOutputTest, IsCompleteWhenAllRanksEndWithAnErrorMeanwhile) {
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  watch([&](const RunState&) {
    comm.agree([&] {
      if (comm.rank() == comm.size() - 1) throw SystemError("another failure");
    });
  });
  EXPECT_EQ(agreed_error_of([&] { run(); }), "another failure");
  EXPECT_TRUE(has_no_partial_file());
  expect_state(output.snapshot(0), 0);
}

TEST_F(BackgroundOutputTest, IsCompleteWhenRanksThrowOnTheirOwnMeanwhile) {
  const ObserverSetup setup = setup_for(output);
  observers.push_back(std::make_unique<SnapshotObserver<BackEnd>>(simulation.context(setup)));
  simulation.on_step = [&](int) { throw SystemError("a failure of rank " + std::to_string(comm.rank())); };
  try {
    run();
    ADD_FAILURE() << "no error";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.what(), "a failure of rank " + std::to_string(comm.rank()));
  }
  EXPECT_TRUE(has_no_partial_file());
  expect_state(output.snapshot(0), 0);
}

TEST_F(BackgroundOutputTest, SaysWhereTheMpiLibraryDoesNotAllowIt) {
  const auto reason = [&] { return why_not_in_background(config, MPI_THREAD_FUNNELED); };
  config.output.in_background = "yes";
  EXPECT_EQ(why_not_in_background(config, MPI_THREAD_MULTIPLE), "");
  EXPECT_TRUE(reason().ends_with("(MPI_THREAD_MULTIPLE): the steps wait while a snapshot is written")) << reason();
  config.pictures.show = "density";
  EXPECT_TRUE(reason().ends_with("snapshots are written and pictures drawn")) << reason();
  config.output.snapshots = "none";
  EXPECT_TRUE(reason().ends_with("pictures are drawn")) << reason();
  config.pictures.show = "none";
  EXPECT_EQ(reason(), "");
  config.output.snapshots = "all";
  config.output.in_background = "no";
  EXPECT_EQ(reason(), "");
}

}  // namespace
}  // namespace grove::tests
