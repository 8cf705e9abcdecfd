#include "src/config/config.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_builder.hpp"
#include "src/config/config_print.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/integrators/integrator_info.hpp"

namespace grove {
namespace {

const std::string short_file = R"([initial_conditions]
file = "collision.tab"
[gravity]
method = "tree"
opening = "barnes"
theta = 0.6
softening = 0.025
softening_kernel = "plummer"
G = 1.0
[time]
begin = 0.0
end = 20.0
dt = 0.1
[output]
directory = "output"
snapshot_every = 1.0
[units]
length_in_cm = 3.0857e21
mass_in_g = 1.989e43
velocity_in_cm_per_s = 1e5
[run]
device = "auto"
)";

// The message of the ConfigError that `text` with `overrides` causes; "" when there is none.
std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_config(text, "run.toml", overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string error_of_override(const std::string& override_text) {
  return error_of("[initial_conditions]\ngenerator = \"plummer\"\n", {override_text});
}

void expect_in(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
}

TEST(Config, ReadsTheShortestUsefulFile) {
  const Config config = parse_config(short_file, "run.toml", {});
  EXPECT_EQ(config.initial_conditions.file, "collision.tab");
  EXPECT_EQ(config.initial_conditions.generator, "");
  EXPECT_EQ(config.gravity.opening, "barnes");
  EXPECT_EQ(config.gravity.softening, 0.025);
  EXPECT_EQ(config.time.end, 20.0);
  EXPECT_EQ(config.output.snapshot_every, 1.0);
  EXPECT_EQ(config.units.velocity_in_cm_per_s, 1e5);
  EXPECT_EQ(config.run.device, "auto");
}

TEST(Config, LoadsAFileAndNamesItInErrors) {
  const auto directory = std::filesystem::temp_directory_path() / ("grove_config_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(directory);
  const std::string path = (directory / "run.toml").string();
  std::ofstream(path) << short_file;
  EXPECT_EQ(parse_config(read_config_text(path), path, {"time.dt=0.5"}).time.dt, 0.5);
  std::ofstream(path) << "[gravity]\ntheta = \"wide\"\n";
  try {
    parse_config(read_config_text(path), path, {"initial_conditions.generator=plummer"});
    ADD_FAILURE() << "a text was taken for theta";
  } catch (const ConfigError& error) {
    expect_in(error.what(), {path + ":2:", "gravity.theta", "\"wide\"", "a number > 0"});
  }
  EXPECT_THROW(read_config_text((directory / "missing.toml").string()), ConfigError);
  EXPECT_THROW(read_config_text(directory.string()), ConfigError);
  std::filesystem::remove_all(directory);
}

TEST(Config, DefaultsAreThoseOfAFreshConfig) {
  const Config config = parse_config("[initial_conditions]\ngenerator = \"plummer\"\n", "run.toml", {});
  EXPECT_EQ(print_config(config), print_config(Config{}));
  EXPECT_EQ(config.gravity.method, "fmm");
  EXPECT_EQ(config.gravity.opening, "relative");
  EXPECT_EQ(config.gravity.tolerance, 0.001);
  EXPECT_EQ(config.gravity.order, 4u);
  EXPECT_EQ(config.initial_conditions.number("scale_radius"), 1.0);
}

TEST(Config, UnknownKeysSuggestTheNearestOne) {
  expect_in(error_of_override("gravity.thtea=0.5"), {"command line", "gravity.thtea = 0.5", "did you mean theta?", "softening_kernel"});
  expect_in(error_of("[initial_conditions]\ngenerator = \"plummer\"\n[gravity]\nopenign = \"barnes\"\n"),
            {"run.toml:4:", "openign", "did you mean opening?"});
  expect_in(error_of_override("gravity.dt=1"), {"dt belongs in [time]"});
  expect_in(error_of("[gravty]\n"), {"run.toml:1:", "[gravty]", "did you mean gravity?"});
  expect_in(error_of("theta = 1\n" + short_file), {"run.toml:1:", "outside", "theta belongs in [gravity]"});
}

TEST(Config, WrongTypesSayWhatIsAllowed) {
  expect_in(error_of_override("gravity.theta=\"x\""), {"gravity.theta = \"x\"", "must be a number > 0 and <= 1.5"});
  expect_in(error_of_override("gravity.theta=true"), {"gravity.theta = true"});
  expect_in(error_of_override("gravity.theta=[1, 2]"), {"an array"});
  expect_in(error_of_override("gravity.opening=3"), {"geometric, barnes, minimal_distance"});
  expect_in(error_of_override("initial_conditions.n=1.5"), {"initial_conditions.n = 1.5", "a whole number >= 1"});
  expect_in(error_of_override("gravity.method=tre"), {"did you mean \"tree\"?"});
}

TEST(Config, ValuesOutOfRangeSayTheRange) {
  for (const char* wrong : {"gravity.theta=0",
                            "gravity.theta=1.6",
                            "gravity.theta=nan",
                            "gravity.softening=-1",
                            "gravity.softening=inf",
                            "gravity.G=0",
                            "gravity.G=si",
                            "time.dt=0",
                            "time.dt=-1",
                            "time.end=-1",
                            "time.dt=1e-30",
                            "output.order=mass",
                            "output.snapshots=some",
                            "output.directory=",
                            "output.snapshot_every=-1",
                            "run.device=tpu",
                            "time.integrator=verlet",
                            "initial_conditions.n=0",
                            "initial_conditions.n=-3",
                            "initial_conditions.n=1e13",
                            "initial_conditions.seed=-1",
                            "initial_conditions.scale_radius=0",
                            "initial_conditions.taper=0.01"}) {
    const std::string name = std::string(wrong).substr(0, std::string(wrong).find('='));
    expect_in(error_of_override(wrong), {name + " = ", "must be "});
  }
}

TEST(Config, TextThatIsNotTomlIsReportedWithItsLine) {
  expect_in(error_of("[time]\ndt = \n"), {"run.toml:2:", "not valid TOML"});
  expect_in(error_of("[time]\ndt = 1\ndt = 2\n"), {"run.toml:3:", "dt"});
  for (const char* stray : {"d\u00e9 = 1", "dt\u3000= 1", "dt = 1 \ufeff", "\u00e9", "dt = 1 'a' \u0430", "dt =\u00a01"})
    expect_in(error_of("# \u00e9\n[time]\n" + std::string(stray) + "\n"), {"run.toml:3: not valid TOML", "not ASCII"});
}

TEST(Config, CharactersThatAreNotAsciiStandInTextsAndComments) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[output]\n";
  const auto directory_of = [&](const std::string& text) {
    return parse_config("\ufeff# \u00e9 \"\n" + file + "directory = " + text + " # '\u3000\n", "run.toml", {}).output.directory;
  };
  EXPECT_EQ(directory_of("\"\u00e9\\\"\u00e9\""), "\u00e9\"\u00e9");
  EXPECT_EQ(directory_of("'\u00e9\\'"), "\u00e9\\");
  EXPECT_EQ(directory_of("\"\"\"\u00e9\"\"\u00e9\\\"\u00e9\"\"\"\""), "\u00e9\"\"\u00e9\"\u00e9\"");
  EXPECT_EQ(directory_of("'''\u00e9''\u00e9'''"), "\u00e9''\u00e9");
  EXPECT_EQ(parse_config(file, "run.toml", {"output.directory=\u00e9"}).output.directory, "\u00e9");
}

TEST(Config, NeedsExactlyOneSourceOfParticles) {
  expect_in(error_of("[time]\nend = 1.0\n"), {"run.toml", "[initial_conditions] needs", "file", "generator", "plummer"});
  expect_in(error_of(short_file, {"initial_conditions.generator=plummer"}), {"not both"});
  expect_in(error_of(short_file, {"initial_conditions.n=10"}), {"initial_conditions.n = 10", "for generators"});
}

TEST(Config, AFileMustHaveAName) {
  expect_in(error_of("", {"initial_conditions.file="}), {"initial_conditions.file = ", "must name a file"});
}

TEST(Config, FieldsToWriteMayBeNone) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[output]\nfields = ";
  EXPECT_EQ(parse_config(file + "\"\"\n", "run.toml", {}).output.fields, "");
  EXPECT_EQ(parse_config(file + "\" work \"\n", "run.toml", {}).output.field_choice().further, std::vector<std::string>{"work"});
  EXPECT_EQ(parse_config(file + "\"work\"\n", "run.toml", {"output.fields="}).output.fields, "");
}

TEST(Config, FieldsToWriteMustBeATextThatNamesFields) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[output]\nfields = ";
  for (const std::string value : {"[\"work\"]", "5", "true", "1.5", "2020-01-01", "{a = 1}"})
    expect_in(error_of(file + value + "\n"), {"run.toml:4: output.fields", "must be"});
  for (const std::string value : {"\"spin\"", "\"work,\"", "\",\"", "\"position\""})
    expect_in(error_of(file + value + "\n"), {"run.toml:4: output.fields", "work"});
  expect_in(error_of(file + "\"work\"\n", {"gravity.method=direct"}), {"run.toml:4: output.fields", "direct"});
}

TEST(Config, AListOfFilesIsNoFile) {
  expect_in(error_of("[initial_conditions]\nfile = [\"p.0.hdf5\", \"p.1.hdf5\"]\n"), {"run.toml:2: initial_conditions.file", "must be"});
}

TEST(Config, KeysOfOtherGeneratorsNameTheirOwner) {
  expect_in(error_of_override("initial_conditions.pericentre=1"), {"pericentre", "belongs to generator merger", "generator plummer"});
  expect_in(error_of(short_file, {"initial_conditions.side=1"}), {"belongs to generator uniform_cube", "a file"});
  expect_in(error_of_override("initial_conditions.scale_radios=1"), {"did you mean scale_radius?"});
}

TEST(Config, GeneratorParametersThatDoNotGoTogetherNameTheKey) {
  const std::string merger = "[initial_conditions]\ngenerator = \"merger\"\n";
  expect_in(error_of(merger, {"initial_conditions.separation=0.5"}), {"initial_conditions.separation = 0.5", ">= pericentre = 1"});
  expect_in(error_of(merger, {"initial_conditions.eccentricity=0.5"}), {"run.toml", "separation = 10.0 (the default)", "apocentre"});
  expect_in(error_of(merger, {"initial_conditions.pericentre=0", "initial_conditions.eccentricity=2"}), {"pericentre = 0"});
  expect_in(error_of(merger, {"initial_conditions.n=1"}), {"initial_conditions.n = 1", "at least 2"});
}

TEST(Config, OverridesReplaceTheFileAndTakeBareTexts) {
  const Config config = parse_config(short_file, "run.toml",
                                     {"gravity.opening=geometric", "gravity.theta = 1", "output.directory=runs/7", "time.dt=0.25",
                                      "time.dt=0.125", "initial_conditions.file=a=b.tab", "output.order=\"morton\""});
  EXPECT_EQ(config.gravity.opening, "geometric");
  EXPECT_EQ(config.gravity.theta, 1.0);
  EXPECT_EQ(config.output.directory, "runs/7");
  EXPECT_EQ(config.time.dt, 0.125);
  EXPECT_EQ(config.initial_conditions.file, "a=b.tab");
  EXPECT_EQ(config.output.order, "morton");
  EXPECT_EQ(parse_config(short_file, "run.toml", {"output.directory=2026"}).output.directory, "2026");
  for (const char* wrong : {"theta=1", "gravity.theta", ".theta=1", "gravity.=1", "", "="})
    expect_in(error_of_override(wrong), {"section.key=value"});
}

TEST(Config, ThetaNeedsTheCriterionItIsFor) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[gravity]\n", theta = "gravity.theta=0.7";
  expect_in(error_of(file + "theta = 0.5\n"),
            {"run.toml:4: gravity.theta = 0.5: with gravity.opening = \"relative\" (the default)", "gravity.tolerance", "gravity.opening"});
  expect_in(error_of(file, {theta}), {"command line: gravity.theta = 0.7: ", "(the default)", "first forces alone"});
  expect_in(error_of(file, {theta, "gravity.method=tree"}), {"gravity.theta = 0.7"});
  expect_in(error_of(file + "opening = \"relative\"\n", {theta}), {"gravity.theta = 0.7: with gravity.opening = \"relative\" it is"});
  EXPECT_EQ(parse_config(file + "opening = \"relative\"\ntheta = 0.5\n", "run.toml", {}).gravity.theta, 0.5);
  EXPECT_EQ(parse_config(file, "run.toml", {theta, "gravity.opening=relative"}).gravity.theta, 0.7);
  EXPECT_EQ(parse_config(file, "run.toml", {theta, "gravity.opening=barnes"}).gravity.theta, 0.7);
  EXPECT_EQ(parse_config(file + "theta = 0.5\n", "run.toml", {"gravity.opening=relative"}).gravity.theta, 0.5);
  EXPECT_EQ(error_of(file + "theta = 0.5\n", {"gravity.method=direct"}), "") << "direct takes no notice of it";
}

TEST(Config, KeysWithoutEffectMustGo) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[gravity]\n";
  expect_in(error_of(file + "opening = \"barnes\"\ntolerance = 0.01\n"),
            {"run.toml:5: gravity.tolerance = 0.01: with gravity.opening = \"barnes\" it has no effect and must go"});
  expect_in(error_of(file + "opening = \"barnes\"\n", {"gravity.tolerance=0.01"}), {"command line: gravity.tolerance = 0.01: "});
  expect_in(error_of(file, {"gravity.tolerance=0.01", "gravity.opening=geometric"}), {"gravity.tolerance = 0.01: "});
  expect_in(error_of(file + "method = \"tree\"\norder = 5\n"),
            {"run.toml:5: gravity.order = 5: with gravity.method = \"tree\" it has no effect and must go"});
  const std::string used = "tolerance = 0.01\norder = 5\nopening = \"relative\"\ntheta = 0.5\n";
  EXPECT_EQ(error_of(file + used, {"gravity.method=direct"}), "");
  for (const std::string key : {"tolerance=0.01", "order=5", "opening=\"barnes\"", "theta=0.5"}) {
    SCOPED_TRACE(key);
    expect_in(error_of(file + "method = \"direct\"\n" + key + "\n"),
              {"run.toml:5", "with gravity.method = \"direct\" it has no effect and must go"});
    expect_in(error_of(file, {"gravity.method=direct", "gravity." + key}), {"command line: gravity.", "it has no effect and must go"});
  }
  for (const std::string key : {"snapshot_every=0.5", "order=\"morton\"", "in_background=\"no\"", "fields=\"work\"", "checkpoints=\"yes\"",
                                "checkpoint_minutes=5.0", "checkpoint_steps=7"}) {
    SCOPED_TRACE(key);
    const std::string output = "[initial_conditions]\ngenerator = \"plummer\"\n[output]\n";
    expect_in(error_of(output + "snapshots = \"none\"\n" + key + "\n"),
              {"run.toml:5", "with output.snapshots = \"none\" it has no effect and must go"});
    EXPECT_EQ(error_of(output + key + "\n", {"output.snapshots=none"}), "");
  }
  // What the file says for its own choice does not stand in the way of another one on the command line.
  const Config config = parse_config(file + "tolerance = 0.01\norder = 5\n", "run.toml", {"gravity.method=tree", "gravity.opening=barnes"});
  EXPECT_EQ(config.gravity.tolerance, GravityParameters{}.tolerance);
  EXPECT_EQ(config.gravity.order, GravityParameters{}.order);
  const std::string printed = print_config(config);
  expect_in(printed, {"\n# tolerance = ", "\n# order = 4", "\ntheta = "});
  EXPECT_EQ(print_config(parse_config(printed, "again.toml", {})), printed);
}

// The Config that overrides make of the keys of another table.
Config config_of(const ConfigTable& table, const std::vector<std::string>& overrides) {
  std::vector<GivenSetting> given{read_override("initial_conditions.generator=plummer")};
  for (const std::string& text : overrides) given.push_back(read_override(text));
  return build_config("run.toml", {}, given, table);
}

std::string error_of_table(const ConfigTable& table, const std::vector<std::string>& overrides) {
  try {
    config_of(table, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Config, AnOpeningCriterionMayHaveAParameterOfItsOwn) {
  ConfigTable table = config_table();
  table.settings.push_back(gravity_parameter({"scratch_alpha", 0.5, {0.0, 1.0}, "a meaning"}, {"opening", {"barnes", "geometric"}}));
  const std::string barnes = "gravity.opening=barnes";
  EXPECT_EQ(config_of(table, {barnes}).gravity.parameter("scratch_alpha"), 0.5);
  EXPECT_EQ(config_of(table, {}).gravity.parameter("scratch_alpha"), 0.5);
  const Config config = config_of(table, {barnes, "gravity.scratch_alpha=0.1"});
  EXPECT_EQ(config.gravity.parameter("scratch_alpha"), 0.1);
  expect_in(error_of_table(table, {barnes, "gravity.scratch_alpha=2"}), {"gravity.scratch_alpha = 2: must be a number >= 0 and <= 1"});
  expect_in(error_of_table(table, {"gravity.scratch_alpha=0.1"}),
            {"gravity.scratch_alpha = 0.1: with gravity.opening = \"relative\" (the default) it has no"});
  const std::string printed = print_config(config, table);
  expect_in(printed, {"\nscratch_alpha = 0.1 ", "# a meaning (a number >= 0 and <= 1; only with opening = barnes or geometric)"});
  EXPECT_EQ(print_config(build_config("again", read_toml(printed, "again"), {}, table), table), printed);
  expect_in(print_config(Config{}, table), {"\n# scratch_alpha = 0.5 "});
}

TEST(Config, AMissingParameterOfGravityIsAnErrorOrHasADefault) {
  EXPECT_THROW(GravityParameters{}.parameter("scratch_alpha"), std::logic_error);
  EXPECT_EQ(GravityParameters{}.parameter("scratch_alpha", 0.5), 0.5);
}

TEST(Config, AnIntegratorMayHaveKeysOfItsOwn) {
  ConfigTable table = config_table();
  for (ConfigSetting& row : table.settings) {
    if (row.setting.name == "integrator") row.setting.allowed.push_back("scratch");
  }
  table.choices.back().rows.push_back({"scratch", "for a test", "", {{"scratch_stages", 3.0, positive, "number of stages"}}});
  const std::string scratch = "time.integrator=scratch";
  EXPECT_EQ(config_of(table, {scratch}).time.number("scratch_stages"), 3.0);
  const Config config = config_of(table, {"time.scratch_stages=7", scratch});
  EXPECT_EQ(config.time.integrator, "scratch");
  EXPECT_EQ(config.time.number("scratch_stages"), 7.0);
  EXPECT_THROW(config.time.text("scratch_stages"), std::logic_error);
  EXPECT_THROW(config.time.number("steps"), std::logic_error);
  expect_in(error_of_table(table, {scratch, "time.scratch_stages=0"}), {"time.scratch_stages = 0: must be a number > 0"});
  expect_in(error_of_table(table, {"time.scratch_stages=1"}), {"belongs to integrator scratch, but integrator leapfrog is chosen"});
  expect_in(error_of_table(table, {scratch, "time.scratch_stage=1"}), {"did you mean scratch_stages?"});
  const std::string printed = print_config(config, table);
  expect_in(printed, {"\nscratch_stages = 7.0 "});
  EXPECT_EQ(print_config(build_config("again", read_toml(printed, "again"), {}, table), table), printed);
  expect_in(print_config(Config{}, table), {"\n# scratch_stages = 3.0 "});
}

TEST(Config, WholeNumbersAndNumbersStandForEachOther) {
  const Config config = parse_config("[initial_conditions]\ngenerator = \"plummer\"\nn = 1e6\nmass = 3\n", "run.toml", {});
  EXPECT_EQ(config.initial_conditions.n, 1000000u);
  EXPECT_EQ(config.initial_conditions.number("mass"), 3.0);
}

TEST(Config, UnitsComeAllThreeOrNotAtAll) {
  expect_in(error_of_override("units.mass_in_g=2"), {"units.length_in_cm and units.velocity_in_cm_per_s"});
}

TEST(Config, PhysicalGIsComputedFromTheUnits) {
  EXPECT_NEAR(parse_config(short_file, "run.toml", {"gravity.G=cgs"}).gravity.G, 43021, 5);
  expect_in(error_of_override("gravity.G=cgs"), {"gravity.G", "needs physical units"});
}

TEST(Config, SofteningMayBeATableByComponent) {
  const std::string plummer = "[initial_conditions]\ngenerator = \"plummer\"\n";
  const std::map<std::string, double> lengths{{"disc", 0.4}, {"galaxy 1", 2.0}, {"halo", 1.0}};
  const Config config = parse_config(plummer + "[gravity]\nsoftening = {halo = 1, disc = 0.4, \"galaxy 1\" = 2.0}\n", "run.toml", {});
  EXPECT_EQ(config.gravity.softening_of_component, lengths);
  EXPECT_EQ(config.gravity.softening, 2.0);
  // As the program prints it, and as a section, which TOML takes for the same.
  EXPECT_EQ(parse_config(print_config(config), "printed", {}).gravity.softening_of_component, lengths);
  EXPECT_EQ(parse_config(plummer + "[gravity.softening]\nhalo = 1\ndisc = 0.4\n\"galaxy 1\" = 2\n", "", {}).gravity.softening_of_component,
            lengths);
  const Config overridden = parse_config(plummer + "[gravity]\nsoftening = 0.1\n", "", {"gravity.softening={halo=0.3}"});
  EXPECT_EQ(overridden.gravity.softening_of_component, (std::map<std::string, double>{{"halo", 0.3}}));
  const Config back = parse_config(plummer + "[gravity]\nsoftening = {halo = 0.1}\n", "", {"gravity.softening=0.2"});
  EXPECT_TRUE(back.gravity.softening_of_component.empty());
  EXPECT_EQ(back.gravity.softening, 0.2);
}

TEST(Config, TablesOfSofteningHaveLengthsThatCanBe) {
  const std::string start = "[initial_conditions]\ngenerator = \"plummer\"\n";
  for (const std::string bad : {"{}", "{halo = {disc = 1.0}}", "[1.0, 2.0]"}) {
    SCOPED_TRACE(bad);
    expect_in(error_of(start + "[gravity]\nsoftening = " + bad + "\n"), {"gravity.softening", "one for each component"});
  }
  for (const std::string bad : {"halo = -1.0", "halo = \"wide\"", "halo = nan", "halo = \"1 kpc\"", "halo = \"1 Myr\""}) {
    SCOPED_TRACE(bad);
    expect_in(error_of(start + "[gravity]\nsoftening = {disc = 1, " + bad + "}\n"),
              {"run.toml:4: gravity.softening = {disc = 1.0, ", "}: " + bad + ": "});
  }
  expect_in(error_of(start + "[gravity]\ntheta = {halo = 1.0}\n"), {"gravity.theta", "a number"});
}

TEST(Config, WhatWasMeantAsTomlSaysWhyItIsNone) {
  const std::string key = "gravity.softening=";
  for (const std::string bad : {"{halo=1,disc=.4}", "{halo=1,halo=2}", "{halo 1 = 0.2}", "{halo = 1", "[1,", "\"50 pc"}) {
    SCOPED_TRACE(bad);
    const std::string error = error_of_override(key + bad);
    expect_in(error, {"command line: gravity.softening = " + bad + ": not valid TOML: "});
    EXPECT_EQ(error.find("is no unit"), std::string::npos) << error;
  }
  expect_in(error_of_override("time.dt={1"), {"time.dt = {1: not valid TOML"});
  const Config config = parse_config("", "", {"initial_conditions.generator=plummer", key + "{\"halo 1\" = 0.2}", "output.directory={a"});
  EXPECT_EQ(config.gravity.softening_of_component.at("halo 1"), 0.2);
  EXPECT_EQ(config.output.directory, "{a") << "texts may be anything";
}

TEST(Config, PrintedConfigurationReadsBackTheSame) {
  const std::vector<std::vector<std::string>> cases = {
      {"initial_conditions.file=an \"odd\" \\ name.tab", "gravity.opening=barnes", "gravity.theta=0.1234567890123456",
       "gravity.softening=1e-300"},
      {"initial_conditions.generator=plummer", "gravity.tolerance=3.3333333333333335e-7", "gravity.order=5"},
      {"initial_conditions.generator=merger", "initial_conditions.model=hernquist", "initial_conditions.mass_ratio=0.333333333333333314",
       "initial_conditions.seed=9000000000000000000", "gravity.G=cgs", "units.length_in_cm=3.0857e21", "units.mass_in_g=1.989e43",
       "units.velocity_in_cm_per_s=1e5", "time.begin=-1e22", "time.end=1e22", "time.dt=1e20"},
      {"initial_conditions.generator=uniform_cube", "initial_conditions.side=7"}};
  for (const auto& overrides : cases) {
    const Config first = parse_config("", "first", overrides);
    const Config second = parse_config(print_config(first), "second", {});
    EXPECT_EQ(first.initial_conditions.parameters, second.initial_conditions.parameters);
    EXPECT_EQ(first.initial_conditions.generator, second.initial_conditions.generator);
    for (const ConfigSetting& row : config_table().settings) {
      if (belongs_to_generators(row) && first.initial_conditions.generator.empty()) continue;
      EXPECT_EQ(row.get(first), row.get(second)) << row.section << "." << row.setting.name;
    }
  }
}

TEST(Config, AnExternalPotentialInPhysicalUnitsNeedsAMass) {
  const std::string text = "[initial_conditions]\ngenerator = \"plummer\"\n[external_2]\npotential = \"nfw\"\n";
  EXPECT_EQ(parse_config(text, "test", {}).external_2.number("mass"), 1);
  const std::string physical = text + "[units]\nsystem = \"kpc, km/s, 1e10 Msun\"\n";
  EXPECT_EQ(parse_config(physical, "test", {"external_2.mass=80"}).external_2.number("mass"), 80);
  try {
    parse_config(physical, "test", {});
    FAIL();
  } catch (const ConfigError& error) {
    expect_in(error.what(), {"external_2.mass", "must be given: the run has physical units"});
  }
}

TEST(Config, PrintedConfigurationShowsEveryKeyWithItsMeaning) {
  const std::string text = print_config(Config{});
  for (const ConfigSetting& row : config_table().settings) expect_in(text, {row.setting.name + " = ", row.setting.meaning});
  for (const Generator& generator : generators()) {
    for (const Setting& setting : generator.settings) expect_in(text, {setting.name + " = ", setting.meaning});
  }
  for (const IntegratorInfo& integrator : integrator_infos()) expect_in(text, {"# " + integrator.name + ": " + integrator.meaning});
}

TEST(ConfigTable, KeysAreUniqueAndHaveAMeaning) {
  std::set<std::string> seen;
  for (const ConfigSetting& row : config_table().settings) {
    EXPECT_TRUE(seen.insert(row.section + "." + row.setting.name).second) << row.setting.name;
    EXPECT_FALSE(row.setting.meaning.empty()) << row.setting.name;
  }
  for (const ConfigChoice& choice : config_table().choices) {
    for (const ConfigChoice::Row& row : choice.rows) {
      for (const Setting& setting : row.settings) EXPECT_EQ(seen.count(choice.section + "." + setting.name), 0u) << setting.name;
    }
  }
}

TEST(ConfigTable, ConditionsNameTextsOfTheirSectionAndAllowedValues) {
  for (const ConfigSetting& row : config_table().settings) {
    if (!row.only_with) continue;
    const ConfigSetting* other = config_table().find(row.section, row.only_with->name);
    ASSERT_NE(other, nullptr) << row.setting.name;
    // Conditions of conditions come to an end.
    std::size_t links = 0;
    for (; other->only_with && links < config_table().settings.size(); ++links)
      other = config_table().find(row.section, other->only_with->name);
    EXPECT_LT(links, config_table().settings.size()) << row.setting.name;
    other = config_table().find(row.section, row.only_with->name);
    for (const std::string& value : row.only_with->values)
      EXPECT_NE(std::find(other->setting.allowed.begin(), other->setting.allowed.end(), value), other->setting.allowed.end()) << value;
  }
}

TEST(ConfigTable, SecondConditionsNameTextsOfAnySectionAndAllowedValues) {
  int count = 0;
  for (const ConfigSetting& row : config_table().settings) {
    if (!row.also_with) continue;
    ++count;
    const ConfigSetting* other = config_table().find(row.section_of(*row.also_with), row.also_with->name);
    ASSERT_NE(other, nullptr) << row.setting.name;
    EXPECT_FALSE(other->only_with || other->also_with) << row.setting.name;
    EXPECT_FALSE(row.also_with->values.empty());
    for (const std::string& value : row.also_with->values)
      EXPECT_NE(std::find(other->setting.allowed.begin(), other->setting.allowed.end(), value), other->setting.allowed.end()) << value;
  }
  EXPECT_EQ(count, 1);
}

TEST(Config, TreesForSeveralStepsAreForTreesAndEvenSteps) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n";
  expect_in(error_of(file + "[gravity]\nsteps_per_tree = 4\n[time]\nintegrator = \"yoshida4\"\n"),
            {"steps_per_tree = 4", "time.integrator = \"yoshida4\"", "no effect"});
  expect_in(error_of(file + "[gravity]\nsteps_per_tree = 4\nmethod = \"direct\"\n"),
            {"steps_per_tree = 4", "gravity.method = \"direct\"", "no effect"});
  expect_in(error_of_override("gravity.steps_per_tree=0"), {"steps_per_tree", "a whole number >= 1"});
  const Config config = parse_config(file + "[gravity]\nsteps_per_tree = 4\n", "run.toml", {"time.integrator=yoshida4"});
  EXPECT_EQ(config.gravity.steps_per_tree, 32U);
  // What is printed can be read.
  EXPECT_EQ(print_config(parse_config(print_config(config), "printed.toml", {})), print_config(config));
}

TEST(Config, TheShortestStepGoesWithTheStepsThatAreChosen) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[gravity]\nsoftening = 0.1\n[time]\ndt_min = 1e-4\n";
  expect_in(error_of(file), {"time.dt_min", "no effect", "time.error"});
  const std::string block = file + "steps = \"block\"\n", pair = file + "integrator = \"dormand_prince\"\nerror = 1e-8\n";
  EXPECT_EQ(parse_config(block, "run.toml", {}).time.dt_min, 1e-4);
  EXPECT_EQ(parse_config(pair, "run.toml", {}).time.dt_min, 1e-4);
  expect_in(error_of(block + "dt = 9e-5\n"), {"time.dt_min", "must not be longer than time.dt, the longest step"});
  EXPECT_EQ(parse_config(block + "dt = 1e-4\n", "run.toml", {}).time.dt, 1e-4);
  for (const auto& [text, changed] :
       {std::pair{block, "time.steps=shared"}, std::pair{block, "time.integrator=rk4"}, std::pair{pair, "time.error=0"}}) {
    const Config config = parse_config(text, "run.toml", {changed});
    EXPECT_EQ(config.time.dt_min, 0) << changed;
    EXPECT_EQ(print_config(parse_config(print_config(config), "printed.toml", {})), print_config(config));
  }
}

TEST(Config, SubstepsAreAPowerOfTwoOfSharedSteps) {
  const std::string file = "[initial_conditions]\ngenerator = \"plummer\"\n[time]\n";
  EXPECT_EQ(parse_config(file + "substeps = 16\n", "run.toml", {}).time.substeps, 16U);
  expect_in(error_of(file + "substeps = 12\n"), {"time.substeps", "12", "power of two"});
  expect_in(error_of(file + "substeps = 4\nsteps = \"block\"\n"), {"time.substeps", "time.steps", "no effect"});
  expect_in(error_of(file + "substeps = 4\nintegrator = \"rk4\"\n"), {"time.substeps", "time.integrator", "no effect"});
  EXPECT_EQ(parse_config(file + "substeps = 4\n", "run.toml", {"time.steps=block"}).time.substeps, 1U);
  EXPECT_EQ(parse_config(file + "substeps = 4\ncore_up_to = 0\n", "run.toml", {}).time.core_up_to, 0U);
  expect_in(error_of(file + "core_up_to = 0\n"), {"time.core_up_to", "no effect", "time.substeps"});
  EXPECT_EQ(parse_config(file + "substeps = 4\ncore_up_to = 0\n", "run.toml", {"time.substeps=1"}).time.core_up_to, 8192U);
}

TEST(ConfigTable, NearestNameIsNoneWhenNoneIsNear) {
  EXPECT_EQ(nearest_name("sofening", {"softening", "softening_kernel"}), "softening");
  EXPECT_EQ(nearest_name("colour", {"theta", "softening"}), "");
}

}  // namespace
}  // namespace grove
