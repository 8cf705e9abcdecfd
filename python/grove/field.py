"""Forces of given particles, without steps."""

from __future__ import annotations

import typing

import numpy as np

from ._library import SettingError
from .particles import Particles
from .simulation import Simulation


class Field:
    """The gravity of particles at x (N, 3) with masses m (N,) or one mass for all, or of Particles. settings: as of Simulation; Particles
    bring their softening. The first call with points builds a tree, which is kept: later ones take time for their points alone. On
    several ranks it is the gravity of all ranks' particles, and the ranks must give as many each, the first ones one more where they do
    not divide.

        field = grove.Field(x, m, softening=0.01)
        acceleration, potential = field(points)     # (M, 3) and (M,), at any points (M, 3)
        acceleration, potential = field()           # at the particles, without their own term
    """

    def __init__(self, x: typing.Any, m: typing.Any = None, **settings: typing.Any) -> None:
        if isinstance(x, Particles):
            if m is not None:
                raise SettingError("m has no effect: Particles have masses")
            # Without their ids they keep their order.
            particles = Particles(x.position, mass=x.mass, type=x.type, components=x.components)
            particles.units, particles.G, particles.softening = x.units, x.G, x.softening
        else:
            particles = Particles(x, mass=m)
        self._sim = Simulation(particles, **settings)
        if len(self._sim.get("mass")) != len(particles):
            raise SettingError("on several ranks, each gives as many particles, the first ones one more where they do not divide")

    def __call__(self, points: typing.Any = None) -> tuple[np.ndarray, np.ndarray]:
        if points is not None:
            return self._sim.field(points)
        return self._sim.get("acceleration"), self._sim.get("potential")


def accelerations(x: typing.Any, m: typing.Any, **settings: typing.Any) -> np.ndarray:
    """Accelerations (N, 3) of particles at x (N, 3) with masses m, as by Field."""
    return Field(x, m, **settings)()[0]


def potential(x: typing.Any, m: typing.Any, **settings: typing.Any) -> np.ndarray:
    """Potentials (N,), per unit mass, of particles at x (N, 3) with masses m, as by Field."""
    return Field(x, m, **settings)()[1]
