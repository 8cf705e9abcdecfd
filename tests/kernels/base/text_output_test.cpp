// Numbers and tables for people: percentiles, tables, logs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "src/bench/force_errors.hpp"
#include "src/run/files/csv_log.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

TEST(PercentilesTest, AreNearestRanks) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 1.0);
  std::swap(values.front(), values.back());
  const Percentiles p = percentiles_of(values);
  EXPECT_EQ(p.median, 500);
  EXPECT_EQ(p.p90, 900);
  EXPECT_EQ(p.p99, 990);
  EXPECT_EQ(p.p999, 999);
  EXPECT_EQ(p.max, 1000);
  EXPECT_NEAR(p.rms, std::sqrt(1000.0 * 1001 * 2001 / 6 / 1000), 1e-9);
}

TEST(PercentilesTest, OfOneValueAreThatValueAndOfNoneZero) {
  EXPECT_EQ(percentiles_of({7}).median, 7);
  EXPECT_EQ(percentiles_of({7}).p999, 7);
  EXPECT_EQ(percentiles_of({}).max, 0);
}

TEST(PercentilesTest, ShowNaNAsTheLargestValue) {
  const Percentiles p = percentiles_of({1, std::numeric_limits<double>::quiet_NaN(), 2});
  EXPECT_EQ(p.median, 2);
  EXPECT_TRUE(std::isnan(p.max));
}

TEST(TextTableTest, AlignsColumns) {
  TextTable table({"phase", "median", "max"});
  table.add_row({"walk", "3.81 ms", "4 ms"});
  EXPECT_EQ(table.text(), "phase   median   max\n--------------------\nwalk   3.81 ms  4 ms\n");
}

TEST(TextTableTest, FormatsNumbersForPeople) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1048576), "1,048,576");
  EXPECT_EQ(format_quantity(2.75e8), "275 M");
  EXPECT_EQ(format_quantity(12.34), "12.3");
  EXPECT_EQ(format_quantity(999960), "1.00 M");
  EXPECT_EQ(format_seconds(0.00381), "3.81 ms");
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_duration(65), "1:05");
  EXPECT_EQ(format_duration(3725), "1:02:05");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(format_bytes(3e9), "2.79 GiB");
}

TEST(CsvLogTest, BeginsWithTheNamesOfItsColumnsAndKeepsAllBits) {
  const TemporaryDirectory directory;
  CsvLog log(directory.file("log.csv"), {{"step", "number"}, {"energy", "in code units"}});
  log.add({3, -0.1});
  // Read while the log is open: every line is out at once.
  EXPECT_EQ(text_of_file(log.path()), "step,energy\n3,-0.1\n");
  log.add({9007199254740991, 0.1 + 0.2});
  EXPECT_EQ(text_of_file(log.path()), "step,energy\n3,-0.1\n9007199254740991,0.30000000000000004\n");
  EXPECT_THROW(log.add({1}), Error);
}

TEST(CsvLogTest, NamesTheFileItCannotCreateOrWrite) {
  try {
    CsvLog("/nowhere/log.csv", std::vector<CsvColumn>{});
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/log.csv"), std::string::npos);
  }
  EXPECT_THROW(CsvLog("/dev/full", std::vector<CsvColumn>{}), SystemError);
}

}  // namespace
}  // namespace grove
