// Galaxies of components: sections, presets, overrides, units, softening, and the way back to a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/quantity.hpp"
#include "src/config/config_print.hpp"
#include "src/config/config_source.hpp"
#include "src/config/given_galaxies.hpp"
#include "src/run/files/same_on_all_ranks.hpp"
#include "src/run/resume/former_settings.hpp"

namespace grove {
namespace {

const std::string head = "[initial_conditions]\ngenerator = \"galaxy\"\n";

// Two components that are not sorted by name, in N-body units.
const std::string mine = head + R"([galaxies.mine]
x = 3.0
[galaxies.mine."stellar halo"]
kind = "hernquist"
mass = 0.5
scale_radius = 2.0
[galaxies.mine.bulge]
kind = "sersic"
mass = 1
index = 2.5
)";

const std::string with_preset = R"([initial_conditions]
generator = "galaxy"
galaxy = "mine"
[galaxies.mine]
preset = "milky_way"
vx = "100 km/s"
[galaxies.mine.bulge]
mass = "1.2e10 Msun"
[galaxies.mine."stellar halo"]
kind = "hernquist"
mass = "5e8 Msun"
scale_radius = "9 kpc"
)";

const std::string pc_units = "[units]\nsystem = \"pc, km/s, Msun\"\n";
const std::string n_body_units = "[units]\nlength_in_cm = 1\nmass_in_g = 1\nvelocity_in_cm_per_s = 1\n";

Config parse(const std::string& text, const std::vector<std::string>& overrides = {}) { return parse_config(text, "run.toml", overrides); }

const GalaxyParameters& only_galaxy(const Config& config) {
  EXPECT_EQ(config.initial_conditions.galaxies.size(), 1u);
  return config.initial_conditions.galaxies.at(0);
}

const ComponentParameters& component(const Config& config, const std::string& name) {
  const ComponentParameters* const found = find_named(only_galaxy(config).components, name);
  if (!found) throw std::out_of_range("no component " + name);
  return *found;
}

void expect_error(const std::string& text, const std::vector<std::string>& overrides, const std::vector<std::string>& parts) {
  try {
    parse(text, overrides);
    ADD_FAILURE() << "no error, although there must be one with: " << parts.front();
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
  }
}

void expect_same_after_printing(const Config& config) {
  const std::string text = print_config(config);
  EXPECT_TRUE(is_printed_config(text));
  const Config again = parse_config(text, "again.toml", {});
  EXPECT_EQ(print_config(again), text);
  EXPECT_EQ(effective_settings(again), effective_settings(config));
  ASSERT_EQ(again.initial_conditions.galaxies.size(), config.initial_conditions.galaxies.size());
  for (std::size_t g = 0; g < again.initial_conditions.galaxies.size(); ++g) {
    const GalaxyParameters &a = again.initial_conditions.galaxies[g], &b = config.initial_conditions.galaxies[g];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.place, b.place);
    ASSERT_EQ(names_of(a.components), names_of(b.components));
    for (std::size_t c = 0; c < a.components.size(); ++c) {
      EXPECT_EQ(a.components[c].kind, b.components[c].kind);
      EXPECT_EQ(a.components[c].values, b.components[c].values) << a.components[c].name;
    }
  }
}

TEST(GalaxiesConfig, AreSectionsInTheOrderOfTheFile) {
  const Config config = parse(mine);
  const GalaxyParameters& galaxy = only_galaxy(config);
  EXPECT_EQ(galaxy.name, "mine");
  EXPECT_EQ(galaxy.number("x"), 3.0);
  EXPECT_EQ(galaxy.number("inclination"), 0.0);
  EXPECT_EQ(names_of(galaxy.components), (std::vector<std::string>{"stellar halo", "bulge"}));
  EXPECT_EQ(component(config, "stellar halo").kind, "hernquist");
  EXPECT_EQ(component(config, "stellar halo").number("scale_radius"), 2.0);
  EXPECT_EQ(component(config, "bulge").number("index"), 2.5);
  EXPECT_EQ(component(config, "bulge").number("taper"), 40.0) << "the default of its kind";
  EXPECT_FALSE(is_physical(config.units));
}

TEST(GalaxiesConfig, DefaultsAreInRange) {
  const auto expect_good = [](const Setting& setting) {
    const Value& value = setting.default_value;
    GivenSetting given{"galaxies", setting.name, {}, to_toml(value), "test"};
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) given.value = static_cast<std::int64_t>(*whole);
    if (const auto* number = std::get_if<double>(&value)) given.value = *number;
    if (const auto* text = std::get_if<std::string>(&value)) given.value = *text;
    EXPECT_EQ(accept(setting, given, {}), value) << setting.name;
    EXPECT_FALSE(setting.meaning.empty()) << setting.name;
  };
  for (const ComponentKind& kind : component_kinds()) std::for_each(kind.settings.begin(), kind.settings.end(), expect_good);
  std::for_each(place_settings().begin(), place_settings().end(), expect_good);
}

TEST(GalaxiesConfig, MayStandInOneLineEach) {
  const Config config = parse(head + "[galaxies.a]\nzeta.kind = \"point\"\nzeta.mass = 1\nb = {kind = \"plummer\", mass = 2}\n");
  EXPECT_EQ(names_of(only_galaxy(config).components), (std::vector<std::string>{"zeta", "b"}));
  EXPECT_EQ(component(config, "b").number("mass"), 2.0);
}

TEST(GalaxiesConfig, APresetComesInTheUnitsOfTheRun) {
  for (const auto& [units, length, mass] : {std::tuple{std::string(), 1.0, 1e-10},
                                            {pc_units, 1e3, 1.0},
                                            {std::string("[units]\nsystem = \"kpc, Gyr, 1e5 Msun\"\n"), 1.0, 1e-5}}) {
    const Config config = parse("[initial_conditions]\ngenerator = \"galaxy\"\ngalaxy = \"milky_way\"\n" + units);
    const GalaxyPreset& preset = *find_named(galaxy_presets(), "milky_way");
    EXPECT_EQ(names_of(only_galaxy(config).components), names_of(preset.components));
    EXPECT_NEAR(component(config, "halo").number("density") / (8.54e6 * mass / std::pow(length, 3)), 1, 1e-13) << units;
    EXPECT_NEAR(component(config, "halo").number("scale_radius") / (19.6 * length), 1, 1e-13) << units;
    EXPECT_EQ(component(config, "halo").number("taper"), 12.0) << units;
    EXPECT_NEAR(component(config, "disc").number("mass") / (3.52e10 * mass), 1, 1e-13) << units;
    EXPECT_EQ(component(config, "thick disc").whole("type"), 4u);
    expect_same_after_printing(config);
  }
}

TEST(GalaxiesConfig, APresetWithoutUnitsMakesThemThoseOfGalaxies) {
  const Config config = parse(head + "galaxy = \"sagittarius\"\n");
  EXPECT_EQ(config.units, usual_units_of_galaxies());
  EXPECT_EQ(config.units, *read_unit_system("kpc, km/s, 1e10 Msun").value);
  EXPECT_NEAR(config.gravity.G, 43009.17, 0.01);
  EXPECT_NE(print_config(config).find("mass_in_g = " + to_toml(config.units.mass_in_g)), std::string::npos);
  expect_error(head + "galaxy = \"sagittarius\"\n" + n_body_units, {},
               {"run.toml:3:", "galaxy = \"sagittarius\"", "N-body units", "leave [units] out"});
  expect_error(with_preset + n_body_units, {}, {"run.toml:5:", "galaxies.mine.preset = \"milky_way\"", "N-body units"});
}

TEST(GalaxiesConfig, KeysChangeAndAddComponentsOfAPreset) {
  const Config config = parse(with_preset);
  EXPECT_EQ(names_of(only_galaxy(config).components),
            (std::vector<std::string>{"halo", "bulge", "disc", "thick disc", "black hole", "stellar halo"}));
  EXPECT_NEAR(component(config, "bulge").number("mass"), 1.2, 1e-13);
  EXPECT_NEAR(component(config, "bulge").number("scale_radius"), 0.5, 1e-14) << "that of the preset";
  EXPECT_NEAR(component(config, "stellar halo").number("mass"), 0.05, 1e-14);
  EXPECT_NEAR(only_galaxy(config).number("vx"), 100, 1e-10);
  expect_same_after_printing(config);
  expect_same_after_printing(parse(with_preset + pc_units));
}

TEST(GalaxiesConfig, AGivenMassTakesThePlaceOfADensityOfThePreset) {
  const Config config = parse(with_preset, {"galaxies.mine.halo.mass=100"});
  EXPECT_EQ(component(config, "halo").number("mass"), 100.0);
  EXPECT_EQ(component(config, "halo").number("density"), 0.0);
  expect_error(with_preset, {"galaxies.mine.halo.mass=100", "galaxies.mine.halo.circular_velocity=200"},
               {"command line: galaxies.mine.halo.mass = 100: must be left out where density or circular_velocity is given"});
  // The printed file names all three.
  EXPECT_EQ(component(parse(print_config(config), {"galaxies.mine.halo.density=\"0.00854 Msun/pc^3\""}), "halo").number("mass"), 0.0);
}

TEST(GalaxiesConfig, AnotherKindTakesNothingOfThePreset) {
  const Config config = parse(with_preset + "[galaxies.mine.halo]\nkind = \"hernquist\"\nmass = 120\nscale_radius = 30\n");
  EXPECT_EQ(component(config, "halo").kind, "hernquist");
  EXPECT_EQ(component(config, "halo").number("taper"), 100.0);
  expect_error(with_preset + "[galaxies.mine.halo]\nkind = \"hernquist\"\n", {},
               {"run.toml:13:", "galaxies.mine.halo.mass = 0.0 (not given)", "must be above 0"});
}

TEST(GalaxiesConfig, TheKindNoneLeavesAComponentOfThePresetOut) {
  const Config config = parse(with_preset + "[galaxies.mine.\"black hole\"]\nkind = \"none\"\n", {"galaxies.mine.bulge.kind=none"});
  EXPECT_EQ(names_of(only_galaxy(config).components), (std::vector<std::string>{"halo", "disc", "thick disc", "stellar halo"}));
  expect_same_after_printing(config);
  expect_error(with_preset + "[galaxies.mine.\"black hole\"]\nkind = \"none\"\nmass = 1\n", {},
               {"run.toml:15:", "mass = 1", "leaves the component out"});
  expect_error(with_preset + "[galaxies.mine.hole]\nkind = \"none\"\n", {}, {"run.toml:14:", "there is none of this name"});
  expect_error(head + "[galaxies.mine]\npreset = \"sagittarius\"\n", {"galaxies.mine.stars.kind=none"}, {"keep at least one"});
}

TEST(GalaxiesConfig, OverridesNameGalaxyComponentAndKey) {
  EXPECT_EQ(component(parse(with_preset, {"galaxies.mine.bulge.mass=2"}), "bulge").number("mass"), 2.0);
  EXPECT_EQ(component(parse(with_preset, {"galaxies.mine.\"stellar halo\".mass=2"}), "stellar halo").number("mass"), 2.0);
  EXPECT_EQ(component(parse(with_preset, {"galaxies.mine.stellar halo.mass = 2"}), "stellar halo").number("mass"), 2.0);
  EXPECT_EQ(only_galaxy(parse(mine, {"galaxies.mine.x=5"})).number("x"), 5.0);
  const std::vector<std::string> preset{"initial_conditions.generator=galaxy", "initial_conditions.galaxy=milky_way"};
  std::vector<std::string> changed = preset;
  changed.push_back("galaxies.milky_way.bulge.mass=2e10 Msun");
  EXPECT_NEAR(component(parse("", changed), "bulge").number("mass"), 2, 1e-13);
  EXPECT_EQ(only_galaxy(parse("", changed)).components.size(), 5u);
  const Config odd = parse(mine, {"galaxies.mine.\"a.b = \\\"c\\\"\".kind=point", "galaxies.mine.'a.b = \"c\"'.mass=1"});
  EXPECT_EQ(component(odd, "a.b = \"c\"").kind, "point");
  expect_same_after_printing(odd);
}

TEST(GalaxiesConfig, OverridesThatAreNoneSayTheirForm) {
  for (const char* text :
       {"galaxies=1", "galaxies.mine=1", "galaxies.mine.a.b.c=1", "galaxies.mine.\"bulge.mass=1", "galaxies.mine.bulge.mass"})
    expect_error(mine, {text}, {"command line: \"" + std::string(text) + "\"", "galaxies.GALAXY.COMPONENT.KEY=value"});
}

TEST(GalaxiesConfig, AllSectionsOrTheNamedOnesAreUsed) {
  const std::string two = mine + "[galaxies.lmc]\nx = \"50 kpc\"\n" + pc_units;
  const Config all = parse(two, {"galaxies.mine.bulge.mass=1e9", "galaxies.mine.'stellar halo'.mass=1e9"});
  ASSERT_EQ(names_of(all.initial_conditions.galaxies), (std::vector<std::string>{"mine", "lmc"}));
  EXPECT_EQ(names_of(all.initial_conditions.galaxies[1].components), (std::vector<std::string>{"halo", "disc"}))
      << "a section with the name of a preset starts from it";
  expect_same_after_printing(all);
  expect_error(two, {"galaxies.mine.x=1", "initial_conditions.galaxy=lmc"}, {"command line: [galaxies.mine]: is not used"});
  EXPECT_EQ(only_galaxy(parse(two, {"initial_conditions.galaxy=lmc"})).name, "lmc") << "the command line leaves the other one unused";
  expect_error(head + "galaxy = \"lmc\"\n" + mine.substr(head.size()), {},
               {"run.toml:4: [galaxies.mine]: is not used", "initial_conditions.galaxy = \"lmc\"", "must go"});
  expect_error("[initial_conditions]\ngenerator = \"plummer\"\n[galaxies.mine.a]\nkind = \"point\"\n", {},
               {"run.toml:3: [galaxies.mine]: is not used", "generator = \"plummer\""});
  expect_error("[initial_conditions]\nfile = \"a.hdf5\"\n[galaxies.mine]\n", {}, {"[galaxies.mine]: is not used", "file = \"a.hdf5\""});
}

TEST(GalaxiesConfig, ThatAreNotThereAreNamed) {
  expect_error(head, {}, {"initial_conditions.galaxy = \"\" (the default)", "[galaxies.NAME]", "milky_way"});
  expect_error(mine, {"initial_conditions.galaxy=mien"}, {"command line", "must be a preset (milky_way, m31, lmc", "did you mean mine?"});
  expect_error(mine, {"galaxies.mine.preset=m32"}, {"galaxies.mine.preset = \"m32\"", "did you mean \"m31\"?"});
  expect_error(head + "[galaxies.mine]\n", {}, {"run.toml:3: [galaxies.mine]: must be given at least one component"});
}

TEST(GalaxiesConfig, MistakesNameLineKeyAndRemedy) {
  const auto with = [](const std::string& lines) { return mine + lines; };
  expect_error(with("masss = 2\n"), {}, {"run.toml:13:", "galaxies.mine.bulge.masss = 2", "did you mean mass?", "scale_radius"});
  expect_error(with("gamma = 1\n"), {}, {"run.toml:13:", "belongs to the kinds dehnen, two_power", "the kind of this component is sersic"});
  expect_error(with("taper = 0.01\n"), {}, {"run.toml:13:", "taper = 0.01: must be a number >= 0.1 and <= 10000"});
  expect_error(with("scale_radius = \"3 kpc\"\n"), {}, {"run.toml:13:", "N-body units", "units.system"});
  expect_error(with("density = 2\n"), {}, {"run.toml:11:", "galaxies.mine.bulge.mass = 1", "left out where density"});
  expect_error(with("[galaxies.mine.disc]\nmass = 1\n"), {}, {"run.toml:13: [galaxies.mine.disc]: needs kind = one of plummer"});
  expect_error(with("[galaxies.mine.disc]\nkind = \"hernqist\"\n"), {}, {"run.toml:14:", "did you mean \"hernquist\"?"});
  expect_error(with("[galaxies.mine.x]\nkind = \"point\"\n"), {}, {"run.toml:13:", "galaxies.mine.x"});
  expect_error(with("[galaxies.mine.vx]\nkind = \"point\"\n"), {}, {"run.toml:13: [galaxies.mine.vx]", "give the component another name"});
  expect_error(with("[galaxies.mine.bulge.a]\nmass = 1\n"), {}, {"run.toml:13: [galaxies.mine.bulge.a]", "a component has no sections"});
  expect_error(with("[galaxies.mine.\"\"]\nkind = \"point\"\n"), {}, {"run.toml:13: [galaxies.mine.\"\"]", "a name must have"});
  expect_error(head + "[galaxies.mine]\nmass = 1\n", {}, {"run.toml:4:", "mass belongs to a component, in [galaxies.mine.COMPONENT]"});
  expect_error(head + "[galaxies.mine]\ninclinatoin = 1\n", {}, {"run.toml:4:", "did you mean inclination?", "preset, x, y, z"});
  expect_error(head + "[galaxies]\nmine = 1\n", {}, {"run.toml:4: galaxies.mine = 1: is no section"});
  expect_error(head + "[galaxy.mine]\n", {}, {"[galaxy]", "Allowed: initial_conditions, galaxies"});
  expect_error(with_preset + "[galaxies.mine.bugle]\nmass = 1\n", {}, {"milky_way has the components halo, bulge", "did you mean bulge?"});
}

TEST(GalaxiesConfig, AMassThatWasMeantInSolarMassesIsRefused) {
  expect_error(with_preset, {"galaxies.mine.bulge.mass=2e10"}, {"is 2e+20 Msun", "code units", "is \"2e+10 Msun\" meant?"});
}

TEST(GalaxiesConfig, AnotherKindOnTheCommandLineDropsKeysOfTheFile) {
  const Config config = parse(mine, {"galaxies.mine.bulge.kind=plummer"});
  EXPECT_EQ(component(config, "bulge").kind, "plummer");
  EXPECT_EQ(component(config, "bulge").number("mass"), 1.0);
  EXPECT_FALSE(component(config, "bulge").values.contains("index"));
  expect_error(mine, {"galaxies.mine.bulge.kind=plummer", "galaxies.mine.bulge.index=3"}, {"command line", "belongs to the kinds sersic"});
}

TEST(GalaxiesConfig, AMergerTakesTwo) {
  const std::string merger = "[initial_conditions]\ngenerator = \"merger\"\ngalaxy_1 = \"milky_way\"\n";
  const Config config = parse(merger + "galaxy_2 = \"m31\"\nseparation = \"780 kpc\"\n");
  EXPECT_EQ(names_of(config.initial_conditions.galaxies), (std::vector<std::string>{"milky_way", "m31"}));
  expect_same_after_printing(config);
  EXPECT_EQ(parse(merger + "galaxy_2 = \"milky_way\"\n").initial_conditions.galaxies.size(), 1u) << "twice the same one";
  expect_error(merger, {}, {"galaxy_2", "must be a galaxy, too, where galaxy_1 is given"});
  for (const char* key : {"mass_ratio = 0.5", "model = \"disc\"", "scale_radius = 2", "disc_mass = 0.2", "node_1 = 3"})
    expect_error(merger + "galaxy_2 = \"m31\"\n" + key + "\n", {},
                 {"run.toml:5:", key, "must be left out where galaxy_1 and galaxy_2 are given"});
  EXPECT_TRUE(parse("[initial_conditions]\ngenerator = \"merger\"\n").initial_conditions.galaxies.empty());
}

TEST(GalaxiesConfig, SofteningReachesComponentsWithoutTheirOwn) {
  const Config one = parse(mine, {"gravity.softening=0.1"});
  for (const char* name : {"bulge", "stellar halo"}) EXPECT_EQ(component(one, name).number("softening"), 0.1);
  EXPECT_EQ(one.gravity.softening, 0.1);
  EXPECT_TRUE(one.gravity.softening_of_component.empty());
  expect_same_after_printing(one);

  const Config own = parse(mine + "softening = 0.3\n[gravity]\nsoftening = 0.1\n");
  EXPECT_EQ(component(own, "bulge").number("softening"), 0.3);
  EXPECT_EQ(own.gravity.softening_of_component, (NumberTable{{"bulge", 0.3}, {"stellar halo", 0.1}}));
  EXPECT_EQ(own.gravity.softening, 0.3);
  expect_same_after_printing(own);

  const Config table = parse(mine + "[gravity]\nsoftening = {bulge = 0.2, \"stellar halo\" = 0.4}\n");
  EXPECT_EQ(component(table, "bulge").number("softening"), 0.2);
  EXPECT_EQ(component(table, "stellar halo").number("softening"), 0.4);
  expect_same_after_printing(table);
}

TEST(GalaxiesConfig, SofteningThatIsNotGivenIsLeftToTheModel) {
  const Config config = parse(mine);
  EXPECT_EQ(find_named(only_galaxy(config).components, "bulge")->values.contains("softening"), true);
  expect_same_after_printing(config);
}

TEST(GalaxiesConfig, TwoLengthsOfOneComponentAreAnErrorOrTheCommandLineWins) {
  const std::string with_own = mine + "softening = 0.3\n";
  expect_error(with_own + "[gravity]\nsoftening = {bulge = 0.2, \"stellar halo\" = 0.4}\n", {},
               {"run.toml:13:", "galaxies.mine.bulge.softening = 0.3", "gravity.softening says 0.2"});
  expect_error(with_own + "[gravity]\nsoftening = 0\n", {}, {"gravity.softening = 0", "galaxies are softened"});
  const Config config = parse(with_own, {"gravity.softening=0.1"});
  EXPECT_EQ(component(config, "bulge").number("softening"), 0.1);
  EXPECT_TRUE(config.gravity.softening_of_component.empty());
  const Config other =
      parse(mine + "[gravity]\nsoftening = {bulge = 0.2, \"stellar halo\" = 0.4}\n", {"galaxies.mine.bulge.softening=0.5"});
  EXPECT_EQ(other.gravity.softening_of_component, (NumberTable{{"bulge", 0.5}, {"stellar halo", 0.4}}));
}

TEST(GalaxiesConfig, AChangedComponentIsNoticedWhenARunContinues) {
  const Config before = parse(mine);
  for (const char* change : {"galaxies.mine.bulge.index=3", "galaxies.mine.y=1", "galaxies.mine.new.kind=point"}) {
    std::vector<std::string> notes, overrides{change, "galaxies.mine.new.mass=1"};
    if (std::string(change).find("new") == std::string::npos) overrides.pop_back();
    try {
      require_same_physics(before, "checkpoint.hdf5", parse(mine, overrides), true, notes);
      ADD_FAILURE() << change;
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      for (const std::string part : {"before", "[galaxies] and [initial_conditions] cannot change"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  std::vector<std::string> notes;
  EXPECT_FALSE(require_same_physics(before, "checkpoint.hdf5", parse(print_config(before)), false, notes));
  const Config softened = parse(mine, {"gravity.softening=0.1"});
  EXPECT_TRUE(require_same_physics(softened, "checkpoint.hdf5", parse(print_config(softened), {"gravity.softening=0.2"}), true, notes))
      << "a change of softening alone is one of the forces";
}

}  // namespace
}  // namespace grove
