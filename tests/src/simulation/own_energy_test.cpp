// The energy of the system itself, which motion of the whole, external potentials and one heavy particle hide.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/particles/particle_transfer.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/simulation/own_energy.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

class OwnEnergyRun : public testing::Test {
 protected:
  static constexpr double radius = 100;

  std::unique_ptr<Simulation> started(const ParticleSet& all, const std::vector<ExternalParameters>& external = {},
                                      const GravityParameters& gravity = direct_gravity(0.05)) const {
    return tests::started(make_simulation(test_device(), gravity, comm_, {.external = external}), all, comm_);
  }
  /// A Plummer sphere at `radius` on the x axis, with a velocity in y.
  static ParticleSet cluster(double speed) {
    ParticleSet set = plummer(400);
    for (std::size_t i = 0; i < set.size(); ++i) {
      set.position[3 * i] += radius;
      set.velocity[3 * i + 1] += speed;
    }
    return set;
  }
  static ParticleSet with(ParticleSet set, double mass, double speed) {
    const std::size_t i = set.size();
    set.resize(i + 1);
    set.id[i] = i;
    set.mass[i] = mass;
    set.velocity[3 * i + 1] = speed;
    return set;
  }
  /// Particles without mass on eccentric orbits about the origin.
  static ParticleSet tracers(std::size_t n) {
    ParticleSet set;
    set.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      set.id[i] = i;
      set.position[3 * i] = 1 + 0.1 * static_cast<double>(i);
      set.velocity[3 * i + 1] = 0.3;
    }
    return set;
  }

  const Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(OwnEnergyRun, IsThatOfTheClusterOnItsOrbit) {
  const Diagnostics alone = started(plummer(400))->diagnostics();
  EXPECT_NEAR(alone.own_energy(), alone.total_energy(), 2e-3) << "the sample moves a little as a whole";
  const double speed = std::sqrt(1e6 / radius);
  for (const Diagnostics& d : {started(cluster(1000))->diagnostics(), started(cluster(speed), {{"point", {{"mass", 1e6}}}})->diagnostics(),
                               started(with(cluster(speed), 1e6, -1e-6 * speed))->diagnostics()}) {
    EXPECT_NEAR(d.own_energy(), alone.own_energy(), 1e-6);
    EXPECT_NEAR(d.own_virial_ratio(), alone.own_virial_ratio(), 1e-5);
    EXPECT_GT(std::abs(d.total_energy()), 1e3);
    EXPECT_TRUE(d.differs_from_total());
  }
}

TEST_F(OwnEnergyRun, HasTheHeaviestParticleWhereItIsNotAsHeavyAsAllOthersOrAloneWithOne) {
  for (const ParticleSet& set : {with(plummer(400), 0.9, 0), with(plummer(1), 1e6, 0)}) {
    const Diagnostics d = started(set)->diagnostics();
    EXPECT_NEAR(d.own_potential, d.potential, 1e-12 * std::abs(d.potential));
  }
}

TEST_F(OwnEnergyRun, StepsOfASystemWithAHeavyParticleAreNotOverlapped) {
  for (const double mass : {0.1, 1e6}) {
    const auto sim = started(with(cluster(0), mass, 0));
    sim->step_to(1e-6, 1e-6, {.next_dt = 1e-6});
    EXPECT_EQ(sim->is_synchronised(), mass > 1);
  }
}

// The total energy of such particles is 0.
TEST_F(OwnEnergyRun, OfParticlesWithoutMassIsThatOfEach) {
  const std::vector<ExternalParameters> hernquist{{"hernquist", {{"mass", 10.0}}}};
  double last = 1;
  for (const int steps : {100, 400}) {
    const auto sim = started(tracers(20), hernquist);
    ASSERT_TRUE(sim->diagnostics().change_of_each);
    EXPECT_EQ(*sim->diagnostics().change_of_each, 0);
    for (int i = 0; i < steps; ++i) sim->step(2.0 / steps);
    const Diagnostics d = sim->diagnostics();
    EXPECT_EQ(d.total_energy(), 0);
    EXPECT_EQ(own_energy_error(d, {}), *d.change_of_each);
    EXPECT_GT(*d.change_of_each, 0);
    EXPECT_LT(*d.change_of_each, 0.2 * last);
    last = *d.change_of_each;
    // A restart keeps the first energies.
    SavedState state;
    sim->save(state);
    const auto again = make_simulation(test_device(), direct_gravity(0.05), comm_, {.external = hernquist});
    ParticleSet particles = sim->particles();
    particles.fields = again->fields();
    again->resume(std::move(particles), state);
    EXPECT_EQ(*again->diagnostics().change_of_each, *d.change_of_each);
  }
  EXPECT_FALSE(started(tracers(20))->diagnostics().change_of_each) << "nothing acts on them";
  EXPECT_FALSE(started(with(tracers(20), 1, 0), hernquist)->diagnostics().change_of_each) << "the potential of the mass changes";
  EXPECT_EQ(started(with(tracers(20), 1, 0), hernquist)->diagnostics().without_mass, 20U);
}

TEST_F(OwnEnergyRun, OfOneParticleWithMassIsNone) {
  const Diagnostics d = started(with({}, 0.7, 0.3), {{"hernquist", {{"mass", 10.0}, {"x", 1.3}}}})->diagnostics();
  EXPECT_EQ(d.own_energy(), 0);
  EXPECT_LT(d.total_energy(), -1);
}

// Asteroids round a star, with a giant planet: without the star, the frame would be that of the planet.
TEST_F(OwnEnergyRun, HasTheHeaviestWhereTheOthersAreNotBoundToEachOther) {
  ParticleSet set = with(with({}, 1, 0), 1e-3, 0.4);
  set.position[3] = 5.2;
  for (std::size_t i = 2; i < 22; ++i) {
    set = with(std::move(set), 1e-10, 0.65);
    set.position[3 * i] = 2 + 0.05 * static_cast<double>(i);
  }
  const Diagnostics d = started(set)->diagnostics();
  EXPECT_NEAR(d.own_potential, d.potential, 1e-12);
}

/// Two further particles close to each other, at rest.
ParticleSet with_pair(ParticleSet set, double mass) {
  const std::size_t n = set.size();
  set.resize(n + 2);
  for (std::size_t i = n; i < n + 2; ++i) {
    set.id[i] = i;
    set.mass[i] = mass;
    set.position[3 * i] = i == n ? -0.01 : 0.01;
  }
  return set;
}

// A binary of black holes in a cluster of light stars: its energy is nearly all.
TEST(PotentialHolders, AreTheTwoOfAHeavyPairAndHideTheOthers) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto holders_of = [&](const ParticleSet& all) {
    BackEnd space = make_space();
    Particles<BackEnd> particles(space);
    ParticleSet share = share_of(all, comm);
    const auto sim = simulation(direct_gravity(0), comm);
    sim->start(share, 0);
    upload(space, sim->particles(), particles);
    return find_potential_holders(space, comm, particles);
  };
  const PotentialHolders pair = holders_of(with_pair(plummer(400), 1e3));
  EXPECT_EQ(pair.count, 2U);
  EXPECT_EQ(pair.others, 400U);
  EXPECT_GT(pair.share, 0.95);
  EXPECT_TRUE(pair.hide_the_others());
  EXPECT_FALSE(holders_of(with_pair(plummer(400), 1e-3)).hide_the_others());
  EXPECT_FALSE(holders_of(plummer(400)).hide_the_others());
  EXPECT_FALSE(holders_of(with_pair({}, 1)).hide_the_others()) << "there are no others";
  EXPECT_FALSE(holders_of(with_pair(with_pair({}, 0), 1)).hide_the_others()) << "the others have no mass";
}

TEST(OwnEnergyError, IsNotLargeBecauseKineticAndPotentialEnergyCancel) {
  Diagnostics parabola;
  parabola.kinetic = parabola.own_kinetic = 0.5;
  parabola.potential = parabola.own_potential = -0.5;
  const FirstEnergies first = first_energies_of(parabola);
  parabola.kinetic += 1e-6;
  EXPECT_NEAR(own_energy_error(parabola, first), 1e-4, 1e-9);
}

TEST(OwnEnergyError, IsThatOfTheTotalAgainstTheOwnEnergy) {
  Diagnostics sums;
  sums.external = -1000;
  sums.kinetic = 1;
  EXPECT_DOUBLE_EQ(own_energy_error(sums, {-999.5, -0.25, 0.25}), 2);
  EXPECT_DOUBLE_EQ(own_energy_error(sums, {-1000, 0}), 1e-3) << "of the total, where there is no own energy";
}

}  // namespace
}  // namespace grove::tests
