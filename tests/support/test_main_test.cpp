// The tests' own main: it must see all ranks, or every other MPI test proves nothing.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

namespace {

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Open MPI's launcher tells each process how many it started. Equal counts mean that no rank runs as a singleton of its own.
TEST(TestMain, WorldHasAllRanksThatWereStarted) {
  const char* launched = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!launched) GTEST_SKIP() << "not started by Open MPI's mpirun";
  EXPECT_EQ(world_size(), std::atoi(launched));
}

TEST(TestMain, EveryRankTakesPartInACollectiveCall) {
  int rank = 0, sum = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, world_size());
}

// Run by a ctest entry of its own, which wants it to fail: a failure on one rank must end all of them, with exit code 1.
TEST(TestMain, DISABLED_FailsOnTheLastRankAlone) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NE(rank, world_size() - 1);
}

}  // namespace
