"""Centres, profiles, rotation curves, bars and bound particles, in numpy. The definitions are those of `grove profile`
(docs/analysis.md), and the numbers agree with its own to rounding."""

from __future__ import annotations

import typing

import numpy as np

from ._centres import Centre, find_centre, length, lengths, mean, weights
from ._library import SettingError, is_on_gpu
from .units import in_code_units, is_quantity

if typing.TYPE_CHECKING:
    from .particles import Particles

Component = typing.Union[str, int, None]  #: a name or a number of a type; None: all particles
Place = typing.Union[str, np.ndarray, "Centre", typing.Sequence[float]]


class Bar(typing.NamedTuple):
    """The m = 2 part of a disc."""

    a2: float  #: |sum m exp(2 i phi)| / sum m inside `radius`; 0: round, 1: a line
    noise: float  #: rms of a2 without any bar; below three times this there is no bar
    radius: float  #: where a2 is largest
    phase: float  #: degrees from 0 to 180, from the x axis of face_on() in the sense of the rotation
    pattern_speed: float  #: radians per unit of time, > 0 in the sense of the rotation; NaN without a bar
    pattern_speed_error: float  #: its noise, one sigma


def _plane(spin):
    """Rows: x and y axis of the plane at a right angle to the angular momentum, and its direction. The x axis is the projected one of
    before; within 18 degrees of it, the y axis."""
    axis = spin / length(spin)
    start = np.array([1.0, 0, 0]) if abs(axis[0]) < 0.95 else np.array([0, 1.0, 0])
    x_axis = start - (start @ axis) * axis
    x_axis /= lengths(x_axis[None])[0]
    return np.array([x_axis, np.cross(axis, x_axis), axis])


def _percentile(values, share):
    """The smallest value that at least this share does not exceed."""
    n = max(int(np.ceil(share * len(values))), 1)
    return np.partition(values, n - 1)[n - 1]


def _edges(radius, bins, spacing, begin, end):
    """The edges of `bins` shells, as of `grove profile --shells --spacing --from --to`."""
    if not isinstance(bins, (int, np.integer)) or bins < 1:
        raise ValueError(f"bins: {bins!r}: must be a whole number >= 1, or edges")
    if spacing not in ("log", "linear", "number"):
        raise ValueError(f"spacing {spacing!r}: must be log, linear or number")
    end = _percentile(radius, 0.999) if end is None else end
    if begin is None and spacing == "linear":
        begin = 0
    elif begin is None:
        begin = _percentile(radius, 0.001)
        if begin == 0 and spacing == "log":
            begin = np.min(radius[radius > 0], initial=np.inf)
        begin = begin if 2 * begin <= end else end / 10
    if not (begin < end and np.isfinite(end)) or (spacing == "log" and not begin > 0):
        raise ValueError(f"there are no shells from {begin} to {end}: begin must be below end, and > 0 with logarithmic spacing")
    if spacing == "number":
        inside = np.sort(radius[(radius >= begin) & (radius <= end)])
        before = np.count_nonzero(radius < begin)
        ranks = [before + len(inside) * k // bins for k in range(1, bins)]
        return np.unique([begin, *(np.partition(radius, n - 1)[n - 1] for n in ranks if n > 0), end])
    share = np.arange(bins + 1) / bins
    edges = begin + (end - begin) * share if spacing == "linear" else begin * np.exp(np.log(end / begin) * share)
    edges[0], edges[-1] = begin, end
    return np.unique(np.clip(edges, begin, end))


class _Shells:
    """Sums over the particles in shells edges[k] < r <= edges[k + 1], the first one with r = edges[0]."""

    def __init__(self, radius, edges, m):
        self.edges, self.count = edges, len(edges) - 1
        self.bin = np.searchsorted(edges, radius, side="left")
        self.bin[radius == edges[0]] = 1
        self.m = m
        # At the centre a velocity has no direction: the particle counts, its velocity does not.
        self.weight = np.where(radius > 0, weights(m), 0)

    def sums(self, values):
        """In all shells, and before them what is inside of the first."""
        return np.bincount(self.bin, weights=values, minlength=self.count + 2)[: self.count + 1]

    def numbers(self):
        return np.bincount(self.bin, minlength=self.count + 2)[1 : self.count + 1]

    def means(self, values):
        with np.errstate(invalid="ignore"):
            return (self.sums(self.weight * values) / self.sums(self.weight))[1:]

    def means_inside(self, values):
        with np.errstate(invalid="ignore"):
            return (np.cumsum(self.sums(self.weight * values)) / np.cumsum(self.sums(self.weight)))[1:]

    def dispersions(self, values):
        means = np.concatenate([[0.0], self.means(values), [0.0]])
        return np.where(self.numbers() < 2, np.nan, np.sqrt(self.means((values - means[self.bin]) ** 2)))

    def medians(self, values):
        """Of the size, each particle counting the same: the smallest one that half of them do not exceed."""
        chosen = [np.sort(np.abs(values[(self.bin == k + 1) & (self.weight > 0)])) for k in range(self.count)]
        return np.array([part[(len(part) - 1) // 2] if len(part) else np.nan for part in chosen])


def _table(columns):
    table = np.empty(len(next(iter(columns.values()))), [(name, float) for name in columns])
    for name, values in columns.items():
        table[name] = values
    return table


def _directions(x):
    """Distance from the z axis, and the directions away from it and around it; on the axis the azimuth is 0."""
    radius = np.hypot(x[:, 0], x[:, 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        outwards = np.where(radius[:, None] > 0, x[:, :2] / radius[:, None], [1.0, 0])
    return radius, outwards, np.stack([-outwards[:, 1], outwards[:, 0]], axis=1)


def _in_spheres(x, v):
    """Velocities along the spherical coordinates."""
    radius = lengths(x)
    _, outwards, around = _directions(x)
    with np.errstate(invalid="ignore", divide="ignore"):
        cos, sin = (np.where(radius > 0, part / radius, 0) for part in (x[:, 2], np.hypot(x[:, 0], x[:, 1])))
    planar = np.einsum("ij,ij->i", v[:, :2], outwards)
    return sin * planar + cos * v[:, 2], cos * planar - sin * v[:, 2], np.einsum("ij,ij->i", v[:, :2], around)


def _sphere_columns(shells, x, v, G):
    v_radial, v_theta, v_phi = _in_spheres(x, v)
    inner, outer = shells.edges[:-1], shells.edges[1:]
    mass, inside = shells.sums(shells.m)[1:], np.cumsum(shells.sums(shells.m))[1:]
    radial, theta, phi = map(shells.dispersions, (v_radial, v_theta, v_phi))
    with np.errstate(divide="ignore", invalid="ignore"):
        anisotropy = np.where(radial > 0, 1 - (theta**2 + phi**2) / (2 * radial**2), np.nan)
    return {
        "mass": mass,
        "density": mass / (4 * np.pi / 3 * (outer - inner) * (outer**2 + outer * inner + inner**2)),
        "enclosed_mass": inside,
        "circular_velocity": np.sqrt(G * inside / outer),
        "mean_v_radial": shells.means(v_radial),
        "mean_v_phi": shells.means(v_phi),
        "sigma_radial": radial,
        "sigma_theta": theta,
        "sigma_phi": phi,
        "sigma_tangential": np.sqrt((theta**2 + phi**2) / 2),
        "anisotropy": anisotropy,
    }


def _doubled(direction):
    """cos 2 phi and sin 2 phi."""
    return direction[:, 0] ** 2 - direction[:, 1] ** 2, 2 * direction[:, 0] * direction[:, 1]


def _a2(cos, sin):
    """Strength, and where it points, degrees from 0 to 180."""
    a2 = np.hypot(cos, sin)
    return a2, np.where(a2 > 0, np.degrees(np.arctan2(sin, cos) / 2) % 180 % 180, np.nan)


def _ring_columns(shells, x, v):
    _, outwards, around = _directions(x)
    v_radial, v_phi = (np.einsum("ij,ij->i", v[:, :2], direction) for direction in (outwards, around))
    cos, sin = _doubled(outwards)
    mass = shells.sums(shells.m)[1:]
    a2, phase = _a2(shells.means(cos), shells.means(sin))
    return {
        "mass": mass,
        "surface_density": mass / (np.pi * (shells.edges[1:] - shells.edges[:-1]) * (shells.edges[1:] + shells.edges[:-1])),
        "enclosed_mass": np.cumsum(shells.sums(shells.m))[1:],
        "mean_v_phi": shells.means(v_phi),
        "mean_v_radial": shells.means(v_radial),
        "sigma_radial": shells.dispersions(v_radial),
        "sigma_phi": shells.dispersions(v_phi),
        "sigma_z": shells.dispersions(v[:, 2]),
        "mean_z": shells.means(x[:, 2]),
        "scale_height": shells.dispersions(x[:, 2]),
        "median_height": shells.medians(x[:, 2]),
        "a2": a2,
        "a2_phase": phase,
        "a2_inside": np.hypot(shells.means_inside(cos), shells.means_inside(sin)),
    }


def _pattern_speed(x, v, m, radius):
    """How fast the phase of sum m W(R) exp(2 i phi) turns, and the noise of that, from the scatter over the particles. The window
    W = s (1 - s)^2, s = (R / radius)^2, goes smoothly to 0, and its change as particles move in and out is counted: a sum up to a sharp
    radius would not know who enters (Dehnen, Semczuk & Schoenrich 2023, MNRAS 518, 2712)."""
    z, dz = x[:, 0] + 1j * x[:, 1], v[:, 0] + 1j * v[:, 1]
    s = (np.abs(z) / radius) ** 2
    near = (s > 0) & (s < 1)
    m, z, dz, s = m[near], z[near], dz[near], s[near]
    window, direction = m * s * (1 - s) ** 2, (z / np.abs(z)) ** 2
    change = 2 * m * (1 - s) * (1 - 3 * s) * (z.conjugate() * dz).real / radius**2
    total = np.sum(window * direction)
    rates = (change + 2j * window * (dz / z).imag) * direction / total
    speed = np.sum(rates).imag / 2
    scatter = (rates - 2j * speed * window * direction / total).imag / 2
    return float(speed), float(np.sqrt(np.sum(scatter**2)))


def _numbers(self: Particles):
    """Positions, velocities and masses, FP64."""
    fields = self.position, self.velocity, self.mass
    if any(map(is_quantity, fields)):
        raise ValueError("the particles are quantities: give them to a simulation with units, and take sim.particles, which are in code units")
    if any(map(is_on_gpu, fields)):
        raise ValueError("the particles are on a GPU: copy them to numpy first")
    if not len(self.mass):
        raise ValueError("there are no particles")
    numbers = [np.asarray(field, float) for field in fields]
    for name, values in zip(("position", "velocity", "mass"), numbers):
        if not np.isfinite(values).all():
            row = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[0]
            raise ValueError(f"the {name} of particle [{row}] is not finite")
    return numbers


def _length_of(self: Particles, value, what):
    """Lengths in code units: numbers, or quantities of particles that know their units."""
    if any(isinstance(part, str) for part in (value if isinstance(value, (list, tuple)) else [value])):
        raise ValueError(f"{what}: {value!r}: give numbers in code units, or quantities")
    if isinstance(value, (list, tuple)) and any(map(is_quantity, value)):
        return [_length_of(self, part, what) for part in value]
    if is_quantity(value) and self.units is None:
        raise ValueError(f"{what}: {value!r}: the particles do not know their units: set p.units, or give numbers")
    return in_code_units(value, "length", self.units)


def _own_G(self: Particles, G):
    """NaN where a file does not say it."""
    G = self.G if G is None else G
    return 1.0 if G is None else float(G)


def _known_G(self: Particles, G):
    G = _own_G(self, G)
    if not np.isfinite(G):
        raise ValueError("the file does not say G: give it, G=1 in N-body units, 43009.17 in kpc, km/s, 1e10 Msun")
    return G


def _field(self: Particles, chosen, settings):
    from .field import Field

    return Field(self[chosen], comm="self", **settings)


def centre(self: Particles, of: Component = None, *, at: Place = "densest", velocity_within: float | None = None) -> Centre:
    """The centre of a component: Centre(position, velocity, particles, radius), as of `grove profile --centre`.

    at: "densest": the densest cell of space with 1 % of the particles, then shrinking spheres (Power et al. 2003, MNRAS 338, 14);
        "inner": from there, the sphere that holds half of the particles moves to its centre of mass until it stands still: the
        middle of a disc with clumps; "mass": centre of mass; a point (3,): only its velocity is found.
    velocity_within: the velocity is the mean within this radius; None: in the last sphere; of a point, of a tenth of the particles.
    """
    if isinstance(at, Centre):
        return at
    chosen = slice(None) if of is None else self.of(of)
    at = at if isinstance(at, str) else _length_of(self, at, "at")
    velocity_within = _length_of(self, velocity_within, "velocity_within")
    x, v, m = _numbers(self)
    return find_centre(x[chosen], v[chosen], m[chosen], at, velocity_within)


def face_on(self: Particles, of: Component = "disc", *, centre: Place = "inner", within: float | None = None) -> Particles:
    """A copy whose origin is the centre of the component, at rest, and whose z axis is the direction of its angular momentum.

    within: of its particles up to this radius; None: the one that holds 99.9 % of them. The x axis is the old one, projected onto
    the plane (the y axis, where the disc's axis is within 18 degrees of x). Raises ValueError without angular momentum.
    """
    chosen, (x, v, m), place, within = self.of(of), _numbers(self), self.centre(of, at=centre), _length_of(self, within, "within")
    x, v = x - place.position, v - place.velocity
    distance = lengths(x)
    chosen = chosen & (distance <= (_percentile(distance[chosen], 0.999) if within is None else within))
    spin = weights(m[chosen]) @ np.cross(x[chosen], v[chosen]) if chosen.any() else np.zeros(3)
    if not (np.abs(spin).max() > 0 and np.isfinite(spin).all()):
        raise ValueError(f"{of!r} has no angular momentum about the centre, so there is no plane of a disc")
    axes = _plane(spin / np.abs(spin).max())
    return self._changed(position=x @ axes.T, velocity=v @ axes.T)


def profile(self: Particles, bins: int | typing.Sequence[float] | np.ndarray = 30, of: Component = None, *, disc: Component = None,
            centre: Place | None = None, spacing: str | None = None, begin: float | None = None, end: float | None = None,
            G: float | None = None) -> np.ndarray:  # fmt: skip
    """Density, enclosed mass, velocities and dispersions of a component in shells; with disc= in rings in the plane of that
    component: surface density, rotation, heights, a2. A structured array (shells,) with the columns of `grove profile`, e.g.
    profile["radius"], profile["density"]; docs/analysis.md says what each is.

    bins: their number, or the edges.
    spacing: log, linear or number (of particles), begin, end: as of `grove profile`, from all particles (of the disc, in rings).
    centre: of all particles (of the disc, in rings); None: "densest", in rings "inner".
    Circular velocities are sqrt(G enclosed_mass / radius_outer), without external potentials; NaN where a file does not say G.
    """
    chosen = self.of(of)
    bins, begin, end = (_length_of(self, value, name) for name, value in (("bins", bins), ("begin", begin), ("end", end)))
    if disc is None:
        place, (x, v, m) = self.centre(at="densest" if centre is None else centre), _numbers(self)
        x, v = x - place.position, v - place.velocity
        radius = all_radii = lengths(x)
    else:
        x, v, m = _numbers(self.face_on(disc, centre="inner" if centre is None else centre))
        radius = np.hypot(x[:, 0], x[:, 1])
        all_radii = radius[self.of(disc)]
    spacing = spacing or ("log" if disc is None else "linear")
    if np.ndim(bins) and not (begin is None and end is None):
        raise ValueError("begin, end: have no effect where bins are edges")
    edges = np.asarray(bins, float) if np.ndim(bins) else _edges(all_radii, bins, spacing, begin, end)
    if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0) or edges[0] < 0:
        raise ValueError("bins: must be a whole number >= 1, or at least two edges >= 0 in increasing order")
    shells = _Shells(radius[chosen], edges, m[chosen])
    is_log = spacing == "log" and edges[0] > 0
    columns = {
        "radius_inner": edges[:-1],
        "radius_outer": edges[1:],
        "radius": np.sqrt(edges[:-1] * edges[1:]) if is_log else (edges[:-1] + edges[1:]) / 2,
        "particles": shells.numbers(),
    }
    more = _sphere_columns(shells, x[chosen], v[chosen], _own_G(self, G)) if disc is None else _ring_columns(shells, x[chosen], v[chosen])
    return _table({**columns, **more})


def rotation_curve(self: Particles, radii: typing.Sequence[float] | np.ndarray, *, disc: Component = None, centre: Place | None = None, points: int = 64,
                   G: float | None = None, **settings: typing.Any) -> np.ndarray:  # fmt: skip
    """Circular velocities (M,) at the radii (M,), all > 0, of the gravity of all particles.

    Without disc=: sqrt(G M(r) / r), of the mass in spheres. With disc=: from forces in the plane of that component, by
    grove.Field: r times the mean pull towards the centre over `points` on each circle, and NaN where that is outwards; settings:
    of Field, as softening=0.05; by default the softening is that of the particles. External potentials are not counted.
    """
    radii, G = np.asarray(_length_of(self, radii, "radii"), float), _known_G(self, G)
    if radii.ndim != 1 or not np.all(radii > 0):
        raise ValueError("radii: must be numbers > 0, (M,)")
    if disc is None:
        if settings:
            raise SettingError(f"{', '.join(settings)}: settings of forces have no effect on the curve of enclosed mass; give disc=, too")
        x, _, m = _numbers(self)
        radius = lengths(x - self.centre(at="densest" if centre is None else centre).position)
        order = np.argsort(radius)
        inside = np.concatenate([[0.0], np.cumsum(m[order])])
        return np.sqrt(G * inside[np.searchsorted(radius[order], radii, side="right")] / radii)
    turned = self.face_on(disc, centre="inner" if centre is None else centre)
    angle = 2 * np.pi * np.arange(points) / points
    outwards = np.stack([np.cos(angle), np.sin(angle), np.zeros(points)], axis=1)
    field = _field(turned, np.ones(len(turned), bool), {"G": G, **settings})
    acceleration, _ = field((radii[:, None, None] * outwards).reshape(-1, 3))
    pull = -np.einsum("ijk,jk->i", acceleration.reshape(len(radii), points, 3), outwards) / points
    with np.errstate(invalid="ignore"):
        return np.sqrt(radii * pull)


def bar(self: Particles, of: Component = "disc", *, centre: Place = "inner", bins: int = 30) -> Bar:
    """The bar of a disc: Bar(a2, noise, radius, phase, pattern_speed, pattern_speed_error), as of `grove profile --disc`: a2 of all its particles inside
    the radius that makes it largest (Dubinski, Berentzen & Shlosman 2009, ApJ 697, 293), of those with 1 % of them.

    The pattern speed is that of this instant, from the velocities in a smooth window up to that radius (Dehnen, Semczuk & Schoenrich
    2023, MNRAS 518, 2712). That of `grove profile` is the turn between two snapshots, a mean over the time between.
    bins: rings up to the radius that holds 99.9 % of the disc, which say how fine the radius is.
    """
    chosen = self.of(of)
    x, v, m = (field[chosen] for field in _numbers(self.face_on(of, centre=centre)))
    radius, outwards, _ = _directions(x)
    shells = _Shells(radius, _edges(radius, bins, "linear", None, None), m)
    cos, sin = _doubled(outwards)
    inside = np.cumsum(shells.sums(np.ones(len(m))))[1:]
    a2, phase = _a2(shells.means_inside(cos), shells.means_inside(sin))
    a2[(inside < 0.01 * len(m)) | np.isnan(a2)] = -1
    k = int(np.argmax(a2))
    if a2[k] < 0:
        return Bar(*[np.nan] * 6)
    noise, end = 1 / np.sqrt(inside[k]), shells.edges[k + 1]
    speed = _pattern_speed(x, v, weights(m), end) if a2[k] > 3 * noise else (np.nan, np.nan)
    return Bar(float(a2[k]), float(noise), float(end), float(phase[k]), *speed)


def bound(self: Particles, of: Component = None, *, G: float | None = None, **settings: typing.Any) -> np.ndarray:
    """The mask (N,) of the particles of a component that are bound to their own gravity: v^2 / 2 + potential < 0, by grove.Field.

    Those that are not bound are omitted, and the rest is looked at once more, until nothing changes. Velocities are relative to
    the densest point at first, then to the mean of the bound ones. External potentials and other components do not count.
    settings: of Field, as softening=0.05; by default that of the particles. Nothing bound is a mask of False.
    """
    chosen, (_, v, m), G = self.of(of).copy(), _numbers(self), _known_G(self, G)
    middle = self.centre(of).velocity
    while np.count_nonzero(chosen) > 1:
        _, potential = _field(self, chosen, {"G": G, **settings})()
        is_bound = np.einsum("ij,ij->i", v[chosen] - middle, v[chosen] - middle) / 2 + potential < 0
        if is_bound.all():
            return chosen
        chosen[chosen] = is_bound
        middle = mean(v[chosen], weights(m[chosen]))
    return np.zeros(len(m), bool)
