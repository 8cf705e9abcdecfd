#include "src/run/files/same_on_all_ranks.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kernels/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class SameOnAllRanks : public testing::Test {
 protected:
  /// The message, which is that of all ranks; empty when there was none.
  static std::string message_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const AgreedError& error) {
      return error.what();
    }
    return "";
  }
  static void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
  }
  bool is_last_of_several() const { return comm.size() > 1 && comm.rank() == comm.size() - 1; }

  const Communicator comm{MPI_COMM_WORLD};
  const bool has_others = comm.size() > 1;
};

TEST_F(SameOnAllRanks, EqualCommandLinesPass) {
  EXPECT_EQ(message_of([&] { require_same_command_line({"run", "a.toml", "--set", "time.dt=0.1"}, comm); }), "");
  EXPECT_EQ(message_of([&] { require_same_command_line({}, comm); }), "");
}

TEST_F(SameOnAllRanks, ADifferentSettingIsNamedWithItsOption) {
  const std::string dt = is_last_of_several() ? "time.dt=0.2" : "time.dt=0.1";
  const std::string message = message_of([&] { require_same_command_line({"run", "a.toml", "--set", dt}, comm); });
  if (!has_others) return;
  expect_contains(message, "'--set time.dt=0.1' on rank 0, '--set time.dt=0.2' on ");
}

TEST_F(SameOnAllRanks, AMissingWordIsNamed) {
  const std::vector<std::string> words =
      is_last_of_several() ? std::vector<std::string>{"run"} : std::vector<std::string>{"run", "--quiet"};
  const std::string message = message_of([&] { require_same_command_line(words, comm); });
  if (has_others) expect_contains(message, "'--quiet' on rank 0, nothing more on ");
}

TEST_F(SameOnAllRanks, ADifferentKeyOfTheConfigurationIsNamedWithBothValues) {
  Config config;
  config.gravity.tolerance = is_last_of_several() ? 0.002 : 0.001;
  const std::string message = message_of([&] { require_same_config(config, comm); });
  if (has_others) expect_contains(message, "gravity.tolerance = 0.001 on rank 0, gravity.tolerance = 0.002 on ");
}

TEST_F(SameOnAllRanks, ADifferentParameterOfTheGeneratorIsNamed) {
  Config config;
  config.initial_conditions.parameters["taper"] = is_last_of_several() ? 20.0 : 30.0;
  const std::string message = message_of([&] { require_same_config(config, comm); });
  if (has_others) expect_contains(message, "initial_conditions.taper = 30.0 on rank 0, initial_conditions.taper = 20.0 on ");
}

TEST_F(SameOnAllRanks, AnotherGeneratorIsNamedBeforeItsParameters) {
  Config config;
  if (is_last_of_several()) {
    config.initial_conditions.generator = "merger";
    config.initial_conditions.parameters["mass_ratio"] = 0.5;
  }
  const std::string message = message_of([&] { require_same_config(config, comm); });
  if (has_others)
    expect_contains(message, "initial_conditions.generator = \"plummer\" on rank 0, initial_conditions.generator = \"merger\" on ");
}

TEST_F(SameOnAllRanks, ADifferentInputFileIsNamed) {
  const TemporaryDirectory own;
  std::ofstream(own.file("in")) << "same";
  EXPECT_EQ(message_of([&] { require_same_file(own.file("in"), "key", comm); }), "");
  std::ofstream(own.file("in")) << (is_last_of_several() ? "that" : "this");
  std::string message = message_of([&] { require_same_file(own.file("in"), "key", comm); });
  if (has_others) expect_contains(message, "is not the same file for all ranks: it has 4 bytes");
  if (is_last_of_several()) std::filesystem::remove(own.file("in"));
  message = message_of([&] { require_same_file(own.file("in"), "key", comm); });
  if (has_others) expect_contains(message, "cannot be opened");
}

TEST_F(SameOnAllRanks, ALargeFileThatDiffersInItsMiddleIsNamed) {
  const TemporaryDirectory own;
  std::ofstream(own.file("in")) << "begin";
  std::filesystem::resize_file(own.file("in"), std::uint64_t{1} << 28U);
  EXPECT_EQ(message_of([&] { require_same_file(own.file("in"), "key", comm); }), "");
  if (is_last_of_several()) {
    std::fstream file(own.file("in"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::int64_t{100} << 20U) << std::string(std::size_t{1} << 20U, 'x');
  }
  const std::string message = message_of([&] { require_same_file(own.file("in"), "key", comm); });
  if (has_others) expect_contains(message, "is not the same file for all ranks: it has 268435456 bytes");
}

TEST_F(SameOnAllRanks, AFileThatNoRankCanOpenIsLeftToItsReader) {
  EXPECT_EQ(message_of([&] { require_same_file("/does/not/exist", "key", comm); }), "");
}

}  // namespace
}  // namespace grove
