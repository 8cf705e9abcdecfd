"""A disc that carries its own weight makes a bar; one in a heavy halo does not.

Set-up: two galaxies of the generator "disc": an exponential disc in a Hernquist halo of particles. Total mass, scale
length and G are 1; half of the particles are in the disc. One has half of its mass in the disc and Q = 1.2, the other
one 5 % and Q = 1.5. Softening 0.1, step 0.1.

Source: Ostriker & Peebles (1973, ApJ 186, 467): discs with t = T / |W| above 0.14 +- 0.02 make bars, where T is the
kinetic energy of the mean rotation and W the potential energy of the whole system. Efstathiou, Lake & Negroponte
(1982, MNRAS 199, 1069): those with v_max / sqrt(G M_disc / scale length) below about 1.1 do. The galaxies here are on
either side of both. A bar ends inside its corotation radius (Contopoulos 1980, A&A 81, 198).

Compared: A2 = |sum m exp(2 i phi)| / sum m inside two scale lengths, mean over the last quarter of the run, and the
corotation radius over the length of the bar. The pattern speed is the slope of the phase of A2 in the last quarter;
corotation is where the circular speed, from the forces in the plane, turns as fast. The bar ends where A2 of a ring
falls below half of its maximum.

Bound: A2 is above 0.2 with a bar and below 0.1 without; n particles without a bar have A2 = 1 / sqrt(n). The
radii have the ratio 0.9 to 2.0: bars end at or inside corotation, and rings are 0.1 scale lengths wide.
"""
import os

import numpy as np
import support

GALAXIES = {"heavy disc": {"disc_mass": 0.5, "halo_radius": 5.0, "toomre_q": 1.2},
            "light disc": {"disc_mass": 0.05, "halo_radius": 3.0, "toomre_q": 1.5}}
INSIDE = 2.0


def plane(state):
    """Of the disc about its centre: radius, angle, and inward acceleration; it lies in the plane z = 0."""
    disc = state.type == 2
    centre, _ = support.inner_centre(state.position[disc], state.mass[disc], 0.3)
    x, y, _ = (state.position[disc] - centre).T
    radius = np.hypot(x, y)
    inward = -(x * state.acceleration[disc][:, 0] + y * state.acceleration[disc][:, 1]) / radius
    return radius, np.arctan2(y, x), inward


def a2(radius, angle, low, high):
    """Complex A2 of the particles with radii between these."""
    chosen = (radius >= low) & (radius < high)
    return np.mean(np.exp(2j * angle[chosen]))


def criteria(state, disc_mass):
    """t of Ostriker & Peebles, and the number of Efstathiou et al."""
    radius, _, inward = plane(state)
    disc = state.type == 2
    x, y, _ = state.position[disc].T
    around = (x * state.velocity[disc][:, 1] - y * state.velocity[disc][:, 0]) / np.hypot(x, y)
    ring = np.minimum((radius / 0.25).astype(int), 40)
    mean = np.array([around[ring == k].mean() if np.any(ring == k) else 0.0 for k in range(41)])
    rotation = 0.5 * np.sum(state.mass[disc] * mean[ring] ** 2)
    potential = 0.5 * np.sum(state.mass * state.potential)
    speed = [np.sqrt(np.mean((inward * radius)[ring == k])) for k in range(2, 24)]
    return rotation / abs(potential), max(speed) / np.sqrt(disc_mass)


def bar_length_and_corotation(state, pattern):
    radius, angle, inward = plane(state)
    edges = np.arange(0.1, 8.05, 0.1)
    strength = np.array([abs(a2(radius, angle, low, high)) for low, high in zip(edges[:-1], edges[1:])])
    top = np.argmax(strength[:30])
    beyond = np.nonzero(strength[top:] < strength[top] / 2)[0]
    length = edges[top + beyond[0]]
    omega = np.array([np.sqrt(np.mean((inward / radius)[(radius >= low) & (radius < high)]))
                      for low, high in zip(edges[:-1], edges[1:])])
    middle = (edges[1:] + edges[:-1]) / 2
    return length, np.interp(-pattern, -omega, middle)


def main():
    chosen = support.options(__doc__, n=10000, time=200.0)
    compare = support.Comparison("bar instability")
    drawn = []
    with support.directory_of(chosen) as directory:
        for name, keys in GALAXIES.items():
            run = support.run(os.path.join(directory, name.replace(" ", "_")),
                              initial_conditions={"generator": "disc", "n": chosen.n, "seed": chosen.seed, **keys},
                              gravity={"softening": 0.1}, time={"end": chosen.time, "dt": 0.1}, output={"snapshot_every": 2.0})
            states = list(support.snapshots(run))
            t, number = criteria(states[0], keys["disc_mass"])
            time = np.array([state.time for state in states])
            bar = np.array([a2(*plane(state)[:2], 0, INSIDE) for state in states])
            late = time > 0.75 * chosen.time
            strength = np.abs(bar[late]).mean()
            if name == "heavy disc":
                compare.above("heavy disc, t = T / |W| at the start", t, 0.16, "Ostriker & Peebles 1973")
                compare.above("heavy disc, A2 at the end", strength, 0.2, "Ostriker & Peebles 1973")
                pattern = np.polyfit(time[late], np.unwrap(np.angle(bar[late])) / 2, 1)[0]
                length, corotation = bar_length_and_corotation(states[-1], abs(pattern))
                print("heavy disc: v_max / sqrt(G M / h) = %.2f, pattern speed %.3f, bar length %.2f, corotation %.2f" % (
                    number, pattern, length, corotation))
                compare.near("heavy disc, corotation radius over bar length", corotation / length, 1.45, 0.55, "Contopoulos 1980")
            else:
                print("light disc: v_max / sqrt(G M / h) = %.2f" % number)
                compare.below("light disc, t = T / |W| at the start", t, 0.12, "Ostriker & Peebles 1973")
                compare.below("light disc, A2 at the end", strength, 0.1, "Ostriker & Peebles 1973")
            compare.below("%s, largest relative energy error" % name, support.largest_energy_error(run), 2e-3, "conservation")
            drawn.append((name, t, time, np.abs(bar), states[-1]))
    if chosen.picture:
        figure, axes = support.figure(3)
        for (name, t, time, strength, state), colour, axis in zip(drawn, (support.RED, support.BLUE), axes[1:]):
            axes[0].plot(time, strength, color=colour, label="%s, t = %.2f" % (name, t))
            disc = state.position[state.type == 2]
            axis.hist2d(*(disc - disc.mean(axis=0))[:, :2].T, bins=64, range=[[-4, 4], [-4, 4]], cmap="magma",
                        vmax=len(disc) / 200)
            axis.set(title="%s, time %g" % (name, state.time), aspect="equal", xlabel="x")
        axes[0].set(xlabel="time", ylabel="A2 inside %g scale lengths" % INSIDE, ylim=(0, None))
        axes[0].legend()
        support.save(figure, chosen.picture)
    compare.exit()


main()
