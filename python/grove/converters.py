"""Particles for astropy, pynbody and yt, which are imported where they are needed."""

from __future__ import annotations

import importlib
import typing

import numpy as np

from .units import KPC, MSUN, Units, is_physical, is_quantity, megayear, named_units, units_of

if typing.TYPE_CHECKING:
    from .particles import Particles


def _module(name):
    try:
        return importlib.import_module(name)
    except ImportError as reason:
        package = name.partition(".")[0]
        raise ImportError(f"{package} cannot be imported ({reason}): pip install {package}") from reason


def _units(particles: Particles, units: str | Units | None) -> Units | None:
    """What the caller says, else what the particles know; None: nobody knows."""
    if any(map(is_quantity, (particles.position, particles.velocity, particles.mass))):
        raise ValueError("the particles are quantities: give them to a simulation with units, and take sim.particles, which are in code units")
    if units is None:
        return particles.units
    return units if isinstance(units, Units) else units_of(units)


def _physical(particles: Particles, units: str | Units | None) -> Units:
    """Physical units for programs that know no others."""
    known = _units(particles, units)
    if known is None:
        raise ValueError('nobody knows the units of these particles: give units="kpc, km/s, 1e10 Msun", or units="N-body" for a scale with the right G')
    return named_units(known, 1.0 if particles.G is None else particles.G)


def _galactic(particles: Particles, units):
    """Positions in kpc, velocities in km/s, masses in solar masses."""
    fields = particles.position, particles.velocity, particles.mass
    factors = units.length_in_cm / KPC, units.velocity_in_cm_per_s / 1e5, units.mass_in_g / MSUN
    return [np.asarray(field, float) * factor for field, factor in zip(fields, factors)]


def to_astropy(self: Particles, units: str | Units | None = None) -> typing.Any:
    """An astropy QTable: position (N, 3) in kpc, velocity (N, 3) in km/s, mass in solar masses, type, and id where there are some. In
    N-body units, and where nobody knows the units, a Table of bare numbers.

    units: as "kpc, km/s, 1e10 Msun"; None: those that the particles know. Raises ImportError without astropy.
    """
    table, u = _module("astropy.table"), _module("astropy.units")
    known = _units(self, units)
    others = {"type": self.type, **({} if self.id is None else {"id": self.id})}
    if known is None or not is_physical(known):
        return table.Table({"position": self.position, "velocity": self.velocity, "mass": self.mass, **others})
    position, velocity, mass = _galactic(self, known)
    return table.QTable({"position": position * u.kpc, "velocity": velocity * (u.km / u.s), "mass": mass * u.Msun, **others})


def to_pynbody(self: Particles, units: str | Units | None = None, *, dm: typing.Sequence[str | int] | None = None) -> typing.Any:
    """A pynbody SimSnap in kpc, km/s and solar masses: gas, black holes (bh), dark matter, and all other types as stars (star). The
    array `type` has Grove's numbers, iord the ids.

    units: as "kpc, km/s, 1e10 Msun"; None: those that the particles know. N-body units ("N-body") become kpc, 1e10 solar masses and the
    velocity at which G is right, as in Grove's snapshots.
    dm: the components that are dark matter, as dm=[1, 3] of a merger of two discs; None: the one called halo, where there is one.
    Raises ImportError without pynbody, ValueError where nobody knows the units.
    """
    from .particles import usual_name

    pynbody = _module("pynbody")
    scale = _physical(self, units)
    family = np.full(len(self), "star")
    if dm is None:
        family[np.isin(self.type, [number for number in range(6) if self.components.get(number, usual_name(number)) == "halo"])] = "dm"
    for name in dm or ():
        family[self.of(name)] = "dm"
    family[self.type == 0], family[self.type == 5] = "gas", "bh"
    order = np.argsort(family, kind="stable")
    names, counts = np.unique(family, return_counts=True)
    snapshot = pynbody.new(**{str(name): int(count) for name, count in zip(names, counts)}, order=",".join(names))
    for name, values, unit in zip(("pos", "vel", "mass"), _galactic(self, scale), ("kpc", "km s^-1", "Msol")):
        snapshot[name] = values[order]
        snapshot[name].units = unit
    snapshot["type"] = self.type[order]
    if self.id is not None:
        snapshot["iord"] = self.id[order].astype(np.int64)
    if self.time is not None:
        snapshot.properties["time"] = self.time / megayear(scale) / 1000 * pynbody.units.Unit("Gyr")
    return snapshot


def to_yt(self: Particles, units: str | Units | None = None) -> typing.Any:
    """A yt dataset of particles, by yt.load_particles(): its code units are those of the particles, its particle types their names
    (halo, disc, black_holes). The domain is a cube about the origin with all particles.

    units: as of to_pynbody(). Raises ImportError without yt, ValueError where nobody knows the units.
    """
    from .particles import usual_name

    yt = _module("yt")
    scale = _physical(self, units)
    data = {}
    for number in np.unique(self.type):
        name = self.components.get(int(number), usual_name(number)).replace(" ", "_")
        chosen = self.type == number
        fields = {"particle_mass": (self.mass, "code_mass"), "particle_index": (np.arange(len(self)) if self.id is None else self.id.astype(np.int64), "")}
        for d, axis in enumerate("xyz"):
            fields[f"particle_position_{axis}"] = self.position[:, d], "code_length"
            fields[f"particle_velocity_{axis}"] = self.velocity[:, d], "code_velocity"
        data.update({(name, field): (np.array(values[chosen], float if unit else None), unit) for field, (values, unit) in fields.items()})
    side = 1.001 * float(np.abs(self.position).max())
    seconds = scale.length_in_cm / scale.velocity_in_cm_per_s
    return yt.load_particles(
        data, length_unit=(scale.length_in_cm, "cm"), mass_unit=(scale.mass_in_g, "g"), velocity_unit=(scale.velocity_in_cm_per_s, "cm/s"),
        time_unit=(seconds, "s"), sim_time=self.time or 0.0, bbox=[[-side, side]] * 3, periodicity=(False,) * 3,
    )  # fmt: skip
