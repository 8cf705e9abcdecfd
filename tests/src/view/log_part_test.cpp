// A log that grows is read part after part: every whole line once, whatever happens to the file.
#include "src/view/log_part.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

const std::string head = "time,kinetic\n";

class Log : public testing::Test {
 protected:
  void write(const std::string& text, std::ios::openmode mode = std::ios::app) const {
    std::ofstream(directory_.file("energy.csv"), mode | std::ios::binary) << text;
  }
  void write_anew(const std::string& text) const { write(text, std::ios::trunc); }
  LogPart read(const std::string& cursor = "", std::uint64_t most = 1000) const {
    return read_log_part(files_.open("energy.csv"), cursor, most);
  }

  TemporaryDirectory directory_;
  RunFiles files_{directory_.path()};
};

using Rows = std::vector<std::vector<double>>;

TEST_F(Log, GivesEachRowOnce) {
  write(head + "0,1.5\n0.1,1.25\n");
  const LogPart first = read();
  EXPECT_EQ(first.names, (std::vector<std::string>{"time", "kinetic"}));
  EXPECT_EQ(first.rows, (Rows{{0, 1.5}, {0.1, 1.25}}));
  EXPECT_TRUE(first.is_from_start);
  EXPECT_TRUE(read(first.cursor).rows.empty());
  write("0.2,1\n");
  const LogPart second = read(first.cursor);
  EXPECT_EQ(second.rows, (Rows{{0.2, 1}}));
  EXPECT_FALSE(second.is_from_start);
}

TEST_F(Log, LeavesATornLastLineForLater) {
  write(head + "0,1\n0.1,1.2");
  const LogPart first = read();
  EXPECT_EQ(first.rows, (Rows{{0, 1}}));
  write("5\n");
  EXPECT_EQ(read(first.cursor).rows, (Rows{{0.1, 1.25}}));
}

TEST_F(Log, WithoutAWholeHeadHasNothingYet) {
  for (std::size_t length = 0; length < head.size(); ++length) {
    write_anew(head.substr(0, length));
    EXPECT_TRUE(read().names.empty()) << length;
    EXPECT_TRUE(read_last_row(files_.open("energy.csv")).rows.empty());
  }
}

TEST_F(Log, BeginsAnewWhenTheFileIsAnotherOne) {
  write(head + "0,1\n1,2\n2,3\n");
  const std::string cursor = read().cursor;
  for (const char* rows : {"0,1\n", "0,9\n1,9\n2,9\n3,9\n", "0,1\n1,2\n2,4\n", ""}) {
    write_anew(head + rows);
    EXPECT_TRUE(read(cursor).is_from_start) << rows;
  }
  EXPECT_TRUE(read("nonsense").is_from_start);
  EXPECT_TRUE(read("-1-5").is_from_start);
  EXPECT_TRUE(read("99999999999999999999-5").is_from_start);
}

TEST_F(Log, GoesOnWhereACutFileHasTheSameRowsAgain) {
  const std::string text = head + "0,1\n1,2\n";
  write(text);
  const std::string cursor = read().cursor;
  write_anew(text + "2,3\n");
  EXPECT_EQ(read(cursor).rows, (Rows{{2, 3}}));
}

TEST_F(Log, OfManyRowsGivesSomeAndTheLast) {
  std::string text = head;
  for (int i = 0; i < 5001; ++i) text += std::to_string(i) + ",1\n";
  write(text);
  const LogPart part = read("", 100);
  EXPECT_EQ(part.lines, 5001U);
  EXPECT_LE(part.rows.size(), 101U);
  EXPECT_GE(part.rows.size(), 90U);
  EXPECT_EQ(part.rows.front()[0], 0);
  EXPECT_EQ(part.rows.back()[0], 5000);
}

TEST_F(Log, LongerThanAPartIsReadInSeveral) {
  std::string text = head;
  const std::string zeros(1000, '0');
  for (int i = 0; i < 9000; ++i) text += std::to_string(i) + ",1." + zeros + "\n";
  write(text);
  std::uint64_t lines = 0, parts = 0;
  for (LogPart part = read();; part = read(part.cursor)) {
    EXPECT_EQ(part.is_from_start, parts == 0);
    lines += part.lines;
    ++parts;
    if (part.is_last) break;
  }
  EXPECT_EQ(lines, 9000U);
  EXPECT_EQ(parts, 3U);
}

TEST_F(Log, TellsOfLinesThatAreNoRows) {
  write(head + "0,1\n1\n2,3,4\n3,nonsense\n4,nan\n5,6,\n6,\n\n");
  const LogPart part = read();
  EXPECT_EQ(part.bad_lines, 4U);
  ASSERT_EQ(part.rows.size(), 4U);
  for (const std::size_t i : {1, 2, 3}) EXPECT_TRUE(std::isnan(part.rows[i][1])) << i;
}

TEST_F(Log, MayHaveLinesThatEndAsThoseOfOtherSystems) {
  write(head + "0,1.5\r\n1,2\r\n");
  EXPECT_EQ(read().rows, (Rows{{0, 1.5}, {1, 2}}));
  write_anew("time,kinetic\r\n0,1.5\r\n");
  EXPECT_EQ(read().names, (std::vector<std::string>{"time", "kinetic"}));
}

TEST_F(Log, LastRowIsThatOfTheLastWholeLine) {
  std::string text = head;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",1.5\n";
  write(text + "20000,");
  const LogPart part = read_last_row(files_.open("energy.csv"));
  EXPECT_EQ(part.rows, (Rows{{19999, 1.5}}));
  write_anew(head + "7,8\n");
  EXPECT_EQ(read_last_row(files_.open("energy.csv")).rows, (Rows{{7, 8}}));
}

TEST_F(Log, OfAnotherKindIsRefused) {
  write(std::string(100000, 'x'));
  EXPECT_THROW(read(), DataError);
}

}  // namespace
}  // namespace grove
