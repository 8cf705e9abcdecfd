"""Units, and quantities of astropy and unyt, recognised without importing either."""

from __future__ import annotations

import math
import typing

import numpy as np

#: Constants as of docs/units.md, cgs.
KPC, MSUN, GRAVITATIONAL_CONSTANT = 3.0856775814913673e21, 1.3271244e26 / 6.67430e-8, 6.67430e-8

_SECONDS = {"s": 1, "yr": 3.15576e7, "kyr": 3.15576e10, "Myr": 3.15576e13, "Gyr": 3.15576e16}
_CGS = {"length": "cm", "mass": "g", "velocity": "cm/s", "time": "s", "acceleration": "cm/s**2", "potential": "cm**2/s**2"}


class Units(typing.NamedTuple):
    """Code units in cgs, all 1 for N-body units."""

    length_in_cm: float
    mass_in_g: float
    velocity_in_cm_per_s: float

    @property
    def physical_G(self) -> float:
        """The gravitational constant in these units."""
        return GRAVITATIONAL_CONSTANT * self.mass_in_g / (self.length_in_cm * self.velocity_in_cm_per_s**2)


def units_of(text: str) -> Units:
    """The units of a text as Simulation takes it, "kpc, km/s, 1e10 Msun", or "N-body". Raises SettingError."""
    from .simulation import Simulation

    with Simulation(units=None if text == "N-body" else text, device="cpu", comm="self") as sim:
        return sim.units


def named_units(units: Units, G: float) -> Units:
    """The units themselves or, of N-body units, a scale for programs that know none: kpc, 1e10 solar masses, and the velocity at which
    the physical constant is G."""
    if is_physical(units):
        return units
    return Units(KPC, 1e10 * MSUN, math.sqrt(GRAVITATIONAL_CONSTANT * 1e10 * MSUN / (KPC * G)))


def is_quantity(value):
    """Whether the value has a unit: of astropy or unyt."""
    return hasattr(value, "unit") and hasattr(value, "to_value") or hasattr(value, "units") and hasattr(value, "to_value")


def code_unit(dimension, units):
    """One code unit of a dimension in cgs; `units` has length_in_cm, mass_in_g and velocity_in_cm_per_s."""
    length, velocity = units.length_in_cm, units.velocity_in_cm_per_s
    return {
        "length": length,
        "mass": units.mass_in_g,
        "velocity": velocity,
        "time": length / velocity,
        "acceleration": velocity**2 / length,
        "potential": velocity**2,
    }[dimension]


def megayear(units):
    """In code units."""
    return _SECONDS["Myr"] / code_unit("time", units)


def is_physical(units):
    """False for N-body units: all three at 1."""
    return (units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s) != (1, 1, 1)


def in_words(units):
    """For messages."""
    if not is_physical(units):
        return "N-body units"
    length = _by_name(units.length_in_cm, {"Mpc": 1e3 * KPC, "kpc": KPC, "pc": 1e-3 * KPC, "cm": 1})
    mass, velocity = _by_name(units.mass_in_g, {"Msun": MSUN, "g": 1}), _by_name(units.velocity_in_cm_per_s, {"km/s": 1e5, "cm/s": 1})
    return f"units of {length}, {mass}, {velocity}"


def _by_name(in_cgs, names):
    """By the largest of these units that is not larger: "kpc", "1e10 Msun"."""
    name = next((name for name, size in names.items() if in_cgs >= size * (1 - 1e-6)), list(names)[-1])
    number = f"{in_cgs / names[name]:.6g}"
    return name if number == "1" else f"{number} {name}".replace("e+", "e")


def in_code_units(value, dimension, units):
    """The numbers of a quantity in code units, also of a text as "3 Gyr"; anything else as it is. Raises ValueError for a quantity in
    N-body units, and for another text."""
    if isinstance(value, str):
        number, _, unit = value.strip().partition(" ")
        if dimension != "time" or unit not in _SECONDS:
            raise ValueError(f"{value!r}: give a number in code units, a quantity, or of times a text as '3 Gyr' ({', '.join(_SECONDS)})")
        if not is_physical(units):
            raise ValueError(f"{value!r}: N-body units have no {unit}; give the simulation units, as 'kpc, km/s, 1e10 Msun'")
        return float(number) * _SECONDS[unit] / code_unit("time", units)
    if not is_quantity(value):
        return value
    if not is_physical(units):
        raise ValueError(f"{value!r}: N-body units have no {dimension} in {_CGS[dimension]}; give the simulation units, as 'kpc, km/s, 1e10 Msun'")
    return np.asarray(value.to_value(_CGS[dimension])) / code_unit(dimension, units)


def quantity(values, dimension, units):
    """The numbers as a quantity of astropy in cgs. Raises ImportError without astropy, ValueError in N-body units."""
    import astropy.units

    if not is_physical(units):
        raise ValueError("N-body units are no physical units")
    return values * code_unit(dimension, units) * astropy.units.Unit(_CGS[dimension].replace("**", ""))


def setting_text(value):
    """A setting as TOML takes it: quantities as texts with a unit."""
    if is_quantity(value):
        unit = value.unit if hasattr(value, "unit") else value.units
        return f"{float(value.value):.17g} {unit}"
    return value
