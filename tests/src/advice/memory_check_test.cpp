#include "src/advice/memory_check.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

constexpr double GiB = 1024.0 * 1024 * 1024;

class MemoryCheck : public testing::Test {
 protected:
  static DeviceState gpu(const std::string& id, double free_bytes) {
    return {"GPU 0, a GPU", id, 1, static_cast<std::uint64_t>(free_bytes)};
  }
  std::vector<MemoryPool> pools(const DeviceState& device, std::uint64_t particles, double node_bytes) const {
    return memory_pools(model(device), device, {{"the node", "node", static_cast<std::uint64_t>(node_bytes)}}, particles, false, comm);
  }
  static MemoryModel model(const DeviceState& device) { return {{}, *standard_fields(), device.is_gpu(), false}; }
  /// Empty when the run fits; "warning" or the message of the refusal.
  std::string verdict(const std::vector<MemoryPool>& own, const DeviceState& device, std::uint64_t particles) const {
    try {
      return require_memory(own, model(device), particles, comm).empty() ? "" : "warning";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.exit_code(), 2);
      return error.what();
    }
  }
  std::string verdict(const DeviceState& device, std::uint64_t particles, double node_bytes) const {
    return verdict(pools(device, particles, node_bytes), device, particles);
  }
  /// What the node needs when all ranks are on it.
  double node_needs(std::uint64_t particles) const {
    return comm.size() * model({}).host_bytes(static_cast<double>(particles) / comm.size(), comm.size());
  }

  const Communicator comm{MPI_COMM_WORLD};
};

TEST_F(MemoryCheck, RefusesWhatCannotFitAndWarnsOfWhatMayNot) {
  const std::uint64_t n = 10'000'000;
  const double needed = node_needs(n);
  const double margin = MemoryModel::margin(comm.size());
  EXPECT_EQ(verdict({}, n, (1 + 1.1 * margin) * needed), "");
  EXPECT_EQ(verdict({}, n, (1 + 0.9 * margin) * needed), "warning");
  EXPECT_EQ(verdict({}, n, (1 - 0.9 * margin) * needed), "warning");
  EXPECT_NE(verdict({}, n, (1 - 1.1 * margin) * needed).find("10,000,000 particles do not fit"), std::string::npos);
}

TEST_F(MemoryCheck, SaysHowManyNodesWouldDo) {
  const std::uint64_t n = 100'000'000;
  const std::string message = verdict({}, n, 0.7 * node_needs(n));
  EXPECT_NE(message.find(" such nodes, with " + std::to_string(comm.size())), std::string::npos) << message;
  EXPECT_NE(message.find(" free; "), std::string::npos) << message;
}

TEST_F(MemoryCheck, SaysHowManyGpusWouldDo) {
  const std::uint64_t n = 1'000'000'000;
  const DeviceState own = gpu("gpu of rank " + std::to_string(comm.rank()), 10 * GiB);
  const std::string message = verdict(own, n, 1e6 * GiB);
  ASSERT_NE(message.find("GPUs of this kind"), std::string::npos) << message;
  // The number does, and one less does not, by the model with its margin.
  const std::size_t end = message.find(" GPUs of this kind"), begin = message.rfind(' ', end - 1) + 1;
  const int number = std::stoi(message.substr(begin, end - begin));
  const auto needed = [&](int ranks) {
    return (1 + MemoryModel::margin(ranks)) * model(own).device_bytes(static_cast<double>(n) / ranks, ranks);
  };
  EXPECT_LE(needed(number), 10 * GiB);
  EXPECT_GT(needed(number - 1), 10 * GiB);
}

TEST_F(MemoryCheck, RanksThatShareAGpuShareItsMemory) {
  const std::uint64_t n = 10'000'000;
  const double share = model(gpu("x", 1)).device_bytes(static_cast<double>(n) / comm.size(), comm.size());
  EXPECT_EQ(verdict(gpu("of rank " + std::to_string(comm.rank()), 1.3 * share), n, 1e6 * GiB), "");
  const std::string shared = verdict(gpu("of all", 1.3 * share), n, 1e6 * GiB);
  if (comm.size() == 1) {
    EXPECT_EQ(shared, "");
  } else {
    EXPECT_NE(shared.find("the " + std::to_string(comm.size()) + " ranks of GPU 0"), std::string::npos) << shared;
  }
}

TEST_F(MemoryCheck, ALimitOfOneRankRefusesForAll) {
  const std::uint64_t n = 10'000'000;
  std::vector<MemoryLimit> limits{{"the node", "node", std::uint64_t{1} << 50}};
  if (comm.rank() == comm.size() - 1) limits.push_back({"the limit 'ulimit -v'", "", 1000});
  const auto own = memory_pools(model({}), {}, limits, n, false, comm);
  const std::string message = verdict(own, {}, n);
  EXPECT_NE(message.find("the limit 'ulimit -v'"), std::string::npos) << message;
  EXPECT_NE(message.find("raise that limit"), std::string::npos) << message;
}

TEST_F(MemoryCheck, LoadedParticlesAreCountedOnce) {
  const double before = pools({}, 1'000'000, GiB).front().needed;
  const auto after = memory_pools(model({}), {}, {{"the node", "node", 1}}, 1'000'000, true, comm);
  EXPECT_NEAR((before - after.front().needed) * comm.size() / 1e6, 65, 1e-6);
}

}  // namespace
}  // namespace grove
