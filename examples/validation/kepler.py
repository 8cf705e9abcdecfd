"""Two bodies on an elliptic orbit, with symplectic integrators.

Set-up: masses 1 and 0.5, eccentricity 0.5, semi-major axis 1, G = 1, no softening; forces by direct summation.

Source: Kepler's third law: after a whole number of periods 2 pi sqrt(a^3 / (G M)) the bodies are where they began.
The error of an integrator of order p goes with dt^p: p = 2 for the leapfrog, 4 and 6 for compositions of it (Yoshida
1990, Phys. Lett. A 150, 262). All are symplectic: their energy error oscillates and does not grow (e.g. Hairer, Lubich
& Wanner 2006, Geometric Numerical Integration, chapter IX).

Compared: the order, from the distance to the place of the start after 10 periods with two lengths of step; the growth
of the energy error: the largest one of the last tenth of 200 periods over that of the first tenth. The angular
momentum.

Bound: the order to 0.1: the next term of the error is smaller by a factor of (2 pi / steps)^2. The energy error of a
symplectic integrator grows by at most 5 %. Angular momentum is exact up to rounding: 1e-10 after 200 periods.
"""
import os

import numpy as np
import support

ORDER = {"leapfrog": 2, "yoshida4": 4, "suzuki4": 4, "yoshida6": 6}
ECCENTRICITY, MASSES = 0.5, np.array([1.0, 0.5])
PERIOD = 2 * np.pi / np.sqrt(MASSES.sum())


def bodies():
    """At pericentre, about the centre of mass: positions and velocities."""
    distance = 1 - ECCENTRICITY
    speed = np.sqrt(MASSES.sum() * (1 + ECCENTRICITY) / distance)
    share = np.array([-MASSES[1], MASSES[0]])[:, None] / MASSES.sum()
    return share * [distance, 0, 0], share * [0, speed, 0]


def orbit(directory, name, table, steps, periods, **output):
    return support.run(os.path.join(directory, "%s_%d_%d" % (name, steps, periods)),
                       initial_conditions={"file": table, "columns": "m x y z vx vy vz type"}, gravity={"method": "direct"},
                       time={"end": "%.17g" % (periods * PERIOD), "dt": "%.17g" % (PERIOD / steps), "integrator": name}, output=output)


def main():
    chosen = support.options(__doc__, periods=200, steps=200)
    compare = support.Comparison("kepler")
    drawn = []
    with support.directory_of(chosen) as directory:
        position, velocity = bodies()
        table = os.path.join(directory, "bodies.txt")
        support.write_table(table, MASSES, position, velocity)
        for name in ORDER:
            lengths = chosen.steps * np.array([1, 2, 4])
            errors = []
            for steps in lengths:
                end = list(support.snapshots(orbit(directory, name, table, steps, 10)))[-1]
                errors.append(np.linalg.norm((end.position[1] - end.position[0]) - (position[1] - position[0])))
            order = np.log2(errors[1] / errors[2])
            log = support.energies(orbit(directory, name, table, chosen.steps, chosen.periods, snapshots="none"))
            energy = np.abs(log["relative_energy_error"])
            tenth = len(energy) // 10
            growth = energy[-tenth:].max() / energy[1:tenth].max() - 1
            momentum = np.abs(log["angular_momentum_z"] / log["angular_momentum_z"][0] - 1).max()
            print("%s: largest relative energy error %.2e with %d steps a period" % (name, energy.max(), chosen.steps))
            compare.near("%s, order" % name, order, ORDER[name], 0.1, "Yoshida 1990")
            compare.below("%s, growth of the energy error" % name, growth, 0.05, "Hairer, Lubich & Wanner 2006")
            compare.below("%s, largest relative error of the angular momentum" % name, momentum, 1e-10, "conservation")
            drawn.append((name, lengths, errors, log["time"] / PERIOD, energy))
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        for k, (name, lengths, errors, time, energy) in enumerate(drawn):
            left.loglog(lengths, errors, "o-", color="C%d" % k, label=name)
            every = max(1, len(time) // 500)
            blocks = energy[1 : 1 + every * ((len(energy) - 1) // every)].reshape(-1, every).max(axis=1)
            right.semilogy(time[1 :: every][: len(blocks)], blocks, color="C%d" % k, label=name)
        left.set(xlabel="steps a period", ylabel="distance from the start after 10 periods")
        right.set(xlabel="periods", ylabel="largest relative energy error")
        left.legend()
        support.save(figure, chosen.picture)
    compare.exit()


main()
