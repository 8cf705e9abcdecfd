"""Runs the scripts of examples/validation that need files or large runs with little: they read, run and compare.

    GROVE=build/grove python3 tests/python/validation_test.py DATA

DATA: the directory of the real input data; what needs it is skipped where there is none.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "validation"
data = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else None


def run(name, *arguments):
    """Exit code and output of a script."""
    done = subprocess.run([sys.executable, str(SCRIPTS / name), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def write_gadget(file, halo, disc):
    """GADGET's format 1 with particles of type 1 and 2, each as mass, position and velocity."""
    mass, position, velocity = (np.concatenate(pair) for pair in zip(halo, disc))
    numbers = (0, len(halo[0]), len(disc[0]), 0, 0, 0)
    header = struct.pack("<6i6d2d2i6i", *numbers, *[0.0] * 6, 0.0, 0.0, 0, 0, *numbers).ljust(256, b"\0")
    with open(file, "wb") as out:
        for block in (header, position.astype("<f4").tobytes(), velocity.astype("<f4").tobytes(),
                      np.arange(1, len(mass) + 1, dtype="<u4").tobytes(), mass.astype("<f4").tobytes()):
            length = struct.pack("<i", len(block))
            out.write(length + block + length)


class Validation(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def test_merger_240002_compares_energies_and_draws(self):
        picture = self.directory / "merger.png"
        code, text = run("merger_240002.py", "--n", 602, "--steps", 64, "--picture", picture)
        self.assertEqual(code, 0, text)
        for theta in ("0.75", "0.5"):
            self.assertIn(f"theta = {theta}: 602 bodies, of which 2 black holes, and 64 steps", text)
        self.assertGreater(picture.stat().st_size, 10000)

    def test_gadget_galaxy_reads_format_1(self):
        file = self.directory / "galaxies.dat"
        pair = self.directory / "pair.hdf5"
        subprocess.run([os.environ["GROVE"], "ic", "merger", "--model", "disc", "--n", "1200", "--separation", "15",
                        "--out", pair], stdout=subprocess.DEVNULL, check=True)
        sys.path.insert(0, str(SCRIPTS))
        import support

        made = support.load(pair)
        # 3 kpc and 5e11 solar masses.
        speed = np.sqrt(43007.1 * 50 / 3)
        columns = [(50 * made.mass[own], 3 * made.position[own], speed * made.velocity[own])
                   for own in (made.type % 2 == 1, made.type % 2 == 0)]
        write_gadget(file, *columns)
        code, text = run("gadget_galaxy.py", "--file", file, "--time", 0.12)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"600 particles of type 1, 600 of type 2; discs of (29\d|30\d) and (29\d|30\d)")
        self.assertIn("first passage at t = 0.", text)

    def test_a_file_that_is_not_there_is_named(self):
        for name, file in (("gadget_galaxy.py", "galaxy_littleendian.dat"), ("dubinski.py", "dubinski.tab")):
            code, text = run(name, "--file", self.directory / "nothing")
            self.assertEqual(code, 1, text)
            self.assertIn(file, text)

    def test_dubinski_knows_the_orbit_of_rigid_spheres(self):
        file = data / "dubinski_sample10240_mass8.tab" if data else None
        if file is None or not file.exists():
            self.skipTest("there is no sample of Dubinski's model")
        code, text = run("dubinski.py", "--file", file, "--time", 1, "--picture", self.directory / "collision.png")
        self.assertEqual(code, 1, "there is no passage so early")
        self.assertIn("passage of rigid spheres at t = 15.7", text)
        self.assertIn("time of the first passage: measured nan", text)
        self.assertNotIn("Traceback", text)


if __name__ == "__main__":
    unittest.main()
