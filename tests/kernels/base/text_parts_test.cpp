// Lists between commas, as users write them in options and in the configuration.
#include "kernels/base/text_parts.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
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
  EXPECT_EQ(output.field_names(), comma_separated("--ic", output.fields));
  EXPECT_EQ(output.field_names(), (Texts{"work", "spin"}));
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

}  // namespace
}  // namespace grove
