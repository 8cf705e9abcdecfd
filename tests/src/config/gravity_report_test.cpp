// What the commands say of gravity.
#include "src/config/gravity_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace grove {
namespace {

GravityParameters tree_with(const std::string& opening) {
  GravityParameters gravity;
  gravity.method = "tree";
  gravity.opening = opening;
  return gravity;
}

TEST(GravityReport, TextNamesWhatTheMethodLooksAt) {
  EXPECT_EQ(gravity_text({}), "method fmm, opening relative, tolerance 0.001, no softening");
  EXPECT_EQ(gravity_text(tree_with("barnes")), "method tree, opening barnes, theta 0.6, no softening");
  EXPECT_EQ(gravity_text(tree_with("barnes"), AccuracyValue::left_out), "method tree, opening barnes, no softening");
  GravityParameters direct;
  direct.method = "direct";
  EXPECT_EQ(gravity_text(direct), "method direct, no softening");
}

TEST(GravityReport, JsonHasTheKeysThatHaveAnEffect) {
  EXPECT_EQ(gravity_json({}).dump(), R"({"method":"fmm","opening":"relative","tolerance":0.001,"order":4,"theta":0.6,"all_pairs_up_to":0,)"
                                     R"("steps_per_tree":32,"softening":0.0,"softening_kernel":"plummer","G":1.0})");
  EXPECT_EQ(gravity_json(tree_with("barnes")).dump(),
            R"({"method":"tree","opening":"barnes","theta":0.6,"all_pairs_up_to":0,"steps_per_tree":32,"softening":0.0,)"
            R"("softening_kernel":"plummer","G":1.0})");
}

TEST(GravityReport, ShowsParametersOfTheOpeningCriterionAlone) {
  ConfigTable table = config_table();
  table.settings.push_back(gravity_parameter({"scratch_alpha", 0.5, any_number, "a meaning"}, {"opening", {"barnes"}}));
  GravityParameters gravity = tree_with("barnes");
  gravity.parameters["scratch_alpha"] = 0.25;
  EXPECT_EQ(gravity_text(gravity, AccuracyValue::shown, table), "method tree, opening barnes, theta 0.6, scratch_alpha 0.25, no softening");
  EXPECT_EQ(gravity_json(gravity, table)["scratch_alpha"], 0.25);
  gravity.opening = "geometric";
  EXPECT_EQ(gravity_text(gravity, AccuracyValue::shown, table), "method tree, opening geometric, theta 0.6, no softening");
  EXPECT_FALSE(gravity_json(gravity, table).contains("scratch_alpha"));
}

}  // namespace
}  // namespace grove
