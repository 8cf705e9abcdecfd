"""The worker of AMUSE (python/amuse). Skipped (77) where AMUSE is not installed; comparisons with bhtree where that is not.

Several tests follow those of AMUSE for its own gravity codes.
"""

import sys
import time
import unittest

import numpy as np

try:
    from amuse.couple.bridge import Bridge
    from amuse.datamodel import Particle, Particles
    from amuse.ic.plummer import new_plummer_model
    from amuse.support.exceptions import AmuseException
    from amuse.units import constants, nbody_system, units
    from amuse_grove import Grove, GroveInterface
except ImportError as missing:
    print(f"{missing}: pip install amuse-framework mpi4py (and amuse-bhtree, with which Grove is compared)")
    sys.exit(77)
try:
    from amuse.community.bhtree import Bhtree
except ImportError:
    Bhtree = None

LENGTH, TIME, MASS, SPEED = nbody_system.length, nbody_system.time, nbody_system.mass, nbody_system.speed
ACCELERATION, ENERGY = nbody_system.acceleration, nbody_system.energy


def plummer(n, seed=1):
    particles = new_plummer_model(n, random=np.random.RandomState(seed))
    particles.radius = 0.0 | LENGTH
    return particles


def pair():
    """At rest, 10 apart."""
    particles = Particles(2)
    particles.mass, particles.radius = 1.0 | MASS, 0.0 | LENGTH
    particles.position = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]] | LENGTH
    particles.velocity = [0.0, 0.0, 0.0] | SPEED
    return particles


def direct_sum(particles, points, softening):
    """Acceleration (M, 3) and potential (M,) at points (M, 3); a particle has no force on itself."""
    away = particles.position.value_in(LENGTH)[None, :, :] - points[:, None, :]
    squared = (away**2).sum(axis=2)
    weight = np.where(squared > 0, particles.mass.value_in(MASS) / np.sqrt(squared + softening**2), 0)
    return (away * (weight / (squared + softening**2))[:, :, None]).sum(axis=1), -weight.sum(axis=1)


class WorkerTest(unittest.TestCase):
    idle = []  # started workers of Grove in N-body units

    def start(self, particles=None, converter=None, softening=0.1, code=Grove, **options):
        if code is Grove and converter is None and not options:
            instance = self.idle.pop() if self.idle else Grove()
            instance.initialize_code()
            self.addCleanup(self.idle.append, instance)
            self.addCleanup(instance.cleanup_code)
        else:
            instance = code(converter, **options)
            self.addCleanup(instance.stop)
        if softening is not None:
            instance.parameters.epsilon_squared = softening**2 | (LENGTH**2)
        if particles is not None:
            instance.particles.add_particles(particles)
        return instance

    def assert_close(self, found, expected, relative):
        error = np.linalg.norm(np.atleast_1d(found - expected)) / np.linalg.norm(np.atleast_1d(expected))
        self.assertLess(error, relative)


class Dynamics(WorkerTest):
    def test_the_earth_is_back_after_a_year(self):
        particles = Particles(2)
        particles.mass = [1.0, 3e-6] | units.MSun
        particles.radius = [695700.0, 6371.0] | units.km
        particles.position = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]] | units.AU
        particles.velocity = [0.0, 0.0, 0.0] | units.kms
        particles[1].vy = (constants.G * particles.mass.sum() / (1.0 | units.AU)).sqrt()
        year = 2 * np.pi * (1.0 | units.AU) / particles[1].vy
        converter = nbody_system.nbody_to_si(1.0 | units.MSun, 1.0 | units.AU)
        grove = self.start(particles, converter, softening=None)
        to_script = grove.particles.new_channel_to(particles)
        energy = grove.get_total_energy()
        for quarter, expected in ((1, (0, 1)), (2, (-1, 0)), (4, (1, 0))):
            grove.evolve_model(quarter / 4 * year)
            to_script.copy()
            np.testing.assert_allclose((particles[1].position - particles[0].position).value_in(units.AU), (*expected, 0), atol=5e-4)
        self.assertAlmostEqual(grove.model_time / year, 1.0, 12)
        self.assertAlmostEqual(grove.get_total_energy() / energy, 1.0, 6)
        self.assertEqual(particles[1].radius.value_in(units.km), 6371.0)

    def test_fields_energies_and_sums_are_those_of_the_particles(self):
        particles = plummer(300)
        grove = self.start(particles)
        grove.commit_particles()
        position = particles.position.value_in(LENGTH)
        acceleration, potential = direct_sum(particles, position, 0.1)
        indices = range(1, 301)
        self.assert_close(np.transpose([axis.value_in(ACCELERATION) for axis in grove.get_acceleration(indices)]), acceleration, 1e-5)
        self.assert_close(grove.get_potential(indices).value_in(SPEED**2), potential, 1e-5)
        mass = particles.mass.value_in(MASS)
        self.assert_close(grove.potential_energy.value_in(ENERGY), 0.5 * (mass * potential).sum(), 1e-5)
        self.assert_close(grove.kinetic_energy.value_in(ENERGY), particles.kinetic_energy().value_in(ENERGY), 1e-12)
        self.assert_close(grove.total_mass.value_in(MASS), 1.0, 1e-12)
        shifted = particles.copy()
        shifted.position += [1.0, 2.0, 3.0] | LENGTH
        shifted.velocity += [4.0, 5.0, 6.0] | SPEED
        shifted.new_channel_to(grove.particles).copy()
        self.assert_close(grove.center_of_mass_position.value_in(LENGTH), shifted.center_of_mass().value_in(LENGTH), 1e-12)
        self.assert_close(grove.center_of_mass_velocity.value_in(SPEED), shifted.center_of_mass_velocity().value_in(SPEED), 1e-12)
        radius = (shifted.position - shifted.center_of_mass()).lengths().max()
        self.assert_close(grove.total_radius.value_in(LENGTH), radius.value_in(LENGTH), 1e-12)

    def test_energy_is_conserved_and_the_time_step_decides_how_well(self):
        errors = []
        for step in (1 / 16, 1 / 32):
            grove = self.start(plummer(100))
            grove.parameters.timestep = step | TIME
            before = grove.get_total_energy()
            grove.evolve_model(1.0 | TIME)
            grove.synchronize_model()
            self.assertEqual(grove.model_time, 1.0 | TIME)
            errors.append(abs(grove.get_total_energy() / before - 1))
        self.assertLess(errors[0], 2e-3)
        self.assertLess(errors[1], errors[0] / 2)

    def test_particles_are_added_changed_and_removed_between_steps(self):
        particles = plummer(50)
        grove = self.start(particles)
        grove.evolve_model(0.125 | TIME)
        moved = grove.particles[7].position
        heavy = Particle(mass=2.0 | MASS, radius=3.0 | LENGTH, position=[9.0, 8.0, 7.0] | LENGTH, velocity=[1.0, 0.0, 0.0] | SPEED)
        grove.particles.add_particle(heavy)
        grove.particles.remove_particles(particles[:5])
        self.assertEqual(len(grove.particles), 46)
        self.assertEqual(grove.legacy_interface.get_number_of_particles()["number_of_particles"], 46)
        self.assertEqual(list(grove.particles[2].position.value_in(LENGTH)), list(moved.value_in(LENGTH)))
        self.assertEqual(list(grove.particles[-1].position.value_in(LENGTH)), [9.0, 8.0, 7.0])
        self.assertEqual(grove.particles[-1].radius, 3.0 | LENGTH)
        grove.particles[-1].mass = 0.5 | MASS
        grove.particles[-1].velocity = [0.0, 4.0, 0.0] | SPEED
        grove.evolve_model(0.25 | TIME)
        self.assertEqual(grove.model_time, 0.25 | TIME)
        self.assertAlmostEqual(grove.particles[-1].y.value_in(LENGTH), 8.5, 2)
        self.assertAlmostEqual(grove.total_mass.value_in(MASS), 45 / 50 + 0.5, 12)
        grove.particles.synchronize_to(particles)
        self.assertEqual(len(particles), 46)

    def test_without_particles_time_passes_and_there_is_no_force(self):
        grove = self.start()
        grove.evolve_model(0.5 | TIME)
        zero = 0.0 | LENGTH
        self.assertEqual(grove.get_gravity_at_point(zero, zero, zero, zero)[0], 0.0 | ACCELERATION)
        grove.particles.add_particles(pair())
        grove.evolve_model(1.0 | TIME)
        self.assertEqual((grove.model_time, len(grove.particles)), (1.0 | TIME, 2))

    def test_indices_start_at_1_are_not_used_twice_and_unknown_ones_give_the_code_of_amuse(self):
        interface = GroveInterface()
        self.addCleanup(interface.stop)
        self.assertEqual(interface.get_mass(1)["__result"], -1)
        zero = [0.0] * 3
        index = interface.new_particle(mass=[1.0, 2.0, 3.0], x=[1.0, 2.0, 3.0], y=zero, z=zero, vx=zero, vy=zero, vz=zero, radius=zero)
        self.assertEqual(list(index["index_of_the_particle"]), [1, 2, 3])
        interface.commit_particles()
        self.assertEqual(interface.delete_particle(2), 0)
        self.assertEqual(interface.delete_particle(2), -1)
        self.assertEqual(interface.new_particle(4.0, 0, 0, 0, 0, 0, 0, 0)["index_of_the_particle"], 4)
        self.assertEqual(interface.get_index_of_first_particle()["index_of_the_particle"], 1)
        self.assertEqual([tuple(interface.get_index_of_next_particle(i).values()) for i in (1, 2, 3, 4)][::3], [(3, 0), (0, 1)])
        found = interface.get_state([4, 2, 1])
        self.assertEqual(list(found["__result"]), [0, -1, 0])
        self.assertEqual(list(found["mass"]), [4.0, 0.0, 1.0])
        self.assertEqual(interface.set_mass([3], [9.0]), 0)
        self.assertEqual(interface.get_mass(3)["mass"], 9.0)

    def test_time_begins_where_it_shall_and_does_not_go_back(self):
        grove = self.start(pair())
        grove.parameters.begin_time = 3.0 | TIME
        grove.evolve_model(3.5 | TIME)
        self.assertEqual(grove.model_time, 3.5 | TIME)
        grove.evolve_model(3.5 * (1 - 1e-15) | TIME)
        with self.assertRaisesRegex(AmuseException, "before 3.5, which is reached"):
            grove.evolve_model(3.0 | TIME)

    def test_ranks_and_sockets_give_the_same_orbits(self):
        found = []
        for options in ({}, {"number_of_workers": 2}, {"channel_type": "sockets"}):
            grove = self.start(plummer(64), **options)
            grove.evolve_model(0.25 | TIME)
            grove.particles.remove_particle(grove.particles[5])
            grove.particles.add_particles(pair())
            grove.evolve_model(0.5 | TIME)
            field = grove.get_gravity_at_point([0.0] * 3 | LENGTH, *([[1.0, 2.0, 3.0]] * 3 | LENGTH))[0]
            found.append((grove.particles.position.value_in(LENGTH), field.value_in(ACCELERATION)))
        for positions, field in found[1:]:
            np.testing.assert_allclose(positions, found[0][0], atol=1e-5)
            np.testing.assert_allclose(field, found[0][1], rtol=1e-3)


class Parameters(WorkerTest):
    def test_they_can_be_changed_between_steps(self):
        grove = self.start(pair(), softening=0.0)
        self.assertAlmostEqual(grove.potential_energy.value_in(ENERGY), -0.1, 6)
        grove.evolve_model(1.0 | TIME)
        x = grove.particles[0].x
        grove.parameters.epsilon_squared = 300.0 | LENGTH**2
        grove.parameters.method = "direct"
        grove.parameters.integrator = "yoshida4"
        self.assertAlmostEqual(grove.potential_energy.value_in(ENERGY), -0.05, 4)
        self.assertEqual((grove.model_time, grove.particles[0].x, grove.parameters.method), (1.0 | TIME, x, "direct"))

    def test_softening_changes_the_orbit(self):
        angles = []
        for softening in (1e-4, 1.0, 1e4):
            particles = pair()
            particles.mass = [1.0, 1e-6] | MASS
            particles[1].position, particles[1].velocity = [1.0, 0.0, 0.0] | LENGTH, [0.0, 1.0, 0.0] | SPEED
            grove = self.start(particles, softening=softening)
            grove.evolve_model(np.pi / 2 | TIME)
            vx, vy, _ = grove.particles[1].velocity.value_in(SPEED)
            angles.append(np.arctan2(-vx, vy))
        self.assertAlmostEqual(angles[0], np.pi / 2, 3)
        self.assertTrue(0.1 < angles[1] < 1)
        self.assertAlmostEqual(angles[2], 0, 3)

    def test_what_grove_refuses_is_told_in_words_and_the_worker_lives_on(self):
        grove = self.start(pair())
        for name, value, words in (
            ("method", "magic", "fmm, tree, direct"),
            ("timestep", 0.0 | TIME, "time.dt"),
            ("epsilon_squared", -1.0 | LENGTH**2, "epsilon_squared must be"),
            ("opening_angle", 0.3, "gravity.opening"),
        ):
            before = getattr(grove.parameters, name)
            with self.assertRaisesRegex(AmuseException, words):
                setattr(grove.parameters, name, value)
                grove.evolve_model(0.1 | TIME)
            setattr(grove.parameters, name, before)
        grove.parameters.opening_angle, grove.parameters.opening = 0.3, "geometric"
        grove.evolve_model(0.1 | TIME)
        self.assertEqual(grove.model_time, 0.1 | TIME)
        grove.particles[0].mass = -1.0 | MASS
        with self.assertRaisesRegex(AmuseException, "mass"):
            grove.evolve_model(0.2 | TIME)

    def test_a_code_can_be_used_again_after_its_cleanup(self):
        grove = self.start(pair())
        grove.evolve_model(0.1 | TIME)
        grove.cleanup_code()
        grove.initialize_code()
        self.assertEqual(len(grove.particles), 0)
        grove.particles.add_particles(plummer(10))
        grove.evolve_model(0.1 | TIME)
        self.assertEqual(len(grove.particles), 10)


class Conditions(WorkerTest):
    def test_steps_end_with_the_number_of_steps(self):
        grove = self.start(pair())
        grove.parameters.stopping_conditions_number_of_steps = 2
        condition = grove.stopping_conditions.number_of_steps_detection
        condition.enable()
        grove.evolve_model(10 | TIME)
        self.assertTrue(condition.is_set())
        self.assertAlmostEqual(grove.model_time.value_in(TIME), 0.02, 12)
        condition.disable()
        grove.evolve_model(1 | TIME)
        self.assertFalse(condition.is_set())
        self.assertEqual(grove.model_time, 1 | TIME)

    def test_steps_end_with_the_timeout(self):
        grove = self.start(pair())
        grove.parameters.stopping_conditions_timeout = 0.2 | units.s
        grove.stopping_conditions.timeout_detection.enable()
        began = time.monotonic()
        grove.evolve_model(1e9 | TIME)
        self.assertTrue(0.2 < time.monotonic() - began < 3)
        self.assertTrue(grove.stopping_conditions.timeout_detection.is_set())
        self.assertLess(grove.model_time, 1e9 | TIME)

    def test_steps_end_with_a_particle_out_of_the_box_and_it_is_named(self):
        for moves in (False, True):
            particles = pair()
            particles.velocity = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]] | SPEED
            grove = self.start(particles)
            grove.parameters.stopping_conditions_out_of_box_use_center_of_mass = moves
            grove.parameters.stopping_conditions_out_of_box_size = (5.5 if moves else 11.0) | LENGTH
            condition = grove.stopping_conditions.out_of_box_detection
            condition.enable()
            grove.evolve_model(10 | TIME)
            self.assertTrue(condition.is_set())
            self.assertAlmostEqual(grove.model_time.value_in(TIME), 0.5, 1)
            self.assertEqual(list(condition.particles(0).key), list(particles.key if moves else particles[1:].key))

    def test_collisions_are_not_supported_and_that_is_said(self):
        with self.assertRaisesRegex(AmuseException, "does not support"):
            self.start().stopping_conditions.collision_detection.enable()


class FieldAtPoints(WorkerTest):
    def test_it_is_that_of_a_direct_sum_with_the_larger_softening(self):
        particles = plummer(200)
        grove = self.start(particles)
        points = np.random.RandomState(5).normal(size=(40, 3))
        for eps, method, allowed in ((0.0, "fmm", 1e-4), (0.1, "direct", 1e-12), (0.5, "direct", 1e-12), (0.5, "fmm", 1e-4)):
            grove.parameters.method = method
            acceleration, potential = direct_sum(particles, points, max(eps, 0.1))
            arguments = np.full(40, eps) | LENGTH, *(points.T | LENGTH)
            self.assert_close(np.transpose([axis.value_in(ACCELERATION) for axis in grove.get_gravity_at_point(*arguments)]), acceleration, allowed)
            self.assert_close(grove.get_potential_at_point(*arguments).value_in(SPEED**2), potential, allowed)
        with self.assertRaisesRegex(AmuseException, "same at all points"):
            grove.get_gravity_at_point(np.linspace(0, 1, 40) | LENGTH, *(points.T | LENGTH))

    def test_it_is_a_vector_for_one_point(self):
        grove = self.start(pair(), softening=0.0)
        zero = 0.0 | LENGTH
        self.assertAlmostEqual(grove.get_gravity_at_point(zero, 5.0 | LENGTH, zero, zero)[0].value_in(ACCELERATION), 0.0, 6)
        self.assertAlmostEqual(grove.get_potential_at_point(zero, 5.0 | LENGTH, zero, zero).value_in(SPEED**2), -0.4, 5)

    def bridged(self, code):
        """Two spheres that pass each other, each in the field of the other, at t = 1."""
        systems = plummer(150, seed=1), plummer(150, seed=2)
        systems[1].position += [3.0, 1.0, 0.0] | LENGTH
        systems[1].velocity += [-1.0, 0.0, 0.0] | SPEED
        codes = []
        for particles in systems:
            codes.append(self.start(particles, code=code))
            codes[-1].parameters.timestep = 1 / 64 | TIME
        if code is not Grove:
            for one in codes:
                one.parameters.opening_angle = 0.3
        bridge = Bridge(timestep=1 / 16 | TIME)
        bridge.add_system(codes[0], (codes[1],))
        bridge.add_system(codes[1], (codes[0],))
        before = bridge.kinetic_energy + bridge.potential_energy
        bridge.evolve_model(1.0 | TIME)
        drift = (bridge.kinetic_energy + bridge.potential_energy) / before - 1
        return np.concatenate([one.particles.position.value_in(LENGTH) for one in codes]), drift

    @unittest.skipIf(Bhtree is None, "amuse-bhtree is not installed")
    def test_bridge_of_two_systems_moves_them_as_with_bhtree(self):
        (found, drift), (expected, _) = self.bridged(Grove), self.bridged(Bhtree)
        self.assertLess(np.abs(found - expected).max(), 2e-3)
        self.assertLess(abs(drift), 1e-3)


def tearDownModule():  # noqa: N802 - unittest's name
    for instance in WorkerTest.idle:
        instance.stop()


if __name__ == "__main__":
    unittest.main()
