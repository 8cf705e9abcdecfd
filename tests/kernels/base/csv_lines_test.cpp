// Lines of logs, part by part, and the numbers in them.
#include "kernels/base/text_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "kernels/base/parse_number.hpp"

namespace grove {
namespace {

using Parts = std::vector<std::string_view>;

TEST(CsvParts, AreOneMoreThanThereAreCommas) {
  EXPECT_EQ(csv_parts("time,kinetic,work"), (Parts{"time", "kinetic", "work"}));
  EXPECT_EQ(csv_parts("1"), Parts{"1"});
  EXPECT_EQ(csv_parts("1,2,"), (Parts{"1", "2", ""}));
  EXPECT_EQ(csv_parts(",1,,2"), (Parts{"", "1", "", "2"}));
  EXPECT_EQ(csv_parts(","), (Parts{"", ""}));
  EXPECT_EQ(csv_parts(""), Parts{""});
}

TEST(CsvParts, KeepTheirBlanks) { EXPECT_EQ(csv_parts(" 1, 2\t,3\r"), (Parts{" 1", " 2\t", "3\r"})); }

TEST(CsvHead, IsTheFirstWholeLineThatIsNoComment) {
  for (const std::string before : {"", "# Grove: energy\n", "#\n#  1 time: t\n"}) {
    const std::string head = before + "time,kinetic\n";
    for (std::size_t size = 0; size < head.size(); ++size) EXPECT_FALSE(csv_head(head.substr(0, size))) << size;
    for (const char* rows : {"", "0,1\n", "# no comment here\n"}) {
      const std::string text = head + rows;
      const auto found = csv_head(text);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->names, "time,kinetic");
      EXPECT_EQ(found->size, head.size());
    }
  }
  EXPECT_EQ(csv_head("\ntime\n").value_or(CsvHead{"?"}).names, "") << "a line of nothing is a line";
}

TEST(ParseNumber, TakesWholeTextsAlone) {
  EXPECT_EQ(parse_number<double>("-1.5e-3"), -1.5e-3);
  EXPECT_EQ(parse_number<double>("0.10000000000000001"), 0.1);
  EXPECT_EQ(parse_number<std::uint64_t>("0012"), 12U);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_TRUE(std::isnan(parse_number<double>("nan").value_or(0)));
  EXPECT_TRUE(std::isinf(parse_number<double>("-inf").value_or(0)));
  for (const char* text : {"", " ", "1 ", " 1", "+1", "1,2", "1.5x", "0x10", "1e", "1e999", "--1", "one", "1\r"})
    EXPECT_FALSE(parse_number<double>(text)) << "'" << text << "'";
  for (const char* text : {"", "-1", "1.0", "18446744073709551616", "1e3"})
    EXPECT_FALSE(parse_number<std::uint64_t>(text)) << "'" << text << "'";
  EXPECT_FALSE(parse_number<double>(std::string_view("1\0", 2)));
}

}  // namespace
}  // namespace grove
