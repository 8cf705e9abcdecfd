// What every method, opening criterion and softening kernel must do; a new one joins by being in the tables of names. A new kernel also
// needs its formula in tests/support/physics_reference.hpp.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <tuple>

#include "kernels/gravity/gravity_names.hpp"
#include "src/solver/force_method.hpp"
#include "tests/support/physics_reference.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

struct Combination {
  std::string method, opening, kernel;
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (const std::string& method : method_names())
    for (const std::string& opening : opening_names())
      for (const std::string& kernel : softening_names()) all.push_back({method, opening, kernel});
  return all;
}

std::string name_of(const testing::TestParamInfo<Combination>& test) {
  return test.param.method + "_" + test.param.opening + "_" + test.param.kernel;
}

void PrintTo(const Combination& c, std::ostream* stream) { *stream << c.method << ", " << c.opening << ", " << c.kernel; }

class Conformance : public testing::TestWithParam<Combination> {
 protected:
  ReferenceErrors errors(const ParticleSet& all, double theta, double softening) {
    const GravityParameters gravity{.method = GetParam().method,
                                    .opening = GetParam().opening,
                                    .tolerance = 0.004 * std::pow(theta, 4),
                                    .theta = theta,
                                    .softening = softening,
                                    .softening_kernel = GetParam().kernel,
                                    .G = 1.7};
    const auto sim = simulation(gravity, comm_);
    sim->start(share_of(all, comm_), 0);
    return errors_against(known_reference(all, gravity), collected(*sim, comm_));
  }
  bool is_direct() const { return GetParam().method == "direct"; }

  /// The reference does not know of methods and opening criteria: it is computed once for all of them.
  static const Reference& known_reference(const ParticleSet& all, const GravityParameters& gravity) {
    static std::map<std::tuple<std::size_t, std::string, double>, Reference> known;
    Reference& reference = known[{all.size(), gravity.softening_kernel, gravity.softening}];
    if (reference.potential.empty()) reference = reference_forces(all, gravity);
    return reference;
  }

  const Communicator comm_{MPI_COMM_WORLD};
};

/// Two Plummer spheres of unequal mass and size, one of them off centre: lopsided cells at all levels.
ParticleSet two_spheres(std::uint64_t n) {
  ParticleSet all = plummer(n, 5);
  for (std::size_t i = 2 * all.size() / 3; i < all.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) all.position[3 * i + k] = 0.3 * all.position[3 * i + k] + 2;
    all.mass[i] *= 3;
  }
  return all;
}

// Errors are relative to the sum of the magnitudes of the forces, so that no cancellation enters. The largest is that of a particle whose
// force comes from one cell: two equal masses in line with it, l apart and d > l / theta away, leave 5/16 theta^4 beyond the quadrupole.
// The rms is what the criteria have by the time of writing, at most, and a half: it shows a wrong moment or a missing source. The walk of
// fmm adds the remainder of its local expansions, of the fifth power of theta: at most 0.038 theta^5 in eight samples on 1 and 4 ranks up
// to theta = 0.6. Beyond, higher orders take over, and a few particles decide: 0.016 to 0.066 at 0.8.
TEST_P(Conformance, ForcesConvergeToThoseOfTheReference) {
  const ParticleSet all = two_spheres(1500);
  for (const double softening : {0.0, 0.02, 0.5})
    for (const double theta : {GetParam().method == "fmm" ? 0.6 : 0.8, 0.4, 0.2}) {
      SCOPED_TRACE("theta " + std::to_string(theta) + ", softening " + std::to_string(softening));
      const ReferenceErrors found = errors(all, theta, softening);
      const double expansion = GetParam().method == "fmm" ? std::pow(theta, 5) : 0;
      EXPECT_LE(found.largest_acceleration, is_direct() ? 1e-13 : 5.0 / 16 * std::pow(theta, 4));
      EXPECT_LE(found.rms_acceleration, is_direct() ? 1e-14 : 0.0026 * std::pow(theta, 3) + 0.04 * expansion);
      EXPECT_LE(found.largest_potential, is_direct() ? 1e-13 : 0.0078 * std::pow(theta, 3) + 0.045 * expansion);
    }
}

/// A cube of particles, one of which is 1e9 times as heavy as each of the others.
ParticleSet cube_with_a_black_hole(std::uint64_t n) {
  InitialConditions conditions;
  conditions.generator = "uniform_cube";
  conditions.n = n;
  ParticleSet all = generate(conditions, 1.0, 0, n);
  all.mass[n / 3] *= 1e9;
  return all;
}

// Nothing averages over the errors here: all of the force comes from one place, of which targets see the worst of an expansion. The bound
// is that of two equal masses, above.
TEST_P(Conformance, OneMassThatOutweighsAllOthersIsWithinTheSameBound) {
  const ParticleSet all = cube_with_a_black_hole(1200);
  for (const double softening : {0.0, 0.02})
    for (const double theta : {0.6, 0.4}) {
      SCOPED_TRACE("theta " + std::to_string(theta) + ", softening " + std::to_string(softening));
      EXPECT_LE(errors(all, theta, softening).largest_acceleration, is_direct() ? 1e-13 : 5.0 / 16 * std::pow(theta, 4));
    }
}

// With the opening angle close to zero all cells are opened, and what is left is the rounding of 1000 terms in FP32: a random walk of
// 2^-24 each, 2e-6, and as much again for the largest of a thousand.
TEST_P(Conformance, ATinyOpeningAngleLeavesOnlyRounding) {
  const ReferenceErrors found = errors(two_spheres(1000), 1e-4, 0.05);
  EXPECT_LE(found.largest_acceleration, is_direct() ? 1e-13 : 4e-6);
  EXPECT_LE(found.largest_potential, is_direct() ? 1e-13 : 4e-6);
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(all_combinations()), name_of);

}  // namespace
}  // namespace grove::tests
