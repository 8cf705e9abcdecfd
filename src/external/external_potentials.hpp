// The table of external potentials: mass distributions whose gravity acts on the particles and which feel nothing.
//
// To add one, write a struct like PointPotential and put it into ExternalPotentials. A struct has info(), a constructor from its section
// of the configuration and G, and at(), which gives acceleration and potential at a place relative to its centre, on both back ends.
#pragma once

#include <cmath>
#include <tuple>

#include "kernels/space/vector.hpp"
#include "src/external/external_info.hpp"

namespace grove {

/// Acceleration in x y z, potential in w; as Particles::acceleration has them.
using FieldAt = Double4;

/// The field of a sphere: `pull` = (dphi/dr) / r at the place `d`.
GROVE_HD inline FieldAt spherical_field(const Double3& d, double pull, double potential) {
  return {-pull * d.x, -pull * d.y, -pull * d.z, potential};
}

/// A point mass or, softened, a Plummer sphere: phi = -G M / sqrt(r^2 + s^2).
struct PointPotential {
  static ExternalInfo info() {
    return {.name = "point",
            .meaning = "point mass, or Plummer sphere",
            .source = "Plummer 1911",
            .settings = {{"mass", 1.0, positive, "mass", {}, {}, Dimension::mass},
                         {"scale_radius",
                          0.0,
                          not_negative,
                          "of the Plummer sphere; 0: a point, at whose place forces are not finite",
                          {},
                          {},
                          Dimension::length}}};
  }
  double gm, s2;
  PointPotential(const ExternalParameters& p, double G)
      : gm(G * p.number("mass")), s2(p.number("scale_radius") * p.number("scale_radius")) {}

  GROVE_HD FieldAt at(const Double3& d) const {
    const double r2 = dot(d, d) + s2, r = sqrt(r2);
    return spherical_field(d, gm / (r2 * r), -gm / r);
  }
};

/// The halo of cold dark matter: density ~ 1 / (x (1 + x)^2), x = r / r_s, without an edge. phi = -G M_s ln(1 + x) / r, where
/// M_s = M(r_c) / (ln(1 + c) - c / (1 + c)).
struct NfwPotential {
  static ExternalInfo info() {
    return {.name = "nfw",
            .meaning = "halo of cold dark matter; its mass grows with the radius without limit",
            .source = "Navarro, Frenk & White 1997",
            .settings = {{"mass", 1.0, positive, "mass inside concentration * scale_radius, e.g. the virial mass", {}, {}, Dimension::mass},
                         {"scale_radius", 1.0, positive, "scale radius r_s", {}, {}, Dimension::length},
                         {"concentration", 10.0, {0.01, 1e4}, "radius with that mass over the scale radius"}}};
  }
  double gm, rs;  ///< of M_s
  NfwPotential(const ExternalParameters& p, double G)
      : gm(G * p.number("mass") / mass_inside(p.number("concentration"))), rs(p.number("scale_radius")) {}

  /// In units of M_s. The terms cancel in the centre, where the series is better (relative error 1e-15 at the change).
  GROVE_HD static double mass_inside(double x) {
    if (x < 1e-3) return x * x * (0.5 - x * (2.0 / 3 - x * (0.75 - x * (0.8 - x * (5.0 / 6)))));
    return log1p(x) - x / (1 + x);
  }
  GROVE_HD FieldAt at(const Double3& d) const {
    const double r = sqrt(dot(d, d)), x = r / rs;
    // The pull is finite in the centre but has no direction there.
    if (!(r > 0)) return {0, 0, 0, -gm / rs};
    return spherical_field(d, gm * mass_inside(x) / (r * r * r), -gm * log1p(x) / r);
  }
};

/// phi = -G M / (r + a): Hernquist (1990), eq. 5.
struct HernquistPotential {
  static ExternalInfo info() {
    return {.name = "hernquist",
            .meaning = "bulge, elliptical galaxy, or halo of finite mass",
            .source = "Hernquist 1990",
            .settings = {{"mass", 1.0, positive, "total mass", {}, {}, Dimension::mass},
                         {"scale_radius", 1.0, positive, "scale radius a", {}, {}, Dimension::length}}};
  }
  double gm, a;
  HernquistPotential(const ExternalParameters& p, double G) : gm(G * p.number("mass")), a(p.number("scale_radius")) {}

  GROVE_HD FieldAt at(const Double3& d) const {
    const double r = sqrt(dot(d, d)), s = r + a;
    return spherical_field(d, r > 0 ? gm / (s * s * r) : 0.0, -gm / s);
  }
};

/// density ~ r^-alpha exp(-(r / r_c)^2), whose mass is finite: the bulge of MWPotential2014 (Bovy 2015, table 1). With a = (3 - alpha) / 2
/// and y = (r / r_c)^2, M(r) = M gamma(a, y) / Gamma(a) and phi = -G M(r) / r - G M / r_c Gamma(a - 1/2, y) / Gamma(a).
struct PowerLawCutoffPotential {
  static ExternalInfo info() {
    return {.name = "power_law_cutoff",
            .meaning = "bulge: density ~ r^-exponent exp(-(r / cutoff_radius)^2)",
            .source = "Bovy 2015",
            .settings = {{"mass", 1.0, positive, "total mass", {}, {}, Dimension::mass},
                         {"cutoff_radius", 1.0, positive, "radius r_c of the cut-off", {}, {}, Dimension::length},
                         // From 2 on, the centre is infinitely deep.
                         {"exponent", 1.8, {0.0, 1.99}, "alpha"}}};
  }
  double gm, rc, a, per_gamma, depth;  ///< 1 / Gamma(a), Gamma(a - 1/2) / Gamma(a)
  PowerLawCutoffPotential(const ExternalParameters& p, double G)
      : gm(G * p.number("mass")),
        rc(p.number("cutoff_radius")),
        a((3 - p.number("exponent")) / 2),
        per_gamma(1 / std::tgamma(a)),
        depth(std::tgamma(a - 0.5) * per_gamma) {}

  GROVE_HD FieldAt at(const Double3& d) const {
    const double r = sqrt(dot(d, d)), x = r / rc, y = x * x;
    if (!(r > 0)) return {0, 0, 0, -gm * depth / rc};
    // All but 1e-17 of the mass is inside.
    if (y > 40) return spherical_field(d, gm / (r * r * r), -gm / r);
    // gamma(s, y) = y^s exp(-y) sum of y^n / (s (s + 1) ... (s + n)): terms > 0, both for s = a and for s = a - 1/2, where they fall
    // slower.
    double term = 1 / a, inner = term, outer_term = 1 / (a - 0.5), outer = outer_term;
    for (double n = 1; outer_term > 1e-17 * outer; ++n) {
      const double s = a + n, t = s - 0.5, factor = y / (s * t);
      inner += term *= factor * t;
      outer += outer_term *= factor * s;
    }
    const double scale = pow(y, a) * exp(-y) * per_gamma, mass = gm * scale * inner;
    return spherical_field(d, mass / (r * r * r), -mass / r - gm / rc * (depth - scale / x * outer));
  }
};

/// phi = -G M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2): Miyamoto & Nagai (1975), eq. 4.
struct MiyamotoNagaiPotential {
  static ExternalInfo info() {
    return {.name = "miyamoto_nagai",
            .meaning = "thick disc about the z axis",
            .source = "Miyamoto & Nagai 1975",
            .settings = {{"mass", 1.0, positive, "total mass", {}, {}, Dimension::mass},
                         {"scale_length", 1.0, not_negative, "a; 0: a Plummer sphere", {}, {}, Dimension::length},
                         {"scale_height", 0.1, positive, "b", {}, {}, Dimension::length}}};
  }
  double gm, a, b2;
  MiyamotoNagaiPotential(const ExternalParameters& p, double G)
      : gm(G * p.number("mass")), a(p.number("scale_length")), b2(p.number("scale_height") * p.number("scale_height")) {}

  GROVE_HD FieldAt at(const Double3& d) const {
    const double h = sqrt(d.z * d.z + b2), across2 = d.x * d.x + d.y * d.y + (a + h) * (a + h), across = sqrt(across2);
    const double pull = gm / (across2 * across);
    return {-pull * d.x, -pull * d.y, -pull * d.z * (a + h) / h, -gm / across};
  }
};

/// phi = v^2 / 2 ln(1 + (R^2 + z^2 / q^2) / R_c^2): Binney & Tremaine (2008), eq. 2.71a, with the constant that makes it 0 in the centre.
struct LogarithmicPotential {
  static ExternalInfo info() {
    return {
        .name = "logarithmic",
        .meaning = "flat rotation curve; 0 in the centre, and nothing escapes from it",
        .source = "Binney & Tremaine 2008, eq. 2.71a",
        .settings = {{"velocity", 1.0, positive, "circular velocity in the plane z = 0, far outside the core", {}, {}, Dimension::velocity},
                     {"core_radius", 0.1, positive, "radius of the core R_c", {}, {}, Dimension::length},
                     // Below sqrt(1/2), the density is negative on the z axis (Binney & Tremaine 2008, section 2.3.2).
                     {"flattening", 1.0, {0.7072, 10.0}, "axis ratio q of the equipotentials"}},
        .holds_all = true};
  }
  double v2, core2, per_q2;
  LogarithmicPotential(const ExternalParameters& p, double)
      : v2(p.number("velocity") * p.number("velocity")),
        core2(p.number("core_radius") * p.number("core_radius")),
        per_q2(1 / (p.number("flattening") * p.number("flattening"))) {}

  GROVE_HD FieldAt at(const Double3& d) const {
    const double m2 = d.x * d.x + d.y * d.y + d.z * d.z * per_q2;
    const double pull = v2 / (core2 + m2);
    return {-pull * d.x, -pull * d.y, -pull * d.z * per_q2, 0.5 * v2 * log1p(m2 / core2)};
  }
};

/// All external potentials; their names are the values of external.potential.
using ExternalPotentials =
    std::tuple<PointPotential, NfwPotential, HernquistPotential, MiyamotoNagaiPotential, LogarithmicPotential, PowerLawCutoffPotential>;

}  // namespace grove
