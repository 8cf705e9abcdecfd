"""A heavy satellite sinks in a halo by dynamical friction.

Set-up: a Hernquist sphere (1990, ApJ 356, 359) of G = M = a = 1 and N particles with softening 0.03; in it a body of
mass 0.01 that is a Plummer sphere of radius 0.1 to all others, on a circular orbit of radius 1.5.

Source: Chandrasekhar's formula (1943, ApJ 97, 255), as Binney & Tremaine (2008, eq. 8.7) write it for Maxwellian
velocities. Density and dispersion are those of the Hernquist sphere at the place of the body. The Coulomb logarithm
of a Plummer sphere of radius e, for straight encounters up to the distance b, is ln L = (ln(1 + y^2) - y^2 / (1 +
y^2)) / 2 with y = b / e (the integral of b^3 / (b^2 + e^2)^2); b is the distance from the centre (Hashimoto, Funato &
Makino 2003, ApJ 582, 196). The body's orbit under this force is integrated here.

Compared: the time in which the angular momentum of the body, about the centre of the halo, falls to half.

Bound: 30 %. The largest impact parameter is known to a factor of about 1.5, which is 0.4 in a logarithm of 1.6 to
2.2: 25 %. Besides, the formula takes the halo as homogeneous.
"""
import os
from math import erf, exp, log, pi, sqrt

import numpy as np
import support

MASS, SIZE, START = 0.01, 0.1, 1.5


def density(r):
    return 1 / (2 * pi * r * (1 + r) ** 3)


def dispersion(r):
    """In one direction (Hernquist 1990, eq. 10)."""
    return sqrt(max(1e-12, (12 * r * (1 + r) ** 3 * log((1 + r) / r) - r / (1 + r) * (25 + 52 * r + 42 * r**2 + 12 * r**3))
                    / 12))


def coulomb_logarithm(r, factor):
    y = factor * r / SIZE
    return (log(1 + y * y) - y * y / (1 + y * y)) / 2


def acceleration(position, velocity, factor):
    r, v = np.linalg.norm(position), np.linalg.norm(velocity)
    x = v / (sqrt(2) * dispersion(r))
    slower = erf(x) - 2 * x / sqrt(pi) * exp(-x * x)
    drag = 4 * pi * MASS * density(r) * coulomb_logarithm(r, factor) * slower / v**3
    return -position / (r * (1 + r) ** 2) - drag * velocity


def expected_orbit(end, factor=1.0, dt=0.01):
    """Times, distances and angular momenta; `factor` is the largest impact parameter over the distance."""
    position, velocity = np.array([START, 0.0]), np.array([0.0, sqrt(START) / (1 + START)])
    rows = []
    for step in range(int(round(end / dt)) + 1):
        r = np.linalg.norm(position)
        rows.append((step * dt, r, position[0] * velocity[1] - position[1] * velocity[0]))
        if r < 0.05:
            break
        k1v = acceleration(position, velocity, factor)
        middle = velocity + dt / 2 * k1v
        k2v = acceleration(position + dt / 2 * velocity, middle, factor)
        position, velocity = position + dt * middle, velocity + dt * k2v
    return np.array(rows).T


def time_of_half(time, momentum):
    """When the angular momentum falls below half of that at the start; not a number if it does not."""
    low = np.nonzero(momentum < 0.5 * momentum[0])[0]
    if not len(low):
        return np.nan
    k = low[0]
    return np.interp(-0.5 * momentum[0], -momentum[k - 1 : k + 1], time[k - 1 : k + 1])


def main():
    chosen = support.options(__doc__, n=20000, time=60.0)
    compare = support.Comparison("dynamical friction")
    with support.directory_of(chosen) as directory:
        halo_file = os.path.join(directory, "halo.hdf5")
        support.grove("ic", "hernquist", "--n", chosen.n, "--seed", chosen.seed, "--out", halo_file)
        halo = support.load(halo_file)
        table = os.path.join(directory, "halo_and_body.txt")
        support.write_table(table, np.append(halo.mass, MASS), np.vstack([halo.position, [START, 0, 0]]),
                            np.vstack([halo.velocity, [0, sqrt(START) / (1 + START), 0]]), np.append(halo.type, 4))
        run = support.run(os.path.join(directory, "run"),
                          initial_conditions={"file": table, "columns": "m x y z vx vy vz type"},
                          gravity={"softening": "{halo=0.03, stars=%g}" % SIZE},
                          time={"end": chosen.time, "dt": 0.03125}, output={"snapshot_every": 0.5})
        rows, centre = [], None
        for state in support.snapshots(run):
            mine = state.type == 4
            centre, inner = support.inner_centre(state.position[~mine], state.mass[~mine], 0.1, centre)
            velocity = state.velocity[mine][0] - state.velocity[~mine][inner].mean(axis=0)
            position = state.position[mine][0] - centre
            rows.append((state.time, np.linalg.norm(position), np.linalg.norm(np.cross(position, velocity))))
        error = support.largest_energy_error(run)
    time, distance, momentum = np.array(rows).T
    expected = {factor: expected_orbit(2 * chosen.time, factor) for factor in (1 / 1.5, 1.0, 1.5)}
    half = {factor: time_of_half(orbit[0], orbit[2]) for factor, orbit in expected.items()}
    print("expected with the largest impact parameter over and times 1.5: %.3g and %.3g" % (half[1 / 1.5], half[1.5]))
    compare.near("time in which the angular momentum halves", time_of_half(time, momentum), half[1.0], 0.3 * half[1.0],
                 "Chandrasekhar 1943; Binney & Tremaine 2008, eq. 8.7")
    compare.below("largest relative energy error", error, 1e-3, "conservation")
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        for axis, measured, column, label in ((left, distance, 1, "distance from the centre"),
                                              (right, momentum, 2, "angular momentum")):
            low, high = expected[1.5], expected[1 / 1.5]
            shown = np.linspace(0, chosen.time, 300)
            axis.fill_between(shown, np.interp(shown, low[0], low[column], right=0), np.interp(shown, high[0], high[column], right=0),
                              color=support.ORANGE, alpha=0.3, label="largest impact parameter r / 1.5 to 1.5 r")
            axis.plot(expected[1.0][0], expected[1.0][column], color=support.ORANGE, label="Chandrasekhar's formula")
            axis.plot(time, measured, color=support.BLUE, linewidth=1, label="run of %d particles" % chosen.n)
            axis.set(xlabel="time", ylabel=label, xlim=(0, chosen.time), ylim=(0, None))
        left.legend(fontsize=7)
        support.save(figure, chosen.picture)
    compare.exit()


main()
