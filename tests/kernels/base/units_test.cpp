#include "kernels/base/units.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace grove {
namespace {

// 1 kpc, 1e10 solar masses, 1 km/s: GADGET's usual units.
const UnitSystem galactic{3.085678e21, 1.989e43, 1e5};

TEST(Units, GravitationalConstantOfGalacticUnitsIsTheTextbookValue) { EXPECT_NEAR(gravitational_constant(galactic), 43021, 5); }

TEST(Units, EarthsYearFollowsFromKeplersLaw) {
  const UnitSystem solar{1.495978707e13, 1.98841e33, 1e5};
  const double pi = 3.14159265358979;
  // T = 2 pi sqrt(a^3 / (G M)) with a = M = 1.
  const double period_s = 2 * pi / std::sqrt(gravitational_constant(solar)) * solar.time_in_s();
  EXPECT_NEAR(period_s / year_in_s, 1.0, 1e-4);
}

TEST(Units, TimeUnitIsLengthOverVelocity) { EXPECT_NEAR(galactic.time_in_s() / (1e9 * year_in_s), 0.9778, 1e-4); }

TEST(Units, NBodyTimesArePrintedAsBareNumbers) {
  const UnitSystem n_body;
  EXPECT_FALSE(is_physical(n_body));
  EXPECT_EQ(format_time(12.5, n_body), "12.5");
}

TEST(Units, PhysicalTimesArePrintedInTheFittingUnit) {
  EXPECT_TRUE(is_physical(galactic));
  EXPECT_EQ(format_time(1.5, galactic), "1.467 Gyr");
  EXPECT_EQ(format_time(-0.01, galactic), "-9.778 Myr");
  EXPECT_EQ(format_time(0, galactic), "0 Myr");
  const UnitSystem cgs{1, 1, 2};
  EXPECT_EQ(format_time(10, cgs), "5 s");
  EXPECT_EQ(format_time(4 * year_in_s, cgs), "2 yr");
  EXPECT_EQ(format_time(4e3 * year_in_s, cgs), "2 kyr");
}

TEST(Units, AreNamed) {
  EXPECT_EQ(in_words({}), "N-body units");
  EXPECT_EQ(in_words({1e3 * parsec_in_cm, 1e10 * solar_mass_in_g, 1e5}), "units of kpc, 1e10 Msun, km/s");
  EXPECT_EQ(in_words(galactic), "units of kpc, 1.000297e10 Msun, km/s");
  EXPECT_EQ(in_words({parsec_in_cm, solar_mass_in_g, 1e5}), "units of pc, Msun, km/s");
  EXPECT_EQ(in_words({8e3 * parsec_in_cm, 1.989e43, 220e5}), "units of 8 kpc, 1.000297e10 Msun, 220 km/s");
  EXPECT_EQ(in_words({2, 3, 4}), "units of 2 cm, 3 g, 4 cm/s");
  const double year_in_s = 365.25 * 86400;
  EXPECT_EQ(in_words({1e3 * parsec_in_cm, 1e10 * solar_mass_in_g, 1e3 * parsec_in_cm / (1e9 * year_in_s)}), "units of kpc, 1e10 Msun, Gyr");
  EXPECT_EQ(in_words({parsec_in_cm * 1e9, 1, 1}), "units of 1000 Mpc, g, cm/s");
}

}  // namespace
}  // namespace grove
