"""Plummer and King spheres stay as they are for 50 crossing times.

Set-up: a Plummer sphere (Plummer 1911, MNRAS 71, 460) and a King model of W0 = 5 (King 1966, AJ 71, 64), G = M =
scale radius = 1. The softening is 0.038 half-mass radii, the step 1/100 of a crossing time. The crossing time is G
M^(5/2) / (2 |E|)^(3/2) (Heggie & Mathieu 1986, in The Use of Supercomputers in Stellar Dynamics, p. 233).

Compared: radii that hold 10, 25, 50, 75 and 90 % of the mass, as means over the last 10 crossing times, with those of
the model. Those of the King model come from an integration of Poisson's equation here, not from Grove. Energy.

Bound: three times the noise of N particles in such a radius, and 1.5 % for what two-body encounters change: 50
crossing times are about 0.8 of the half-mass relaxation time (Spitzer 1987, eq. 2-63) with 6,000 particles.
The total energy changes by at most 1e-3.
"""
import os

import numpy as np
import support

SHARES = np.array([0.1, 0.25, 0.5, 0.75, 0.9])


def plummer_mass():
    """Radii and enclosed mass of the model."""
    radius = np.geomspace(1e-3, 1e3, 4000)
    return radius, (radius**2 / (1 + radius**2)) ** 1.5


def king_density(w):
    """Of the depth w of the potential, in squared dispersions, in any unit (King 1966)."""
    from math import erf, pi, sqrt

    return np.exp(w) * erf(sqrt(w)) - sqrt(4 * w / pi) * (1 + 2 * w / 3) if w > 0 else 0.0


def king_mass(w0):
    """Radii in core radii and enclosed mass: w'' + 2 w' / r = -9 rho / rho_0 by Runge-Kutta steps, out to w = 0."""
    central = king_density(w0)

    def slope(r, state):
        w, dw = state
        return np.array([dw, -9 * king_density(w) / central - 2 * dw / r])

    r, step = 1e-4, 2e-3
    state = np.array([w0 - 1.5 * r**2, -3 * r])
    radii, masses = [r], [-(r**2) * state[1]]
    while state[0] > 0:
        k1 = slope(r, state)
        k2 = slope(r + step / 2, state + step / 2 * k1)
        k3 = slope(r + step / 2, state + step / 2 * k2)
        k4 = slope(r + step, state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        r += step
        radii.append(r)
        masses.append(-(r**2) * state[1])
    return np.array(radii), np.array(masses) / masses[-1]


def crossing_time(radius, mass):
    """From W = -integral of G M / r dM and E = W / 2."""
    middle = (mass[1:] + mass[:-1]) / 2
    work = np.sum(middle / ((radius[1:] + radius[:-1]) / 2) * np.diff(mass)) + mass[0] ** 2 / radius[0]
    return work**-1.5


def noise(radius, mass, n):
    """Relative scatter of the radii of SHARES: of the number inside, over d ln M / d ln r."""
    slope = np.interp(SHARES, mass, np.gradient(np.log(mass), np.log(radius)))
    return np.sqrt((1 - SHARES) / (SHARES * n)) / slope


def main():
    chosen = support.options(__doc__, n=6000, time=50.0)
    compare = support.Comparison("equilibrium")
    drawn = []
    with support.directory_of(chosen) as directory:
        for model, (radius, mass), more in (("plummer", plummer_mass(), {}), ("king", king_mass(5.0), {"w0": 5.0})):
            cross = crossing_time(radius, mass)
            expected = np.interp(SHARES, mass, radius)
            run = support.run(
                os.path.join(directory, model),
                initial_conditions={"generator": model, "n": chosen.n, "seed": chosen.seed, **more},
                gravity={"softening": 0.038 * expected[2]},
                time={"end": chosen.time * cross, "dt": cross / 100},
                output={"snapshot_every": cross})
            times, radii = [], []
            for snapshot in support.snapshots(run):
                centre, _ = support.inner_centre(snapshot.position, snapshot.mass, 0.2)
                times.append(snapshot.time / cross)
                radii.append(support.lagrangian_radii(snapshot.position - centre, snapshot.mass, SHARES))
            times, radii = np.array(times), np.array(radii) / expected
            late = radii[times > times[-1] - 10].mean(axis=0)
            bounds = 0.015 + 3 * noise(radius, mass, chosen.n)
            for share, ratio, bound in zip(SHARES, late, bounds):
                compare.near("%s, radius of %.0f %% of the mass over that of the model" % (model, 100 * share), ratio, 1.0,
                             bound, {"plummer": "Plummer 1911", "king": "King 1966"}[model])
            compare.below("%s, largest relative energy error" % model, support.largest_energy_error(run), 1e-3, "conservation")
            drawn.append((model, times, radii, bounds))
    if chosen.picture:
        figure, axes = support.figure(2, sharey=True)
        for axis, (model, times, radii, bounds) in zip(axes, drawn):
            for k, share in enumerate(SHARES):
                colour = "C%d" % k
                axis.plot(times, radii[:, k] + 0.12 * k, color=colour, linewidth=1)
                axis.fill_between(times[[0, -1]], 1 + 0.12 * k - bounds[k], 1 + 0.12 * k + bounds[k], color=colour, alpha=0.15)
                axis.annotate("%.0f %%" % (100 * share), (times[-1], 1 + 0.12 * k), xytext=(3, 0), textcoords="offset points",
                              color=colour, va="center")
            axis.set(title=model.capitalize() + ", N = %d" % chosen.n, xlabel="crossing times")
        axes[0].set(ylabel="radius / model, shifted by 0.12 each")
        support.save(figure, chosen.picture)
    compare.exit()


main()
