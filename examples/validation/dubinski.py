"""The collision of the Milky Way and Andromeda of J. Dubinski.

Set-up: the file of --file, a table m x y z vx vy vz with G = 1: dubinski.tab of 81,920 particles from the N-body data
archive of NEMO, or every n-th row of it with masses times n. The rows are the discs of the Milky Way and of Andromeda,
their bulges and their haloes: 1/5, 1/5, 1/10, 1/10, 1/5 and 1/5 of all. The archive's notes give a Plummer softening
of 0.025 (80 pc) and a step of 0.1 (1.8e6 years), so that the unit of length is 3.2 kpc and that of time 18 million
years. They say that it is the collision of model B of Dubinski, Mihos & Hernquist (1996, ApJ 462, 576). In the file
haloes are 8.2 times as heavy as disc and bulge, Andromeda is 2.1 times as heavy as the Milky Way, and they approach
from a distance of 30, nearly on a parabola. Here 0.1 is the longest step, and particles take shorter ones (--steps
shared: all take 0.1). The times of the paper's figures and the end of its run are not known here.

Compared:
- Time and distance of the first passage of the centres, with an orbit of two rigid spheres, integrated in this script.
  They have the masses and mean profiles of the two galaxies, and start where these do. The centre of a galaxy is that
  of the inner tenth of its stars. Points of the same masses attract each other more, and pass earlier.
- Length of the tails at t = 40: the distance from the centre of its galaxy that 1 % of the particles of a disc exceed.
  Tails of observed pairs reach 50 to 100 kpc (Hibbard 1995, after Dubinski et al. 1997, astro-ph/9712110). With haloes
  of 4 to 8 times the mass of disc and bulge, models have such tails (Mihos, Dubinski & Hernquist 1998, ApJ 494, 183).
- Energy.
Reported, and not compared: the time after which the centres stay within one unit of each other. Dubinski describes a
later run of this pair, the film "Spiral Metamorphosis": they pass at 60,000 light years, and merge in about a billion
years.

Bound: 5 % of the time, since friction and tides, which rigid spheres do not have, are strong only near the passage.
They take angular momentum, so the galaxies pass at a smaller distance than rigid spheres. That it is larger than that
of points is a choice, as are 50 kpc for tails of at least that length. Energy: 1e-2, chosen after a first run. In a
sample of 10,240 rows halo particles are 12 times as heavy as those of the disc. The steps make the error: at t = 20 it
is 4e-2 with 0.1 for all particles, 5e-3 with the default, and 1.6e-3 with --accuracy 0.01.

The picture shows the discs from above Andromeda's every 170 million years, the time between the published images of
the film. When the first of those is, is not known here.
"""
import os
import sys

import numpy as np
import support

KPC, MYR = 3.2, 18.0  # a unit of length and one of time
BETWEEN_IMAGES, IMAGES = 170 / MYR, 7
TOGETHER, TIME_OF_TAILS = 1.0, 40.0
PARTS = np.array([2, 2, 1, 1, 2, 2])  # tenths of the rows: discs, bulges, haloes
GALAXY = np.array([0, 1, 0, 1, 0, 1])


def read(file):
    """Mass, position and velocity of the rows, the part that each is of (0 to 5), and its galaxy."""
    if not os.path.exists(file):
        sys.exit("--file names a copy of dubinski.tab of the N-body data archive of NEMO, or a sample of its rows")
    table = np.loadtxt(file)
    if table.ndim != 2 or table.shape[1] != 7 or len(table) % 10:
        sys.exit("%s is not a table of 7 columns with a multiple of 10 rows" % file)
    part = np.repeat(np.arange(6), PARTS * (len(table) // 10))
    return table[:, 0], table[:, 1:4], table[:, 4:7], part, GALAXY[part]


def mean_of(mass, values, galaxy, which):
    """Of galaxy 1 minus that of galaxy 0, over the particles `which`."""
    first, second = which & (galaxy == 0), which & (galaxy == 1)
    return (np.average(values[second], axis=0, weights=mass[second])
            - np.average(values[first], axis=0, weights=mass[first]))


class Rigid:
    """Two rigid spheres with the mean mass profiles of the galaxies: their force on each other by distance."""

    def __init__(self, mass, position, galaxy, part):
        radii, self.masses, enclosed = [], [], []
        for g in (0, 1):
            own = galaxy == g
            stars = own & (part < 4)
            centre, _ = support.inner_centre(position[stars], mass[stars], 0.1)
            radius = np.linalg.norm(position[own] - centre, axis=1)
            order = np.argsort(radius)
            radii.append(radius[order])
            enclosed.append(np.cumsum(mass[own][order]))
            self.masses.append(enclosed[-1][-1])
        # Of the second sphere: shells of one per cent of the mass, each as a ring at the angles of Gauss's rule.
        shell = np.interp((np.arange(100) + 0.5) / 100 * self.masses[1], enclosed[1], radii[1])[:, None]
        cosine, weight = np.polynomial.legendre.leggauss(48)
        self.distance = np.linspace(0.02, 60, 3000)
        self.force = []
        for d in self.distance:
            along, squared = d + shell * cosine, d * d + shell**2 + 2 * d * shell * cosine
            inside = np.interp(np.sqrt(squared), np.append(0, radii[0]), np.append(0, enclosed[0]))
            self.force.append(np.mean(np.sum(inside * along / squared**1.5 * weight / 2, axis=1)) * self.masses[1])

    def passage(self, position, velocity, points=False, dt=0.005):
        """Time and distance of the closest approach, from the place and velocity of one seen from the other."""
        reduced = 1 / self.masses[0] + 1 / self.masses[1]
        time = 0.0
        while True:
            position = position + dt / 2 * velocity
            d = np.linalg.norm(position)
            force = self.masses[0] * self.masses[1] / d**2 if points else np.interp(d, self.distance, self.force)
            velocity = velocity - dt * force * reduced * position / d
            position = position + dt / 2 * velocity
            time += dt
            if position @ velocity >= 0:
                return time, np.linalg.norm(position)


def closest(time, distance):
    """The first minimum of distances, with a parabola through it and its neighbours; none: not numbers."""
    low = [k for k in range(1, len(distance) - 1) if distance[k - 1] > distance[k] <= distance[k + 1]]
    if not low:
        return np.nan, np.nan
    k = low[0]
    a, b, c = np.polyfit(time[k - 1 : k + 2] - time[k], distance[k - 1 : k + 2], 2)
    return time[k] - b / (2 * a), c - b * b / (4 * a)


def centres_of(state, part, galaxy, start):
    """Of both galaxies' stars."""
    found = []
    for g in (0, 1):
        stars = (galaxy == g) & (part < 4)
        found.append(support.inner_centre(state.position[stars], state.mass[stars], 0.1, start[g])[0])
    return found


def draw(file, time, distance, rigid_passage, pictures, rows):
    """Distance of the centres, and the discs as seen from above Andromeda's. `rows`: what read() gives."""
    mass, position, velocity, part, _ = rows
    figure, axes = support.figure(4, rows=2)
    first, *others = axes.flat
    first.plot(time, distance, color=support.BLUE, linewidth=1, label="run")
    first.plot(*rigid_passage, "o", color=support.ORANGE, label="rigid spheres")
    first.set(xlabel="time [18 million years]", ylabel="distance of the centres [3.2 kpc]", ylim=(0, None))
    first.legend()
    own = part == 1
    x, v = position[own] - position[own].mean(axis=0), velocity[own] - velocity[own].mean(axis=0)
    up = np.sum(np.cross(x, v), axis=0)
    up /= np.linalg.norm(up)
    side = np.cross(up, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    plane = np.array([side, np.cross(up, side)])
    for axis, (now, place) in zip(others, pictures):
        seen = (place - np.average(place, axis=0, weights=mass)) @ plane.T
        for disc, colour in ((0, support.ORANGE), (1, support.BLUE)):
            axis.plot(*seen[part == disc].T, ".", markersize=1, color=colour, label=("Milky Way", "Andromeda")[disc])
        axis.set(title="%.0f million years (t = %.1f)" % (now * MYR, now), xlim=(-38, 38), ylim=(-31, 31))
        axis.set_aspect("equal")
    for axis in others[len(pictures) :]:
        axis.set_axis_off()
    others[0].legend(markerscale=10, fontsize=7, loc="upper right")
    support.save(figure, file)


def main():
    chosen = support.options(__doc__, file="dubinski.tab", time=40.0, steps="block", accuracy=0.025, method="fmm")
    compare = support.Comparison("dubinski")
    particles = read(chosen.file)
    mass, position, velocity, part, galaxy = particles
    rigid = Rigid(mass, position, galaxy, part)
    for who, which in (("all particles", part >= 0), ("stars", part < 4)):
        start = mean_of(mass, position, galaxy, which), mean_of(mass, velocity, galaxy, which)
        bodies, points = rigid.passage(*start), rigid.passage(*start, points=True)
        if who == "all particles":
            expected, earliest = bodies, points
        print("means of %s at the start: distance %.4g, relative velocity %.4g; passage of rigid spheres at t = %.4g, "
              "distance %.3g; of points at t = %.4g, distance %.3g" % (
                  who, np.linalg.norm(start[0]), np.linalg.norm(start[1]), *bodies, *points))
    accuracy = {} if chosen.steps == "shared" else {"accuracy": chosen.accuracy}
    with support.directory_of(chosen) as directory:
        run = support.run(os.path.join(directory, "run"),
                          initial_conditions={"file": chosen.file, "columns": "m x y z vx vy vz"},
                          gravity={"softening": 0.025, "method": chosen.method},
                          time={"end": chosen.time, "dt": 0.1, "steps": chosen.steps, **accuracy},
                          output={"snapshot_every": 0.5})
        rows, tails, pictures, centres = [], [], [], [None, None]
        for state in support.snapshots(run):
            centres = centres_of(state, part, galaxy, centres)
            rows.append((state.time, np.linalg.norm(centres[1] - centres[0])))
            tails.append([np.quantile(np.linalg.norm(state.position[part == g] - centres[g], axis=1), 0.99)
                          for g in (0, 1)])
            if len(pictures) < IMAGES and state.time >= len(pictures) * BETWEEN_IMAGES - 0.25:
                pictures.append((state.time, state.position))
        error = support.largest_energy_error(run)
    time, distance = np.array(rows).T
    passage = closest(time, distance)
    compare.near("time of the first passage", passage[0], expected[0], 0.05 * expected[0], "orbit of two rigid spheres")
    compare.above("the same", passage[0], earliest[0], "orbit of two points")
    compare.below("distance of the first passage", passage[1], expected[1], "orbit of two rigid spheres")
    compare.above("the same", passage[1], earliest[1], "orbit of two points")
    late = np.argmin(np.abs(time - TIME_OF_TAILS))
    for g, name in enumerate(("Milky Way", "Andromeda")):
        compare.above("length of the tails of %s at t = %.4g, kpc" % (name, time[late]), KPC * tails[late][g], 50,
                      "Mihos, Dubinski & Hernquist 1998")
    compare.below("largest relative energy error", error, 1e-2, "conservation")
    apart = np.nonzero(distance > TOGETHER)[0][-1]
    if apart + 1 < len(time):
        print("the centres stay within %g of each other after t = %.1f, %.0f million years after the first passage" % (
            TOGETHER, time[apart + 1], MYR * (time[apart + 1] - passage[0])))
    else:
        print("at the end, t = %g, the centres are %.3g apart" % (time[-1], distance[-1]))
    if chosen.picture:
        draw(chosen.picture, time, distance, expected, pictures, particles)
    compare.exit()


main()
