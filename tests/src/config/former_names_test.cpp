#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/config/config.hpp"
#include "src/config/config_print.hpp"
#include "src/config/config_table.hpp"

namespace grove {
namespace {

const std::string plummer = "[initial_conditions]\ngenerator = \"plummer\"\n";

TEST(FormerNames, AreReadWhereGroveRecordedThem) {
  EXPECT_EQ(parse_recorded_config(plummer + "[output]\nbeside = \"no\"\n", "checkpoint_0.hdf5").output.in_background, "no");
  const std::string disc = "[initial_conditions]\ngenerator = \"disc\"\n";
  EXPECT_EQ(parse_recorded_config(disc + "cutoff = 7.0\n", "checkpoint_0.hdf5").initial_conditions.number("taper"), 7);
}

TEST(FormerNames, WinOverTodaysNameUnlessTheyWereUnset) {
  const auto taper = [](const std::string& keys) {
    return parse_recorded_config(plummer + keys, "checkpoint_0.hdf5").initial_conditions.number("taper");
  };
  for (const char* unset : {"0.0", "0"}) EXPECT_EQ(taper(std::string("taper = 50.0\ncutoff = ") + unset + "\n"), 50);
  EXPECT_EQ(taper("taper = 100.0\ncutoff = 20.0\n"), 20);
  EXPECT_EQ(taper("cutoff = 20.0\ntaper = 100.0\n"), 20);
}

TEST(FormerNames, LeaveTheRestOfARecordAsItIs) {
  const std::string printed = print_config(parse_config(plummer, "run.toml", {}));
  EXPECT_EQ(print_config(parse_recorded_config(printed, "checkpoint_0.hdf5")), printed);
  EXPECT_THROW(parse_recorded_config(plummer + "[output]\nbesides = \"no\"\n", "checkpoint_0.hdf5"), ConfigError);
}

TEST(FormerNames, AreErrorsThatTellTodaysNameInWhatTheUserWrites) {
  const auto error_of = [](const std::string& keys) -> std::string {
    try {
      parse_config(plummer + keys, "run.toml", {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("[output]\nbeside = \"no\"\n"),
            "run.toml:4: output.beside = \"no\": is called output.in_background in this version of Grove");
  const std::string must_go = ": must go: initial_conditions.taper says it in this version of Grove";
  EXPECT_EQ(error_of("taper = 100.0\ncutoff = 0.0\n"), "run.toml:4: initial_conditions.cutoff = 0" + must_go);
  EXPECT_EQ(error_of("cutoff = 0.0\n"), "run.toml:3: initial_conditions.cutoff = 0" + must_go);
  EXPECT_EQ(error_of("taper = 100.0\ncutoff = 20.0\n"), "run.toml:4: initial_conditions.cutoff = 20" + must_go);
}

bool is_a_key(const std::string& section, const std::string& name) {
  const std::vector<ConfigChoice>& choices = config_table().choices;
  return config_table().find(section, name) || std::any_of(choices.begin(), choices.end(), [&](const ConfigChoice& choice) {
           return choice.section == section && std::any_of(choice.rows.begin(), choice.rows.end(),
                                                           [&](const ConfigChoice::Row& row) { return find_named(row.settings, name); });
         });
}

TEST(FormerNames, AreNoNamesOfToday) {
  for (const FormerName& former : config_table().former_names) {
    SCOPED_TRACE(former.section + "." + former.before);
    EXPECT_FALSE(is_a_key(former.section, former.before));
    EXPECT_TRUE(is_a_key(former.section, former.now));
  }
}

}  // namespace
}  // namespace grove
