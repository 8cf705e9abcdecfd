"""Spheres of Grove against samples of the same distribution functions by galpy (Bovy 2015).

galpy_check.py GROVE DIRECTORY: Kolmogorov and Smirnov's test of two samples, for radii and speeds.
"""

import subprocess
import sys

import h5py
import numpy as np
from scipy.stats import ks_2samp

COUNT, LEAST_CHANCE = 20000, 1e-3


def drawn_by_grove(grove, directory, kind, *options):
    """Radii and speeds."""
    name = f"{directory}/{kind}.hdf5"
    subprocess.run([grove, "ic", kind, "--n", str(COUNT), "--out", name, "--overwrite", *options], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(name) as file:
        part = file["PartType1"]
        return np.linalg.norm(part["Coordinates"][:], axis=1), np.linalg.norm(part["Velocities"][:], axis=1)


def drawn_by_galpy(function, count):
    np.random.seed(1)
    orbits = function.sample(n=count)
    velocity = [component(use_physical=False) for component in (orbits.vx, orbits.vy, orbits.vz)]
    return orbits.r(use_physical=False), np.linalg.norm(velocity, axis=0)


def compare(kind, ours, theirs):
    failed = 0
    for what, a, b in zip(("radius", "speed"), ours, theirs):
        found = ks_2samp(a, b)
        good = found.pvalue > LEAST_CHANCE
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {kind}, {what}: {len(a)} and {len(b)} particles, statistic {found.statistic:.4f}, p = {found.pvalue:.3f}")
    return failed


def king(grove, directory):
    """Of King radius and mass 1. Grove's sphere has a smoother edge, with little mass."""
    from galpy.df import kingdf

    depth = 5.0
    function = kingdf(W0=depth, M=1.0, rt=1 / kingdf(W0=depth, M=1.0, rt=1.0).r0)
    return compare("king", drawn_by_grove(grove, directory, "king", "--w0", str(depth)), drawn_by_galpy(function, COUNT))


def nfw(grove, directory):
    """Inside 10 scale radii, where the taper at 1000 of them changes density and depth by less than the noise."""
    from galpy.df import isotropicNFWdf
    from galpy.potential import NFWPotential

    taper, inside = 1000.0, 10.0
    # The mass of Grove's sphere that has the density 1 / (4 pi s (1 + s)^2).
    s = np.geomspace(1e-8, 40 * taper, 200001)
    mass = np.sum(s**2 / (1 + s) ** 2 / np.cosh(s / taper)) * np.log(s[1] / s[0])
    ours = drawn_by_grove(grove, directory, "nfw", "--taper", str(taper), "--mass", f"{mass:.15g}")
    theirs = drawn_by_galpy(isotropicNFWdf(pot=NFWPotential(amp=1.0, a=1.0), rmax=1e4), COUNT)
    return compare("nfw", *[(r[r < inside], v[r < inside]) for r, v in (ours, theirs)])


def main():
    grove, directory = sys.argv[1:]
    sys.exit(king(grove, directory) + nfw(grove, directory))


main()
