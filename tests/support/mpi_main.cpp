// The main of every test: GoogleTest between MPI_Init and MPI_Finalize. All ranks run the same tests; rank 0 prints the usual report, the
// others only their failures, and every rank exits non-zero when a test failed on any of them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "kernels/space/cpu_level.hpp"
#include "tests/support/gpu_present.hpp"

namespace {

// ctest shows a test that exits with this code as skipped, and one under mpirun that says these words: mpirun takes a second or two to end
// ranks with another code than 0. cmake/GroveTests.cmake has both.
constexpr int exit_skipped = 77;
constexpr const char* words_of_skipped = "All of this test is skipped.";

/// Prints failures and nothing else, each line with the rank it comes from.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  // Kept from here because GoogleTest holds, while it reports a result, the lock that asking for the current test would take.
  void OnTestStart(const testing::TestInfo& test) override { name_ = std::string(test.test_suite_name()) + "." + test.name(); }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s failed at %s:%d\n[rank %d] %s\n", rank_, name_.c_str(),
                 result.file_name() ? result.file_name() : "unknown file", result.line_number(), rank_, result.summary());
  }

  void OnTestEnd(const testing::TestInfo&) override { name_ = "outside a test"; }

 private:
  int rank_;
  std::string name_ = "outside a test";
};

/// Whether the tests can run with the code that the environment variable GROVE_CPU_LEVEL asks for: EXIT_SUCCESS, exit_skipped where this
/// processor or build lacks a level that there is, or EXIT_FAILURE for a name that is none.
int code_of_cpu_level() {
  try {
    grove::require_usable_cpu_level();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    const std::string name = std::getenv("GROVE_CPU_LEVEL");
    const auto levels = {grove::CpuLevel::x86_64, grove::CpuLevel::x86_64_v3, grove::CpuLevel::x86_64_v4};
    const bool exists = std::any_of(levels.begin(), levels.end(), [&](grove::CpuLevel level) { return name == grove::name_of(level); });
    std::fprintf(stderr, "%s: %s\n", exists ? "Skipped" : "Failed", error.what());
    return exists ? exit_skipped : EXIT_FAILURE;
  }
}

int run_all_tests(int rank) {
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const int ran = testing::UnitTest::GetInstance()->test_to_run_count();
  const int skipped = testing::UnitTest::GetInstance()->skipped_test_count();
  if (failed != 0) return EXIT_FAILURE;
  return ran > 0 && skipped == ran ? exit_skipped : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  int code = EXIT_SUCCESS;
  if (grove::tests::needs_gpu() && !grove::tests::gpu_present()) {
    const char* required = std::getenv("GROVE_REQUIRE_GPU");
    const bool must_fail = required && std::string(required) == "1";
    if (rank == 0) std::fprintf(stderr, "%s: this test needs a GPU and none is usable\n", must_fail ? "Failed" : "Skipped");
    code = must_fail ? EXIT_FAILURE : exit_skipped;
  } else {
    code = code_of_cpu_level();
    if (code == EXIT_SUCCESS) code = run_all_tests(rank);
  }
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (code == exit_skipped && ranks > 1) {
    if (rank == 0) std::fprintf(stderr, "%s\n", words_of_skipped);
    code = EXIT_SUCCESS;
  }
  MPI_Finalize();
  return code;
}
