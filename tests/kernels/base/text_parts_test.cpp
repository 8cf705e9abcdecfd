// Lists between commas, as users write them in options and in the configuration; lines of logs, and the numbers in them.
#include "kernels/base/text_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "src/commands/options.hpp"
#include "src/config/config.hpp"

namespace grove {
namespace {

using Texts = std::vector<std::string>;

TEST(TextParts, MayHaveBlanksAroundThem) {
  EXPECT_EQ(parts_between_commas("work"), Texts{"work"});
  EXPECT_EQ(parts_between_commas("work,spin"), (Texts{"work", "spin"}));
  EXPECT_EQ(parts_between_commas(" work ,\tspin of it  "), (Texts{"work", "spin of it"}));
}

TEST(TextParts, AreEmptyWhereNothingStands) {
  EXPECT_EQ(parts_between_commas(""), Texts{});
  EXPECT_EQ(parts_between_commas(" "), Texts{""});
  EXPECT_EQ(parts_between_commas(","), (Texts{"", ""}));
  EXPECT_EQ(parts_between_commas("a, ,b,"), (Texts{"a", "", "b", ""}));
}

TEST(TextParts, AreReadByOneRuleInOptionsAndFields) {
  OutputParameters output;
  output.fields = " work , spin";
  EXPECT_EQ(output.field_choice().further, comma_separated("--ic", output.fields));
  EXPECT_EQ(output.field_choice().further, (Texts{"work", "spin"}));
}

TEST(TextParts, MustNotBeEmptyInAnOption) {
  for (const std::string text : {"", " ", ",", "plummer,", "plummer, ,disc"}) {
    try {
      comma_separated("--ic", text);
      ADD_FAILURE() << "no error: '" << text << "'";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("--ic " + text + ": nothing stands"), std::string::npos) << error.what();
    }
  }
}

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
