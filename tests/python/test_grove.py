"""The Python package: what a user does with it, and the mistakes that one makes.

    GROVE_LIBRARY=build/libgrove_c.so PYTHONPATH=python python3 tests/python/test_grove.py

or by ctest -R python_test, which finds a Python that has numpy.
"""

import contextlib
import copy
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import grove
from grove import _dlpack, _library

KPC = "kpc, km/s, 1e10 Msun"
SETTINGS = {"softening": 0.05, "dt": 1 / 128, "device": "cpu"}


def plummer(n=200, **more):
    return grove.generate("plummer", n=n, softening=0.05, **more)


class Kpc:
    """As much of a Quantity of astropy or unyt as Grove uses."""

    def __init__(self, value, unit="kpc", cgs=3.0856775814913673e21):
        self.value, self.unit, self.cgs, self.shape = np.asarray(value), unit, cgs, np.shape(value)

    def to_value(self, unit):
        assert unit in ("cm", "s")
        return self.value * self.cgs


class OnlyDlpack:
    """An array of another library: of the memory of the CPU or, as far as can be told here, of a GPU."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device, self.stream = values, device, None

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **_):
        self.stream = stream
        return _dlpack.capsule(self.values.ctypes.data, self.values.shape, self.values.dtype, self.values.strides, self.device)


class Simulations(unittest.TestCase):
    def test_steps_conserve_energy_and_come_back_in_the_order_of_ids(self):
        particles = plummer()
        sim = grove.Simulation(particles, **SETTINGS)
        before = sim.energy
        self.assertTrue(sim.evolve(0.5))
        self.assertEqual(sim.time, 0.5)
        self.assertLess(abs(sim.energy.total / before.total - 1), 1e-3)
        np.testing.assert_array_equal(sim.particles.id, np.arange(200))
        self.assertGreater(np.abs(sim.particles.position - particles.position).max(), 0.01)
        self.assertIn("200 particles, t = 0.5", repr(sim))

    def test_looking_and_stopping_between_changes_no_bits(self):
        one, other = (grove.Simulation(plummer(), **SETTINGS) for _ in range(2))
        one.evolve(0.25)
        seen = []

        @other.every(4)
        def look(sim):
            seen.append((sim.time, sim.energy.total, sim.particles.position[0, 0]))

        other.evolve(0.25)
        self.assertEqual([t for t, *_ in seen], [(k + 1) / 32 for k in range(8)])
        np.testing.assert_array_equal(one.particles.position, other.particles.position)

    def test_a_function_stops_the_steps_by_time(self):
        sim = grove.Simulation(plummer(), **SETTINGS)
        times = []

        @sim.every(time=0.1)
        def stop(s):
            times.append(s.time)
            return grove.STOP if len(times) == 2 else None

        self.assertFalse(sim.evolve(1))
        self.assertEqual(times, [13 / 128, 26 / 128])
        self.assertEqual(sim.time, 26 / 128)

    def test_an_exception_of_a_function_is_raised_and_the_simulation_lives(self):
        sim = grove.Simulation(plummer(), **SETTINGS)

        @sim.every(2)
        def fail(s):
            if s.time < 0.02:
                raise RuntimeError("mine")

        with self.assertRaisesRegex(RuntimeError, "mine"):
            sim.evolve(1)
        self.assertTrue(sim.evolve(0.25))

    def test_ctrl_c_comes_within_a_step_and_the_simulation_lives(self):
        sim = grove.Simulation(plummer(2000), **SETTINGS)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sim.evolve(1000)
        self.assertLess(time.monotonic() - began, 5)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        stopped = sim.time
        self.assertTrue(sim.evolve(np.ceil(stopped)))

    def test_particles_come_and_go(self):
        sim = grove.Simulation(plummer(50), **SETTINGS)
        sim.add(grove.Particles([[100, 0, 0]], mass=1e-3, type="disc"))
        self.assertEqual(len(sim), 51)
        self.assertAlmostEqual(sim.get("acceleration")[50, 0], -1e-4, places=5)
        self.assertEqual(sim.particles.type[50], 2)
        sim.remove([3, 50])
        self.assertEqual(len(sim), 49)
        with self.assertRaisesRegex(grove.DataError, "1 of 1 ids"):
            sim.remove([3])
        sim.set("velocity", np.zeros((49, 3)))
        self.assertEqual(sim.energy.kinetic, 0)
        sim.set("mass", np.float32(0.5))
        self.assertEqual(sim.energy.total, sim.energy.potential)
        self.assertEqual(sim.get("mass").tolist(), [0.5] * 49)

    def test_velocities_alone_leave_the_forces(self):
        sim, other = (grove.Simulation(plummer(), **SETTINGS) for _ in range(2))
        calls = []
        sim.set_external(lambda x, t: calls.append(t) or (0 * x, 0 * x[:, 0]))
        other.set_external(lambda x, t: (0 * x, 0 * x[:, 0]))
        sim.evolve(0.125)
        other.evolve(0.125)
        del calls[:]
        velocity = sim.get("velocity")
        sim.set("velocity", 2 * velocity)
        acceleration = sim.get("acceleration")
        self.assertEqual(calls, [])
        np.testing.assert_array_equal(acceleration, other.get("acceleration"))
        self.assertAlmostEqual(sim.energy.kinetic, 4 * other.energy.kinetic, places=14)
        sim.set("velocity", velocity)
        for one in (sim, other):
            one.evolve(0.25)
        np.testing.assert_array_equal(sim.get("position"), other.get("position"))
        del calls[:]
        sim.set("mass", 1e-3)
        sim.get("acceleration")
        self.assertEqual(calls, [0.25])

    def test_a_daemon_thread_that_steps_lets_the_interpreter_end(self):
        code = (
            "import grove, threading, time; sim = grove.Simulation(grove.generate('plummer', n=2000), softening=0.05, dt=1 / 128, device='cpu')\n"
            "sim.every(3)(lambda s: print(s.time, flush=True))\n"
            "threading.Thread(target=lambda: sim.evolve(1e6), daemon=True).start()\n"
            "while sim._steps < 5: time.sleep(0.01)"
        )
        for _ in range(3):
            found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ)
            self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_local_arrays_are_the_particles_themselves(self):
        sim = grove.Simulation(plummer(100), **SETTINGS)
        sim.evolve(0.125)
        position, mass = sim.get("position"), sim.get("mass")
        with sim.local_arrays() as a:
            self.assertEqual(a.position.shape, (100, 3))
            order = np.argsort(a.id)
            np.testing.assert_array_equal(a.position[order], position)
            np.testing.assert_array_equal(a.mass[order], mass)
            a.velocity[...] = 0
            a.position[:, 2] += 1.0
            with self.assertRaisesRegex(ValueError, "read-only"):
                a.mass[0] = 1
            with self.assertRaisesRegex(grove.SettingError, "are lent"):
                sim.evolve(1)
        np.testing.assert_array_equal(sim.get("position"), position + [0, 0, 1])
        self.assertEqual(sim.energy.kinetic, 0)
        with sim.local_arrays(read_only=True) as a, self.assertRaises(ValueError):
            a.position[0] = 1
        with self.assertRaisesRegex(grove.DataError, "not finite"), sim.local_arrays() as a:
            a.position[3, 1] = np.nan
        sim.particles = plummer(30)
        self.assertTrue(sim.evolve(0.25))

    def test_what_a_function_may_not_do_with_its_simulation_is_an_error(self):
        for name, work in [("closed while it steps", lambda s: s.close()), ("evolve\\(\\) cannot", lambda s: s.evolve(1))]:
            sim = grove.Simulation(plummer(20), **SETTINGS)
            sim.every(2)(work)
            with self.assertRaisesRegex(grove.SettingError, name):
                sim.evolve(0.5)
            self.assertEqual(sim.time, 2 / 128)

    def test_a_simulation_is_of_one_thread_and_not_copied(self):
        sim = grove.Simulation(plummer(3000), **SETTINGS)
        failures = []

        def look():
            try:
                while not failures:
                    sim.energy  # noqa: B018
            except grove.SettingError as error:
                failures.append(str(error))

        other = threading.Thread(target=look)
        other.start()
        while not failures:
            with contextlib.suppress(grove.SettingError):
                sim.evolve(sim.time + 0.0625)
        other.join()
        self.assertIn("in use by another thread", failures[0])
        with self.assertRaisesRegex(TypeError, "cannot be copied"):
            copy.copy(sim)
        sim.close()
        sim.close()
        self.assertEqual(repr(sim), "<grove.Simulation: closed>")
        with self.assertRaisesRegex(grove.SettingError, "is closed"):
            sim.evolve(1)

    def test_many_sessions_are_made_and_closed(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

        for k in range(60):
            if k == 30:
                before = resident()
            grove.Simulation(plummer(10), **SETTINGS).close()
        self.assertLess(resident() - before, 8e6)


class Values(unittest.TestCase):
    def test_arrays_of_any_stride_and_precision(self):
        rows = np.random.default_rng(1).normal(size=(30, 7)).astype(np.float32)
        sim = grove.Simulation(grove.Particles(rows[:, :3], rows[:, 5:2:-1], mass=rows[:, 6] ** 2), **SETTINGS)
        np.testing.assert_array_equal(sim.particles.position, rows[:, :3])
        np.testing.assert_array_equal(sim.particles.velocity, rows[:, 5:2:-1])
        sim = grove.Simulation(grove.Particles(np.asfortranarray(rows[:, :3], dtype=np.float64), mass=[1] * 30), **SETTINGS)
        np.testing.assert_array_equal(sim.particles.position, rows[:, :3])
        np.testing.assert_array_equal(sim.particles.mass, 1)

    def test_arrays_that_have_dlpack_alone(self):
        rows = np.random.default_rng(1).normal(size=(30, 7))
        x, m = rows[:, :3], rows[:, 6] ** 2
        taken = grove.Particles(OnlyDlpack(x), OnlyDlpack(rows[:, 5:2:-1].astype(np.float32)), OnlyDlpack(m), id=OnlyDlpack(np.arange(30) + 7))
        sim = grove.Simulation(taken, **SETTINGS)
        np.testing.assert_array_equal(sim.get("position"), x)
        np.testing.assert_array_equal(sim.get("velocity"), rows[:, 5:2:-1].astype(np.float32))
        np.testing.assert_array_equal(sim.get("id"), np.arange(30) + 7)
        sim.set("velocity", OnlyDlpack(x))
        np.testing.assert_array_equal(sim.get("velocity"), x)
        settings = {"softening": 0.05, "device": "cpu"}
        for found, expected in zip(grove.Field(OnlyDlpack(x), OnlyDlpack(m), **settings)(OnlyDlpack(x + 1)), grove.Field(x, m, **settings)(x + 1)):
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(grove.accelerations(OnlyDlpack(x), 1, **settings), grove.accelerations(x, 1, **settings))
        with self.assertRaisesRegex(grove.SettingError, "OnlyDlpack cannot be taken by DLPack"):
            sim.set("velocity", OnlyDlpack(x, device=(7, 0)))

    def test_arrays_on_a_gpu_come_and_go_by_dlpack(self):
        rows = np.random.default_rng(1).normal(size=(30, 7)).astype(np.float32)
        given = OnlyDlpack(rows[3:, 1:4], device=(2, 1))
        taken = _library.imported(given)
        self.assertEqual(given.stream, 1, "CUDA's default stream, in which Grove copies")
        found = taken.__cuda_array_interface__
        self.assertEqual(
            (found["shape"], found["typestr"], found["data"], found["strides"]), ((27, 3), "<f4", (rows[3:, 1:4].ctypes.data, False), (28, 4))
        )
        self.assertEqual(len(grove.Particles(taken, mass=OnlyDlpack(rows[3:, 6], device=(2, 1)))), 27)
        with self.assertRaisesRegex(ValueError, r"the shape \(27, 3\), and needs \(27,\)"):
            grove.Particles(given, mass=given)
        with self.assertRaisesRegex(ValueError, "are on a GPU"):
            grove.Particles(given, mass=1).centre()
        # Those of Grove: as local_arrays() has them, and read by numpy, which believes that they are of the CPU.
        values = np.arange(20.0).reshape(5, 4)
        lent = _library.GpuArray((5, 3), np.float64, values.ctypes.data, values.strides, False, 2)
        self.assertEqual(lent.__dlpack_device__(), (2, 2))
        self.assertEqual(_library.imported(lent), lent)
        self.assertEqual(_dlpack.OnGpu(lent).__cuda_array_interface__, lent.__cuda_array_interface__)
        lent.__class__ = type("AsOnCpu", (_library.GpuArray,), {"__dlpack_device__": lambda _: (1, 0)})
        np.testing.assert_array_equal(np.from_dlpack(lent), values[:, :3])
        with self.assertRaisesRegex(BufferError, "may not be written"):
            _library.GpuArray((5,), np.float64, values.ctypes.data, (8,), True, 0).__dlpack__()

    def test_a_field_goes_into_an_array_that_is_given(self):
        sim = grove.Simulation(plummer(20), **SETTINGS)
        rows = np.zeros((20, 7), np.float32)
        self.assertIs(sim.get("position", out=rows[:, 1:4]).base, rows)
        np.testing.assert_array_equal(rows[:, 1:4], sim.get("position").astype(np.float32))
        self.assertEqual((rows[:, 0].any(), rows[:, 4:].any()), (False, False))
        for error, text, out in [(ValueError, r"the shape \(20,\), and needs \(20, 3\)", np.zeros(20)), (ValueError, "int32", np.zeros((20, 3), np.int32))]:
            with self.assertRaisesRegex(error, text):
                sim.get("position", out=out)

    def test_each_particle_tells_its_step(self):
        steps = {"time": {"steps": "block", "accuracy": 0.002}, "output": {"fields": "time_step"}}
        sim = grove.Simulation(plummer(), softening=0.05, dt=1 / 16, device="cpu", config=steps)
        with self.assertRaisesRegex(grove.SettingError, "time_step: no step has been taken"):
            sim.get("time_step")
        sim.evolve(1 / 4)
        halvings = np.log2(1 / 16 / sim.get("time_step"))
        self.assertTrue((halvings == halvings.round()).all() and halvings.min() >= 0 and halvings.max() > halvings.min(), halvings)
        with self.assertRaisesRegex(grove.SettingError, "time_step: output.fields does not name it"):
            grove.Simulation(plummer(), **SETTINGS).get("time_step")

    def test_units_and_quantities(self):
        sim = grove.Simulation(units="kpc, km/s, 1e10 Msun", softening=Kpc(0.05), dt="1 Myr", device="cpu")
        self.assertAlmostEqual(sim.G, 43009.17, places=2)
        sim.particles = grove.Particles(Kpc([[1.0, 0, 0], [-1, 0, 0]]), mass=1.0)
        np.testing.assert_allclose(sim.particles.position[:, 0], [1, -1], rtol=1e-12)
        sim.evolve(Kpc(4, "Myr", 3.15576e13))
        self.assertAlmostEqual(sim.time, 4 / 977.79, places=6)
        self.assertIn("(4 Myr)", repr(sim))
        self.assertTrue(sim.evolve("0.005 Gyr"))
        self.assertAlmostEqual(sim.time, 5 / 977.79, places=6)
        with self.assertRaisesRegex(ValueError, "N-body units"):
            grove.Simulation(grove.Particles(Kpc([[1.0, 0, 0]]), mass=1.0), device="cpu")

    def test_forces_at_particles_and_points(self):
        x, m = np.array([[0.0, 0, 0], [4, 0, 0]]), [3, 1]
        field = grove.Field(x, m, method="direct", device="cpu")
        np.testing.assert_allclose(field()[0], [[1 / 16, 0, 0], [-3 / 16, 0, 0]])
        acceleration, potential = field([[2, 0, 0]])
        np.testing.assert_allclose(acceleration, [[-0.5, 0, 0]])
        np.testing.assert_allclose(potential, [-2])
        np.testing.assert_allclose(grove.accelerations(x, m, method="direct", device="cpu"), field()[0])
        np.testing.assert_allclose(grove.potential(x, m, method="direct", device="cpu"), [-0.25, -0.75])

    def test_a_function_is_an_external_field(self):
        x = np.random.default_rng(1).normal(size=(50, 3))
        sim = grove.Simulation(grove.Particles(x, 0 * x, np.full(50, 1e-12)), **SETTINGS)
        times = set()

        def spring(position, time):
            times.add(time)
            return -position, 0.5 * (position**2).sum(1)

        sim.set_external(spring)
        before = sim.energy
        sim.evolve(0.5)
        np.testing.assert_allclose(sim.get("position"), np.cos(0.5) * x, rtol=1e-4)
        self.assertLess(abs(sim.energy.total / before.total - 1), 1e-4)
        self.assertAlmostEqual(before.external, 0.5e-12 * (x**2).sum(), delta=1e-20)
        self.assertEqual(times, {i / 128 for i in range(65)})
        np.testing.assert_allclose(sim.field([[1.0, 2, 3]])[0], [[-1, -2, -3]], rtol=1e-6)
        with tempfile.TemporaryDirectory() as directory:
            sim.save_checkpoint(directory + "/checkpoint")
            other = grove.Simulation(**SETTINGS)
            with self.assertRaisesRegex(grove.SettingError, "external function, which no file can hold"):
                other.restore(directory + "/checkpoint")
            other.set_external(spring)
            other.restore(directory + "/checkpoint")
            np.testing.assert_array_equal(other.get("acceleration"), sim.get("acceleration"))
            # What is refused changes nothing.
            kpc = grove.Simulation(plummer(20, units=KPC, mass=0.01), softening=0.05, dt="auto", device="cpu")
            with self.assertRaisesRegex(grove.SettingError, "has N-body units, and the simulation has units of"):
                kpc.restore(directory + "/checkpoint")
            steps = []
            kpc.every(1)(lambda sim: steps.append(sim.time))
            kpc.evolve("10 Myr")
            self.assertGreater(len(steps), 2, "dt is that of the forces still, not 1/128")
            sim.set_external(None)
            sim.save_checkpoint(directory + "/without")
            with self.assertRaisesRegex(grove.SettingError, "set it after restoring"):
                other.restore(directory + "/without")
        sim.set_external(None)
        self.assertEqual(sim.energy.external, 0)

    def test_mistakes_of_an_external_field_are_raised_and_the_simulation_lives(self):
        sim = grove.Simulation(plummer(), **SETTINGS)
        for error, words, function in (
            (grove.SettingError, r"shape \(3,\), and needs \(200, 3\)", lambda x, t: (x[0], x[:, 0])),
            (TypeError, "returns", lambda x, t: x),
            (ZeroDivisionError, "", lambda x, t: 1 / 0),
            (grove.SettingError, "cannot use the session", lambda x, t: sim.get("mass")),
            (grove.DataError, "not finite", lambda x, t: (x * np.nan, x[:, 0])),
        ):
            sim.set_external(function)
            with self.assertRaisesRegex(error, words):
                sim.evolve(1)
        sim.set_external(None)
        self.assertTrue(sim.evolve(0.125))

    def test_a_potential_moves_on_the_orbit_of_a_file(self):
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "orbit.txt")
            t = np.linspace(0, 1, 20)
            np.savetxt(file, np.column_stack([t, 3 * t, 0 * t, t**2]))
            sim = grove.Simulation(plummer(20), **SETTINGS, config={"external": {"potential": "point", "mass": 2, "scale_radius": 1, "orbit": file}})
            sim.evolve(0.5)
            found = sim.field([[5.0, 0, 0]])[0] - grove.Simulation(sim.particles, **SETTINGS).field([[5.0, 0, 0]])[0]
            d = np.array([[5 - 1.5, 0, -0.25]])
            np.testing.assert_allclose(found, -2 * d / ((d**2).sum() + 1) ** 1.5, rtol=1e-6, atol=1e-9)
            with self.assertRaisesRegex(grove.SettingError, "times from 0 to 1; those from 0.5 to 2 are needed"):
                sim.evolve(2)

    def test_the_field_counts_external_potentials(self):
        sim = grove.Simulation(grove.Particles([[4, 0, 0]], mass=1), method="direct", device="cpu", config={"external": {"potential": "point", "mass": 3}})
        acceleration, potential = sim.field([[2, 0, 0]])
        np.testing.assert_allclose(acceleration, [[-0.5, 0, 0]])
        np.testing.assert_allclose(potential, [-2])

    def test_a_galaxy_has_its_units_and_components(self):
        galaxy = grove.generate("galaxy", galaxy="sagittarius", n=300, units="kpc, km/s, 1e10 Msun")
        self.assertEqual((len(galaxy), set(galaxy.type)), (300, {4}))
        both = grove.generate("galaxy", n=200, galaxies={"own": {"halo": {"kind": "hernquist", "mass": 5.0}, "bulge": {"kind": "hernquist", "mass": 1.0}}})
        self.assertEqual(repr(both), "<grove.Particles: 200 (halo, bulge)>")

    def test_particles_are_joined_and_chosen(self):
        both = plummer(10) + grove.Particles(np.zeros((2, 3)), mass=[1, 2], type=["bulge", "bulge"])
        later = plummer(4, seed=2)
        later.id = later.id + 10
        self.assertEqual((plummer(10) + later).id.tolist(), list(range(14)))
        self.assertEqual(sum(1 for _ in both), 12)
        self.assertEqual((len(both), both.id), (12, None))
        self.assertEqual(repr(both), "<grove.Particles: 12 (stars, bulge)>")
        self.assertEqual(both[both.type == 3].mass.tolist(), [1, 2])

    def test_what_is_set_must_fit(self):
        p = plummer(10)
        p.mass, p.type, p.velocity = 2.0, "disc", np.ones((10, 3), np.float32)
        self.assertEqual((p.mass.tolist(), set(p.type)), ([2.0] * 10, {2}))
        p.position = p.position + [1, 2, 3]
        p.units, p.components = KPC, {2: "thin disc"}
        self.assertAlmostEqual(p.units.velocity_in_cm_per_s, 1e5)
        p.units = None
        for error, text, name, values in [
            (ValueError, "transpose", "position", p.position.T),
            (ValueError, "there are 10 particles", "position", p.position[:3]),
            (ValueError, "there are 10 particles", "velocity", p.velocity[:1]),
            (ValueError, r"needs \(10,\)", "id", [1, 2]),
            (ValueError, "type 'dark'", "type", "dark"),
            (ValueError, "they are a text as", "units", 3),
            (ValueError, "types 0 to 5 a name", "components", {9: "x"}),
            (AttributeError, "have no vel: there are position, velocity", "vel", 3),
        ]:
            with self.subTest(name), self.assertRaisesRegex(error, text):
                setattr(p, name, values)
        np.testing.assert_allclose(p.position, plummer(10).position + [1, 2, 3])
        self.assertEqual(len(grove.Simulation(p, **SETTINGS)), 10)

    def test_particles_are_removed_by_a_mask(self):
        sim = grove.Simulation(grove.Particles(np.eye(3), mass=1, id=[7, 5, 9]), **SETTINGS)
        sim.remove(sim.particles.position[:, 0] == 1)
        self.assertEqual(sim.particles.id.tolist(), [5, 9])
        sim.remove(9)
        sim.set("type", "bulge")
        sim.set("mass", [2.0])
        self.assertEqual((sim.particles.id.tolist(), sim.particles.type.tolist(), sim.particles.mass.tolist()), ([5], [3], [2.0]))
        sim.add(grove.Particles(np.eye(3), mass=1, id=np.array([1, 2, 2**63], np.uint64)))
        sim.remove([1, 2**63])
        self.assertEqual(sim.particles.id.tolist(), [2, 5])

    def test_units_of_particles_are_those_of_their_simulation(self):
        p = grove.generate("plummer", n=60, mass=0.01, scale_radius=1.0, units=KPC)
        sim = grove.Simulation(p, softening="50 pc", dt="1 Myr", device="cpu")
        self.assertEqual((sim.units, sim.G), (p.units, p.G))
        self.assertEqual(p.bound(softening="50 pc").sum(), p.bound(softening=0.05).sum())
        np.testing.assert_allclose(p.rotation_curve(Kpc([1.0, 2.0])), p.rotation_curve([1.0, 2.0]))
        self.assertEqual(p.profile(Kpc([1.0, 2.0]))["particles"].tolist(), p.profile([1.0, 2.0])["particles"].tolist())
        with self.assertRaisesRegex(ValueError, "do not know their units"):
            grove.Particles(np.eye(3), mass=1).rotation_curve(Kpc([1.0]))
        with self.assertRaisesRegex(grove.SettingError, "particles are in units of .*simulation in N-body"):
            grove.Simulation(**SETTINGS).particles = p

    def test_a_field_of_particles_has_their_order(self):
        p = plummer(30)
        p.id = p.id[::-1]
        for found, expected in zip(grove.Field(p, softening=0.05, device="cpu")(), grove.Field(p.position, p.mass, softening=0.05, device="cpu")()):
            np.testing.assert_array_equal(found, expected)

    def test_external_potentials_are_a_list(self):
        potentials = [{"potential": "point", "mass": mass} for mass in (1, 2, 3)]
        sim = grove.Simulation(grove.Particles([[4, 0, 0]], mass=0), method="direct", device="cpu", config={"external": potentials})
        np.testing.assert_allclose(sim.field([[2, 0, 0]])[1], [-3])

    def test_the_first_state_is_advised_on_once(self):
        sim = grove.Simulation(plummer(100), softening=0.05, dt=2.0, begin=3, device="cpu")
        # Neither no steps, nor a mistake, nor short steps to a near time.
        sim.evolve(3)
        for time in (1, np.nan, "3 parsec"):
            with self.assertRaises(ValueError):
                sim.evolve(time)
        with self.assertWarnsRegex(UserWarning, "time.dt = 2 is long for"):
            sim.evolve(3.01)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sim.evolve(7)
            sim.remove(5)
            sim.evolve(9)
            grove.Simulation(plummer(100), **SETTINGS).evolve(1 / 64)
        self.assertEqual(sim.time, 9)
        with self.assertWarnsRegex(UserWarning, "gravity.G = 1 is not the gravitational constant"):
            grove.Simulation(grove.generate("plummer", n=10, units=KPC), G=1, **SETTINGS).evolve(1 / 128)
        flying = plummer(100)
        flying.velocity = 10 * flying.velocity
        with self.assertWarnsRegex(UserWarning, "not bound to each other"):
            grove.Simulation(flying, softening=0.05, dt="auto", device="cpu").evolve(0.01)

    def test_particles_of_a_time_are_those_of_it(self):
        p = plummer(20)
        p.time = 3.0
        later = p[:5]
        later.id, later.time = None, 4.0
        with self.assertRaisesRegex(ValueError, "of the times 3.0 and 4.0"):
            p + later
        later.time = None
        self.assertEqual(grove.Simulation(p + later, **SETTINGS).time, 3)
        self.assertEqual(grove.Simulation(p, begin=1, **SETTINGS).time, 1)
        p.G = 2.0  # of N-body units
        self.assertEqual((grove.Simulation(p, **SETTINGS).G, grove.Simulation(p, G=1, **SETTINGS).G), (2, 1))
        twice, once = (grove.Field(p, device="cpu", **more)()[1] for more in ({}, {"G": 1}))
        np.testing.assert_allclose(twice, 2 * once)

    def test_a_simulation_takes_the_softening_of_its_particles(self):
        nucleus = {"stars": {"kind": "hernquist", "mass": 0.98, "scale_radius": 1.0, "taper": 20.0, "type": 4}, "hole": {"kind": "point", "mass": 0.02, "type": 5}}
        p = grove.generate("galaxy", galaxy="nucleus", galaxies={"nucleus": nucleus}, n=500)
        self.assertEqual(set(p.softening), {"stars", "hole"})
        self.assertTrue(all(length > 0 for length in p.softening.values()))

        def potential(particles, **settings):
            return grove.Simulation(particles, dt=1 / 128, device="cpu", **settings).get("potential")

        np.testing.assert_array_equal(potential(p), potential(p, softening=p.softening))
        self.assertLess(potential(p, softening=0).min(), potential(p).min())
        np.testing.assert_array_equal(potential(p, config={"gravity": {"softening": 0.3}}), potential(p, softening=0.3))
        self.assertEqual(grove.Simulation(p, device="cpu").particles.softening, p.softening)
        self.assertEqual(p["stars"].softening, p.softening)
        np.testing.assert_array_equal(potential(p["stars"]), potential(p["stars"], softening=p.softening["stars"]))

        for found, expected in zip(grove.Field(p, device="cpu")(), grove.Field(p, softening=p.softening, device="cpu")()):
            np.testing.assert_array_equal(found, expected)
        stars = p["stars"]
        np.testing.assert_array_equal(stars.rotation_curve([1.0], disc="stars"), stars.rotation_curve([1.0], disc="stars", softening=p.softening["stars"]))

        self.assertEqual((plummer(20).softening, grove.generate("plummer", n=20).softening), (0.05, 0))
        kpc = p[:]
        kpc.units = "kpc, km/s, 1e10 Msun"
        for given, found in (({"stars": "50 pc", "hole": "10 pc"}, {"stars": 0.05, "hole": 0.01}), ("50 pc", 0.05)):
            kpc.softening = given
            self.assertEqual(grove.Simulation(kpc, device="cpu").particles.softening, found)
        stream = grove.Particles(np.eye(3), mass=1e-3, type="stream", components={1: "stream"})
        self.assertEqual((p + stream).softening, p.softening)
        with self.assertRaisesRegex(grove.SettingError, "has no length for stream"):
            potential(p + stream)
        stream.softening = {"stream": 0.1}
        self.assertEqual((p + stream).softening, {**p.softening, "stream": 0.1})
        stream.softening = 0.1
        with self.assertRaisesRegex(ValueError, "with the softening .* and 0.1 cannot be joined"):
            p + stream

    def test_components_have_names_of_ones_own(self):
        stream = grove.Particles(np.eye(3), mass=1e-3, type="stream", components={4: "stream"})
        sim = grove.Simulation(plummer(50) + stream, softening={"stars": 0.05, "stream": 0.2}, dt=1 / 128, device="cpu")
        sim.evolve(1 / 64)
        sim.set("position", sim.get("position") + [1, 0, 0])
        sim.evolve(1 / 32)
        p = sim.particles
        self.assertEqual((p.components, len(p["stream"]), len(p["stars"]), set(p["stream"].type)), ({1: "stars", 4: "stream"}, 3, 50, {4}))
        own = grove.Particles(np.zeros((2, 3)), mass=1, type=[4, 1])  # stars are type 1 of this sphere, and type 4 of others
        self.assertEqual(len((plummer(50) + own)["stars"]), 52)
        with self.assertRaisesRegex(ValueError, "'stream' here and 'other' there"):
            sim.add(grove.Particles(np.eye(3), mass=1, type=4, components={4: "other"}))
        self.assertEqual(len(sim), 53)
        with self.assertRaisesRegex(grove.SettingError, 'no component called "halo"; the particles have stream'):
            grove.Simulation(stream, softening={"halo": 1}, device="cpu").get("acceleration")
        merger = grove.generate("merger", model="disc", n=400, pericentre=1, softening=0.05)
        self.assertGreater(len(merger["disc 2"]), 10)
        settings = {"softening": {name: 0.05 for name in merger.components.values()}, "device": "cpu"}
        self.assertEqual(grove.Simulation(merger, **settings).particles.components, merger.components)
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("h5py is not installed")
        with tempfile.TemporaryDirectory() as directory:
            sim.save(directory + "/named.hdf5")
            loaded = grove.load(directory + "/named.hdf5")
            self.assertEqual(loaded.softening, {"stars": 0.05, "stream": 0.2})
            again = grove.Simulation(loaded, device="cpu")
            self.assertEqual((again.particles.components, again.particles.softening), (p.components, loaded.softening))
            grove.Simulation(plummer(20), device="cpu").save(directory + "/one.hdf5")
            grove.Simulation(plummer(20), softening=0, device="cpu").save(directory + "/none.hdf5")
            self.assertEqual([grove.load(f"{directory}/{name}.hdf5").softening for name in ("one", "none")], [0.05, 0])

    def test_snapshots_are_written_and_loaded(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "here.hdf5"
            sim = grove.Simulation(plummer(20), **SETTINGS)
            sim.evolve(0.125)
            sim.save(file)
            with self.assertRaisesRegex(grove.SettingError, "exists already"):
                sim.save(file)
            again = grove.Simulation(config={"initial_conditions": {"file": str(file)}, "time": {"begin": "file"}}, softening=0.05, device="cpu")
            self.assertEqual(again.load(), [])
            self.assertEqual(again.time, 0.125)
            np.testing.assert_array_equal(again.particles.position, sim.particles.position)
            try:
                import h5py  # noqa: F401
            except ImportError:
                self.skipTest("h5py is not installed")
            snapshot = grove.load(file)
            np.testing.assert_array_equal(snapshot.position, sim.particles.position)
            self.assertEqual((snapshot.time, snapshot.G, snapshot.components[1]), (0.125, 1, "stars"))
            self.assertEqual(grove.Simulation(snapshot, **SETTINGS).time, 0.125)
            self.assertEqual(grove.Simulation(snapshot, begin=2, **SETTINGS).time, 2)

    def test_a_run_is_read_from_its_directory(self):
        program = pathlib.Path(os.environ["GROVE_LIBRARY"]).parent / "grove"
        with tempfile.TemporaryDirectory() as directory:
            settings = {"initial_conditions.generator": "plummer", "initial_conditions.n": 50, "gravity.softening": 0.05, "time.end": 0.5, "time.dt": 0.125}
            words = [f"--set={key}={value}" for key, value in {**settings, "output.snapshot_every": 0.25, "output.directory": directory + "/a"}.items()]
            subprocess.run([program, "run", "--quiet", "--device=cpu", *words], check=True)
            run = grove.Run(directory + "/a")
            self.assertEqual(run.energies["time"].tolist(), [0, 0.125, 0.25, 0.375, 0.5])
            self.assertEqual([file.name for file in run.snapshots], [f"snapshot_000{k}.hdf5" for k in range(3)])
            self.assertIn("softening = 0.05", run.configuration)
            with self.assertRaisesRegex(ValueError, "is no output directory"):
                grove.Run(directory)
            try:
                import h5py  # noqa: F401
            except ImportError:
                self.skipTest("h5py is not installed")
            # The same steps, looked at between, and continued from a checkpoint.
            config = {"initial_conditions": {"generator": "plummer", "n": 50}}
            sim = grove.Simulation(config=config, softening=0.05, dt=0.125, device="cpu")
            sim.load()
            sim.every(1)(lambda s: s.energy)
            sim.evolve(0.25)
            sim.save_checkpoint(directory + "/checkpoint")
            other = grove.Simulation(config=config, softening=0.05, dt=0.125, device="cpu")
            other.restore(directory + "/checkpoint")
            self.assertEqual((len(other), other.time), (50, 0.25))
            for one in (sim, other):
                one.evolve(0.5)
                np.testing.assert_array_equal(one.get("position"), run.load(-1).position)
                np.testing.assert_array_equal(one.get("velocity"), run.load(-1).velocity)


class Mistakes(unittest.TestCase):
    def test_are_exceptions_in_words(self):
        for error, text, work in [
            (ValueError, r"\(3, N\): transpose", lambda: grove.Particles(np.zeros((3, 10)), mass=1)),
            (ValueError, "need a mass", lambda: grove.Particles(np.zeros((3, 3)))),
            (ValueError, "type 'dark'", lambda: grove.Particles(np.zeros((3, 3)), mass=1, type="dark")),
            (ValueError, "one number for all", lambda: grove.Particles(np.zeros((4, 3)), mass=[1, 2])),
            (grove.DataError, "id 1: its position or velocity is not finite", lambda: grove.Simulation(grove.Particles([[0, 0, 0], [np.nan, 0, 0]], mass=1), **SETTINGS)),
            (grove.DataError, "occurs more than once", lambda: grove.Simulation(grove.Particles(np.eye(3), mass=1, id=[1, 2, 2]), **SETTINGS)),
            (grove.SettingError, "softenings", lambda: grove.Simulation(softenings=1)),
            (grove.SettingError, "allowed|must be", lambda: grove.Simulation(softening=-1, device="cpu")),
            (grove.SettingError, "has no effect here", lambda: grove.Simulation(config={"output": {"directory": "a"}})),
            (grove.SettingError, "given twice", lambda: grove.Simulation(config={"time": {"dt": 1}}, dt=1)),
            (grove.SettingError, "no particles yet", lambda: grove.Simulation(**SETTINGS).evolve(1)),
            (grove.SettingError, "is before", lambda: grove.Simulation(plummer(10), **SETTINGS).evolve(-1)),
            (grove.SettingError, "finite", lambda: grove.Simulation(plummer(10), **SETTINGS).evolve(np.inf)),
            (grove.SettingError, "finite", lambda: grove.Simulation(plummer(10), **SETTINGS).evolve(np.nan)),
            (grove.DataError, "point 1 is not finite", lambda: grove.Simulation(plummer(10), **SETTINGS).field([[0, 0, 0], [0, np.nan, 0]])),
            (ValueError, "'3 parsec'", lambda: grove.Simulation(plummer(10), **SETTINGS).evolve("3 parsec")),
            (grove.SettingError, "whole number >= 1", lambda: grove.Simulation(plummer(10), **SETTINGS).every("100 Myr")),
            (grove.SettingError, "must be > 0", lambda: grove.Simulation(plummer(10), **SETTINGS).every(time=0)),
            (ValueError, r"needs \(10,\) or one number", lambda: grove.Simulation(plummer(10), **SETTINGS).set("mass", np.ones(3))),
            (ValueError, r"needs \(10, 3\)$", lambda: grove.Simulation(plummer(10), **SETTINGS).set("position", [[1, 2, 3]])),
            (ValueError, "type 'dark'", lambda: grove.Simulation(plummer(10), **SETTINGS).set("type", "dark")),
            (ValueError, "whole numbers", lambda: grove.Simulation(plummer(10), **SETTINGS).set("type", np.full(10, 1.7))),
            (ValueError, "whole numbers", lambda: grove.Simulation(plummer(10), **SETTINGS).remove(plummer(10))),
            (grove.SettingError, "'external_2' is given twice", lambda: grove.Simulation(config={"external": [{}, {}], "external_2": {}})),
            (ValueError, r"remove\(<grove.Particles", lambda: grove.Simulation(plummer(10), **SETTINGS).remove(plummer(10))),
            (ValueError, "whole numbers", lambda: grove.Simulation(plummer(10), **SETTINGS).remove([1.0, 2.7])),
            (ValueError, "whole numbers", lambda: grove.Simulation(plummer(10), **SETTINGS).remove("stars")),
            (ValueError, r"mask has the shape \(3,\)", lambda: grove.Simulation(plummer(10), **SETTINGS).remove(np.ones(3, bool))),
            (ValueError, "both have the id 0", lambda: plummer(10) + plummer(10, seed=2)),
            (grove.DataError, "added without ids get new ones", lambda: grove.Simulation(plummer(10), **SETTINGS).add(plummer(10, seed=2))),
            (grove.SettingError, "it has sections", lambda: grove.Simulation(config={"theta": 0.5})),
            (grove.SettingError, "external.mass = .*must be given", lambda: grove.Simulation(units=KPC, config={"external": {"potential": "point"}})),
            (grove.SettingError, "m has no effect", lambda: grove.Field(plummer(10), 1)),
            (ValueError, "give numbers in code units", lambda: plummer(10).rotation_curve(["1 kpc"])),
            (ValueError, "for settings: give a quantity", lambda: grove.Particles([["1 kpc", "0", "0"]], mass=1)),
            (ValueError, "masked", lambda: grove.Particles(np.ma.masked_array(np.eye(3), np.eye(3)), mass=1)),
            (ValueError, "real numbers", lambda: grove.Particles(np.eye(3) * 1j, mass=1)),
            (IndexError, "no particle 10", lambda: plummer(10)[10]),
            (grove.SettingError, "no field", lambda: grove.Simulation(plummer(10), **SETTINGS).get("colour")),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                work()

    def test_importing_is_quick_and_starts_no_mpi(self):
        code = (
            "import numpy, time; b = time.monotonic(); import grove; t = time.monotonic() - b; "
            "import pathlib; assert 'libmpi' not in pathlib.Path('/proc/self/maps').read_text(); print(t)"
        )
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
        self.assertLess(float(found.stdout), 0.2)


if __name__ == "__main__":
    unittest.main()
