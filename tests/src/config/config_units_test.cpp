// What a configuration says of units, and what follows: G, times and lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/formats/reader.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/config/config_print.hpp"
#include "src/config/config_table.hpp"

namespace grove {
namespace {

const std::string plummer = "[initial_conditions]\ngenerator = \"plummer\"\n";
const std::string of_file = "[initial_conditions]\nfile = \"galaxy.hdf5\"\n";
const std::string galactic = "units.system=kpc, km/s, 1e10 Msun";
const std::vector<std::string> gadget = {"units.length_in_cm=3.085678e21", "units.mass_in_g=1.989e43", "units.velocity_in_cm_per_s=1e5"};

Config config_of(const std::vector<std::string>& overrides, const std::string& text = plummer, const ReadInfo* in_file = nullptr) {
  return parse_config(text, "run.toml", overrides, in_file);
}

std::string error_of(const std::vector<std::string>& overrides, const std::string& text = plummer, const ReadInfo* in_file = nullptr) {
  try {
    config_of(overrides, text, in_file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void expect_in(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
}

/// The input file whose units or time the configuration takes; empty: none.
std::string file_to_ask(const std::string& text, const std::vector<std::string>& overrides) {
  const GivenInput given = given_input(text, "run.toml", overrides);
  return given.is_asked ? *given.file.text() : "";
}

ReadInfo info_with(const UnitSystem& units) {
  ReadInfo info;
  info.format = "a format";
  info.units = units;
  return info;
}

TEST(ConfigUnits, GIsThePhysicalConstantInPhysicalUnitsUnlessItIsGiven) {
  EXPECT_NEAR(config_of(gadget).gravity.G, 43021, 5);
  EXPECT_NEAR(config_of({galactic}).gravity.G, 43009.17, 0.01);
  EXPECT_EQ(config_of({galactic, "gravity.G=cgs"}).gravity.G, config_of({galactic}).gravity.G);
  EXPECT_EQ(config_of({galactic, "gravity.G=1"}).gravity.G, 1);
  EXPECT_EQ(config_of({}).gravity.G, 1);
  EXPECT_EQ(config_of({"units.length_in_cm=1", "units.mass_in_g=1", "units.velocity_in_cm_per_s=1"}).gravity.G, 1) << "N-body units";
}

TEST(ConfigUnits, APrintedConfigurationKeepsItsG) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{galactic}, {galactic, "gravity.G=1", "time.end=3 Gyr", "time.dt=1 Myr"}}) {
    const Config first = config_of(overrides);
    const Config again = parse_config(print_config(first), "again.toml", {});
    EXPECT_EQ(first.gravity.G, again.gravity.G);
    EXPECT_EQ(first.time.end, again.time.end);
    EXPECT_EQ(first.time.dt, again.time.dt);
    EXPECT_EQ(first.units.length_in_cm, again.units.length_in_cm);
    EXPECT_EQ(print_config(first), print_config(again));
  }
}

TEST(ConfigUnits, TwoWaysToSayThemAreOneTooMany) {
  std::vector<std::string> both = gadget;
  both.push_back(galactic);
  expect_in(error_of(both), {"units.system = ", "says all three units", "must go"});
  const std::string three = plummer + "[units]\nlength_in_cm = 2\nmass_in_g = 3\nvelocity_in_cm_per_s = 4\n";
  expect_in(error_of({}, three + "system = \"kpc, km/s, Msun\"\n"), {"run.toml:7", "must go"});
  // The command line wins over the file.
  EXPECT_EQ(config_of({galactic}, three).units.velocity_in_cm_per_s, 1e5);
  EXPECT_EQ(config_of(gadget, plummer + "[units]\nsystem = \"pc, km/s, Msun\"\n").units.length_in_cm, 3.085678e21);
}

TEST(ConfigUnits, TimesAndLengthsMayHaveUnits) {
  const Config config = config_of(
      {galactic, "time.begin=-1 Gyr", "time.end=3 Gyr", "time.dt=1 Myr", "output.snapshot_every=100 Myr", "gravity.softening=50 pc"});
  EXPECT_NEAR(config.time.begin, -1.0227, 1e-4);
  EXPECT_NEAR(config.time.end, 3.0681, 1e-4);
  EXPECT_NEAR(config.time.dt, 1.0227e-3, 1e-7);
  EXPECT_NEAR(config.output.snapshot_every, 0.10227, 1e-5);
  EXPECT_NEAR(config.gravity.softening, 0.05, 1e-15);
}

TEST(ConfigUnits, MessagesTellTheStepInAUnitOfTime) {
  const auto told = [](const Config& config) { return config.time.unit_of_dt.text(config.time.dt); };
  EXPECT_EQ(told(config_of({galactic, "time.dt=2 Myr", "time.end=100 Myr"})), "2 Myr");
  EXPECT_EQ(told(config_of({"units.system=kpc, Gyr, 1e10 Msun", "time.dt=1", "time.end=5"})), "1 Gyr");
  EXPECT_EQ(told(config_of({"units.system=kpc, Gyr, 1e10 Msun", "time.dt=0.002", "time.end=5"})), "0.002 Gyr");
  EXPECT_EQ(told(config_of({galactic, "time.dt=0.002", "time.end=5"})), "0.002") << "of units of 0.978 Gyr";
  EXPECT_EQ(told(config_of({"time.dt=0.5", "time.end=5"})), "0.5");
}

TEST(ConfigUnits, EveryKeyWithADimensionTakesUnits) {
  const std::vector<std::string> names = {"length", "mass", "time", "velocity"}, examples = {"2 kpc", "3e10 Msun", "2 s", "4 km/s"};
  // In these units a kpc, 1e10 Msun and a km/s are 1.
  const std::vector<double> expected = {2, 3, 2 / config_of({galactic}).units.time_in_s(), 4};
  const std::set<std::string> bare = {"n",
                                      "seed",
                                      "mass_ratio",
                                      "size_ratio",
                                      "eccentricity",
                                      "virial_ratio",
                                      "disc_mass",
                                      "disc_particles",
                                      "height",
                                      "toomre_q",
                                      "halo_radius",
                                      "inclination_1",
                                      "node_1",
                                      "inclination_2",
                                      "node_2",
                                      "concentration",
                                      "flattening",
                                      "taper",
                                      "anisotropy",
                                      "alpha",
                                      "beta",
                                      "gamma",
                                      "index",
                                      "w0",
                                      "coulomb_logarithm",
                                      "exponent",
                                      "error"};
  std::size_t seen = 0;
  for (const ConfigChoice& choice : config_table().choices)
    for (const ConfigChoice::Row& row : choice.rows)
      for (const Setting& setting : row.settings) {
        if (!std::holds_alternative<double>(setting.default_value) || bare.contains(setting.name)) continue;
        SCOPED_TRACE(row.name + " " + setting.name);
        ASSERT_NE(setting.dimension, Dimension::none);
        const auto which = static_cast<std::size_t>(setting.dimension) - 1;
        std::vector<std::string> given{galactic, choice.section + "." + choice.name + "=" + row.name};
        // What must be given.
        const bool has_mass = std::any_of(row.settings.begin(), row.settings.end(), [](const Setting& one) { return one.name == "mass"; });
        if (row.name == "table") given.push_back(choice.section + ".density_file=density.csv");
        if (has_mass && setting.name != "mass") given.push_back(choice.section + ".mass=1e10 Msun");
        given.push_back(choice.section + "." + setting.name + "=" + examples[which]);
        Config config = config_of(given);
        EXPECT_NEAR(std::get<double>(choice.values(config).at(setting.name)) / expected[which], 1, 1e-12);
        given.back() = choice.section + "." + setting.name + "=" + examples[(which + 1) % 4];
        expect_in(error_of(given),
                  {choice.section + "." + setting.name, "measures something else", names[which] == "velocity" ? "km/s" : "unit"});
        ++seen;
      }
  EXPECT_GT(seen, 40U);
}

TEST(ConfigUnits, EntriesOfATableMayHaveUnits) {
  const NumberTable lengths{{"disc", 0.4}, {"halo", 1}, {"halo 1", 0.05}};
  for (const Config& config :
       {config_of({galactic, "gravity.softening={disc = 0.4, halo = \"1 kpc\", \"halo 1\" = \"50 pc\"}"}),
        config_of({galactic}, plummer + "[gravity.softening]\ndisc = \"400 pc\"\nhalo = 1\n\"halo 1\" = \"0.05 kpc\"\n")}) {
    ASSERT_EQ(config.gravity.softening_of_component.size(), 3U);
    for (const auto& [name, length] : lengths) EXPECT_NEAR(config.gravity.softening_of_component.at(name), length, 1e-14) << name;
  }
  expect_in(error_of({galactic, "gravity.softening={disc = \"0.4 kpx\", halo = \"1 kpc\"}"}),
            {"disc = \"0.4 kpx\": ", "is no unit (did you mean kpc?)"});
  expect_in(error_of({"gravity.softening={disc = \"0.4 kpc\", halo = 1}"}), {"disc = \"0.4 kpc\": ", "N-body units"});
}

TEST(ConfigUnits, TheUnitOfTheStepIsKeptForAnswers) {
  EXPECT_STREQ(config_of({galactic, "time.dt=3 Myr"}).time.unit_of_dt.name, "Myr");
  EXPECT_STREQ(config_of({galactic, "time.dt=0.01"}).time.unit_of_dt.name, "");
  EXPECT_EQ(config_of({}).time.unit_of_dt.in_code_units, 1);
}

TEST(ConfigUnits, UnitsThatMakeNoSenseNameTheKey) {
  expect_in(error_of({"time.end=3 Gyr"}), {"command line: time.end = \"3 Gyr\"", "N-body units", "units.system"});
  expect_in(error_of({galactic, "time.dt=-1 Myr"}), {"time.dt = \"-1 Myr\"", "must be a number > 0"});
  expect_in(error_of({galactic, "gravity.softening=5 Myr"}), {"gravity.softening = \"5 Myr\"", "pc, kpc"});
  expect_in(error_of({}, plummer + "[time]\nend = \"3 weeks\"\n[units]\nsystem = \"kpc, km/s, Msun\"\n"),
            {"run.toml:4: time.end", "weeks"});
  expect_in(error_of({"units.system=kpc, km/s"}), {"units.system = \"kpc, km/s\"", "a unit of mass"});
  expect_in(error_of({"units.sytem=kpc, km/s"}), {"did you mean system?"});
  expect_in(error_of({"units.length_in_cm=1e-200", "units.mass_in_g=1e200", "units.velocity_in_cm_per_s=1e5"}),
            {"[units]", "gravitational constant"});
}

TEST(ConfigUnits, OfTheFileAreThoseThatItSays) {
  const ReadInfo info = info_with({1e21, 1e43, 1e5});
  for (const std::string& text : {"units = \"file\"\n" + of_file, of_file + "[units]\nsystem = \"file\"\n"}) {
    EXPECT_EQ(file_to_ask(text, {}), "galaxy.hdf5");
    EXPECT_EQ(file_to_ask(text, {"initial_conditions.file=other.hdf5"}), "other.hdf5");
    EXPECT_EQ(file_to_ask(text, {galactic}), "");
    const Config config = config_of({"time.end=1 Gyr"}, text, &info);
    EXPECT_EQ(config.units.length_in_cm, 1e21);
    EXPECT_NEAR(config.gravity.G, 6.6743e-8 * 1e43 / 1e21 / 1e10, 1e-6);
    EXPECT_EQ(print_config(parse_config(print_config(config), "again.toml", {})), print_config(config)) << "without the file";
  }
}

TEST(ConfigUnits, OfAFileWithoutAnyAreAnError) {
  ReadInfo silent;
  silent.format = "text table";
  expect_in(error_of({"units.system=file"}, of_file, &silent), {"galaxy.hdf5 (text table) does not say its units", "units.system ="});
  expect_in(error_of({"units.system=file"}), {"units.system = \"file\"", "generator"});
  for (const UnitSystem& wrong : {UnitSystem{-1, 1, 1}, UnitSystem{NAN, 1, 1}, UnitSystem{1, 0, 1}, UnitSystem{1, 1, INFINITY}}) {
    const ReadInfo info = info_with(wrong);
    expect_in(error_of({"units.system=file"}, of_file, &info), {"galaxy.hdf5 says", "cannot be"});
  }
  const ReadInfo cgs = info_with({1, 1, 1});
  expect_in(error_of({"units.system=file"}, of_file, &cgs), {"galaxy.hdf5 says 1 cm, 1 g and 1 cm/s"});
}

TEST(ConfigUnits, OfAFileMayBeNBodyUnitsWithAGOfTheirOwn) {
  ReadInfo info = info_with({1, 1, 1});
  info.has_n_body_units = true;
  info.G = 2.5;
  EXPECT_EQ(config_of({"units.system=file"}, of_file, &info).gravity.G, 2.5);
  EXPECT_EQ(config_of({"units.system=file", "gravity.G=3"}, of_file, &info).gravity.G, 3);
  EXPECT_FALSE(error_of({"units.system=file", "gravity.G=cgs"}, of_file, &info).empty());
}

TEST(ConfigUnits, OfTheNumbersOfAFileAreThoseOfTheRunUnlessThatHasItsOwn) {
  const std::string numbers = "initial_conditions.units=pc, km/s, Msun";
  EXPECT_EQ(config_of({numbers}, of_file).units, config_of({"units.system=pc, km/s, Msun"}, of_file).units);
  EXPECT_EQ(config_of({numbers, galactic}, of_file).units, config_of({galactic}, of_file).units);
  ReadInfo silent;
  EXPECT_EQ(config_of({numbers, "units.system=file"}, of_file, &silent).units, config_of({"units.system=pc, km/s, Msun"}, of_file).units);
  const Config config = config_of({numbers, galactic}, of_file);
  EXPECT_EQ(print_config(parse_config(print_config(config), "again.toml", {})), print_config(config));
  expect_in(error_of({"initial_conditions.units=pc, km/s"}, of_file), {"initial_conditions.units = \"pc, km/s\"", "a unit of mass"});
  expect_in(error_of({numbers, "units.length_in_cm=1", "units.mass_in_g=1", "units.velocity_in_cm_per_s=1"}, of_file),
            {"initial_conditions.units", "N-body"});
  expect_in(error_of({numbers}), {"initial_conditions.units", "is for initial_conditions.file"});
  expect_in(error_of({"initial_conditions.renumber=true"}), {"initial_conditions.renumber", "is for initial_conditions.file"});
}

TEST(ConfigUnits, TheTimeOfTheFileIsTakenOnDemand) {
  ReadInfo info;
  info.format = "TIPSY binary";
  info.time = 2.5;
  const std::vector<std::string> asks = {"time.begin=file", "time.end=9"};
  EXPECT_EQ(file_to_ask(of_file, asks), "galaxy.hdf5");
  EXPECT_EQ(file_to_ask(of_file, {"time.begin=3"}), "");
  EXPECT_EQ(config_of(asks, of_file, &info).time.begin, 2.5);
  EXPECT_EQ(config_of({"time.end=9"}, of_file + "[time]\nbegin = \"file\"\n", &info).time.begin, 2.5);
  EXPECT_NEAR(config_of({"time.begin=file", "time.end=9", "initial_conditions.units=pc, km/s, Msun", galactic}, of_file, &info).time.begin,
              2.5e-3, 1e-12)
      << "converted";
  expect_in(error_of({"time.begin=file", "time.end=1"}, of_file, &info), {"time.end", "time.begin = 2.5"});
  info.time.reset();
  expect_in(error_of(asks, of_file, &info), {"time.begin = \"file\"", "galaxy.hdf5 (TIPSY binary) does not say its time"});
  expect_in(error_of({"time.begin=file"}), {"time.begin = \"file\"", "generator"});
}

}  // namespace
}  // namespace grove
