// External potentials: their formulas, circular orbits that close, energies, and runs on any number of ranks. A new potential joins the
// first tests by being in the table.
#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "io/snapshots/checkpoint.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/external/external_potentials.hpp"
#include "src/simulation/require_finite.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

constexpr double G = 2.5;

ExternalParameters section(const std::string& potential, const SettingValues& parameters = {}) { return {potential, parameters}; }

/// The field of `p` at a place relative to its centre, on the host.
template <class... Types>
FieldAt field_of(const ExternalParameters& p, const Double3& d, const std::tuple<Types...>*) {
  FieldAt field{NAN, NAN, NAN, NAN};
  ((Types::info().name == p.potential ? void(field = Types(p, G).at(d)) : void()), ...);
  return field;
}
FieldAt field_of(const ExternalParameters& p, const Double3& d) { return field_of(p, d, static_cast<const ExternalPotentials*>(nullptr)); }

std::vector<std::string> potential_names() {
  std::vector<std::string> names;
  for (const ExternalInfo& info : external_infos()) names.push_back(info.name);
  return names;
}

class EveryPotential : public testing::TestWithParam<std::string> {};

TEST_P(EveryPotential, HasTheGradientOfItsPotentialAsForce) {
  const ExternalParameters p = section(GetParam());
  for (const Double3 d : {Double3{0.7, -0.2, 0.4}, Double3{-3, 5, 1}, Double3{0.05, 0.02, -0.03}, Double3{0, 40, 0.1}}) {
    const FieldAt f = field_of(p, d);
    const double step = 1e-4 * std::sqrt(dot(d, d));
    const auto slope = [&](const Double3& e) {
      const auto at = [&](double s) { return field_of(p, d + (s * step) * e).w; };
      return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    };
    const double size = std::sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
    EXPECT_NEAR(f.x, -slope({1, 0, 0}), 1e-8 * size);
    EXPECT_NEAR(f.y, -slope({0, 1, 0}), 1e-8 * size);
    EXPECT_NEAR(f.z, -slope({0, 0, 1}), 1e-8 * size);
  }
}

TEST_P(EveryPotential, IsZeroFarOutUnlessItHoldsAll) {
  const ExternalInfo& info = *find_named(external_infos(), GetParam());
  const double far = field_of(section(GetParam()), {1e9, 0, 0}).w, near = field_of(section(GetParam()), {1, 0, 0}).w;
  if (info.holds_all) {
    EXPECT_GT(far, near);
  } else {
    EXPECT_LT(near, 0);
    EXPECT_NEAR(far, 0, 1e-6 * std::abs(near));
  }
  EXPECT_FALSE(info.source.empty());
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPotential, testing::ValuesIn(potential_names()), [](const auto& test) { return test.param; });

/// A potential with the speed of circular orbits in the plane z = 0, in formulas of this test's own.
struct Orbits {
  ExternalParameters section;
  std::function<double(double)> speed2;
};
std::vector<Orbits> orbits() {
  const double m = 3, a = 0.8;
  const auto inside = [](double x) { return std::log(1 + x) - x / (1 + x); };
  return {{section("point", {{"mass", m}}), [=](double r) { return G * m / r; }},
          {section("point", {{"mass", m}, {"scale_radius", a}}), [=](double r) { return G * m * r * r / std::pow(r * r + a * a, 1.5); }},
          {section("nfw", {{"mass", m}, {"scale_radius", a}, {"concentration", 7.0}}),
           [=](double r) { return G * m * inside(r / a) / inside(7) / r; }},
          {section("hernquist", {{"mass", m}, {"scale_radius", a}}), [=](double r) { return G * m * r / ((r + a) * (r + a)); }},
          {section("miyamoto_nagai", {{"mass", m}, {"scale_length", a}, {"scale_height", 0.3}}),
           [=](double r) { return G * m * r * r / std::pow(r * r + (a + 0.3) * (a + 0.3), 1.5); }},
          {section("logarithmic", {{"velocity", 1.7}, {"core_radius", 0.2}, {"flattening", 0.8}}),
           [=](double r) { return 1.7 * 1.7 * r * r / (r * r + 0.04); }},
          {section("power_law_cutoff", {{"mass", m}, {"cutoff_radius", a}, {"exponent", 1.5}}),
           [=](double r) { return G * m * boost::math::gamma_p(0.75, r * r / (a * a)) / r; }}};
}

std::unique_ptr<Simulation> simulation_in(const std::vector<ExternalParameters>& external, const Communicator& comm,
                                          GravityParameters gravity = direct_gravity(0.05), const std::string& integrator = "leapfrog") {
  gravity.G = G;
  SimulationSetup setup;
  setup.integrator = integrator;
  setup.external = external;
  return make_simulation(test_device(), gravity, comm, setup);
}

/// Starts with this rank's share of particles.
void start(Simulation& sim, ParticleSet share) {
  share.fields = sim.fields();
  sim.start(share, 0);
}

/// Particles without mass feel the potential alone. They start on the x axis from `centre` in the y direction.
ParticleSet tracers(const std::vector<double>& radii, const std::function<double(double)>& speed, const Double3& centre = {}) {
  ParticleSet set;
  set.resize(radii.size());
  for (std::size_t i = 0; i < radii.size(); ++i) {
    set.id[i] = i;
    const double place[3] = {centre.x + radii[i], centre.y, centre.z};
    std::copy_n(place, 3, set.position.begin() + static_cast<std::ptrdiff_t>(3 * i));
    set.velocity[3 * i + 1] = speed(radii[i]);
  }
  return set;
}

class ExternalRun : public testing::Test {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(ExternalRun, CircularOrbitsClose) {
  for (const Orbits& orbit : orbits()) {
    for (const double radius : {0.1, 1.0, 6.0}) {
      SCOPED_TRACE(orbit.section.potential + " at " + std::to_string(radius));
      const double speed = std::sqrt(orbit.speed2(radius)), period = 2 * std::numbers::pi * radius / speed;
      ExternalParameters elsewhere = orbit.section;
      elsewhere.parameters["x"] = 3.0;
      elsewhere.parameters["z"] = -2.0;
      const ParticleSet first = tracers({radius}, [&](double) { return speed; }, {3, 0, -2});
      const auto sim = simulation_in({elsewhere}, comm_, direct_gravity(0), "yoshida4");
      start(*sim, share_of(first, comm_));
      for (int i = 0; i < 200; ++i) sim->step(period / 200);
      const ParticleSet end = collected(*sim, comm_);
      EXPECT_LT(distance(first.position, end.position, 0), 1e-5 * radius);
      EXPECT_LT(distance(first.velocity, end.velocity, 0), 1e-5 * speed);
    }
  }
}

/// Largest change of the energies of eccentric orbits, relative, through one and a half circular periods. Masses are tiny, not zero, so
/// that the run itself has energies to sum.
double energy_error(const Orbits& orbit, const std::string& integrator, int steps, const Communicator& comm) {
  ParticleSet first = tracers({1.0, 2.0}, [&](double r) { return 0.7 * std::sqrt(orbit.speed2(r)); });
  first.position[2] = 0.3;
  for (double& m : first.mass) m = 1e-12;
  const auto sim = simulation_in({orbit.section}, comm, direct_gravity(0.1), integrator);
  start(*sim, share_of(first, comm));
  const double energy = sim->diagnostics().total_energy(), kinetic = sim->diagnostics().kinetic;
  double worst = 0;
  for (int i = 0; i < steps; ++i) {
    sim->step(1.5 * 2 * std::numbers::pi / std::sqrt(orbit.speed2(1.0)) / steps);
    worst = std::max(worst, std::abs(sim->diagnostics().total_energy() - energy) / kinetic);
  }
  return worst;
}

TEST_F(ExternalRun, EnergyIsConservedToTheOrderOfTheIntegrator) {
  // Ranks that share a GPU take turns there, milliseconds each: one potential shows that their orbits do not differ.
  const std::vector<Orbits> all = orbits();
  for (const Orbits& orbit : std::span(all).first(comm_.size() == 1 ? all.size() : 1)) {
    SCOPED_TRACE(orbit.section.potential);
    for (const auto& [integrator, order] : std::map<std::string, double>{{"leapfrog", 2}, {"yoshida4", 4}}) {
      const double coarse = energy_error(orbit, integrator, 600, comm_), fine = energy_error(orbit, integrator, 1200, comm_);
      EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << integrator;
      EXPECT_LT(fine, 1e-3);
    }
  }
}

const std::vector<ExternalParameters>& halo_and_disc() {
  static const std::vector<ExternalParameters> sections{
      section("nfw", {{"mass", 20.0}, {"scale_radius", 4.0}, {"x", 1.0}}), section(ExternalParameters::none),
      section("miyamoto_nagai", {{"mass", 2.0}, {"scale_length", 1.5}, {"scale_height", 0.2}, {"x", 3.0}})};
  return sections;
}

TEST_F(ExternalRun, EnergiesCountEachPotentialOnceAndPairsOnce) {
  const ParticleSet all = plummer(300);
  const auto alone = simulation_in({}, comm_), inside = simulation_in(halo_and_disc(), comm_);
  start(*alone, share_of(all, comm_));
  start(*inside, share_of(all, comm_));
  double energy = 0, virial = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const ExternalParameters& p : halo_and_disc()) {
      if (!p.is_there()) continue;
      const Double3 d{all.position[3 * i] - p.number("x"), all.position[3 * i + 1], all.position[3 * i + 2]};
      const FieldAt f = field_of(p, d);
      energy += all.mass[i] * f.w;
      // About one origin, the centre of the first.
      virial += all.mass[i] * ((all.position[3 * i] - 1) * f.x + d.y * f.y + d.z * f.z);
    }
  const Diagnostics one = alone->diagnostics(), both = inside->diagnostics();
  EXPECT_EQ(one.external, 0);
  EXPECT_NEAR(both.external, energy, 1e-12 * std::abs(energy));
  EXPECT_NEAR(both.external_virial, virial, 1e-12 * std::abs(virial));
  EXPECT_NEAR(both.potential, one.potential, 1e-12 * std::abs(energy));
  EXPECT_NEAR(both.total_energy(), one.total_energy() + energy, 1e-12 * std::abs(energy));
  EXPECT_NEAR(both.virial_ratio(), 2 * one.kinetic / std::abs(one.potential + virial), 1e-12);
  // The forces are those of both; what is left of their sum is the particles' own, which cancel.
  EXPECT_LT(inside->force_balance().relative(), 1e-12);
  const ForceSample sample = inside->sample_force_error(100, 1);
  for (const double error : sample.acceleration_error) EXPECT_LT(error, 1e-12);
  for (const double error : sample.potential_error) EXPECT_LT(error, 1e-12);
}

// Snapshots have the total, so that v^2 / 2 + potential is what a particle conserves.
TEST_F(ExternalRun, ParticlesHaveTheTotalAccelerationAndPotential) {
  const ExternalParameters p = section("hernquist", {{"mass", 5.0}});
  const ParticleSet first = tracers({2.0}, [](double) { return 0.0; });
  const auto sim = simulation_in({p}, comm_);
  start(*sim, share_of(first, comm_));
  const ParticleSet now = collected(*sim, comm_);
  EXPECT_DOUBLE_EQ(now.potential[0], -G * 5 / 3);
  EXPECT_DOUBLE_EQ(now.acceleration[0], -G * 5 / 9);
}

// A cluster in equilibrium inside a strong field: an opening criterion that saw the field would be content with errors of its size.
TEST_F(ExternalRun, TheOpeningCriterionLooksAtTheOwnGravityAlone) {
  const ParticleSet all = plummer(3000);
  const auto alone = simulation_in({}, comm_, fmm_gravity(1e-3, 0.05));
  const auto inside = simulation_in({section("point", {{"mass", 1e9}, {"x", 1000.0}})}, comm_, fmm_gravity(1e-3, 0.05));
  for (const auto& sim : {alone.get(), inside.get()}) {
    start(*sim, share_of(all, comm_));
    sim->compute_forces();
  }
  EXPECT_EQ(alone->work_counts().particle_particle, inside->work_counts().particle_particle);
  EXPECT_EQ(alone->work_counts().cell_cell, inside->work_counts().cell_cell);
  EXPECT_EQ(alone->work_counts().opening_tests, inside->work_counts().opening_tests);
}

TEST_F(ExternalRun, IsTheSameOnOneRankAsOnSeveral) {
  struct End {
    ParticleSet particles;
    double energy;
  };
  // One after the other: a rank alone may take another GPU than it has among several.
  const auto end_on = [&](const Communicator& comm) {
    const auto simulation = simulation_in(halo_and_disc(), comm);
    start(*simulation, share_of(plummer(400), comm));
    for (int i = 0; i < 5; ++i) simulation->step(0.01);
    return End{collected(*simulation, comm), simulation->diagnostics().total_energy()};
  };
  const End one = end_on(Communicator(MPI_COMM_SELF)), several = end_on(comm_);
  for (std::size_t i = 0; i < one.particles.size(); ++i) EXPECT_LT(distance(one.particles.position, several.particles.position, i), 1e-12);
  EXPECT_NEAR(one.energy, several.energy, 1e-10);
}

TEST_F(ExternalRun, GoesOnFromACheckpointBitForBit) {
  const TemporaryDirectory directory(comm_);
  const std::string path = directory.file("checkpoint_0.hdf5");
  const auto whole = simulation_in(halo_and_disc(), comm_, fmm_gravity(1e-3, 0.05));
  start(*whole, share_of(plummer(2000), comm_));
  whole->step(0.01);
  SavedState saved;
  whole->save(saved);
  write_checkpoint(path, *whole->columns(), saved, comm_, Hdf5Turn());
  const auto part = simulation_in(halo_and_disc(), comm_, fmm_gravity(1e-3, 0.05));
  const SavedState state = read_checkpoint_state(path);
  part->resume(read_checkpoint_particles(path, state, comm_, part->fields()), state);
  for (int i = 0; i < 3; ++i) {
    whole->step(0.01);
    part->step(0.01);
  }
  const ParticleSet a = whole->particles(), b = part->particles();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.acceleration, b.acceleration);
  EXPECT_EQ(a.potential, b.potential);
}

TEST_F(ExternalRun, AForceThatIsNotFiniteIsAnError) {
  const ParticleSet first = tracers({0.0}, [](double) { return 0.0; });
  const auto sim = simulation_in({section("point")}, comm_);
  EXPECT_THROW(start(*sim, share_of(first, comm_)), NotFiniteError);
  // All others are finite in the centre.
  for (const ExternalInfo& info : external_infos()) {
    if (info.name == "point") continue;
    EXPECT_NO_THROW(start(*simulation_in({section(info.name)}, comm_), share_of(first, comm_))) << info.name;
  }
}

/// Moves with this velocity, as a table of a few times has it.
ExternalParameters moving(ExternalParameters p, const Double3& velocity) {
  std::vector<OrbitPoint> points;
  for (const double t : {-0.1, 0.4, 0.5, 3.0}) points.push_back({t, t * velocity, {}});
  p.path = Orbit(points, "external.orbit");
  return p;
}

// The frame of the potential is an inertial one: its particles move as if it were at rest, also between the forces within a step.
TEST_F(ExternalRun, APotentialThatMovesTakesItsParticlesAlong) {
  const Double3 velocity{3, -2, 1};
  const ExternalParameters p = section("hernquist", {{"mass", 5.0}, {"x", 0.5}});
  for (const char* const integrator : {"leapfrog", "yoshida4", "rk4", "gauss_legendre6", "adams_bashforth4"}) {
    ParticleSet first = tracers({1.0, 2.0, 3.0}, [](double) { return 1.5; }), carried = first;
    for (std::size_t i = 0; i < first.size(); ++i) {
      carried.velocity[3 * i] += velocity.x;
      carried.velocity[3 * i + 1] += velocity.y;
      carried.velocity[3 * i + 2] += velocity.z;
    }
    const auto resting = simulation_in({p}, comm_, direct_gravity(0), integrator);
    const auto other = simulation_in({moving(p, velocity)}, comm_, direct_gravity(0), integrator);
    start(*resting, share_of(first, comm_));
    start(*other, share_of(carried, comm_));
    for (int i = 0; i < 20; ++i) {
      resting->step(0.05);
      other->step(0.05);
    }
    const ParticleSet a = collected(*resting, comm_), b = collected(*other, comm_);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(b.position[3 * i], a.position[3 * i] + velocity.x, 1e-12) << integrator;
      EXPECT_NEAR(b.position[3 * i + 1], a.position[3 * i + 1] + velocity.y, 1e-12);
      EXPECT_NEAR(b.acceleration[3 * i + 2], a.acceleration[3 * i + 2], 1e-12);
    }
    EXPECT_TRUE(other->diagnostics().is_driven && !resting->diagnostics().is_driven);
    EXPECT_TRUE(resting->diagnostics().change_of_each && !other->diagnostics().change_of_each) << "it changes v^2 / 2 + phi of each";
    EXPECT_NO_THROW(other->require_times(-0.1, 3));
    EXPECT_THROW(other->require_times(0, 3.1), ConfigError);
    EXPECT_THROW(other->step_to(3.1, 2.1), ConfigError);
  }
}

TEST_F(ExternalRun, APotentialThatMovesGoesOnFromACheckpointBitForBit) {
  const auto make = [&] {
    return simulation_in({moving(halo_and_disc()[0], {1, 2, 0}), halo_and_disc()[2]}, comm_, direct_gravity(0.05), "yoshida4");
  };
  const auto whole = make(), part = make();
  start(*whole, share_of(plummer(200), comm_));
  whole->step(0.01);
  SavedState saved;
  whole->save(saved);
  ParticleSet particles = whole->particles();
  particles.fields = part->fields();
  part->resume(std::move(particles), saved);
  EXPECT_EQ(part->diagnostics().external, whole->diagnostics().external);
  for (int i = 0; i < 3; ++i) {
    whole->step(0.01);
    part->step(0.01);
  }
  EXPECT_EQ(whole->particles().position, part->particles().position);
  EXPECT_EQ(whole->diagnostics().total_energy(), part->diagnostics().total_energy());
}

std::unique_ptr<Simulation> simulation_with(const ExternalFunction& function, const Communicator& comm) {
  GravityParameters gravity = direct_gravity(0.05);
  gravity.G = G;
  SimulationSetup setup;
  setup.external_function = function;
  return make_simulation(test_device(), gravity, comm, setup);
}

TEST_F(ExternalRun, AFunctionActsAsThePotentialThatItComputes) {
  const ExternalParameters p = section("miyamoto_nagai", {{"mass", 2.0}, {"scale_length", 1.5}, {"scale_height", 0.2}});
  const auto table = simulation_in({p}, comm_);
  const auto function = simulation_with(
      [&](double, std::size_t n, const double* x, double* a, double* potential) {
        for (std::size_t i = 0; i < n; ++i) {
          const FieldAt f = field_of(p, {x[3 * i], x[3 * i + 1], x[3 * i + 2]});
          const double pull[3] = {f.x, f.y, f.z};
          std::copy_n(pull, 3, a + 3 * i);
          potential[i] = f.w;
        }
      },
      comm_);
  for (Simulation* sim : {table.get(), function.get()}) {
    start(*sim, share_of(plummer(300), comm_));
    for (int i = 0; i < 5; ++i) sim->step(0.01);
  }
  const ParticleSet a = collected(*table, comm_), b = collected(*function, comm_);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(distance(a.position, b.position, i), 1e-13);
    EXPECT_NEAR(a.potential[i], b.potential[i], 1e-12);
  }
  const Diagnostics one = table->diagnostics(), other = function->diagnostics();
  EXPECT_NEAR(one.external, other.external, 1e-12);
  EXPECT_NEAR(one.external_virial, other.external_virial, 1e-12);
  EXPECT_LT(function->force_balance().relative(), 1e-12);
}

TEST_F(ExternalRun, AFunctionKnowsTheTimeAndItsFailureOnOneRankReachesAll) {
  std::vector<double> times;
  bool fails = false;
  const auto sim = simulation_with(
      [&](double time, std::size_t n, const double*, double* a, double* potential) {
        times.push_back(time);
        std::fill_n(a, 3 * n, fails && comm_.is_root() ? NAN : 0.0);
        std::fill_n(potential, n, 0.0);
      },
      comm_);
  start(*sim, share_of(plummer(100), comm_));
  sim->step(0.25);
  EXPECT_EQ(times, (std::vector<double>{0, 0.25}));
  fails = true;
  EXPECT_THROW(sim->step(0.25), AgreedError);
}

TEST_F(ExternalRun, RefusesAnUnknownName) { EXPECT_THROW(simulation_in({section("nwf")}, comm_), ConfigError); }

TEST(NfwMass, IsRightOnBothSidesOfTheSeries) {
  for (const double x : {1e-8, 1e-4, 0.9999e-3, 1.0001e-3, 0.1, 10.0}) {
    // The integral of t / (1 + t)^2 by Simpson's rule.
    constexpr int steps = 2000;
    long double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const long double t = static_cast<long double>(x) * i / steps;
      sum += (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * t / ((1 + t) * (1 + t));
    }
    const double wanted = static_cast<double>(sum * x / (3 * steps));
    EXPECT_NEAR(NfwPotential::mass_inside(x), wanted, 1e-9 * wanted) << x;
  }
}

// Both incomplete gamma functions, on all sides of the last radius that the series serves.
TEST(PowerLawCutoff, HasTheMassAndPotentialOfItsDensity) {
  for (const double alpha : {0.0, 1.0, 1.8, 1.99})
    for (const double r : {1e-9, 1e-3, 0.3, 1.0, 2.5, 6.3, 6.4, 100.0}) {
      SCOPED_TRACE(std::to_string(alpha) + " at " + std::to_string(r));
      const double rc = 0.7, y = r * r, a = (3 - alpha) / 2;
      const FieldAt f = field_of(section("power_law_cutoff", {{"mass", 3.0}, {"cutoff_radius", rc}, {"exponent", alpha}}), {0, r * rc, 0});
      const double pull = G * 3 * boost::math::gamma_p(a, y) / (y * rc * rc);
      const double unit = G * 3 / rc, centre = unit * std::tgamma(a - 0.5) / std::tgamma(a);
      EXPECT_NEAR(f.y, -pull, 2e-14 * pull);
      EXPECT_NEAR(f.w, -unit * (boost::math::gamma_p(a, y) / r + boost::math::tgamma(a - 0.5, y) / std::tgamma(a)), 1e-14 * centre);
    }
}

// galpy 1.12.1 (Bovy 2015), with its units of 8 kpc, 220 km/s and G = 1. Its bulge has potential 0 in the centre.
TEST(PowerLawCutoff, IsTheBulgeOfMilkyWayPotential2014) {
  const double halo = std::log(11.0) - 10.0 / 11;
  const std::vector<ExternalParameters> sections{
      section("power_law_cutoff", {{"mass", 0.050000000207939065 / G}, {"cutoff_radius", 0.2375}, {"exponent", 1.8}}),
      section("miyamoto_nagai", {{"mass", 0.7574802019371595 / G}, {"scale_length", 0.375}, {"scale_height", 0.035}}),
      section("nfw", {{"mass", 4.852230533527998 / G * halo}, {"scale_radius", 2.0}, {"concentration", 10.0}})};
  struct Row {
    double R, z, pull_R, pull_z, potential;
  };
  constexpr Row rows[] = {{0.01, 0.0, -13.208659888376456, 0.0, -3.6418386422661824},
                          {0.1, 0.05, -2.845804573713621, -4.022216359145231, -3.048082854963143},
                          {0.4, -0.2, -1.5071001836675721, 1.5590972556644205, -2.03389488035479},
                          {1.0, 0.1, -0.9511208575804555, -0.291338605071838, -1.3531320418152721},
                          {3.0, 2.0, -0.16407064949824973, -0.11444954532062765, -0.2538653745982691}};
  const double centre = field_of(sections[0], {0, 0, 0}).w;
  for (const Row& row : rows) {
    FieldAt f{0, 0, 0, -centre};
    for (const ExternalParameters& p : sections) {
      const FieldAt one = field_of(p, {row.R, 0, row.z});
      f = {f.x + one.x, f.y + one.y, f.z + one.z, f.w + one.w};
    }
    EXPECT_NEAR(f.x, row.pull_R, 1e-12 * std::abs(row.pull_R));
    EXPECT_NEAR(f.z, row.pull_z, 1e-12 * std::abs(row.pull_z));
    EXPECT_NEAR(f.w, row.potential, 1e-12 * std::abs(row.potential));
  }
}

}  // namespace
}  // namespace grove::tests
