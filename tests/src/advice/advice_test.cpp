#include "src/advice/advice.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

using Lines = std::vector<std::string>;

RankDevice rank_with(const std::string& host, const std::string& gpu, int visible = 4, int installed = 4) {
  return {host, gpu, visible, installed};
}

TEST(DeviceAdvice, SaysNothingOfOneRankAGpu) {
  EXPECT_EQ(device_advice({rank_with("a", "0", 2), rank_with("a", "1", 2), rank_with("b", "2", 2), rank_with("b", "3", 2)}, true), Lines{});
  EXPECT_EQ(device_advice({rank_with("a", ""), rank_with("a", "")}, true), Lines{});
}

TEST(DeviceAdvice, NamesTheNodeWhoseRanksShareAGpu) {
  const Lines lines = device_advice({rank_with("a", "0", 1), rank_with("b", "1", 1, 1), rank_with("b", "1", 1, 1)}, true);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "2 ranks on b share 1 GPU; one rank a GPU is meant: start 1 rank there, or take more nodes. Under CUDA's multi-process service "
            "(nvidia-cuda-mps-control -d) they at least need not take turns");
}

TEST(DeviceAdvice, SaysThatGpusAreHidden) {
  const RankDevice hidden = rank_with("a", "0", 1, 8);
  const Lines lines = device_advice({hidden, hidden, hidden}, true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].rfind("a has 8 GPUs, of which a rank sees 1: ", 0), 0u) << lines[1];
}

TEST(DeviceAdvice, SaysNothingWhereEachRankSeesItsOwnGpuAlone) {
  EXPECT_EQ(device_advice({rank_with("a", "0", 1, 4), rank_with("a", "1", 1, 4), rank_with("a", "2", 1, 4)}, true), Lines{});
}

TEST(DeviceAdvice, NamesTheNodeWithTheMostGpusThatNoRankUses) {
  const Lines lines = device_advice({rank_with("a", "0"), rank_with("b", "1"), rank_with("b", "2")}, true);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "a has 4 GPUs that its 1 rank can use, and 3 of them stay idle (and so on 1 node more); one rank a GPU is meant");
  EXPECT_EQ(device_advice({rank_with("a", ""), rank_with("a", "")}, false), Lines{}) << "CPUs are asked for";
}

TEST(TaskCountAdvice, NamesBothCountsWhereTheyDiffer) {
  for (const char* tasks : {static_cast<const char*>(nullptr), "4", "1", "several"}) EXPECT_EQ(task_count_advice(4, tasks), Lines{});
  EXPECT_EQ(task_count_advice(1, "8"),
            Lines{"the SLURM job has 8 tasks, and this run 1 rank; if that is not meant, look at -n of mpirun or srun"});
  EXPECT_EQ(task_count_advice(8, "2").size(), 1u);
}

TEST(DeviceAdvice, NamesTheRankWithoutAGpu) {
  const Lines lines = device_advice({rank_with("a", "0", 1), rank_with("b", "")}, true);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].rfind("rank 1 on b has no GPU", 0), 0u) << lines[0];
}

TEST(ThreadAdvice, NamesTheNodeWithTheMostIdleCores) {
  RankDevice bound = rank_with("a", "");
  bound.cores = 8;
  EXPECT_EQ(
      thread_advice({bound, bound}),
      Lines{"6 of the 8 cores of a stay idle: mpirun has bound the 2 ranks there to fewer; mpirun --bind-to none lets ranks use all, as "
            "does one rank without mpirun"});
  RankDevice more = rank_with("b", "");
  more.cores = 16;
  const Lines two_nodes = thread_advice({bound, bound, more});
  ASSERT_EQ(two_nodes.size(), 1U);
  EXPECT_TRUE(two_nodes[0].starts_with("15 of the 16 cores of b stay idle (and so on 1 node more): mpirun has bound the 1 rank"))
      << two_nodes[0];
  bound.threads = 4;
  EXPECT_EQ(thread_advice({bound, bound}), Lines{});
  // Three ranks leave one core of 16, bound or not.
  more.threads = 5;
  EXPECT_EQ(thread_advice({more, more, more}), Lines{});
  RankDevice with_gpu = rank_with("b", "0");
  with_gpu.cores = 64;
  EXPECT_EQ(thread_advice({with_gpu}), Lines{});
}

TEST(DeviceAdvice, OfManyNodesIsOneLine) {
  Lines lines = device_advice({rank_with("a", "0", 1, 1), rank_with("a", "0", 1, 1), rank_with("b", "1", 1, 1), rank_with("b", "1", 1, 1),
                               rank_with("c", "2", 1, 1)},
                              true);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("(and so on 1 node more)"), std::string::npos) << lines[0];
}

TEST(DeviceAdvice, CountsTheGpusOfTheDriver) {
  const TemporaryDirectory root;
  EXPECT_EQ(installed_gpus(root.path()), 0);
  for (const char* gpu : {"0000:01:00.0", "0000:41:00.0"}) std::filesystem::create_directories(root.file("proc/driver/nvidia/gpus/") + gpu);
  EXPECT_EQ(installed_gpus(root.path()), 2);
}

TEST(RankDevices, AreThoseOfAllRanksInOrder) {
  const Communicator comm(MPI_COMM_WORLD);
  const DeviceState own{"GPU 0, a GPU", comm.rank() == 1 ? "" : "id " + std::to_string(comm.rank()), comm.rank(), 0};
  const std::vector<RankDevice> all = all_rank_devices(own, comm);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) {
    EXPECT_EQ(all[static_cast<std::size_t>(r)].device, r == 1 ? "" : "id " + std::to_string(r));
    EXPECT_EQ(all[static_cast<std::size_t>(r)].visible, r);
    EXPECT_FALSE(all[static_cast<std::size_t>(r)].host.empty());
  }
}

// What was measured on H200s (docs/development/constants.md, "How many ranks"). Advice is given from a factor of 1.25 on.
TEST(StepTimeModel, IsNearWhatGpusTake) {
  const StepTimeModel model = step_time_model({}, true, 1);
  struct Measured {
    std::uint64_t particles;
    int gpus;
    double time_s;
  };
  for (const Measured& m : {Measured{1 << 18, 1, 0.60e-3}, Measured{1 << 18, 2, 0.53e-3}, Measured{1 << 18, 4, 0.51e-3},
                            Measured{1 << 20, 1, 1.34e-3}, Measured{1 << 20, 2, 1.06e-3}, Measured{1 << 20, 4, 0.82e-3},
                            Measured{1 << 22, 1, 4.25e-3}, Measured{1 << 22, 2, 2.53e-3}, Measured{1 << 22, 4, 1.68e-3}})
    EXPECT_NEAR(model.time_s(m.particles, m.gpus), m.time_s, (m.gpus == 1 ? 0.1 : 0.25) * m.time_s) << m.particles << " on " << m.gpus;
}

TEST(StepTimeModel, FindsTheFastestNumberOfRanks) {
  for (const bool on_gpu : {true, false})
    for (const std::uint64_t n : {100ULL, 100'000ULL, 30'000'000ULL, 10'000'000'000ULL}) {
      const StepTimeModel model = step_time_model({}, on_gpu, 4);
      for (const int most : {1, 2, 7, 300}) {
        const int best = model.fastest_ranks(n, most);
        for (int ranks = 1; ranks <= most; ++ranks) EXPECT_LE(model.time_s(n, best), model.time_s(n, ranks)) << n << " on " << ranks;
      }
    }
}

TEST(SettingsAdvice, NamesWhatHasNoEffect) {
  Config config;
  config.gravity.softening = 0.1;
  EXPECT_EQ(settings_advice(config, false), Lines{});
  config.gravity.softening = 0;
  ASSERT_EQ(settings_advice(config, true).size(), 1u);
  EXPECT_EQ(settings_advice(config, true)[0].find("softening_kernel"), std::string::npos);
  config.gravity.softening_kernel = "wendland_c2";
  EXPECT_NE(settings_advice(config, true)[0].find("gravity.softening_kernel has no effect"), std::string::npos);
  config.gravity.softening_of_component = {{"stars", 0.1}};
  EXPECT_EQ(settings_advice(config, true), Lines{});
  config.run.transport = "mpi";
  EXPECT_EQ(settings_advice(config, true), Lines{});
  ASSERT_EQ(settings_advice(config, false).size(), 1u);
  EXPECT_NE(settings_advice(config, false)[0].find("run.transport = \"mpi\" has no effect"), std::string::npos);
}

TEST(SettingsAdvice, NamesACriterionThatDoesNotSeeAShortSofteningBetweenComponents) {
  Config config;
  config.gravity.softening_of_component = {{"stars", 0.2}, {"hole", 0.02}};
  config.gravity.softening_of_type = {0.2, 0.02};
  config.gravity.softening_between_types = {{0, 1, 0.02}};
  EXPECT_EQ(settings_advice(config, true), Lines{});
  config.time.steps = "block";
  ASSERT_EQ(settings_advice(config, true).size(), 1u);
  EXPECT_NE(settings_advice(config, true)[0].find("knows nothing of gravity.softening_between"), std::string::npos);
  config.gravity.softening_between_types = {{0, 1, 0.1}};
  EXPECT_EQ(settings_advice(config, true), Lines{});
  config.gravity.softening_between_types = {{0, 1, 0.02}};
  config.time.criterion = "potential";
  EXPECT_EQ(settings_advice(config, true), Lines{});
}

TEST(SettingsAdvice, NamesAnOrderThatForcesOfTreesCannotUse) {
  Config config;
  config.gravity.softening = 0.1;
  for (const char* integrator : {"leapfrog", "yoshida4", "rk4"}) {
    config.time.integrator = integrator;
    EXPECT_EQ(settings_advice(config, true), Lines{}) << integrator;
  }
  config.time.integrator = "fehlberg7";
  ASSERT_EQ(settings_advice(config, true).size(), 1u);
  EXPECT_NE(settings_advice(config, true)[0].find("has order 7"), std::string::npos);
  config.gravity.method = "direct";
  EXPECT_EQ(settings_advice(config, true), Lines{});
}

TEST(RankCountAdvice, NamesTheFastestNumberForFewParticles) {
  const Lines lines = rank_count_advice({}, 100'000, 8, true, 1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].rfind("fewer ranks would be faster for 100,000 particles: ", 0), 0u);
  EXPECT_NE(lines[0].find("on 1 rank, and"), std::string::npos) << lines[0];
}

TEST(RankCountAdvice, SaysNothingWhereItWouldGainLittle) {
  EXPECT_EQ(rank_count_advice({}, 100'000, 1, true, 1), Lines{});
  EXPECT_EQ(rank_count_advice({}, 800'000'000, 8, true, 1), Lines{});
}

TEST(RankCountAdvice, SaysNothingOfWhatWasNotMeasured) {
  GravityParameters gravity;
  gravity.method = "tree";
  EXPECT_EQ(rank_count_advice(gravity, 100'000, 8, true, 1), Lines{});
  gravity = {};
  gravity.tolerance = 1e-9;  // so much work that ranks pay
  EXPECT_EQ(rank_count_advice(gravity, 10'000'000, 8, true, 1), Lines{});
}

}  // namespace
}  // namespace grove
