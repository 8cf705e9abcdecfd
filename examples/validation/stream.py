"""A star cluster dissolves on its orbit in the Galaxy; its stream is that of galpy's particle spray.

Set-up: a Plummer sphere of 5e5 solar masses and 35 pc on an orbit from 10 to 14 kpc in the potential MWPotential2014
of Bovy (2015, ApJS 216, 29), for 2 Gyr. Softening 8 pc, steps of 0.5 Myr.

Source: galpy's fardal15spraydf (Fardal, Huang & Weinberg 2015, MNRAS 452, 301), which releases particles near the
tidal radius with offsets that were fitted to N-body runs, and integrates their orbits in the Galaxy alone. It gets
the place of the remnant at the end, and from the run only two curves: the bound mass with time, and when mass is
lost.

Compared: the place of the remnant with galpy's orbit of a point, over the length of the way; the median distance of
each arm along the stream, as an angle seen from the Galactic centre in the plane of the orbit, and the width: half of
the range of latitudes that has 68 % of the particles between 20 and 80 degrees from the remnant. Particles that leave
in the first 0.4 Gyr are omitted from both: a Plummer sphere reaches beyond the tidal radius, and what is there leaves
at once.

Bound: 2e-3 of the way: what leaves the cluster pulls on the remnant. 20 % of the median angles and 40 % of the width:
the spray knows the cluster only by its mass, and no encounters in it. These bounds are choices of this script.

Needs galpy.
"""
import os
import sys

import numpy as np
import support

G = 43009.17270  # kpc (km/s)^2 / 1e10 solar masses
GYR = 1.0227121650537077  # kpc / (km/s) in a Gyr
MASS, SIZE = 5e-5, 0.035
SPRAY, EARLY = 400, 0.4  # particles of galpy in each arm; Gyr
START = (np.array([14.0, 0.0, 0.0]), np.array([0.0, 165.0, 60.0]))
GALAXY = {"external": {"potential": "power_law_cutoff", "mass": 0.45013653751, "cutoff_radius": 1.9, "exponent": 1.8},
          "external_2": {"potential": "miyamoto_nagai", "mass": 6.81939027829, "scale_length": 3.0, "scale_height": 0.28},
          "external_3": {"potential": "nfw", "mass": 65.0359246593, "scale_radius": 16.0, "concentration": 10.0}}


def cylindrical(position, velocity):
    """R, vR, vT, z, vz, phi of one particle, as galpy takes them, with 8 kpc and 220 km/s as units."""
    (x, y, z), (vx, vy, vz) = position / 8.0, velocity / 220.0
    r = np.hypot(x, y)
    return [r, (x * vx + y * vy) / r, (x * vy - y * vx) / r, z, vz, np.arctan2(y, x)]


def remnant(state, potential):
    """Place and velocity of what is bound to itself, and its mask."""
    from galpy.potential import evaluatePotentials

    position, velocity = state.position, state.velocity
    outside = evaluatePotentials(potential, np.hypot(position[:, 0], position[:, 1]) / 8.0, position[:, 2] / 8.0) * 220.0**2
    own = state.potential - outside
    own -= own.max()  # galpy's bulge has another zero of its potential
    deepest = np.argsort(own)[:30]
    centre = position[deepest].mean(axis=0)
    for _ in range(10):
        near = np.linalg.norm(position - centre, axis=1) < 2 * SIZE
        centre, motion = position[near].mean(axis=0), velocity[near].mean(axis=0)
    return centre, motion, 0.5 * np.sum((velocity - motion) ** 2, axis=1) + own < 0


def angles(position, centre, motion):
    """Degrees along the plane of the orbit from the remnant, > 0 ahead, and latitudes above it."""
    pole = np.cross(centre, motion)
    pole /= np.linalg.norm(pole)
    ahead = np.cross(pole, centre)
    along = np.arctan2(position @ ahead / np.linalg.norm(ahead), position @ centre / np.linalg.norm(centre))
    return np.degrees(along), np.degrees(np.arcsin(position @ pole / np.linalg.norm(position, axis=1)))


def width(along, latitude):
    """Mean over both arms of half of the range of latitudes with 68 % of the particles, about a smooth track."""
    halves = []
    for sign in (1, -1):
        chosen = (sign * along > 20) & (sign * along < 80)
        track = np.polyval(np.polyfit(along[chosen], latitude[chosen], 3), along[chosen])
        low, high = np.quantile(latitude[chosen] - track, [0.16, 0.84])
        halves.append((high - low) / 2)
    return np.mean(halves)


def main():
    chosen = support.options(__doc__, n=3000, time=2.0)
    os.environ.setdefault("TQDM_DISABLE", "1")  # galpy's progress bars
    try:
        from galpy.df import fardal15spraydf
        from galpy.orbit import Orbit
        from galpy.potential import MWPotential2014
    except ImportError as error:
        sys.exit("this script needs galpy: %s" % error)
    compare = support.Comparison("stream")
    units = {"system": "kpc, km/s, 1e10 Msun"}
    with support.directory_of(chosen) as directory:
        file = os.path.join(directory, "cluster.hdf5")
        support.grove("ic", "plummer", "--n", chosen.n, "--seed", chosen.seed, "--out", file, "--set", "units.system=" + units["system"],
                      "--mass", MASS, "--scale-radius", SIZE, "--set", "gravity.softening=0.008")
        cluster = support.load(file)
        table = os.path.join(directory, "cluster.txt")
        support.write_table(table, cluster.mass, cluster.position + START[0], cluster.velocity + START[1])
        run = support.run(os.path.join(directory, "run"),
                          initial_conditions={"file": table, "columns": "m x y z vx vy vz type"}, units=units, gravity={"softening": 0.008},
                          time={"end": "%.17g" % (chosen.time * GYR), "dt": 0.0005 * GYR}, output={"snapshot_every": 0.02 * GYR}, **GALAXY)
        states = list(support.snapshots(run))
    unit = 8.0 / 220.0
    point = Orbit(cylindrical(*START), ro=8.0, vo=220.0)
    point.turn_physical_off()
    times = np.array([state.time for state in states])
    point.integrate(times / unit, MWPotential2014)
    expected = 8.0 * np.column_stack([point.x(times / unit), point.y(times / unit), point.z(times / unit)])
    bound_mass, lost = [], np.full(chosen.n, -1.0)
    for state in states:
        centre, motion, bound = remnant(state, MWPotential2014)
        lost[bound] = state.time
        bound_mass.append(max(state.mass[bound].sum(), state.mass[0]))
    way = np.sum(np.linalg.norm(np.diff(expected, axis=0), axis=1))
    compare.below("distance of remnant and galpy's orbit over the way", np.linalg.norm(centre - expected[-1]) / way, 2e-3, "Bovy 2015")

    bound_mass = np.array(bound_mass)
    loss = np.where(times > EARLY * GYR, np.maximum(-np.gradient(bound_mass, times), 0) + 1e-12, 0)
    past = (times - times[-1]) / unit
    print("%.0f %% of the mass is bound at the end" % (100 * bound_mass[-1] / MASS))
    np.random.seed(chosen.seed)
    galpy_mass = bound_mass * G / (8.0 * 220.0**2)
    spray = fardal15spraydf(lambda t: np.interp(t, past, galpy_mass), progenitor=Orbit(cylindrical(centre, motion)),
                            pot=MWPotential2014, tdisrupt=-past[0], stripping_pdf=lambda t: np.interp(t, past, loss))
    sample = {arm: spray.sample(n=SPRAY, tail=arm) for arm in ("leading", "trailing")}
    stars = np.vstack([8.0 * np.column_stack([orbit.x(), orbit.y(), orbit.z()]) for orbit in sample.values()])

    clouds = {}
    for name, position in (("Grove", states[-1].position[~bound & (lost > EARLY * GYR)]), ("galpy", stars)):
        far = np.linalg.norm(position - centre, axis=1) > 0.5
        clouds[name] = angles(position[far], centre, motion)
    for arm, sign in (("leading", 1), ("trailing", -1)):
        grove, galpy = (np.median(np.abs(along[sign * along > 0])) for along, _ in clouds.values())
        compare.near("median angle of the %s arm in degrees" % arm, grove, galpy, 0.2 * galpy, "Fardal et al. 2015, in galpy")
    widths = [width(*cloud) for cloud in clouds.values()]
    compare.factor("width in degrees", widths[0], widths[1], 2, "Fardal et al. 2015, in galpy")
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        for (name, (along, latitude)), colour in zip(clouds.items(), (support.BLUE, support.ORANGE)):
            left.plot(along, latitude, ".", color=colour, markersize=1.5, alpha=0.5, label=name)
            right.hist(along, np.arange(-120, 121, 5), histtype="step", color=colour, label=name, density=True)
        left.set(xlabel="degrees along the orbit", ylabel="degrees above its plane", xlim=(-120, 120))
        right.set(xlabel="degrees along the orbit", ylabel="part of the particles per degree")
        left.legend(markerscale=6)
        support.save(figure, chosen.picture)
    compare.exit()


main()
