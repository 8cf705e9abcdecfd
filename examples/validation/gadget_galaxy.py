"""The colliding galaxies that come with GADGET: a run of the user's copy of their file.

Set-up: the file of --file, in GADGET's format 1: galaxy_littleendian.dat of GADGET-2 (Springel 2005, MNRAS 364, 1105),
which the example G2-galaxy of GADGET-4 uses, too. It holds two disc galaxies, together 40,000 halo particles (type 1)
and 20,000 disc particles (type 2). Units are kpc, km/s and 1e10 solar masses, so that one of time is 978 million
years. Softening: --halo and --disc, in kpc. Each particle takes its own step of at most 0.01.

The file is not in the repository and was not at hand when this script was written. It was tried with a file of the
same format and layout, made from two discs of Grove. So no number of the original is known here, and none of another
code.

Compared: what holds for any isolated system. Energy: 5e-3. Momentum: its change over the sum of m |v| at the start,
1e-3. Motion of the centre of mass: how far it is from where its first velocity takes it, over the distance of the
discs at the start, 1e-3.
Reported: time and distance of the first passage of the discs' centres. The particles of type 2 are divided by place,
at the start, into two groups.
"""
import os
import sys

import numpy as np
import support


def groups(position):
    """Which places are in the first of two groups that are apart: by the nearer of two means."""
    axis = np.linalg.eigh(np.cov(position.T))[1][:, -1]
    first = position @ axis < np.median(position @ axis)
    for _ in range(50):
        centres = [position[first].mean(axis=0), position[~first].mean(axis=0)]
        first = np.linalg.norm(position - centres[0], axis=1) < np.linalg.norm(position - centres[1], axis=1)
    return first


def first_passage(time, distance):
    """Time and distance of the first minimum; None before there is one."""
    for k in range(1, len(distance) - 1):
        if distance[k - 1] > distance[k] <= distance[k + 1]:
            return time[k], distance[k]
    return None


def main():
    chosen = support.options(__doc__, file="galaxy_littleendian.dat", time=3.0, halo=1.0, disc=0.4)
    if not os.path.exists(chosen.file):
        sys.exit("--file names your copy of galaxy_littleendian.dat, which comes with GADGET-2 and GADGET-4")
    compare = support.Comparison("galaxies of GADGET")
    with support.directory_of(chosen) as directory:
        run = support.run(os.path.join(directory, "run"), initial_conditions={"file": chosen.file},
                          units={"system": "kpc, km/s, 1e10 Msun"},
                          gravity={"softening": "{halo=%g, disc=%g}" % (chosen.halo, chosen.disc)},
                          time={"end": chosen.time, "dt": 0.01, "steps": "block"}, output={"snapshot_every": 0.02})
        rows, first, seen = [], None, None
        for state in support.snapshots(run):
            disc = state.type == 2
            if first is None:
                first, seen = state, groups(state.position[disc])
                print("%d particles of type 1, %d of type 2; discs of %d and %d" % (
                    np.sum(state.type == 1), disc.sum(), seen.sum(), (~seen).sum()))
            position, mass = state.position[disc], state.mass[disc]
            centres = [support.inner_centre(position[own], mass[own], 0.1)[0] for own in (seen, ~seen)]
            rows.append((state.time, np.linalg.norm(centres[1] - centres[0])))
        log, error = support.energies(run), support.largest_energy_error(run)
    time, distance = np.array(rows).T
    momentum, middle = (np.column_stack([log[name + axis] for axis in ("_x", "_y", "_z")])
                        for name in ("momentum", "centre_of_mass"))
    motion = np.sum(first.mass * np.linalg.norm(first.velocity, axis=1))
    change = np.linalg.norm(momentum - momentum[0], axis=1).max() / motion
    straight = middle[0] + np.outer(log["time"] - log["time"][0], momentum[0] / first.mass.sum())
    off = np.linalg.norm(middle - straight, axis=1).max() / distance[0]
    compare.below("largest relative energy error", error, 5e-3, "conservation")
    compare.below("largest change of the momentum", change, 1e-3, "conservation")
    compare.below("centre of mass off its straight line", off, 1e-3, "conservation")
    passage = first_passage(time, distance)
    print("discs %.4g kpc apart at the start; " % distance[0] + (
        "first passage at t = %.3g, %.3g kpc" % passage if passage else "no passage before t = %g" % time[-1]))
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        left.plot(time, distance, color=support.BLUE)
        left.set(xlabel="time [978 million years]", ylabel="distance of the discs [kpc]", ylim=(0, None))
        right.plot(log["time"], log["relative_energy_error"], color=support.BLUE)
        right.set(xlabel="time [978 million years]", ylabel="relative energy error")
        support.save(figure, chosen.picture)
    compare.exit()


main()
