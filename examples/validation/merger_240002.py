"""Energy over a merger of two galaxies with black holes, with the opening angles of Bonsai's table 2.

Source: Bedorf, Gaburov & Portegies Zwart (2012, J. Comput. Phys. 231, 2825), table 2: a merger of 240,002 bodies in
64,000 steps of 1/64. The largest relative energy error is 2.8e-4 with an opening angle of 0.75, and 1.3e-4 with 0.5.
The numbers are from a text that quotes the table: the paper was not at hand. So its galaxies, orbit, softening and
units are not known here, and those below are a choice.

Set-up: G = 1. Two equal galaxies of (n - 2) / 2 particles and a black hole each: an NFW halo of mass 12, scale radius
4 and taper 5, which has five of six particles; an exponential disc of mass and scale length 1, height 0.15 and Q =
1.5; a Hernquist bulge of mass 0.3, scale radius 0.5 and taper 10. The black hole is a particle of its own of 0.005 of
the mass of the bulge, as is observed (Kormendy & Ho 2013, ARA&A 51, 511), but of 10 halo particles at least. Softening
0.1 for all, about a quarter of the mean distance of 100,000 halo particles inside the half-mass radius. The orbit is a
parabola with a pericentre of 2.5 from a distance of 40; the discs turn with it, inclined by 30 and 60 degrees. Forces
are as in the paper: a tree with quadrupoles, the criterion d > l / theta + s, one step of the leapfrog for all.

Compared: the largest relative energy error. What may be compared is the number alone: of so many bodies over so many
steps, of 1/64 of a unit in which mass and scale length of a disc are 1.

Bound: with n = 240,002 and 64,000 steps the published numbers. Else 1e-3: with fewer particles, which are heavier, the
run is only one to look at. Reported: the change of the linear momentum, which a tree does not conserve, over the sum of
m |v| at the start.

Full size: --n 240002 --steps 64000 --device gpu. It writes 1.2 GB of snapshots for each opening angle; --theta 0.75 or
--theta 0.5 runs one of them.
"""
import os
import sys

import numpy as np
import support

FULL_N, FULL_STEPS, DT = 240002, 64000, 1 / 64
PUBLISHED = {0.75: 2.8e-4, 0.5: 1.3e-4}
HALO_SHARE = 5 / 6
BULGE = 0.3
GALAXY = {"halo.kind": "nfw", "halo.mass": 12.0, "halo.scale_radius": 4.0, "halo.taper": 5.0,
          "disc.kind": "exponential", "disc.mass": 1.0, "disc.scale_length": 1.0, "disc.height": 0.15,
          "disc.toomre_q": 1.5,
          "bulge.kind": "hernquist", "bulge.mass": BULGE, "bulge.scale_radius": 0.5, "bulge.taper": 10.0,
          "hole.kind": "point", "hole.type": 5}


def galaxies(n):
    """The keys of both galaxies of n particles and a black hole each."""
    stars = (1 - HALO_SHARE) / (1 + BULGE)
    hole = max(0.005 * BULGE, 10 * 12.0 / (HALO_SHARE * n))
    keys = dict(GALAXY, **{"halo.particles": HALO_SHARE, "disc.particles": stars, "bulge.particles": BULGE * stars,
                           "hole.mass": hole})
    both = {}
    for name, inclination in (("first", 30.0), ("second", 60.0)):
        both.update({"%s.%s" % (name, key): value for key, value in keys.items()})
        both["%s.inclination" % name] = inclination
    return both


def merger(chosen, directory, theta, made):
    """The run with this opening angle: of the particles in the file `made`, or of new ones."""
    keys = {"initial_conditions": {"file": made}} if made else {
        "initial_conditions": {"generator": "merger", "galaxy_1": "first", "galaxy_2": "second", "n": chosen.n,
                               "seed": chosen.seed, "pericentre": 2.5, "separation": 40.0},
        "galaxies": galaxies((chosen.n - 2) // 2)}
    return support.run(directory, **keys,
                       gravity={"method": "tree", "opening": "barnes", "theta": theta, "softening": 0.1},
                       time={"end": chosen.steps * DT, "dt": DT}, run={"device": chosen.device},
                       output={"snapshot_every": chosen.steps * DT / 50})


def distance_of_holes(state):
    first, second = state.position[state.type == 5]
    return np.linalg.norm(second - first)


def main():
    chosen = support.options(__doc__, n=3002, steps=1920, device="auto", theta="0.75,0.5")
    compare = support.Comparison("merger of %s" % format(chosen.n, ","))
    thetas = [float(theta) for theta in chosen.theta.split(",")]
    if not set(thetas) <= set(PUBLISHED):
        sys.exit("--theta is one of %s, or both with a comma" % ", ".join("%g" % theta for theta in PUBLISHED))
    full = chosen.n == FULL_N and chosen.steps == FULL_STEPS
    drawn, made = [], None
    with support.directory_of(chosen) as directory:
        for theta in thetas:
            run = merger(chosen, os.path.join(directory, "theta_%g" % theta), theta, made)
            made = os.path.join(run, "snapshot_0000.hdf5")
            log = support.energies(run)
            error = np.abs(log["relative_energy_error"])
            start = support.load(made)
            times, apart = zip(*[(state.time, distance_of_holes(state)) for state in support.snapshots(run)])
            drawn.append((theta, log["time"], error, times, apart))
            drift = np.array([log["momentum_" + axis] - log["momentum_" + axis][0] for axis in "xyz"])
            drift = np.linalg.norm(drift, axis=0).max() / np.sum(start.mass * np.linalg.norm(start.velocity, axis=1))
            print("theta = %g: %d bodies, of which %d black holes, and %d steps; energy error at the end %.2e; "
                  "distance of the black holes %.3g at the start, %.3g at t = %.4g" % (
                      theta, len(start.mass), np.sum(start.type == 5), len(log) - 1, error[-1], apart[0], apart[-1],
                      times[-1]))
            compare.below("largest relative energy error, theta = %g" % theta, error.max(),
                          PUBLISHED[theta] if full else 1e-3,
                          "Bedorf, Gaburov & Portegies Zwart 2012, table 2: %.1e" % PUBLISHED[theta])
            print("largest change of the momentum, theta = %g: %.1e" % (theta, drift))
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        for (theta, time, error, times, apart), colour in zip(drawn, (support.ORANGE, support.BLUE)):
            left.semilogy(time[1:], np.maximum.accumulate(error)[1:], color=colour, label="$\\theta$ = %g" % theta)
            right.plot(times, apart, color=colour, label="$\\theta$ = %g" % theta)
            if full:
                left.axhline(PUBLISHED[theta], color=colour, linestyle="--", linewidth=1)
        left.set(xlabel="time", ylabel="largest relative energy error so far")
        right.set(xlabel="time", ylabel="distance of the black holes", ylim=(0, None))
        left.legend()
        support.save(figure, chosen.picture)
    compare.exit()


main()
