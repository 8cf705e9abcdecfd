// docs/configuration.md is what the program's table of keys says.
#include "tests/src/config/config_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

TEST(ConfigReference, DescribesEveryKeyOfTheTable) {
  const ConfigTable& table = config_table();
  const std::string text = config_reference(table);
  for (const ConfigSetting& row : table.settings)
    EXPECT_NE(text.find("| `" + row.setting.name + "` |"), std::string::npos) << row.setting.name;
  for (const ConfigChoice& choice : table.choices) {
    for (const ConfigChoice::Row& row : choice.rows) {
      EXPECT_NE(text.find("### " + choice.name + " = \"" + row.name + "\""), std::string::npos) << row.name;
      for (const Setting& setting : row.settings) EXPECT_NE(text.find("| `" + setting.name + "` |"), std::string::npos) << setting.name;
    }
  }
}

TEST(ConfigReference, DescribesEveryKindAndKeyOfComponentsAndEveryPreset) {
  const std::string text = config_reference(config_table());
  const auto expect_row = [&](const std::string& name) { EXPECT_NE(text.find("| `" + name + "` |"), std::string::npos) << name; };
  for (const ComponentKind& kind : component_kinds()) {
    expect_row(kind.name);
    for (const Setting& setting : kind.settings) expect_row(setting.name);
  }
  for (const Setting& setting : place_settings()) expect_row(setting.name);
  std::string unbroken = text;
  std::replace(unbroken.begin(), unbroken.end(), '\n', ' ');
  for (const GalaxyPreset& preset : galaxy_presets()) {
    EXPECT_NE(text.find("### preset = \"" + preset.name + "\""), std::string::npos) << preset.name;
    EXPECT_NE(unbroken.find(preset.source), std::string::npos) << preset.name;
  }
}

TEST(ConfigReference, SaysWhenAKeyHasAnEffect) {
  EXPECT_NE(config_reference(config_table()).find("| only with opening = relative |"), std::string::npos);
}

TEST(ConfigReference, ABarDoesNotEndACell) {
  ConfigTable table;
  table.sections = {{"gravity", "a | b"}};
  table.settings = {gravity_parameter({"alpha", 0.5, any_number, "c | d"}, {"opening", {"barnes"}})};
  EXPECT_NE(config_reference(table).find("| c \\| d |"), std::string::npos);
}

// With GROVE_UPDATE_DOCS set this writes the file instead.
TEST(ConfigReference, TheDocumentIsUpToDate) {
  const std::string path = GROVE_SOURCE_DIR "/docs/configuration.md";
  const std::string wanted = config_reference(config_table());
  if (std::getenv("GROVE_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(text_of_file(path), wanted)
      << "docs/configuration.md differs from the table of keys. To update it: GROVE_UPDATE_DOCS=1 build/tests/config_reference_test";
}

}  // namespace
}  // namespace grove
