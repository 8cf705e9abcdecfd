// Physical constants in cgs, as units of files and configurations need them.
#pragma once

namespace grove {

/// Gravitational constant in cm^3 g^-1 s^-2 (CODATA 2018 and 2022).
inline constexpr double gravitational_constant_cgs = 6.67430e-8;
/// Julian year in s.
inline constexpr double year_in_s = 365.25 * 86400.0;
/// Astronomical unit in cm, exact (IAU 2012, resolution B2).
inline constexpr double au_in_cm = 1.495978707e13;
/// Parsec in cm: 648000 / pi astronomical units (IAU 2015, resolution B2, note 4).
inline constexpr double parsec_in_cm = 648000 / 3.14159265358979323846 * au_in_cm;

/// Masses in g from the nominal GM of the Sun and the Earth (IAU 2015, resolution B3), 1.3271244e20 and 3.986004e14 m^3 s^-2. G alone has
/// five digits only; so chosen, G times these masses has all digits of GM.
inline constexpr double solar_mass_in_g = 1.3271244e26 / gravitational_constant_cgs;
inline constexpr double earth_mass_in_g = 3.986004e20 / gravitational_constant_cgs;

}  // namespace grove
