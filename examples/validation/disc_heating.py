"""Heavy halo particles heat a thin disc, as two-body relaxation says.

Set-up: a Plummer sphere of G = M = a = 1 made of few particles, and a disc of particles without mass, on circular
orbits in the plane z = 0 with radii from 0.8 to 1.2. Softening 0.02. Encounters with halo particles of mass m turn
the circular orbits into epicycles. Four realisations each with n and n / 4 halo particles.

Source: Lacey & Ostriker (1985, ApJ 299, 633): the mean epicycle energies grow by d<E_z>/dt = D_zz / 2 and d<E_R>/dt =
(D_RR + (2 Omega / kappa)^2 D_pp) / 2, with E_z = (v_z^2 + Omega^2 z^2) / 2 and E_R = (v_R^2 + kappa^2 x^2) / 2, where
x is the distance from the guiding radius. D_zz = D_RR and D_pp are the diffusion coefficients across and along the
motion for the exact isotropic distribution function of the sphere (Binney & Tremaine 2008, sections 4.3 and 7.4), at
radius 1. The Coulomb logarithm is that of softened encounters up to the impact parameter b = r: (ln(1 + y^2) - y^2 /
(1 + y^2)) / 2 with y = b / softening.

Compared: the slopes of <E_z> and <E_R> with time, after the first third of a turn, over those expected, and how they
go with the mass of a halo particle: in proportion.

Bound: a factor of 1.5 for the vertical slope. The largest impact parameter is known to a factor of two, which is 0.7
in a logarithm of 3.4; particles of a disc are not independent of each other, and the mean of four realisations is
known to 17 %. A factor of 2 for the radial one: sloshing of the whole sphere, which the theory of encounters omits,
adds to it. The exponent of the mass is 1 +- 0.25.
"""
import os

import numpy as np
import support

RADIUS, SOFTENING, REALISATIONS = 1.0, 0.02, 4
OMEGA = (1 + RADIUS**2) ** -0.75
KAPPA = OMEGA * np.sqrt(4 - 3 * RADIUS**2 / (1 + RADIUS**2))


def diffusion(mass):
    """D_pp along and D_RR = D_zz across the motion on a circular orbit, per unit of time."""
    v = OMEGA * RADIUS
    escape = np.sqrt(2) * (1 + RADIUS**2) ** -0.25
    speed = np.linspace(0, escape, 4001)[1:]
    f = 24 * np.sqrt(2) / (7 * np.pi**3) * (escape**2 / 2 - speed**2 / 2).clip(0) ** 3.5
    step, slow = speed[1] - speed[0], speed < v
    second = np.sum((speed**2 * f)[slow]) * step
    fourth = np.sum((speed**4 * f)[slow]) * step
    fast = np.sum((speed * f)[~slow]) * step
    y = RADIUS / SOFTENING
    front = 32 * np.pi**2 / 3 * mass * (np.log(1 + y * y) - y * y / (1 + y * y)) / 2
    return front * (fourth / v**3 + fast), front * (3 * second / v - fourth / v**3 + 2 * fast) / 2


def expected_slopes(mass):
    """d<E_z>/dt and d<E_R>/dt."""
    along, across = diffusion(mass)
    return across / 2, (across + (2 * OMEGA / KAPPA) ** 2 * along) / 2


def disc(random, n):
    radius, angle = np.sqrt(random.uniform(0.8**2, 1.2**2, n)), random.uniform(0, 2 * np.pi, n)
    speed = radius * (1 + radius**2) ** -0.75
    zero = np.zeros(n)
    return (np.column_stack([radius * np.cos(angle), radius * np.sin(angle), zero]),
            np.column_stack([-speed * np.sin(angle), speed * np.cos(angle), zero]))


def epicycle_energies(position, velocity):
    """Means of E_z and E_R. The angular momentum says the guiding radius; E_R is what is above its circle."""
    radius = np.hypot(position[:, 0], position[:, 1])
    omega = (1 + radius**2) ** -0.75
    vertical = 0.5 * (velocity[:, 2] ** 2 + (omega * position[:, 2]) ** 2)
    radial_speed = np.sum(position[:, :2] * velocity[:, :2], axis=1) / radius
    momentum = np.abs(position[:, 0] * velocity[:, 1] - position[:, 1] * velocity[:, 0])
    grid = np.geomspace(1e-4, 100, 20000)
    guide = np.interp(momentum, grid**2 * (1 + grid**2) ** -0.75, grid)

    def effective(r):
        return momentum**2 / (2 * r**2) - 1 / np.sqrt(1 + r**2)

    return np.mean(vertical), np.mean(0.5 * radial_speed**2 + effective(radius) - effective(guide))


def main():
    chosen = support.options(__doc__, n=4000, time=15.0)
    compare = support.Comparison("disc heating")
    tracers = 2000
    measured = {}
    with support.directory_of(chosen) as directory:
        for n in (chosen.n // 4, chosen.n):
            curves = []
            for seed in range(chosen.seed, chosen.seed + REALISATIONS):
                name = os.path.join(directory, "%d_%d" % (n, seed))
                support.grove("ic", "plummer", "--n", n, "--seed", seed, "--out", name + ".hdf5")
                halo = support.load(name + ".hdf5")
                position, velocity = disc(np.random.default_rng(seed), tracers)
                support.write_table(name + ".txt", np.repeat([1 / n, 0], [n, tracers]), np.vstack([halo.position, position]),
                                    np.vstack([halo.velocity, velocity]), np.repeat([1, 2], [n, tracers]))
                run = support.run(name, initial_conditions={"file": name + ".txt", "columns": "m x y z vx vy vz type"},
                                  gravity={"softening": SOFTENING}, time={"end": chosen.time, "dt": 0.02},
                                  output={"snapshot_every": 0.5})
                rows = []
                for state in support.snapshots(run):
                    stars = state.type == 2
                    centre, inner = support.inner_centre(state.position[~stars], state.mass[~stars], 0.3)
                    motion = state.velocity[~stars][inner].mean(axis=0)
                    rows.append((state.time, *epicycle_energies(state.position[stars] - centre, state.velocity[stars] - motion)))
                curves.append(np.array(rows).T)
            measured[n] = np.array(curves)
    slopes = {}
    for n, curves in measured.items():
        time = curves[0, 0]
        late = time > 2 * np.pi / OMEGA / 3
        fits = np.array([[np.polyfit(time[late], curve[k][late], 1)[0] for k in (1, 2)] for curve in curves])
        slopes[n] = fits.mean(axis=0)
        error = fits.std(axis=0, ddof=1) / np.sqrt(REALISATIONS)
        expected = expected_slopes(1 / n)
        for k, (what, factor) in enumerate((("vertical", 1.5), ("radial", 2.0))):
            compare.factor("%d halo particles, %s slope, known to %.0f %%" % (n, what, 100 * error[k] / slopes[n][k]),
                           slopes[n][k], expected[k], factor, "Lacey & Ostriker 1985")
    exponent = np.log(slopes[chosen.n // 4][0] / slopes[chosen.n][0]) / np.log(4)
    compare.near("exponent of the vertical slope with the mass of a halo particle", exponent, 1.0, 0.25, "Lacey & Ostriker 1985")
    if chosen.picture:
        figure, axes = support.figure(2)
        for axis, k, label in zip(axes, (1, 2), ("$\\langle E_z\\rangle$", "$\\langle E_R\\rangle$")):
            for (n, curves), colour in zip(measured.items(), (support.RED, support.BLUE)):
                for curve in curves:
                    axis.plot(curve[0], curve[k], color=colour, alpha=0.4, linewidth=0.8)
                axis.plot(curves[0, 0], curves[:, k].mean(axis=0), color=colour, label="%d halo particles" % n)
                axis.plot(curves[0, 0], expected_slopes(1 / n)[k - 1] * curves[0, 0], "--", color=colour)
            axis.set(xlabel="time", ylabel=label, ylim=(0, None))
        axes[0].legend(title="dashed: theory")
        support.save(figure, chosen.picture)
    compare.exit()


main()
