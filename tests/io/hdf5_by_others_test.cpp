// HDF5 files that other programs wrote: tests/data/hdf5/README.md says which, and with what values. And what their headers mean.
#include <gtest/gtest.h>

#include "io/files/printable.hpp"
#include "io/formats/cosmology.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/formats/reader.hpp"
#include "io/snapshots/info.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

std::string path_of(const std::string& name) { return std::string(GROVE_HDF5_FILES) + '/' + name; }

class Hdf5ByOthers : public testing::Test {
 protected:
  /// The particles of a file, which must have the values that README.md says.
  ParticleSet read(const std::string& name, ReadInfo& info) const {
    ParticleSet all = all_particles(read_particles(path_of(name), comm, &info), comm);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all.id[i], 100 + i);
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = static_cast<double>(i) + 0.5 * static_cast<double>(c);
        EXPECT_EQ(all.position[3 * i + c], x);
        // swiftsimio has divided them by its units.
        EXPECT_NEAR(all.velocity[3 * i + c], -10 * x, 1e-12 * x);
      }
    }
    return all;
  }
  static std::vector<double> masses(std::size_t count) {
    std::vector<double> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(1 + static_cast<double>(i));
    return result;
  }

  Communicator comm{MPI_COMM_WORLD};
};

TEST_F(Hdf5ByOthers, SwiftInitialConditionsAreReadInTheirUnits) {
  ReadInfo info;
  const ParticleSet all = read("swift_ics.hdf5", info);
  EXPECT_EQ(all.mass, masses(8)) << "not those of the MassTable, which swiftsimio writes beside them";
  EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{3, 5, 0, 0, 0, 0}));
  ASSERT_TRUE(info.units);
  EXPECT_NEAR(info.units->length_in_cm, 3.0857e21, 1e18);
  EXPECT_NEAR(info.units->mass_in_g, 1.9884e43, 1e40);
  EXPECT_NEAR(info.units->velocity_in_cm_per_s, 1e5, 1);
  EXPECT_EQ(info.universe.box_size, 64);
  EXPECT_EQ(why_not_isolated(info.universe), "");
}

TEST_F(Hdf5ByOthers, SwiftSnapshotsAreReadWithTheirSoftenings) {
  ReadInfo info;
  const ParticleSet all = read("swift_snapshot.hdf5", info);
  EXPECT_EQ(all.mass, masses(7)) << "of black holes the dynamical one";
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{1, 1, 1, 1, 4, 4, 5}));
  EXPECT_EQ(info.time, 0.25);
  EXPECT_EQ(why_not_isolated(info.universe), "");
  EXPECT_EQ(info.softenings, (std::vector<FileSoftening>{{"/GravityScheme Comoving DM softening length [internal units]", 0.125, 0.125, -1},
                                                         {"PartType1/Softenings", 0.125, 0.125, 1},
                                                         {"PartType4/Softenings", 0.5, 0.5, 4},
                                                         {"PartType5/Softenings", 0.625, 0.625, 5}}));
}

TEST_F(Hdf5ByOthers, NamesOfComponentsAreReadOnAllRanksAndMadeFitForATerminal) {
  ReadInfo info;
  std::vector<double> mass = masses(6);
  mass.insert(mass.end(), 4, 0.25);
  EXPECT_EQ(read("gadget_by_h5py.hdf5", info).mass, mass);
  ComponentNames components = usual_component_names();
  components[1] = "inner halo";
  components[2] = "thin disc \\x1b[0m";
  EXPECT_EQ(info.components, components);
  ASSERT_FALSE(info.provenance.empty());
  EXPECT_EQ(info.provenance[0].second, "a script \\x1b[31min red");
}

TEST_F(Hdf5ByOthers, TheExpandingUniverseIsSeen) {
  ReadInfo info;
  read("swift_cosmological.hdf5", info);
  EXPECT_TRUE(names(why_not_isolated(info.universe), {"cosmological", "a = 0.5 (redshift 1)", "a box of side 8"}));
}

TEST_F(Hdf5ByOthers, DescriptionsHaveNoEscapeSequences) {
  for (const std::string name : {"gadget_by_h5py.hdf5", "swift_snapshot.hdf5"}) {
    const std::string text = full_description(summarise_file(path_of(name)));
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; })) << text;
  }
  const std::string all = full_description(summarise_file(path_of("swift_snapshot.hdf5")));
  EXPECT_TRUE(
      names(all, {"InitialConditions:periodic   0", "Unit temperature in cgs (U_T) 1", "PartType5/DynamicalMasses", "Code Version"}));
  const std::string brief = short_description(summarise_file(path_of("swift_snapshot.hdf5")));
  EXPECT_TRUE(names(brief, {"SWIFT, 2025.04", "black holes", "0.25", "highest position"}));
  EXPECT_FALSE(contains(brief, "Softenings"));
}

TEST(Printable, TextActsOnNoTerminal) {
  EXPECT_EQ(printable_text("caf\xc3\xa9\tM\xe2\x98\x89\n"), "caf\xc3\xa9\tM\xe2\x98\x89\n");
  EXPECT_EQ(printable_text("\x1b[31m\r\x7f"), "\\x1b[31m\\x0d\\x7f");
  EXPECT_EQ(printable_text("\xc2\x9b"
                           "31m"),
            "\\xc2\\x9b31m")
      << "a control character of two bytes";
  EXPECT_EQ(printable_text("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "from here on to the left";
  for (const std::string bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf8\x88\x80\x80"})
    EXPECT_EQ(printable_text(bad).size(), 4 * bad.size()) << printable_text(bad);
  EXPECT_EQ(printable_line(" a\nb ", 60), "a b");
  EXPECT_EQ(printable_line("\n \t", 60), "");
  EXPECT_EQ(printable_line("aaaa\xc3\xa9"
                           "bbb",
                           8),
            "aaaa...");
}

/// What GADGET's header says of an isolated system, and each change that makes it another.
TEST(WhyNotIsolated, NamesWhatWasFound) {
  const HeaderFacts isolated{
      .time = 0.0, .redshift = 0.0, .omega_matter = 0.0, .omega_lambda = 0.0, .h = 1.0, .box_size = 100.0, .particles = 9};
  EXPECT_EQ(why_not_isolated({}), "");
  EXPECT_EQ(why_not_isolated(isolated), "");
  HeaderFacts facts = isolated;
  facts.h = 0;  // GADGET-1 where it has no meaning
  EXPECT_EQ(why_not_isolated(facts), "");
  facts = isolated;
  facts.omega_matter = 0.3;  // filled in, and not used
  facts.time = 1.5;
  facts.gas = 4;
  EXPECT_EQ(why_not_isolated(facts), "");

  facts = isolated;
  facts.time = 0.25;
  facts.redshift = 3;
  facts.h = 0.7;
  facts.gas = 4;
  EXPECT_TRUE(names(why_not_isolated(facts),
                    {"cosmological", "a = 0.25 (redshift 3)", "h = 0.7", "units of 1/h", "box of side 100", "4 of 9 particles"}));
  facts = isolated;
  facts.omega_lambda = 0.7;
  facts.time = 1;  // the scale factor today
  EXPECT_TRUE(names(why_not_isolated(facts), {"cosmological", "a = 1"}));
  facts.omega_lambda = 0;
  EXPECT_EQ(why_not_isolated(facts), "") << "a box alone";
  facts = isolated;
  facts.is_periodic = true;
  EXPECT_TRUE(names(why_not_isolated(facts), {"periodic box", "side 100"}));
}

TEST(WhyNotIsolated, BelievesTheFlagsOfTheRun) {
  HeaderFacts facts{.time = 1.0, .redshift = 0.0, .omega_matter = 0.3, .omega_lambda = 0.7, .h = 1.0, .expands = false};
  EXPECT_EQ(why_not_isolated(facts), "");
  facts.expands = true;
  EXPECT_TRUE(contains(why_not_isolated(facts), "cosmological"));
  facts = {.h = 0.7, .has_h_in_units = false};
  EXPECT_EQ(why_not_isolated(facts), "");
  EXPECT_EQ(note_on_h(facts), "");
}

/// Densities and h as programs fill them in for isolated galaxies.
HeaderFacts filled_in(double time, double redshift, double box_size) {
  return {.time = time, .redshift = redshift, .omega_matter = 0.3, .omega_lambda = 0.7, .h = 0.7, .box_size = box_size, .particles = 9};
}

TEST(WhyNotIsolated, DensitiesAndHAloneProveNothing) {
  EXPECT_EQ(why_not_isolated(filled_in(0, 0, 0)), "") << "DICE";
  for (const double time : {0.5, 1.0, 1.5}) EXPECT_EQ(why_not_isolated(filled_in(time, 0, 0)), "") << "one file of a series at " << time;
  EXPECT_EQ(why_not_isolated(filled_in(0.5, 0, 100)), "") << "a box that is not used";
  EXPECT_EQ(why_not_isolated(filled_in(0, 2, 0)), "") << "the redshift for which the galaxy was made";
  HeaderFacts flagged = filled_in(1, 0, 100);
  flagged.expands = false;
  EXPECT_EQ(why_not_isolated(flagged), "") << "ComovingIntegrationOn = 0";
}

TEST(WhyNotIsolated, TimesThatAreScaleFactorsProveIt) {
  EXPECT_TRUE(names(why_not_isolated(filled_in(1, 0, 100)), {"cosmological", "a = 1 ", "box of side 100"}));
  EXPECT_TRUE(names(why_not_isolated(filled_in(0.25, 3, 100)), {"cosmological", "a = 0.25 "}));
  EXPECT_TRUE(names(why_not_isolated(filled_in(1. / 24, 23, 0)), {"cosmological", "redshift 23"})) << "a zoom without a box";
  EXPECT_TRUE(names(why_not_isolated(filled_in(13.5, 0.1, 100)), {"cosmological"})) << "a time in Gyr";
  HeaderFacts eagle = filled_in(0.02, 0, 100);
  eagle.scale_factor = 1;
  EXPECT_TRUE(names(why_not_isolated(eagle), {"cosmological"})) << "a scale factor beside the time";
  eagle.scale_factor = 0.5;
  eagle.box_size = 0;
  EXPECT_TRUE(names(why_not_isolated(eagle), {"cosmological", "a = 0.5"}));
}

TEST(WhyNotIsolated, HInTheUnitsIsToldByWhatItDoesToTimes) {
  const std::string of_times = "h = 0.7: lengths and masses are in units of 1/h, and so are times; G fits, since h cancels";
  EXPECT_TRUE(names(why_not_isolated(filled_in(0.25, 3, 100)), {of_times}));
  EXPECT_EQ(note_on_h(filled_in(0.25, 3, 100)), "") << "said already";
  EXPECT_TRUE(names(note_on_h(filled_in(0.5, 0, 0)), {of_times}));
  EXPECT_EQ(note_on_h({.h = 1.0}), "");
  EXPECT_EQ(note_on_h({.h = 0.0}), "");
}

}  // namespace
}  // namespace grove
