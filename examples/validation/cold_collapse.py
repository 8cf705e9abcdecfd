"""Cold collapse: a sphere at rest falls in, and what comes out of it.

First part: homogeneous spheres at rest of N particles, G = M = R = 1, softening 0.002. All of a sphere would reach
its centre after t = pi / 2 sqrt(R^3 / (2 G M)) = 1.111; the particles' own fluctuations end the fall at a smallest
size that goes with N^(-1/3) (Aarseth, Lin & Papaloizou 1988, ApJ 324, 288; Joyce, Marcos & Sylos Labini 2009, MNRAS
397, 775). Its measure here is G M^2 / |W| at the step with the largest |W|: means of 8, 4 and 2 realisations with n /
8, n / 2 and 2 n particles, where n is that of the second part.

Second part (van Albada 1982, MNRAS 201, 939): the same sphere made of 20 clumps that move as wholes, with 2 T / |W| =
0.05, and a smooth one with 2 T / |W| = 0.5. Clumpy and cold ones end with the R^(1/4) law of elliptical galaxies,
smooth and warm ones have a core and an edge. Compared at the end: the concentration 5 lg(R80 / R20) of bound
particles, with the radii that hold 80 and 20 % of the projected mass, mean of three lines of sight. It is 5.27 for
the R^(1/4) law, 2.80 for an exponential one. The virial ratio, sum of m v^2 / |sum of m x.a| of bound particles, as a
mean over the last third of the run.

Bounds: the time to 3 %, since fluctuations delay the fall of parts of the sphere. The exponent to 0.09: the smallest
size of one realisation scatters by 15 %, and N spans a factor of 16; these are two sigma. The concentration of the
clumpy and cold sphere is 5.27 +- 1, that of the smooth and warm one is below that: the limit between them is a
choice. Virial ratio 1 +- 0.05, since the spheres still oscillate.
"""
import os

import numpy as np
import support

FREE_FALL = np.pi / 2 * np.sqrt(0.5)
REALISATIONS = (8, 4, 2)  # of n / 8, n / 2 and 2 n particles


def in_sphere(random, n):
    direction = random.normal(size=(n, 3))
    return direction / np.linalg.norm(direction, axis=1)[:, None] * random.random(n)[:, None] ** (1 / 3)


def potential_energy(position, softening):
    """G = M = 1, all pairs of a sample of 4,000: large enough for a virial ratio to 1 %."""
    part = position[:: max(1, len(position) // 4000)]
    total = 0.0
    for k in range(1, len(part)):
        total -= np.sum(1 / np.sqrt(np.sum((part[k:] - part[k - 1]) ** 2, axis=1) + softening**2))
    return total / len(part) ** 2


def scaled(velocity, position, ratio, softening):
    """Velocities for 2 T / |W| = ratio."""
    kinetic = 0.5 * np.mean(np.sum(velocity**2, axis=1))
    return velocity * np.sqrt(ratio * -potential_energy(position, softening) / (2 * kinetic))


def clumpy(random, n, softening, clumps=20, size=0.3):
    """Clumps of equal mass: uniform spheres of radius `size` with centres in the unit sphere, which move as wholes."""
    centre, motion = in_sphere(random, clumps), random.normal(size=(clumps, 3))
    which = np.arange(n) % clumps
    position = centre[which] + size * in_sphere(random, n)
    velocity = (motion - motion.mean(axis=0))[which]
    position -= position.mean(axis=0)
    return position, scaled(velocity, position, 0.05, softening)


def smooth(random, n, softening):
    position, velocity = in_sphere(random, n), random.normal(size=(n, 3))
    return position, scaled(velocity - velocity.mean(axis=0), position, 0.5, softening)


def projected(position):
    """Radii in the three projections, sorted."""
    return [np.sort(np.hypot(*position[:, axes].T)) for axes in ([0, 1], [1, 2], [2, 0])]


def concentration(position):
    return np.mean([5 * np.log10(np.quantile(radius, 0.8) / np.quantile(radius, 0.2)) for radius in projected(position)])


def surface_density(radius):
    """Of sorted radii: middles of rings that hold 5 % of the mass each, and mass over area in magnitudes."""
    shares = np.linspace(0.05, 0.95, 19)
    edges = radius[(shares * (len(radius) - 1)).astype(int)]
    return np.sqrt(edges[1:] * edges[:-1]), -2.5 * np.log10(np.diff(shares) / (np.pi * np.diff(edges**2)))


def bound_part(state):
    """Particles with v^2 / 2 + phi < 0, about the densest place."""
    centre, inner = support.inner_centre(state.position, state.mass)
    velocity = state.velocity - state.velocity[inner].mean(axis=0)
    bound = 0.5 * np.sum(velocity**2, axis=1) + state.potential < 0
    return bound, state.position[bound] - centre, velocity[bound], state.acceleration[bound]


def virial_ratio(position, velocity, acceleration):
    return np.sum(velocity**2) / abs(np.sum(position * acceleration))


def axis_ratios(position):
    """b / a and c / a of the inner 80 % of the mass, by reduced moments of inertia (Dubinski & Carlberg 1991, ApJ 378,
    496)."""
    ratios, axes = np.ones(3), np.eye(3)
    for _ in range(30):
        radius = np.linalg.norm(position @ axes / ratios, axis=1)
        inside = radius < np.quantile(radius, 0.8)
        unit = position[inside] / radius[inside, None]
        values, axes = np.linalg.eigh(unit.T @ unit)
        ratios = np.sqrt(values / values[-1])
    return ratios[1], ratios[0]


def main():
    chosen = support.options(__doc__, n=4000, time=10.0)
    compare = support.Comparison("cold collapse")
    smallest, times_of_it, drawn = [], [], []
    numbers = np.array([chosen.n // 8, chosen.n // 2, 2 * chosen.n])
    with support.directory_of(chosen) as directory:
        for n, realisations in zip(numbers, REALISATIONS):
            found = []
            for seed in range(chosen.seed, chosen.seed + realisations):
                run = support.run(
                    os.path.join(directory, "cold_%d_%d" % (n, seed)),
                    initial_conditions={"generator": "uniform_sphere", "n": n, "seed": seed},
                    gravity={"softening": 0.002},
                    time={"end": 1.25, "dt": 1 / 512, "steps": "adaptive", "criterion": "potential", "accuracy": 0.02},
                    output={"snapshots": "none"})
                table = support.energies(run)
                deepest = np.argmin(table["potential"])
                found.append((np.log(-1 / table["potential"][deepest]), table["time"][deepest]))
            smallest.append(np.exp(np.mean(found, axis=0)[0]))
            times_of_it.append(np.mean(found, axis=0)[1])
        exponent = np.polyfit(np.log(numbers), np.log(smallest), 1)[0]
        compare.near("time of the smallest size, N = %d" % numbers[-1], times_of_it[-1], FREE_FALL, 0.03 * FREE_FALL,
                     "free fall of a homogeneous sphere")
        compare.near("exponent of the smallest size with N", exponent, -1 / 3, 0.09,
                     "Aarseth, Lin & Papaloizou 1988; Joyce et al. 2009")
        for name, make in (("clumpy, cold", clumpy), ("smooth, warm", smooth)):
            softening = 0.01
            position, velocity = make(np.random.default_rng(chosen.seed), chosen.n, softening)
            file = os.path.join(directory, name.split(",")[0] + ".txt")
            support.write_table(file, 1 / chosen.n, position, velocity)
            run = support.run(
                file[:-4], initial_conditions={"file": file, "columns": "m x y z vx vy vz type"},
                gravity={"softening": softening}, time={"end": chosen.time, "dt": 1 / 32, "steps": "block"}, output={"snapshot_every": chosen.time / 12})
            states = list(support.snapshots(run))
            virial = np.mean([virial_ratio(*bound_part(state)[1:]) for state in states[-4:]])
            bound, position, *_ = bound_part(states[-1])
            found = concentration(position)
            if make is clumpy:
                compare.near("clumpy, cold, concentration", found, 5.27, 1.0, "van Albada 1982")
            else:
                compare.below("smooth, warm, concentration", found, 4.27, "van Albada 1982")
            compare.near("%s, virial ratio at the end" % name, virial, 1.0, 0.05,
                         "virial theorem")
            print("%s: %.1f %% are bound, b / a = %.2f and c / a = %.2f, largest energy error %.1e" % (
                name, 100 * bound.mean(), *axis_ratios(position), support.largest_energy_error(run)))
            drawn.append((name, [surface_density(radius) for radius in projected(position)], found))
    if chosen.picture:
        figure, (left, right) = support.figure(2)
        left.loglog(numbers, smallest, "o", color=support.BLUE)
        middle = np.exp(np.mean(np.log(smallest)))
        left.loglog(numbers, middle * (numbers / numbers[1]) ** (-1 / 3), "--", color=support.GREY, label="$N^{-1/3}$")
        left.set(xlabel="N", ylabel="smallest $GM^2/|W|$", title="spheres at rest")
        left.set_xticks(numbers, numbers)
        left.minorticks_off()
        left.legend()
        for (name, curves, found), colour in zip(drawn, (support.BLUE, support.ORANGE)):
            for k, (radius, magnitude) in enumerate(curves):
                label = "%s: %.2f" % (name, found) if k == 0 else None
                right.plot(radius**0.25, magnitude, ".-", color=colour, alpha=0.7, label=label, linewidth=0.7)
        right.invert_yaxis()
        right.set(xlabel="$R^{1/4}$", ylabel="surface density [mag]", title="at t = %g: a line is the $R^{1/4}$ law" % chosen.time)
        right.legend(title="concentration")
        support.save(figure, chosen.picture)
    compare.exit()


main()
