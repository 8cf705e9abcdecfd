// Numbers with units, and systems of units by name.
#include "kernels/base/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace grove {
namespace {

// GADGET's usual units.
const UnitSystem galactic{3.085678e21, 1.989e43, 1e5};

double value(const std::string& text, Dimension dimension, const UnitSystem& units = galactic) {
  const Understood<double> read = read_quantity(text, dimension, units);
  EXPECT_TRUE(read.value) << text << ": " << read.complaint;
  return read.value.value_or(NAN);
}

std::string complaint(const std::string& text, Dimension dimension, const UnitSystem& units = galactic) {
  const Understood<double> read = read_quantity(text, dimension, units);
  EXPECT_FALSE(read.value) << text << " was taken";
  return read.complaint;
}

UnitSystem system_of(const std::string& text) {
  const Understood<UnitSystem> read = read_unit_system(text);
  EXPECT_TRUE(read.value) << text << ": " << read.complaint;
  return read.value.value_or(UnitSystem{});
}

std::string complaint_on_system(const std::string& text) {
  const Understood<UnitSystem> read = read_unit_system(text);
  EXPECT_FALSE(read.value) << text << " was taken";
  return read.complaint;
}

TEST(Quantity, TimesAndLengthsBecomeCodeUnits) {
  // 1 kpc / (1 km/s) = 0.97779 Gyr (Binney & Tremaine 2008, appendix A).
  EXPECT_NEAR(value("3 Gyr", Dimension::time), 3 / 0.97779, 1e-4);
  EXPECT_NEAR(value("3000Myr", Dimension::time), value("3 Gyr", Dimension::time), 1e-12);
  EXPECT_NEAR(value(" 3e6  kyr ", Dimension::time), value("3 Gyr", Dimension::time), 1e-12);
  EXPECT_NEAR(value("-3e9 yr", Dimension::time), -value("3 Gyr", Dimension::time), 1e-12);
  EXPECT_NEAR(value("3.15576e16 s", Dimension::time), value("1 Gyr", Dimension::time), 1e-12);
  EXPECT_NEAR(value("50 pc", Dimension::length), 0.05, 1e-6);
  EXPECT_NEAR(value(".5 kpc", Dimension::length), 0.5, 1e-6);
  EXPECT_NEAR(value("1e12 Msun", Dimension::mass), 100, 0.05);
  EXPECT_NEAR(value("220 km/s", Dimension::velocity), 220, 1e-9);
  EXPECT_NEAR(value("1 pc/Myr", Dimension::velocity), 0.97779, 1e-5);
}

TEST(Quantity, DensitiesAreMassesOverCubedLengths) {
  EXPECT_NEAR(value("0.01 Msun/pc^3", Dimension::density) / value("1e7 Msun / kpc^3", Dimension::density), 1, 1e-12);
  EXPECT_NEAR(value("1e10 Msun/kpc^3", Dimension::density), 1, 1e-3);
  for (const char* text : {"3 Msun/pc", "3 pc/Msun^3", "3 km/s", "3 Msun/pc^2", "3 pc^3/Msun"})
    EXPECT_FALSE(complaint(text, Dimension::density).empty()) << text;
  EXPECT_NE(complaint("3 kpc", Dimension::density).find("Msun/pc^3"), std::string::npos);
  EXPECT_FALSE(complaint_on_system("kpc, Msun, Msun/pc^3").empty());
}

TEST(Quantity, WhatIsNoTimeSaysWhy) {
  EXPECT_NE(complaint("3 gyr", Dimension::time).find("did you mean Gyr?"), std::string::npos);
  EXPECT_NE(complaint("3 Gyears", Dimension::time).find("s, yr, kyr, Myr, Gyr"), std::string::npos);
  EXPECT_NE(complaint("3 kpc", Dimension::time).find("measures something else"), std::string::npos);
  EXPECT_NE(complaint("3", Dimension::time).find("without quotes"), std::string::npos);
  EXPECT_NE(complaint("1e999 yr", Dimension::time).find("beyond"), std::string::npos);
  for (const char* text : {"", "Gyr", "inf Gyr", "nan yr", "3,0 Gyr", "1_000 yr", "0x10 yr", "3 Gyr 2", "- Gyr", "3 Gyr/s", "3 /s"})
    EXPECT_FALSE(complaint(text, Dimension::time).empty()) << text;
}

TEST(Quantity, NBodyUnitsHaveNoYears) {
  EXPECT_NE(complaint("3 Gyr", Dimension::time, UnitSystem{}).find("N-body units"), std::string::npos);
  EXPECT_NE(complaint("50 pc", Dimension::length, UnitSystem{}).find("N-body units"), std::string::npos);
}

TEST(UnitSystems, AreReadInAnyOrder) {
  for (const char* text : {"kpc, km/s, 1e10 Msun", "1e10Msun,kpc,km/s", " km/s ,  10000000000 Msun, 1000 pc"}) {
    const UnitSystem units = system_of(text);
    // IAU 2015 B2, and GM = 1.3271244e26 cm^3/s^2 of the Sun (B3).
    EXPECT_NEAR(units.length_in_cm / 3.0856775814913673e21, 1, 1e-15) << text;
    EXPECT_NEAR(units.mass_in_g * 6.67430e-8 / 1.3271244e36, 1, 1e-15) << text;
    EXPECT_EQ(units.velocity_in_cm_per_s, 1e5) << text;
  }
}

TEST(UnitSystems, HaveATimeInPlaceOfAnother) {
  const UnitSystem by_time = system_of("kpc, Gyr, 1e10 Msun");
  EXPECT_NEAR(by_time.time_in_s() / 3.15576e16, 1, 1e-14);
  EXPECT_NEAR(by_time.velocity_in_cm_per_s / 0.97779e5, 1, 1e-5);
  const UnitSystem by_velocity = system_of("km/s, Gyr, Msun");
  EXPECT_NEAR(by_velocity.length_in_cm / 3.15576e21, 1, 1e-14);
  EXPECT_EQ(by_velocity.velocity_in_cm_per_s, 1e5);
}

TEST(UnitSystems, KeepTheYearOfTheEarth) {
  // Kepler's third law in AU, yr, Msun: G = 4 pi^2, except for the Gaussian year, 1.9e-5 longer than the Julian one.
  EXPECT_NEAR(gravitational_constant(system_of("AU, yr, Msun")) / (4 * M_PI * M_PI), 1, 5e-5);
  EXPECT_NEAR(gravitational_constant(system_of("kpc, km/s, 1e10 Msun")), 43009.17, 0.01);
  EXPECT_NEAR(gravitational_constant(system_of("pc, km/s, Msun")), 4.300917e-3, 1e-9);
}

TEST(UnitSystems, ThatAreNoneSayWhy) {
  EXPECT_NE(complaint_on_system("kpc, km/s, 1e10 msun").find("did you mean Msun?"), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc, pc, Msun").find("one more of the same kind"), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc; km/s; 1e10 Msun").find("commas separate the units, not semicolons"), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc km/s 1e10 Msun").find("commas must separate the units: \"kpc, km/s, 1e10 Msun\""), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc, km/s Msun").find("\"kpc, km/s, Msun\""), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc/h, km/s, 1e10 Msun/h").find("\"kpc/h\" has Hubble's h"), std::string::npos);
  EXPECT_NE(complaint_on_system("kpc, km/s, 1e10 h^-1 Msun").find("as \"1.4286e+10 Msun\" for h = 0.7"), std::string::npos);
  EXPECT_NE(complaint("50 kpc/h", Dimension::length, system_of("kpc, km/s, Msun")).find("as \"71.429 kpc\""), std::string::npos);
  EXPECT_NE(complaint_on_system("cm, cm/s, g").find("N-body"), std::string::npos);
  EXPECT_NE(complaint_on_system("cm, s, g").find("N-body"), std::string::npos);
  for (const char* text : {"", ",", "kpc", "kpc, km/s", "kpc, km/s,", "kpc, km/s, Gyr", "kpc, km/s, Gyr, Msun", "0 kpc, km/s, Msun",
                           "-1 kpc, km/s, Msun", "nan kpc, km/s, Msun", "kpc, s/km, Msun", "kpc, km, Msun", "kpc km/s Msun",
                           "1e308 Mpc, km/s, g", "1e-320 cm, km/s, g", "1e200 cm, 1e-200 s, g", "3, km/s, Msun"})
    EXPECT_FALSE(complaint_on_system(text).empty()) << text;
}

}  // namespace
}  // namespace grove
