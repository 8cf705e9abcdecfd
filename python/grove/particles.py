"""Particles in memory."""

from __future__ import annotations

import copy
import typing

import numpy as np

from . import _library as lib
from . import analysis, converters
from .units import Units, is_quantity, units_of

TYPES = {"gas": 0, "halo": 1, "disc": 2, "bulge": 3, "stars": 4, "black holes": 5}
FIELDS = {"position": "length", "velocity": "velocity", "mass": "mass"}


def usual_name(number):
    return next(name for name, of in TYPES.items() if of == number)


def type_numbers(types, components):
    """Types as numbers, where they are names: the usual ones, and those of `components`. Raises ValueError for another name."""
    types = lib.imported(types)
    names = np.asarray(0 if lib.is_on_gpu(types) else types)
    if names.dtype.kind != "U":
        return types
    numbers = {**TYPES, **{name: number for number, name in components.items()}}
    for name in np.unique(names):
        if name not in numbers:
            raise ValueError(f"type {str(name)!r}: there are {', '.join(numbers)}, and the numbers 0 to 5; components={{4: {str(name)!r}}} names a type")
    return np.vectorize(numbers.__getitem__)(names)


def _require_names(components):
    if not all(number in TYPES.values() and isinstance(name, str) and name for number, name in components.items()):
        raise ValueError(f"components = {components}: they give types 0 to 5 a name")
    if len(set(components.values())) < len(components):
        raise ValueError(f"components = {components}: two types have one name")


def _joined_ids(some, others):
    """None unless both have ids. Raises ValueError where they have one in common."""
    if some.id is None or others.id is None:
        return None
    in_both = [] if lib.is_on_gpu(some.id) else np.intersect1d(some.id, others.id)
    if len(in_both):
        raise ValueError(f"both have the id {in_both[0]}: where id is set to None, Grove numbers the particles of the sum")
    return np.concatenate([some.id, others.id])


def joined_components(some, others):
    """The names of both. Raises ValueError where a type has two."""
    for number in some.keys() & others.keys():
        if some[number] != others[number]:
            raise ValueError(f"particles of type {number} are {some[number]!r} here and {others[number]!r} there: give one of them another type")
    return {**some, **others}


def _joined_softening(one, other):
    """That of both: of the one that is known, or the lengths of all components. Raises ValueError where they differ."""
    if one is None or other is None or one == other:
        return other if one is None else one
    if not (isinstance(one, dict) and isinstance(other, dict)) or any(one[name] != other[name] for name in one.keys() & other.keys()):
        raise ValueError(f"particles with the softening {one} and {other} cannot be joined: give both the same, or set one of them to None")
    return {**one, **other}


def _numbers(values, what):
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{what} has masked values: choose the others, as by .compressed()")
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        hint = "; texts with a unit are for settings: give a quantity of astropy or unyt" if values.dtype.kind == "U" else ""
        raise ValueError(f"{what} has elements of the type {values.dtype}, and needs real numbers{hint}")
    return values


def vectors(values, what):
    """An array (N, 3) of FP32 or FP64, or a quantity, as it is. Raises ValueError for anything else."""
    values = lib.imported(values)
    if is_quantity(values) or lib.is_on_gpu(values):
        shape = lib.shape_of(values)
    else:
        values = _numbers(values, what)
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        shape = values.shape
    if len(shape) != 2 or shape[1] != 3:
        raise ValueError(f"{what} has the shape {shape}, and needs (N, 3)" + ("; it is (3, N): transpose it" if len(shape) == 2 and shape[0] == 3 else ""))
    return values


def column(values, n, what, dtype=np.float64):
    """An array (n,) of the type, of FP32 where FP64 is wanted, or of one value for all. Raises ValueError for anything else."""
    values = lib.imported(values)
    if lib.is_on_gpu(values):
        return lib.of_shape(values, (n,), what)
    if is_quantity(values):
        return values if values.shape == (n,) else np.ones(n) * values
    values = _numbers(values, what)
    if dtype is not np.float64 or values.dtype not in (np.float32, np.float64):
        if dtype is not np.float64 and not np.array_equal(values, values.astype(dtype)):
            raise ValueError(f"{what} must have whole numbers that {np.dtype(dtype)} can hold")
        values = values.astype(dtype)
    if values.ndim > 1 or values.size not in (1, n):
        raise ValueError(f"{what} has the shape {values.shape}, and needs ({n},) or one number for all")
    return np.full(n, values) if values.size == 1 else values.reshape(n)


class Particles:
    """Positions, velocities, masses, ids and types of particles.

    position, velocity: (N, 3), any stride, float32 or float64, in code units, or quantities. Without velocities they rest.
        Arrays of numpy or of what has __dlpack__. On a GPU (also __cuda_array_interface__) they stay there: a simulation or Field takes
        them, and analysis does not.
    mass: (N,), or one number for all.
    id: (N,) whole numbers, unique; None: Grove numbers them.
    type: (N,) numbers 0 to 5 or names, or one for all: gas, halo, disc, bulge, stars, black holes, and those of `components`.
    components: names of one's own for types, as {4: "stream"}. Simulations and snapshots keep them.
    Raises ValueError for shapes that do not fit.
    """

    #: Each may be set, as the constructor takes it: for as many particles.
    position: np.ndarray
    velocity: np.ndarray
    mass: np.ndarray
    id: np.ndarray | None
    type: np.ndarray
    #: Names of the user's own, by type; the other types have their usual names.
    components: dict[int, str]
    #: Code units in cgs, and G in code units, of particles of a simulation, of generate() or of a file; None: not known.
    units: Units | None = None
    G: float | None = None
    #: Softening length, or lengths by component, of particles of generate(), of a simulation or of a snapshot of Grove. None: not
    #: known. A simulation that is made of them takes it; softening_kernel and softening_between are no part of it.
    softening: typing.Any = None
    #: Code units, of a file; a simulation of these particles begins then. None: not known.
    time: float | None = None
    _names = ("position", "velocity", "mass", "id", "type", "components", "units", "G", "softening", "time")

    centre = analysis.centre
    face_on = analysis.face_on
    profile = analysis.profile
    rotation_curve = analysis.rotation_curve
    bar = analysis.bar
    bound = analysis.bound
    to_astropy = converters.to_astropy
    to_pynbody = converters.to_pynbody
    to_yt = converters.to_yt

    def __init__(self, position: typing.Any, velocity: typing.Any = None, mass: typing.Any = None, *, id: typing.Any = None,
                 type: typing.Any = "halo", components: dict[int, str] | None = None) -> None:  # fmt: skip  # noqa: A002 - the names of the fields
        self.components = dict(components or {})
        self.position = position
        self.velocity = velocity
        if mass is None:
            raise ValueError("particles need a mass: (N,), or one number for all")
        self.mass = mass
        self.id = id
        self.type = type

    def __setattr__(self, name: str, values: typing.Any) -> None:
        """Raises ValueError for what does not fit, AttributeError for another name."""
        if name in ("position", "velocity"):
            values = np.zeros((len(self), 3)) if values is None and name == "velocity" else vectors(values, name)
            if "position" in self.__dict__ and lib.shape_of(values) != (len(self), 3):
                raise ValueError(f"{name} has the shape {lib.shape_of(values)}, and there are {len(self)} particles: it needs ({len(self)}, 3)")
        elif name == "mass":
            values = column(values, len(self), name)
        elif name == "id":
            values = None if values is None else column(values, len(self), name, np.uint64)
        elif name == "type":
            values = column(type_numbers(values, self.components), len(self), name, np.uint8)
            if not lib.is_on_gpu(values) and np.any(values > 5):
                raise ValueError(f"type {values.max()}: types are 0 to 5")
        elif name == "components":
            _require_names(values)
        elif name == "units" and isinstance(values, str):
            values = units_of(values)
        elif name == "units" and not (values is None or isinstance(values, Units)):
            raise ValueError(f"units = {values!r}: they are a text as 'kpc, km/s, 1e10 Msun', grove.Units or None")
        elif not hasattr(self, name) and name not in self._names and type(self).__module__.startswith("grove."):
            raise AttributeError(f"particles have no {name}: there are {', '.join(self._names)}")
        super().__setattr__(name, values)

    @classmethod
    def from_gala(cls, w: typing.Any, mass: typing.Any, *, type: typing.Any = "halo") -> Particles:  # noqa: A002
        """Particles of a gala PhaseSpacePosition, whose arrays are (3, N)."""
        position, velocity = (np.stack([getattr(part, axis) for axis in axes]).T for part, axes in ((w.pos, ("x", "y", "z")), (w.vel, ("d_x", "d_y", "d_z"))))
        return cls(position, velocity, mass, type=type)

    def __len__(self) -> int:
        return lib.shape_of(self.position)[0]

    def of(self, component: str | int | None) -> np.ndarray:
        """The mask (N,) of a component: a name (halo, disc; of a snapshot also its own), a type from 0 to 5, or None for all. Raises
        ValueError where there is none."""
        if component is None:
            return np.ones(len(self), bool)
        names = {number: self.components.get(number, name) for name, number in TYPES.items()}
        if isinstance(component, str):
            mask = np.isin(self.type, [number for number, name in names.items() if name == component] or [TYPES.get(component, -1)])
        else:
            mask = self.type == component
        if not mask.any():
            there = ", ".join(name for number, name in names.items() if np.any(self.type == number))
            raise ValueError(f"there are no particles of {component!r}: there are {there}; None takes all")
        return mask

    def _changed(self, **fields):
        """A copy with other fields, of the same units."""
        changed = copy.copy(self)
        changed.__dict__.update(fields)
        return changed

    def __getitem__(self, rows: typing.Any) -> Particles:
        """The particles of a component, mask, slice or list of rows."""
        if isinstance(rows, str):
            rows = self.of(rows)
        if isinstance(rows, (int, np.integer)):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"there is no particle {rows} of {len(self)}")
            rows = slice(rows, rows + 1 or None)
        chosen = {name: getattr(self, name)[rows] for name in ("position", "velocity", "mass", "type")}
        return self._changed(**chosen, id=None if self.id is None else self.id[rows])

    def __add__(self, other: Particles) -> Particles:
        """Both together. Ids are kept only where both have some. Raises ValueError where they have one in common, and where both know G,
        units, time or softening, and these differ."""
        if not isinstance(other, Particles):
            return NotImplemented
        def agree(a, b):
            return a is None or b is None or np.allclose(a, b, rtol=1e-9, atol=0)

        if not (agree(self.units, other.units) and agree(self.G, other.G)):
            raise ValueError(f"particles in different units, {self.units}, G = {self.G}, and {other.units}, G = {other.G}, cannot be joined")
        if not agree(self.time, other.time):
            raise ValueError(f"particles of the times {self.time} and {other.time} cannot be joined: give both the same, or set one of them to None")
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("position", "velocity", "mass", "type")}
        components = joined_components(self.components, other.components)
        softening = _joined_softening(self.softening, other.softening)
        joined = Particles(both["position"], both["velocity"], both["mass"], id=_joined_ids(self, other), type=both["type"], components=components)
        joined.units, joined.softening = self.units or other.units, softening
        joined.G, joined.time = (other_one if own is None else own for own, other_one in ((self.G, other.G), (self.time, other.time)))
        return joined

    def __repr__(self) -> str:
        names = [self.components.get(number, name) for name, number in TYPES.items() if np.any(self.type == number)]
        return f"<grove.Particles: {len(self):,} ({', '.join(names)})>"
