"""What the scripts of this folder share: options, a run of Grove, its files, and the comparison with what is
expected.

Needs numpy and h5py; pictures need matplotlib. The environment variable GROVE names the program (default: grove).
"""
import argparse
import contextlib
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import types

import numpy as np

GROVE = os.environ.get("GROVE", "grove")
# What is in the file of a picture, to know it by.
SIGN = "Grove examples/validation"
# Colours that people with colour-blindness can tell apart (Okabe & Ito 2008).
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#888888"


def options(text, **defaults):
    """The options of a script: --picture, --directory and --seed, and one for each default, whose type it gives."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", metavar="FILE", help="draw a PNG file")
    parser.add_argument("--directory", metavar="DIR", help="keep the files of the runs in this new directory")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    for name, value in defaults.items():
        parser.add_argument("--" + name, type=type(value), default=value, help="default: %s" % value)
    chosen = parser.parse_args()
    for module in ["h5py"] + (["matplotlib"] if chosen.picture else []):
        if importlib.util.find_spec(module) is None:
            sys.exit("this script needs the Python package %s" % module)
    if chosen.picture and os.path.exists(chosen.picture) and not is_own(chosen.picture):
        sys.exit("%s is there and no picture of these scripts: it is not replaced" % chosen.picture)
    return chosen


def is_own(file):
    with open(file, "rb") as picture:
        return SIGN.encode() in picture.read(1000)


@contextlib.contextmanager
def directory_of(chosen):
    """The directory for the runs: a new one that is kept, or a temporary one."""
    if chosen.directory is None:
        with tempfile.TemporaryDirectory(prefix="grove_validation_") as path:
            yield path
    else:
        try:
            os.makedirs(chosen.directory)
        except OSError as error:
            sys.exit("%s cannot be made: %s" % (chosen.directory, error.strerror))
        yield chosen.directory


def grove(*arguments):
    """Runs a command of Grove. Its output comes back; where it fails, it is shown, and the script ends."""
    if shutil.which(GROVE) is None:
        sys.exit("%s is not there: set GROVE to the program" % GROVE)
    done = subprocess.run([GROVE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s %s ended with %d:\n%s" % (GROVE, " ".join(map(str, arguments)), done.returncode, done.stdout[-4000:]))
    return done.stdout


def run(directory, **settings):
    """`grove run` with settings by section, as gravity={"softening": 0.05}. Returns `directory`, which has its files."""
    pairs = ["--set=%s.%s=%s" % (section, key, value) for section, keys in settings.items() for key, value in keys.items()]
    if settings.get("output", {}).get("snapshots") != "none":
        pairs.append("--set=output.checkpoints=no")
    grove("run", "--quiet", *pairs, "--set=output.directory=" + directory)
    return directory


def energies(directory):
    """The columns of energy.csv by name."""
    return np.genfromtxt(os.path.join(directory, "energy.csv"), delimiter=",", names=True)


def largest_energy_error(directory):
    return np.abs(energies(directory)["relative_energy_error"]).max()


def load(file):
    """A snapshot, particles by id: time, position, velocity, mass, id, type, acceleration, potential."""
    import h5py

    fields = {"position": "Coordinates", "velocity": "Velocities", "mass": "Masses", "id": "ParticleIDs",
              "acceleration": "Acceleration", "potential": "Potential"}
    with h5py.File(file, "r") as data:
        groups = [(int(name[8:]), group) for name, group in sorted(data.items()) if name.startswith("PartType")]
        columns = {name: np.concatenate([group[there][:] for _, group in groups])
                   for name, there in fields.items() if there in groups[0][1]}
        columns["type"] = np.concatenate([np.full(len(group["ParticleIDs"]), number) for number, group in groups])
        time = float(np.ravel(data["Header"].attrs["Time"])[0])
    order = np.argsort(columns["id"])
    return types.SimpleNamespace(time=time, **{name: column[order] for name, column in columns.items()})


def snapshots(directory):
    """All snapshots of a run, one after the other."""
    for file in sorted(glob.glob(os.path.join(directory, "snapshot_*.hdf5"))):
        yield load(file)


def write_table(file, mass, position, velocity, kind=1):
    """A text table that Grove reads: m x y z vx vy vz type. `kind` is the type, 1 to 5: one, or one for each."""
    kinds = np.broadcast_to(kind, len(position))
    masses = np.broadcast_to(mass, len(position))
    table = np.column_stack([masses, position, velocity, kinds])
    np.savetxt(file, table, fmt=["%.17g"] * 7 + ["%d"], header="m x y z vx vy vz type")


def inner_centre(position, mass, share=0.05, start=None):
    """The centre, and who is near it: a sphere that shrinks to `share` of the particles moves to its centre of mass."""
    centre = np.average(position, axis=0, weights=mass) if start is None else np.array(start)
    part = 0.5
    while part >= share:
        for _ in range(5):
            distance = np.sum((position - centre) ** 2, axis=1)
            inside = distance <= np.partition(distance, int(part * len(distance)))[int(part * len(distance))]
            centre = np.average(position[inside], axis=0, weights=mass[inside])
        part /= 1.5
    return centre, inside


def lagrangian_radii(position, mass, shares):
    """Radii about the origin that hold these shares of the mass."""
    radius = np.linalg.norm(position, axis=1)
    order = np.argsort(radius)
    enclosed = np.cumsum(mass[order])
    return radius[order][np.searchsorted(enclosed, np.array(shares) * enclosed[-1])]


class Comparison:
    """Collects comparisons of a script, prints a line for each, and knows the exit code."""

    def __init__(self, name):
        self.name, self.failed = name, False

    def near(self, what, measured, expected, bound, source):
        """|measured - expected| <= bound."""
        self._line(abs(measured - expected) <= bound, what, measured, "%.4g +- %.2g" % (expected, bound), source)

    def factor(self, what, measured, expected, factor, source):
        """measured / expected between 1 / factor and factor."""
        self._line(1 / factor <= measured / expected <= factor, what, measured, "%.4g within a factor of %g" % (expected, factor),
                   source)

    def below(self, what, measured, bound, source):
        self._line(measured <= bound, what, measured, "at most %.4g" % bound, source)

    def above(self, what, measured, bound, source):
        self._line(measured >= bound, what, measured, "at least %.4g" % bound, source)

    def _line(self, good, what, measured, expected, source):
        self.failed |= not good
        print("%s, %s: measured %.4g, expected %s (%s)%s" % (self.name, what, measured, expected, source, "" if good else
                                                              ": OUT OF BOUND"), flush=True)

    def exit(self):
        sys.exit(1 if self.failed else 0)


def figure(columns, rows=1, **keywords):
    """A figure without a display, and its axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})
    return plt.subplots(rows, columns, figsize=(4.2 * columns, 3.4 * rows), layout="constrained", **keywords)


def save(drawn, file):
    """Writes a PNG file: all of it or none."""
    partial = "%s.%d.partial" % (file, os.getpid())
    drawn.savefig(partial, format="png", dpi=110, metadata={"Software": SIGN})
    os.replace(partial, file)
