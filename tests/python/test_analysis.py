"""Analysis of particles, against `grove profile` and against what must come out; and converters to other packages.

    GROVE_LIBRARY=build/libgrove_c.so PYTHONPATH=python python3 tests/python/test_analysis.py
"""

import functools
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import grove

PROGRAM = pathlib.Path(os.environ["GROVE_LIBRARY"]).parent / "grove"
GALACTIC = "kpc, km/s, 1e10 Msun"


@functools.cache
def galaxy(n=3000):
    """A halo and a disc, off the origin, moving and tilted."""
    p = grove.generate("disc", n=n, seed=2, softening=0.05)
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return grove.Particles(p.position @ turn.T + [5, -3, 2], p.velocity @ turn.T + [0.2, 0.1, 0], p.mass, id=p.id, type=p.type)


def stretched(p):
    """With a bar: positions of the disc are drawn out along x."""
    turned = p.face_on()
    turned.position = np.where((turned.type == 2)[:, None], turned.position * [1.0, 0.4, 1.0], turned.position)
    return turned


class AgainstTheProgram(unittest.TestCase):
    """The numbers of `grove profile` for the same snapshot, to rounding."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.particles = stretched(galaxy())
        cls.particles.position = cls.particles.position + [1, 2, 3]
        cls.file = f"{cls.directory.name}/a.hdf5"
        grove.Simulation(cls.particles, softening=0.05, device="cpu").save(cls.file)

    def program(self, *options):
        out = subprocess.run([PROGRAM, "profile", self.file, "--json", *options], check=True, capture_output=True).stdout
        return json.loads(out)["snapshots"][0]

    def assert_same(self, table, group):
        self.assertEqual(list(table.dtype.names), list(group["profile"]))
        for name in table.dtype.names:
            with self.subTest(name):
                values = np.array(group["profile"][name], float)
                np.testing.assert_allclose(table[name], values, rtol=1e-10, atol=1e-10 * np.nanmax(np.abs(values)), equal_nan=True)

    def test_centres_and_shells(self):
        p = self.particles
        for words, centre, options in [
            ([], p.centre(), {}),
            (["--centre=inner", "--spacing=linear", "--shells=10"], p.centre(at="inner"), {"spacing": "linear", "bins": 10}),
            (["--centre=1,2,2.5", "--spacing=number", "--shells=7"], p.centre(at=(1, 2, 2.5)), {"spacing": "number", "bins": 7}),
            (["--centre=mass", "--centre-on=disc", "--from=0.5", "--to=9"], p.centre("disc", at="mass"), {"begin": 0.5, "end": 9}),
        ]:
            found = self.program(*words)
            with self.subTest(" ".join(words)):
                np.testing.assert_allclose(centre.position, found["centre"], rtol=1e-11, atol=1e-11)
                np.testing.assert_allclose(centre.velocity, found["velocity"], rtol=1e-11, atol=1e-11)
                self.assertEqual(centre.particles, found["particles_of_velocity"])
                for of, group in zip((None, "halo", "disc"), found["groups"]):
                    self.assert_same(p.profile(of=of, centre=centre, **options), group)

    def test_rings_and_the_bar(self):
        groups = self.program("--disc=disc")["groups"]
        for of, group in zip((None, "halo", "disc"), groups):
            self.assert_same(self.particles.profile(of=of, disc="disc"), group)
        bar, found = self.particles.bar(), groups[2]["bar"]
        np.testing.assert_allclose(bar[:4], [found[name] for name in ("a2", "noise", "radius", "phase")], rtol=1e-10)
        self.assertGreater(bar.a2, 10 * bar.noise)

    def test_a_snapshot_is_analysed_as_the_particles_of_its_simulation(self):
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("h5py is not installed")
        snapshot = grove.load(self.file)
        order = np.argsort(snapshot.id)
        np.testing.assert_array_equal(snapshot[order].position, self.particles.position)
        self.assertEqual((snapshot.G, snapshot.units, snapshot["disc"].time), (1, (1, 1, 1), 0))
        np.testing.assert_allclose(snapshot.profile(5)["density"], self.particles.profile(5)["density"], rtol=1e-10)


class Galaxies(unittest.TestCase):
    def test_face_on_turns_the_disc_into_the_plane(self):
        p = galaxy()
        turned = p.face_on()
        disc = turned["disc"]
        self.assertLess(np.std(disc.position[:, 2]), 0.25)
        spin = np.cross(disc.position, disc.velocity).sum(axis=0)
        self.assertGreater(spin[2] / np.linalg.norm(spin), 0.9999)
        self.assertLess(np.abs(disc.position.mean(axis=0)).max(), 0.15)
        np.testing.assert_allclose(np.linalg.norm(turned.position[1:] - turned.position[:-1], axis=1), np.linalg.norm(p.position[1:] - p.position[:-1], axis=1))
        np.testing.assert_array_equal(turned.id, p.id)
        with self.assertRaisesRegex(ValueError, "no angular momentum"):
            grove.Particles(p.position, mass=p.mass).face_on(None)

    def test_rotation_curves_of_a_plummer_sphere(self):
        p = grove.generate("plummer", n=4000)
        r = np.array([0.5, 1, 3])
        wanted = np.sqrt(r**2 / (1 + r**2) ** 1.5)
        np.testing.assert_allclose(p.rotation_curve(r, centre=(0, 0, 0)), wanted, rtol=0.03)
        spinning = grove.Particles(p.position, np.cross([0, 0, 1.0], p.position), p.mass)
        of_forces = spinning.rotation_curve(r, disc="halo", centre=(0, 0, 0), G=4, softening=0.02, device="cpu")
        np.testing.assert_allclose(of_forces, 2 * wanted, rtol=0.03)

    def test_the_pattern_speed_is_the_turn_of_the_phase(self):
        """A bar of particles that turn together, among those of a disc that do not."""
        p = stretched(galaxy())["disc"]
        inner = np.hypot(p.position[:, 0], p.position[:, 1]) < 2
        velocity = np.where(inner[:, None], 0.37 * np.cross([0, 0, 1.0], p.position), p.velocity)
        p = grove.Particles(p.position, velocity, p.mass, type="disc")
        bar = p[inner].bar(centre=(0, 0, 0))
        self.assertAlmostEqual(bar.pattern_speed, 0.37, places=2)
        self.assertLess(bar.pattern_speed_error, 0.002)
        # In straight lines for a short time: the instant's value is the turn of the phase between before and after.
        p = grove.Particles(p.position, p.velocity + 0.1 * np.random.default_rng(1).normal(size=p.velocity.shape), p.mass, type="disc")
        at = p.face_on(centre="mass")
        bar = at.bar(centre=grove.Centre(np.zeros(3), np.zeros(3), 0, 0))
        phases = []
        for time in (-1e-4, 1e-4):
            x, y = (at.position + time * at.velocity)[:, :2].T
            s = np.clip((x**2 + y**2) / bar.radius**2, 0, 1)
            phases.append(np.angle(np.sum(s * (1 - s) ** 2 * ((x + 1j * y) / np.hypot(x, y)) ** 2)) / 2)
        self.assertAlmostEqual((phases[1] - phases[0]) / 2e-4, bar.pattern_speed, places=5)

    def test_a_disc_without_a_bar_has_no_pattern_speed(self):
        bar = galaxy().bar()
        self.assertLess(bar.a2, 3 * bar.noise)
        self.assertTrue(np.isnan(bar.pattern_speed))

    def test_bound_particles(self):
        cluster = grove.generate("plummer", n=1000, softening=0.02)
        moving = grove.Particles(cluster.position, cluster.velocity + [3, 0, 0], cluster.mass)
        rng = np.random.default_rng(1)
        passing = grove.Particles(rng.normal(size=(300, 3)), rng.normal(size=(300, 3)) * 3, mass=1e-3, type="stars")
        mask = (moving + passing).bound(softening=0.02, device="cpu")
        self.assertGreater(mask[:1000].mean(), 0.99)
        self.assertLess(mask[1000:].mean(), 0.05)
        only = (moving + passing).bound("halo", softening=0.02, device="cpu")
        self.assertEqual((only[1000:].sum(), only[:1000].mean() > 0.99), (0, True))
        fast = grove.Particles(cluster.position, 10 * cluster.velocity, cluster.mass)
        self.assertEqual(fast.bound(device="cpu").sum(), 0)


class Units(unittest.TestCase):
    def test_particles_know_theirs_and_keep_them(self):
        p = grove.generate("galaxy", galaxy="sagittarius", n=300, units=GALACTIC)
        self.assertAlmostEqual(p.G, 43009.17, places=2)
        self.assertAlmostEqual(p[:10].units.length_in_cm, 3.0856775814913673e21)
        self.assertEqual((p[3:] + p[:3]).G, p.G)
        np.testing.assert_allclose(p.rotation_curve([3.0]), p.rotation_curve([3.0], G=1) * p.G**0.5)
        with self.assertRaisesRegex(ValueError, "different units"):
            p + grove.generate("plummer", n=10)
        with self.assertRaisesRegex(grove.SettingError, "particles are in units of"):
            grove.Simulation(p, units="pc, km/s, 1e10 Msun", softening=0.05, device="cpu")

    def test_a_file_of_swift_says_its_units(self):
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("h5py is not installed")
        data = pathlib.Path(__file__).resolve().parents[1] / "data/hdf5"
        snapshot = grove.load(data / "swift_snapshot.hdf5")
        np.testing.assert_allclose(snapshot.units, (3e21, 2e43, 1e5))
        self.assertAlmostEqual(snapshot.G, 6.67430e-8 * 2e43 / (3e21 * 1e10), places=6)
        self.assertEqual(snapshot.mass.tolist(), [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(snapshot.time, 0.25)
        unnamed = grove.load(data / "gadget_by_h5py.hdf5")
        self.assertIsNone(unnamed.units)
        with self.assertRaisesRegex(ValueError, "does not say G"):
            unnamed.rotation_curve([1])
        table = unnamed.profile(5)
        self.assertTrue(np.isnan(table["circular_velocity"]).all() and np.isfinite(table["density"]).all())


class Mistakes(unittest.TestCase):
    def test_are_exceptions_in_words(self):
        p = galaxy()[::10]
        for text, work in [
            ("no particles of 'bulge': there are halo, disc;", lambda: p.centre("bulge")),
            ("centre 'middle': must be densest", lambda: p.centre(at="middle")),
            (r"shape \(2,\)", lambda: p.centre(at=(0, 0))),
            ("no particle within", lambda: p.centre(at=(1e5, 0, 0), velocity_within=1)),
            ("whole number >= 1, or edges", lambda: p.profile(0)),
            ("increasing order", lambda: p.profile([1, 1])),
            ("no effect where bins are edges", lambda: p.profile([1, 2], begin=1)),
            ("spacing 'even'", lambda: p.profile(spacing="even")),
            ("begin must be below end", lambda: p.profile(begin=3, end=2)),
            ("numbers > 0", lambda: p.rotation_curve([0, 1])),
            ("softening: settings of forces have no effect", lambda: p.rotation_curve([1], softening=0.1)),
            ("there are no particles", lambda: p[:0].centre()),
        ]:
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                work()

    def test_a_package_that_is_not_installed_is_named(self):
        code = "import sys; sys.modules['{0}'] = None; import grove; grove.Particles([[0, 0, 0]], mass=1).to_{0}()"
        for name in ("astropy", "pynbody", "yt"):
            said = subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=False).stderr
            self.assertIn(f"ImportError: {name} cannot be imported", said)
            self.assertIn(f"pip install {name}", said)


class Converters(unittest.TestCase):
    """With the packages themselves, where they are installed."""

    def needed(self, name):
        try:
            return importlib.import_module(name)
        except ImportError:
            self.skipTest(f"{name} is not installed for {sys.executable}")

    def galaxy(self):
        p = grove.generate("galaxy", n=400, units=GALACTIC, galaxies={"own": {"halo": {"kind": "hernquist", "mass": 5.0}, "bulge": {"kind": "hernquist", "mass": 1.0}}})
        return p, p["bulge"]

    def test_astropy(self):
        self.needed("astropy")
        p, bulge = self.galaxy()
        table = p.to_astropy()
        self.assertAlmostEqual(table["mass"].sum().to_value("Msun"), 6e10, delta=6e4)
        np.testing.assert_allclose(table["position"].to_value("pc"), p.position * 1e3)
        np.testing.assert_allclose(table["velocity"][table["type"] == 3].to_value("m/s"), bulge.velocity * 1e3)
        np.testing.assert_array_equal(table["id"], p.id)
        self.assertIsNone(grove.generate("plummer", n=10).to_astropy()["mass"].unit)
        self.assertAlmostEqual(grove.Particles([[1, 0, 0]], mass=2).to_astropy("pc, km/s, Msun")["position"][0, 0].to_value("kpc"), 1e-3)

    def test_pynbody(self):
        self.needed("pynbody")
        p, bulge = self.galaxy()
        s = p.to_pynbody()
        np.testing.assert_allclose(s.star["pos"].in_units("pc"), bulge.position * 1e3)
        np.testing.assert_allclose(s.dm["vel"].in_units("m s^-1"), p["halo"].velocity * 1e3)
        self.assertAlmostEqual(float(s["mass"].sum().in_units("Msol")), 6e10, delta=6e4)
        np.testing.assert_array_equal(np.sort(s["iord"]), np.sort(p.id))
        self.assertEqual(len(p.to_pynbody(dm=["halo", "bulge"]).dm), 400)
        p.components = {1: "stream", 3: "halo"}  # names tell what is dark, not types
        s = p.to_pynbody()
        self.assertEqual((len(s.dm), len(s.star)), (len(bulge), 400 - len(bulge)))
        # G is right in the scale that N-body units get.
        n = grove.generate("plummer", n=100)
        s = n.to_pynbody()
        import pynbody

        G = float(pynbody.units.G.in_units("km^2 s^-2 kpc Msol^-1"))
        np.testing.assert_allclose(G * s["mass"].sum() / np.array((s["vel"] ** 2).sum()), 1 / (n.velocity**2).sum(), rtol=3e-4)

    def test_yt(self):
        yt = self.needed("yt")
        without = galaxy()[::10]
        without.units = None
        with self.assertRaisesRegex(ValueError, "nobody knows the units"):
            without.to_yt()
        yt.set_log_level("error")
        p, bulge = self.galaxy()
        p.time = 2.0
        dataset = p.to_yt()
        self.assertAlmostEqual(float(dataset.current_time.to("Gyr")), 2 * 0.97779, places=4)
        data = dataset.all_data()
        self.assertAlmostEqual(float(data["all", "particle_mass"].sum().to("Msun")), 6e10, delta=6e5)
        for field, values in [("particle_velocity_x", bulge.velocity[:, 0]), ("particle_position_z", bulge.position[:, 2])]:
            unit = "km/s" if "velocity" in field else "kpc"
            np.testing.assert_allclose(np.sort(data["bulge", field].to_value(unit)), np.sort(values), rtol=1e-6)
        self.assertEqual(data["halo", "particle_index"].size + data["bulge", "particle_index"].size, 400)
        p.components = {3: "thick disc"}
        self.assertEqual(p.to_yt().all_data()["thick_disc", "particle_index"].size, len(bulge))


if __name__ == "__main__":
    unittest.main()
