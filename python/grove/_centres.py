"""Centres: the densest point, that of the inner half, and the centre of mass. The definitions are those of `grove profile`."""

from __future__ import annotations

import typing

import numpy as np


class Centre(typing.NamedTuple):
    """A centre and its velocity, which is the mean of the `particles` within `radius`."""

    position: np.ndarray  #: (3,)
    velocity: np.ndarray  #: (3,)
    particles: int
    radius: float

def lengths(vectors):
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


def length(vector):
    """Of one (3,), or of those of three rows (3, n)."""
    with np.errstate(over="ignore"):
        return np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)


def _nucleus(n):
    """How many particles make a nucleus."""
    return max(n // 100, min(n, 32))


class _Cell(typing.NamedTuple):
    """The cube at the lower corner of the box around some particles."""

    coordinates: list[np.ndarray]  #: x, y and z, each (n,)
    weight: np.ndarray
    low: list[float]
    high: list[float]

    @classmethod
    def around(cls, coordinates, weight):
        return cls(coordinates, weight, [x.min() for x in coordinates], [x.max() for x in coordinates])

    def half(self):
        return max(high / 2 - low / 2 for low, high in zip(self.low, self.high))

    def density(self):
        """log2, and the weight; larger is denser."""
        with np.errstate(divide="ignore"):
            total = self.weight.sum()
            return np.log2(total) - 3 * np.log2(self.half()), total

    def parts(self, least):
        """The thirds of the thirds of the thirds with at least `least` particles."""
        third = self.half() * (2 / 3)
        borders = [(low + third, low + 2 * third) for low in self.low]
        if all((low >= border) == (high >= border) for low, high, of in zip(self.low, self.high, borders) for border in of):
            return  # an extent down to rounding
        part = np.zeros(len(self.weight), np.int8)
        for x, (first, second) in zip(self.coordinates, borders):
            part *= 3
            part += (x >= first).view(np.int8)
            part += (x >= second).view(np.int8)
        for k in np.flatnonzero(np.bincount(part, minlength=27) >= least):
            inside = np.flatnonzero(part == k)
            yield _Cell.around([x[inside] for x in self.coordinates], self.weight[inside])


def _densest_cell(coordinates, weight, least, shift):
    """Density (log2), weight, middle and side of the densest cell with at least `least` particles. The cube around the particles is
    divided into 27; each part with enough particles becomes the cube around these, and is divided again. `shift`: by how much of its
    side the first cube is extended downwards. Cells are arrays of their own, which soon fit into a cache."""
    best = _Cell.around(coordinates, weight)
    density = best.density()
    cells = [best._replace(low=[low - shift * 2 * best.half() for low in best.low])]
    while cells:
        cells = [part for cell in cells for part in cell.parts(least)]
        for cell in cells:
            if (found := cell.density()) > density:
                best, density = cell, found
    return *density, np.array(best.low) / 2 + np.array(best.high) / 2, 2 * best.half()


def mean(vectors, weight):
    total = weight.sum()
    return weight @ vectors / total if total > 0 else np.zeros(3)


def _last_sphere(x, weight, middle, radius, least):
    """Middle and radius of the last of the spheres that follow their centre of mass and shrink (Power et al. 2003, MNRAS 338, 14).
    x: (3, n). Each sphere looks only at the particles `near`, those within `reach` of the place `there`, unless it leaves that."""
    last = middle, radius
    everything = near = x, weight
    there, reach = middle, np.inf
    for k in range(460):
        moved = length(middle - there)
        if moved + radius > (1 - 1e-9) * reach:
            near, reach = everything, np.inf
        offset = near[0] - middle[:, None]
        distance = length(offset)
        inside = distance <= radius
        count = np.count_nonzero(inside)
        if count < least:
            break
        if k == 0:
            least = max(least, count // 4)
        move = mean(offset.T, np.where(inside, near[1], 0))
        if 2 * count < len(inside):
            there, reach = middle, min(1.3 * radius, reach - moved)
            kept = np.flatnonzero(distance <= reach)
            near = near[0].take(kept, axis=1), near[1].take(kept)
        middle = middle + move
        last = middle, radius
        radius *= 0.975
    return last


def _densest(x, weight):
    least = _nucleus(len(x))
    x = x.T.copy()
    # Borders of cells can cut a small nucleus into parts of which none is large enough.
    _, _, middle, side = max((_densest_cell(x, weight, least, shift) for shift in (0, 0.11, 0.23)), key=lambda cell: cell[:2])
    if not side > 0:
        return middle, 0.0
    for sides in (3.0, 1.5):
        found = _last_sphere(x, weight, middle, sides * side, least)
        if length(found[0] - middle) <= 2 * side:
            return found
    return middle, side


def _nth_distance(x, middle, n):
    return np.partition(lengths(x - middle), n - 1)[n - 1]


def _inner(x, weight):
    half = max(len(x) // 2, _nucleus(len(x)))
    middle, _ = _densest(x, weight)
    for _ in range(200):
        radius = _nth_distance(x, middle, half)
        inside = lengths(x - middle) <= radius
        move = mean(x[inside] - middle, weight[inside])
        middle = middle + move
        if not length(move) > 1e-3 * radius:
            break
    return middle, _nth_distance(x, middle, half)


def weights(m):
    """Masses or, where no particle has any, 1."""
    return m if m.sum() > 0 else np.ones(len(m))


def find_centre(x, v, m, place, velocity_within):
    weight = weights(m)
    if isinstance(place, str):
        kinds = {"densest": _densest, "inner": _inner, "mass": lambda x, weight: (mean(x, weight), np.inf)}
        if place not in kinds:
            raise ValueError(f"centre {place!r}: must be {', '.join(kinds)}, a point (3,) or a Centre")
        middle, radius = kinds[place](x, weight)
    else:
        middle = np.asarray(place, float)
        if middle.shape != (3,):
            raise ValueError(f"a centre has the shape {middle.shape}, and needs (3,)")
        radius = _nth_distance(x, middle, max(len(x) // 10, _nucleus(len(x))))
    radius = float(radius if velocity_within is None else velocity_within)
    inside = lengths(x - middle) <= radius
    if not inside.any():
        raise ValueError(f"there is no particle within {radius} of the centre whose velocity could be taken")
    return Centre(middle, mean(v[inside], weight[inside]), int(np.count_nonzero(inside)), radius)
