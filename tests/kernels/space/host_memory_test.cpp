// The memory of the host, from files that say what Linux would.
#include "kernels/space/host_memory.hpp"

#include <gtest/gtest.h>

#include <limits>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class HostMemory : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(root_.path()) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /// The limits by files, without that of this process.
  std::vector<MemoryLimit> limits() const {
    std::vector<MemoryLimit> all = host_memory_limits(root_.path());
    std::erase_if(all, [](const MemoryLimit& limit) { return limit.id.empty(); });
    return all;
  }

 private:
  TemporaryDirectory root_;
};

TEST_F(HostMemory, IsWhatTheNodeHasAvailable) {
  put("proc/meminfo", "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  800 kB\n");
  ASSERT_EQ(limits().size(), 1u);
  EXPECT_EQ(limits()[0].name, "the node");
  EXPECT_EQ(limits()[0].free_bytes, 800u * 1024);
}

TEST_F(HostMemory, HasSwapAndTheCacheOfZfsBeside) {
  put("proc/meminfo", "MemAvailable:  800 kB\nSwapFree:  50 kB\n");
  put("proc/spl/kstat/zfs/arcstats", "13 1 0x01 147\nname type data\nc_min 4 1024\nsize 4 11264\n");
  ASSERT_EQ(limits().size(), 1u);
  EXPECT_EQ(limits()[0].free_bytes, (800u + 50 + 10) * 1024);
}

TEST_F(HostMemory, IsThatOfAllControlGroupsAroundTheProcess) {
  put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.current", "500\n");
  put("sys/fs/cgroup/slurm/job_7/memory.max", "10000\n");
  put("sys/fs/cgroup/slurm/job_7/memory.current", "7000\n");
  put("sys/fs/cgroup/slurm/job_7/memory.stat", "anon 3000\ninactive_file 2500\nactive_file 500\n");
  put("sys/fs/cgroup/slurm/memory.max", "20000\n");
  put("sys/fs/cgroup/slurm/memory.current", "30000\n");
  const auto found = limits();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "the control group /slurm/job_7");
  EXPECT_EQ(found[0].free_bytes, 6000u);  // memory of files can be taken back
  EXPECT_EQ(found[1].name, "the control group /slurm");
  EXPECT_EQ(found[1].free_bytes, 0u);
}

TEST_F(HostMemory, ReadsTheFirstVersionOfControlGroups) {
  put("proc/self/cgroup", "5:cpu:/other\n4:memory:/job\n0::/\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000\n");
  put("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 96\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
  const auto found = limits();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].free_bytes, 4096u - 904);
}

TEST_F(HostMemory, OfAContainerIsThatOfTheRootItSees) {
  put("proc/self/cgroup", "0::/kubepods/pod1/container2\n");
  put("sys/fs/cgroup/memory.max", "8192\n");
  put("sys/fs/cgroup/memory.current", "192\n");
  const auto found = limits();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].free_bytes, 8000u);
}

TEST_F(HostMemory, HasNoLimitWhereNothingSaysSo) { EXPECT_TRUE(limits().empty()); }

TEST(HostMemoryHere, IsMoreThanNothing) {
  for (const MemoryLimit& limit : host_memory_limits()) EXPECT_GT(limit.free_bytes, 0u) << limit.name;
}

TEST(FreeHostMemory, OfThisMachineIsKnown) {
  constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  EXPECT_GT(free_host_memory(), 0U);
  EXPECT_LT(free_host_memory(), unlimited) << "Linux says how much is available";
}

}  // namespace
}  // namespace grove
