// What check, bench and the start of every command compute from measurements.
#include "src/bench/bench_statistics.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/process/threads.hpp"

namespace grove {
namespace {

ForceBenchmark three_repeats() {
  ForceBenchmark benchmark;
  for (const double factor : {3.0, 1.0, 2.0}) {
    StepTiming timing;
    timing.phases = {{"keys", factor, 2 * factor}, {"walk", factor, 10 * factor}, {"walk of others", factor, factor}};
    timing.seconds = 20 * factor;
    benchmark.repeats.push_back({timing, 11 * factor});
  }
  return benchmark;
}

TEST(BenchStatisticsTest, SpreadIsThatOfTheSlowestRankOverTheRepeats) {
  const auto phases = three_repeats().phases();
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "keys");
  EXPECT_EQ(phases[0].median, 4);
  EXPECT_EQ(phases[0].min, 2);
  EXPECT_EQ(phases[0].max, 6);
  EXPECT_EQ(three_repeats().walk().median, 22);
  EXPECT_EQ(three_repeats().whole().median, 40);
}

TEST(BenchStatisticsTest, SpeedAndWorkAreThatOfAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  WorkCounts local;
  local.targets = 100;
  local.particle_particle = 5000;
  local.cell_particle = 12340;
  local.cell_cell = 670;
  local.opening_tests = 890;
  local.cells = 11;
  local.imported_cells = 22;
  local.imported_particles = 33;
  local.bytes_held = 25600 * static_cast<std::uint64_t>(comm.rank() + 1);
  const WorkTotals work = total_work(local, comm);
  EXPECT_EQ(work.sum.targets, 100u * static_cast<unsigned>(comm.size()));
  EXPECT_EQ(work.most_bytes_on_a_rank, 25600u * static_cast<unsigned>(comm.size()));
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  EXPECT_EQ(work.sum.cells, 11 * ranks);
  EXPECT_EQ(work.sum.imported_cells, 22 * ranks);
  EXPECT_EQ(work.sum.imported_particles, 33 * ranks);
  EXPECT_EQ(work.sum.bytes_held, 25600 * ranks * (ranks + 1) / 2);
  ForceBenchmark benchmark = three_repeats();
  benchmark.work = work;
  const std::string text = benchmark_text(benchmark);
  EXPECT_NE(text.find("50.0 particle-particle, 123.4 cell-particle, 6.7 cell-cell interactions, 8.9 opening tests"), std::string::npos)
      << text;
  nlohmann::ordered_json json;
  add_benchmark(json, benchmark);
  EXPECT_EQ(json["interactions_per_particle"]["cell_cell"], 6.7) << json;
  EXPECT_EQ(json["walk_particles_per_s"], 100.0 * comm.size() / 22) << json;
}

TEST(ForceErrorsTest, TableAndJsonShowBothErrors) {
  ForceSample sample;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    sample.id.push_back(i);
    sample.acceleration_error.push_back(1e-4 * static_cast<double>(i));
    sample.potential_error.push_back(1e-6 * static_cast<double>(i));
  }
  const ForceErrors errors = force_errors(sample);
  EXPECT_EQ(errors.targets, 100u);
  EXPECT_DOUBLE_EQ(errors.acceleration.p99, 9.9e-3);
  EXPECT_NE(error_table(errors).find("acceleration    5.000e-03  9.000e-03  9.900e-03"), std::string::npos) << error_table(errors);
  EXPECT_EQ(error_json(errors)["acceleration"]["p90"], errors.acceleration.p90);
}

TEST(Threads, AreAnEqualPartOfTheNodeWithinTheCoresARankMayUse) {
  EXPECT_EQ(threads_per_rank(8, 8, 1), 8);
  EXPECT_EQ(threads_per_rank(8, 8, 3), 2);
  EXPECT_EQ(threads_per_rank(1, 8, 2), 1);
  EXPECT_EQ(threads_per_rank(2, 2, 4), 1);
}

}  // namespace
}  // namespace grove
