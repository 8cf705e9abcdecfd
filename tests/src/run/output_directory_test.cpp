// The directory of a run: what lies in it, what is set aside and what is refused.
#include "src/run/files/output_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/base/error.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/run/files/timings_log.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class OutputDirectoryTest : public ::testing::Test {
 protected:
  TemporaryDirectory parent;
  OutputDirectory output{parent.file("a/b")};

  void put(const std::string& name, const std::string& text = "x") const { std::ofstream(output.path() + "/" + name) << text; }
  /// As HDF5's format begins, and a name in a snapshot of Grove.
  void put_begun(const std::string& name) const { put(name, std::string("\x89HDF\r\n\x1a\n\x02 ... Provenance ...")); }
  void put_log() const { const CsvLog log(output.energy(), energy_log(false)); }
  bool has(const std::string& name) const { return std::filesystem::exists(output.path() + "/" + name); }
  std::string message_of_prepare() const {
    try {
      output.prepare(EarlierResults::refuse);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputDirectoryTest, IsCreatedWithItsParents) {
  output.prepare(EarlierResults::refuse);
  EXPECT_TRUE(std::filesystem::is_directory(output.path()));
  EXPECT_EQ(output.snapshot(7), output.path() + "/snapshot_0007.hdf5");
  EXPECT_EQ(output.snapshot(12345), output.path() + "/snapshot_12345.hdf5");
}

TEST_F(OutputDirectoryTest, KeepsResultsAndSetsThemAsideWhenToldTo) {
  output.prepare(EarlierResults::refuse);
  put("notes.txt");
  put("energy_of_mine.csv");
  put("snapshot_best.hdf5");
  EXPECT_EQ(message_of_prepare(), "");
  put("snapshot_0003.hdf5");
  put("checkpoint_1.hdf5");
  put_log();
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find("checkpoint_1.hdf5 and 2 more)"), std::string::npos) << message;
  for (const char* option : {"--overwrite", "--continue"}) EXPECT_NE(message.find(option), std::string::npos) << message;
  output.prepare(EarlierResults::keep);
  EXPECT_TRUE(has("energy.csv"));
  for (int number = 1; number <= 2; ++number) {
    const auto done = output.prepare(EarlierResults::set_aside);
    const std::string aside = parent.file("a/b.") + std::to_string(number);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_NE(done[0].find(aside), std::string::npos) << done[0];
    for (const char* name : {"energy.csv", "snapshot_0003.hdf5", "checkpoint_1.hdf5"}) {
      EXPECT_FALSE(has(name));
      EXPECT_TRUE(std::filesystem::exists(aside + "/" + name)) << name;
      put(name);
    }
    std::filesystem::remove(output.energy());
    put_log();
    for (const char* name : {"notes.txt", "energy_of_mine.csv", "snapshot_best.hdf5"}) EXPECT_TRUE(has(name)) << name;
  }
}

/// A log of Grove with one row.
const std::string timings_now =
    "step,time,walk_mean_s,walk_max_s,other_mean_s,other_max_s,total_s,imbalance,particles_per_s\n0,0,1,1,0,0,1,1,500\n";

TEST_F(OutputDirectoryTest, TakesNoFileOfTheUserForALog) {
  output.prepare(EarlierResults::refuse);
  const auto put_text = [&](const std::string& name, const std::string& text) { std::ofstream(output.path() + "/" + name) << text; };
  for (const char* name : {"early.csv", "not_finite_step_.csv", "timings_1.csv"}) put_text(name, timings_now);
  put_text("not_finite_step_1.csv", "step,time\n1,0\n");
  put_text("notes.csv", timings_now);
  EXPECT_EQ(message_of_prepare(), "");
  std::string other = timings_now;
  other.replace(other.find("walk_max_s"), 10, "walk_least");
  for (const std::string& text :
       {std::string("time,total\n0,1\n"), other, " " + timings_now, timings_now.substr(0, 30), "# my timings\n" + timings_now}) {
    put_text("timings.csv", text);
    EXPECT_NE(message_of_prepare().find("timings.csv: cannot be created: there is a file of this name that Grove has not written"),
              std::string::npos)
        << text;
    EXPECT_EQ(text_of_file(output.timings()), text);
  }
}

TEST_F(OutputDirectoryTest, KnowsItsLogs) {
  output.prepare(EarlierResults::refuse);
  for (const std::string& text : {timings_now, std::string()}) {
    std::ofstream(output.timings()) << text;
    EXPECT_NE(message_of_prepare().find("(timings.csv)"), std::string::npos) << text;
  }
  std::ofstream(output.timings()) << timings_now;
  CsvLog log(output.timings(), 1);
  log.add(timings_row(log.names(), 1, 0.5, 500, {}));
  EXPECT_EQ(text_of_file(output.timings()), timings_now + "1,0.5,0,0,0,0,0,1,0\n");
}

TEST_F(OutputDirectoryTest, RemovesUnfinishedFilesOfGroveAlone) {
  output.prepare(EarlierResults::refuse);
  for (const char* name : {"snapshot_x.hdf5.partial", "notes.partial", "snapshot_0002.hdf5.partial"}) put(name);
  put_begun("snapshot_0001.hdf5.partial");
  put("checkpoint_0.hdf5.partial", "");
  const auto done = output.prepare(EarlierResults::refuse);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_NE(done[0].find("checkpoint_0.hdf5.partial and 1 more"), std::string::npos) << done[0];
  EXPECT_FALSE(has("snapshot_0001.hdf5.partial"));
  EXPECT_TRUE(has("snapshot_x.hdf5.partial"));
  EXPECT_TRUE(has("snapshot_0002.hdf5.partial"));
  EXPECT_TRUE(has("notes.partial"));
}

TEST_F(OutputDirectoryTest, ReplacesSnapshotsOfGroveAlone) {
  output.prepare(EarlierResults::refuse);
  put("snapshot_0001.hdf5");
  put_begun("snapshot_0002.hdf5");
  std::filesystem::create_symlink(output.snapshot(2), output.snapshot(3));
  for (const std::uint64_t number : {1, 3}) EXPECT_THROW(require_free_or_own(output.snapshot(number)), SystemError) << number;
  for (const std::uint64_t number : {2, 4}) EXPECT_NO_THROW(require_free_or_own(output.snapshot(number))) << number;
}

TEST_F(OutputDirectoryTest, RefusesLogsOfOthersBeforeItMovesAnything) {
  output.prepare(EarlierResults::refuse);
  std::ofstream(output.timings()) << "mine,1\n";
  put("snapshot_0001.hdf5");
  for (const EarlierResults earlier : {EarlierResults::refuse, EarlierResults::set_aside}) {
    try {
      output.prepare(earlier);
      ADD_FAILURE() << "no error";
    } catch (const SystemError& error) {
      EXPECT_NE(std::string(error.what()).find(output.timings() + ": cannot be created: there is a file"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(has("snapshot_0001.hdf5"));
  }
}

TEST_F(OutputDirectoryTest, KnowsItsSnapshotsAndWhatLiesInIt) {
  output.prepare(EarlierResults::refuse);
  for (const char* name : {"snapshot_0002.hdf5", "snapshot_12345.hdf5", "snapshot_0003.hdf5.partial", "checkpoint_1.hdf5"}) put(name);
  EXPECT_EQ(output.snapshots(), (std::vector<std::uint64_t>{2, 12345}));
  EXPECT_TRUE(output.contains(output.path() + "/x.hdf5"));
  EXPECT_TRUE(output.contains(parent.file("a/../a/b/c/x.hdf5")));
  EXPECT_FALSE(output.contains(parent.file("a/bc/x.hdf5")));
  EXPECT_TRUE(OutputDirectory(output.path() + "/").contains(output.path() + "/x.hdf5"));
}

TEST_F(OutputDirectoryTest, NamesADirectoryThatCannotBeMade) {
  std::ofstream(parent.file("a")) << "a file where a directory should be";
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find(output.path()), std::string::npos) << message;
}

}  // namespace
}  // namespace grove
