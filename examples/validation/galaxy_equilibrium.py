"""Models of galaxies hold for two rotations at two scale lengths of the disc.

Set-up: a model of Grove, with the numbers of particles and the softening that it chooses (--softening is for
components that have none of their own). --model is one of the presets milky_way, m31, lmc and sagittarius; disc, the
generator of this name with its default keys, which have no softening; or four, of four components with G = 1: an
exponential disc of mass and scale length 1, height 0.15 and Q = 1.5, a Hernquist bulge of mass 0.3, scale radius 0.5
and taper 10, an NFW halo of mass 12, scale radius 4 and taper 5, and a black hole of 1e-3 of the whole mass. A first
run of no steps computes the forces at the start, which say the circular velocity at two scale lengths (sagittarius: at
two scale radii). The second run takes two rotations there, in steps of one length. Small bulges and the black hole
need many steps.

Source: a model in equilibrium does not change. Spheres are made after Eddington (1916, MNRAS 76, 572), discs after
Kuijken & Dubinski (1995, MNRAS 277, 1341).

Compared: the end with the start. Centre and velocity of a state are those of the innermost part of the bulge, else of
the disc or the sphere; its plane is that of the disc's angular momentum. The virial ratio is 2 K / |W| of energy.csv,
and its largest change. Surface density, mean v_R over the circular velocity at the end, and median |z| are those of
rings of half a scale length; the circular velocity is from the forces on the half of the ring's particles that is
nearest to the plane. The heights that are compared are those inside two scale lengths and from two to four.
Spheres have the radii of 1, 10, 50 and 90 % of their mass.

Bound: virial ratio 1 +- 0.005, changed by 0.01; surface density 6 % inside half a scale length, 3 % from there to four;
v_R 1 % of the circular velocity; height 5 %; radii 3 %. They are meant for 131,072 particles. To each, three sigma of
the noise of the particles at the start are added: 1 / sqrt(N) of the N in a ring; the dispersion of v_R over sqrt(N);
of a median, and of the radius of a part p of the mass, half of the distance between the quantiles p - d and p + d with
d = sqrt(p (1 - p) / N); of the virial ratio, the scatter of the energies of single particles. A change has the noise
of two samples, sqrt(2) times that of one. Of several rings the one is compared that exceeds its noise most. The energy
changes by at most 1e-3: if not, the steps are too long, and the rest says little of the model. Softening makes |W|
larger, and so the virial ratio smaller; "with forces" is 2 K / |sum m x.a|. Few particles heat discs and small bulges,
whatever the model: heights and radii that are out of bound say how much.
"""
import os
import sys

import numpy as np
import support

# The component in the centre, and the discs with their scale lengths; a sphere has its scale radius.
MODELS = {"milky_way": ("bulge", {"disc": 2.5, "thick disc": 3.02}), "m31": ("bulge", {"disc": 5.4}),
          "lmc": ("disc", {"disc": 1.42}), "sagittarius": ("stars", {}), "four": ("bulge", {"disc": 1.0}),
          "disc": ("disc", {"disc": 1.0})}
SPHERE_RADIUS = 0.85
FOUR = {"halo.kind": "nfw", "halo.mass": 12.0, "halo.scale_radius": 4.0, "halo.taper": 5.0,
        "bulge.kind": "hernquist", "bulge.mass": 0.3, "bulge.scale_radius": 0.5, "bulge.taper": 10.0,
        "disc.kind": "exponential", "disc.mass": 1.0, "disc.scale_length": 1.0, "disc.height": 0.15,
        "disc.toomre_q": 1.5,
        "hole.kind": "point", "hole.mass": 0.0133, "hole.type": 5}
EDGES = np.arange(0, 4.25, 0.5)
SHARES = np.array([0.01, 0.1, 0.5, 0.9])
FEWEST = 10


def settings(chosen):
    """Of a run: initial conditions and softening."""
    keys = {"initial_conditions": {"generator": "galaxy", "galaxy": chosen.model, "n": chosen.n, "seed": chosen.seed}}
    if chosen.model == "four":
        keys["galaxies"] = {"four." + key: value for key, value in FOUR.items()}
    if chosen.model == "disc":
        keys["initial_conditions"] = {"generator": "disc", "n": chosen.n, "seed": chosen.seed}
    if chosen.softening > 0:
        keys["gravity"] = {"softening": chosen.softening}
    return keys


def components(file):
    """The types of components by name."""
    import h5py

    with h5py.File(file, "r") as data:
        return {group.attrs["ComponentName"].decode(): int(name[8:]) for name, group in data.items()
                if name.startswith("PartType")}


def load(directory, number, model):
    """The particles of each component, about the centre of the model and in the plane of its disc; and all of them."""
    file = os.path.join(directory, "snapshot_%04d.hdf5" % number)
    state = support.load(file)
    middle, discs = MODELS[model]
    own = {name: state.type == kind for name, kind in components(file).items()}
    inner = own[middle]
    # A core has no cusp to find its centre by: more particles do it.
    centre, near = support.inner_centre(state.position[inner], state.mass[inner], 0.05 if discs else 0.2)
    position, velocity = state.position - centre, state.velocity - state.velocity[inner][near].mean(axis=0)
    frame = np.eye(3)
    if discs:
        disc = own["disc"]
        up = np.sum(state.mass[disc, None] * np.cross(position[disc], velocity[disc]), axis=0)
        up /= np.linalg.norm(up)
        side = np.cross([0.0, 1.0, 0.0], up)
        side /= np.linalg.norm(side)
        frame = np.array([side, np.cross(up, side), up])
    x, v, a = position @ frame.T, velocity @ frame.T, state.acceleration @ frame.T
    return {name: (x[mine], v[mine], a[mine]) for name, mine in own.items()}, state


def quantile(values, part):
    """Of a sample, and its noise."""
    width = np.sqrt(part * (1 - part) / len(values))
    low, middle, high = np.quantile(values, [max(part - width, 0), part, min(part + width, 1)])
    return middle, (high - low) / 2


def change(before, after):
    """Of a number with noise: after / before - 1, and the noise of two such samples; in per cent."""
    return 100 * (after[0] / before[0] - 1), 100 * np.sqrt(2) * before[1] / before[0]


def ring(particles, scale, low, high):
    """Between two radii in scale lengths: number, median |z| and mean v_R with their noise, and circular velocity."""
    (x, y, z), (vx, vy, _), (ax, ay, _) = (columns.T for columns in particles)
    radius = np.hypot(x, y)
    here = (radius >= low * scale) & (radius < high * scale)
    number = np.count_nonzero(here)
    if number < FEWEST:
        return None
    height = quantile(np.abs(z[here]), 0.5)
    outward = ((x * vx + y * vy) / radius)[here]
    squared = -(x * ax + y * ay)[here & (np.abs(z) <= height[0])]
    return {"number": (number, np.sqrt(number)), "height": height,
            "outward": (outward.mean(), outward.std() / np.sqrt(number)),
            "circular": np.sqrt(squared.mean())}


def virial(state):
    """The noise of 2 K / |W|, of particles of components whose numbers are fixed, and 2 K / |sum m x.a|."""
    kinetic = 0.5 * state.mass * np.sum(state.velocity**2, axis=1)
    potential = state.mass * state.potential
    part = kinetic / kinetic.sum() - 2 * potential / potential.sum()
    kinds = [state.type == kind for kind in np.unique(state.type)]
    noise = np.sqrt(sum(np.count_nonzero(kind) * np.var(part[kind]) for kind in kinds))
    ratio = 4 * kinetic.sum() / abs(potential.sum())
    return ratio * noise, 2 * kinetic.sum() / abs(np.sum(state.mass[:, None] * state.position * state.acceleration))


def rotation(parts, model):
    """The radius at which time is counted, and the circular velocity there."""
    discs = MODELS[model][1]
    if discs:
        radius = 2 * discs["disc"]
        return radius, ring(parts["disc"], discs["disc"], 1.75, 2.25)["circular"]
    x, _, a = parts["stars"]
    distance = np.linalg.norm(x, axis=1)
    here = np.abs(distance / (2 * SPHERE_RADIUS) - 1) < 0.125
    return 2 * SPHERE_RADIUS, np.sqrt(np.mean(-np.sum(x * a, axis=1)[here]))


def judge(compare, what, figures, bound):
    """`figures` are (where, change, noise) in per cent, of which the one that exceeds its noise most is compared."""
    where, value, noise = max(figures, key=lambda row: abs(row[1]) - 3 * row[2])
    compare.near("%s, %s, %%" % (what, where), value, 0.0, bound + 3 * noise,
                 "%g, and 3 sigma of %.2g" % (bound, noise))


def disc(compare, name, scale, before, after):
    """Prints a table of rings, and compares. Returns the rings: radii, and change and noise of density and height."""
    print("%s, %d particles: changes of rings in %%, v_R at the end; noise in parentheses" % (name, len(after[0])))
    print("  R / scale length  particles  surface density     v_R / v_c       median |z|       v_c  v_c at start")
    densities, motions, rows = [], [], []
    for low, high in zip(EDGES[:-1], EDGES[1:]):
        start, end = (ring(state, scale, low, high) for state in (before, after))
        if start is None or end is None:
            print("  %4.1f to %.1f         fewer than %d" % (low, high, FEWEST))
            continue
        density, height = (change(start[key], end[key]) for key in ("number", "height"))
        outward = 100 * end["outward"][0] / end["circular"], 100 * start["outward"][1] / start["circular"]
        circular = 100 * (end["circular"] / start["circular"] - 1), start["circular"]
        print("  %4.1f to %.1f %17d    %+6.1f (%4.1f)  %+6.2f (%5.2f)   %+6.1f (%4.1f)  %+5.1f  %12.4g" % (
            low, high, start["number"][0], *density, *outward, *height, *circular))
        place = "%g to %g scale lengths" % (low, high)
        densities.append((place, *density))
        motions.append((place, *outward))
        rows.append(((low + high) / 2, *density, *height))
    inside = [row for row in densities if row[0].startswith("0 ")]
    outside = [row for row in densities if not row[0].startswith("0 ")]
    for what, figures, bound in (("surface density", inside, 6.0), ("surface density", outside, 3.0),
                                 ("v_R / v_c", motions, 1.0)):
        if figures:
            judge(compare, "%s, %s" % (name, what), figures, bound)
    for low, high in ((0, 2), (2, 4)):
        start, end = (ring(state, scale, low, high) for state in (before, after))
        if start is not None and end is not None:
            place = "%g to %g scale lengths" % (low, high)
            judge(compare, name + ", height", [(place, *change(start["height"], end["height"]))], 5.0)
    return np.array(rows).reshape(-1, 5)


def sphere(compare, name, before, after):
    """Compares radii. Returns their changes and noise."""
    radii = [[quantile(np.linalg.norm(state[0], axis=1), share) for share in SHARES] for state in (before, after)]
    changes = np.array([change(*pair) for pair in zip(*radii)])
    print("%s, %d particles: changes of radii in %%; noise in parentheses" % (name, len(after[0])))
    print("  part of the mass  radius at the start          change")
    for share, (radius, _), row in zip(SHARES, radii[0], changes):
        print("  %14g %% %20.4g  %+6.1f (%4.1f)" % (100 * share, radius, *row))
    for share, row in zip(SHARES, changes):
        judge(compare, name + ", radius", [("%g %% of the mass" % (100 * share), *row)], 3.0)
    return changes


def draw(file, title, rings, radii):
    figure, axes = support.figure(3)
    colours = (support.BLUE, support.ORANGE, support.GREEN)
    for k, (name, rows) in enumerate(rings.items()):
        for axis, column in zip(axes, (1, 3)):
            axis.errorbar(rows[:, 0] + 0.05 * k, rows[:, column], rows[:, column + 1], fmt="o", color=colours[k],
                          label=name)
    for k, (name, rows) in enumerate(radii.items()):
        axes[2].errorbar(np.arange(4) + 0.1 * k, rows[:, 0], rows[:, 1], fmt="o", color=colours[k], label=name)
    for axis, bound, label in zip(axes, (3, 5, 3), ("surface density", "median |z|", "radius")):
        axis.axhspan(-bound, bound, color=support.GREY, alpha=0.15)
        axis.margins(y=0.2)
        axis.set(xlabel="R / scale length", ylabel="change of the %s, %%" % label)
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
    axes[0].set(title=title)
    axes[2].set(xlabel="part of the mass, %", xticks=range(4), xticklabels=["%g" % (100 * share) for share in SHARES])
    support.save(figure, file)


def main():
    chosen = support.options(__doc__, model="four", n=20000, steps=1024, softening=0.0)
    if chosen.model not in MODELS:
        sys.exit("--model is one of " + ", ".join(MODELS))
    compare = support.Comparison(chosen.model)
    with support.directory_of(chosen) as directory:
        keys = settings(chosen)
        first = support.run(os.path.join(directory, "start"), **keys, time={"end": 0, "dt": 1})
        radius, speed = rotation(load(first, 0, chosen.model)[0], chosen.model)
        end = 2 * 2 * np.pi * radius / speed
        run = support.run(os.path.join(directory, "run"), **keys, time={"end": end, "dt": end / chosen.steps})
        before, start = load(run, 0, chosen.model)
        after, _ = load(run, 1, chosen.model)
        ratio, energy = support.energies(run)["virial_ratio"], support.largest_energy_error(run)
    print("%d particles: circular velocity %.4g at %.4g, two rotations take %.4g" % (chosen.n, speed, radius, end))
    noise, forces = virial(start)
    moves = ratio - ratio[0]
    largest = moves[np.argmax(np.abs(moves))]
    print("virial ratio %.4f at the start (%.4f), with forces %.4f; change %+.4f at the end, %+.4f at most" % (
        ratio[0], noise, forces, moves[-1], largest))
    compare.near("virial ratio at the start", ratio[0], 1.0, 0.005 + 3 * noise, "0.005, and 3 sigma of %.2g" % noise)
    compare.near("change of the virial ratio", largest, 0.0, 0.01 + 3 * noise, "0.01, and 3 sigma of %.2g" % noise)
    compare.below("largest relative energy error", energy, 1e-3, "conservation: else take more steps")
    discs = MODELS[chosen.model][1]
    rings = {name: disc(compare, name, scale, before[name], after[name]) for name, scale in discs.items()}
    radii = {name: sphere(compare, name, before[name], after[name]) for name in before
             if name not in discs and len(before[name][0]) >= FEWEST}
    if chosen.picture:
        draw(chosen.picture, "%s, N = %d" % (chosen.model, chosen.n), rings, radii)
    compare.exit()


main()
