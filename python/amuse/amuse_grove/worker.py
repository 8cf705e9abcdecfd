#!/usr/bin/env python3
"""The process that AMUSE starts, on each rank of the worker: the functions of interface.py by `grove`.

Every rank has all particles, as AMUSE sends them, in the order of their indices. Its simulation has this rank's share.
"""

import functools
import math
import sys
import time as clock

import numpy as np
from amuse.rfi.channel import MpiChannel
from amuse.rfi.python_code import PythonImplementation
from mpi4py import MPI

from interface import PARAMETERS, GroveInterface  # beside this script, whose directory is in sys.path

TIMEOUT, NUMBER_OF_STEPS, OUT_OF_BOX = 3, 4, 5  # AMUSE's numbers of the stopping conditions
SETTABLE = ("mass", "radius", "position", "velocity")
FIELDS = {"state": SETTABLE, **{name: (name,) for name in (*SETTABLE, "acceleration", "potential")}}
AXES = {"position": ("x", "y", "z"), "velocity": ("vx", "vy", "vz"), "acceleration": ("ax", "ay", "az")}


class GroveWorker:
    """The functions return 0, or -1 for a particle that is not there. What else is wrong is raised: AMUSE passes it on to the script."""

    def __init__(self):
        self._comm = MPI.COMM_WORLD
        self._simulation = None
        self.initialize_code()

    def initialize_code(self):
        self.cleanup_code()
        of_gas = {f"{end}_{what}": -1.0 for end in ("minimum", "maximum") for what in ("density", "internal_energy")}
        conditions = {"timeout": 4.0, "number_of_steps": 1, "out_of_box": 0.0, "out_of_box_use_center_of_mass": False, **of_gas}
        self._values = {function: default for function, default, _, _ in PARAMETERS.values()}
        self._values |= {f"stopping_condition_{name}_parameter": value for name, value in conditions.items()}
        return 0

    def cleanup_code(self):
        if self._simulation is not None:
            self._simulation.close()
        self._simulation = None
        self._earlier = 0.0  # time that passed in earlier simulations
        self._is_newer = False  # whether the particles here are newer than those of the simulation
        self._indices = np.empty(0, np.int32)
        self._next_index = 1
        self._fields = {name: np.empty((0, 3) if name in AXES else 0) for name in SETTABLE}
        self._enabled, self._is_watched = set(), False
        self._met = []  # conditions that the last evolve_model has met, each with the indices of its particles
        return 0

    def __getattr__(self, function):
        """get_ and set_ of parameters and of particles' fields."""
        verb, _, name = function.partition("_")
        if verb not in ("get", "set") or name not in FIELDS and name not in self._values:
            raise AttributeError(function)
        if name in FIELDS:
            return functools.partial(self._get if verb == "get" else self._set, FIELDS[name])

        def access(**argument):
            (value,) = argument.values()
            if verb == "get":
                value.value = self._values[name]
            else:
                self._values[name] = value
            return 0

        return access

    def commit_parameters(self):
        """A simulation with these parameters and the present particles. Raises where Grove refuses a parameter."""
        global grove
        import grove  # not above: where it is missing, the script is told

        if self._values["eps2"] < 0:
            raise ValueError("epsilon_squared must be >= 0")
        # Only what differs from its default: Grove refuses settings without effect.
        given = {name: default for name, default, unit, _ in PARAMETERS.values() if unit is None and self._values[name] != default}
        settings = {name: type(default)(self._values[name]) for name, default in given.items()}
        settings |= {"softening": float(self._values["eps2"] ** 0.5), "dt": float(self._values["time_step"])}
        # A Grove without MPI takes no communicator.
        settings["comm"] = self._comm if self._comm.size > 1 else None
        simulation = grove.Simulation(**settings)
        self._is_watched = bool(self._enabled)
        if self._is_watched:
            simulation.every(1)(self._watch)
        if self._simulation is not None:
            self._take_particles()
            self._earlier += self._simulation.time
            self._simulation.close()
        self._simulation, self._settings, self._is_newer = simulation, settings, True
        return 0

    recommit_parameters = commit_parameters

    def _own(self, n):
        """This rank's share of n rows."""
        return slice(n * self._comm.rank // self._comm.size, n * (self._comm.rank + 1) // self._comm.size)

    def _all(self, own):
        """The rows of all ranks."""
        return own if self._comm.size == 1 else np.concatenate(self._comm.allgather(own))

    def _particles(self):
        own = self._own(len(self._indices))
        return grove.Particles(*(self._fields[name][own] for name in ("position", "velocity", "mass")), id=self._indices[own])

    def _current(self):
        """The simulation, with the particles of here."""
        if self._simulation is None:
            self.commit_parameters()
        if self._is_newer:
            self._simulation.particles = self._particles()
            self._is_newer = False
        return self._simulation

    def _time(self):
        return self._values["begin_time"] + self._earlier + (0 if self._simulation is None else self._simulation.time)

    def _field(self, name):
        if name not in self._fields:
            self._fields[name] = self._all(self._current().get(name))
        return self._fields[name]

    def _take_particles(self):
        """Before particles are changed: all that can be set is here, and nothing that follows from it."""
        self._fields = {name: self._field(name) for name in SETTABLE}

    def commit_particles(self):
        self._current()
        return 0

    recommit_particles = commit_particles

    def synchronize_model(self):
        return 0

    def new_particle(self, index_of_the_particle, **columns):
        self._take_particles()
        n = len(columns["mass"])
        index_of_the_particle.value = np.arange(self._next_index, self._next_index + n, dtype=np.int32)
        self._next_index += n
        self._indices = np.concatenate([self._indices, index_of_the_particle.value])
        for name in SETTABLE:
            new = np.stack([columns[axis] for axis in AXES[name]], axis=1) if name in AXES else columns[name]
            self._fields[name] = np.concatenate([self._fields[name], new])
        self._is_newer = True
        return 0

    def delete_particle(self, index_of_the_particle):
        self._take_particles()
        rows, is_there = self._rows(index_of_the_particle)
        self._indices = np.delete(self._indices, rows)
        self._fields = {name: np.delete(values, rows, axis=0) for name, values in self._fields.items()}
        self._is_newer = True
        return np.where(is_there, 0, -1)

    def _rows(self, indices):
        """Rows of the particles that are there, and for each index whether it is."""
        rows = np.searchsorted(self._indices, indices)
        is_there = np.append(self._indices, -1)[rows] == indices
        return rows[is_there], is_there

    def _get(self, names, index_of_the_particle, **columns):
        rows, is_there = self._rows(index_of_the_particle)
        for name in names:
            for values, axis in zip(np.atleast_2d(self._field(name).T), AXES.get(name, (name,))):
                columns[axis].value = np.zeros(len(is_there))
                columns[axis].value[is_there] = values[rows]
        return np.where(is_there, 0, -1)

    def _set(self, names, index_of_the_particle, **columns):
        self._take_particles()
        rows, is_there = self._rows(index_of_the_particle)
        for name in names:
            for values, axis in zip(np.atleast_2d(self._fields[name].T), AXES.get(name, (name,))):
                values[rows] = columns[axis][is_there]
        self._is_newer = self._is_newer or "radius" not in names or len(names) > 1  # Grove has no radius
        return np.where(is_there, 0, -1)

    def evolve_model(self, time):
        self._met, self._steps, self._began = [], 0, clock.monotonic()
        if bool(self._enabled) != self._is_watched:
            self.commit_parameters()
        simulation, now = self._current(), self._time()
        # Converted to SI and back, the present time can be below itself.
        if math.isclose(time, now, rel_tol=1e-13):
            return 0
        if time < now:
            raise ValueError(f"the time {time:.10g} is before {now:.10g}, which is reached")
        if not len(self._indices):
            self._earlier += time - now
            return 0
        self._fields = {name: self._fields[name] for name in ("mass", "radius")}
        simulation.evolve(time - (now - simulation.time))
        return 0

    def _watch(self, simulation):
        """After each step: the stopping conditions."""
        self._steps += 1
        limit = {name: self._values[f"stopping_condition_{name}_parameter"] for name in ("timeout", "number_of_steps", "out_of_box")}
        if TIMEOUT in self._enabled and self._comm.bcast(clock.monotonic() - self._began) > limit["timeout"]:
            self._met.append((TIMEOUT, []))
        if NUMBER_OF_STEPS in self._enabled and self._steps >= limit["number_of_steps"]:
            self._met.append((NUMBER_OF_STEPS, []))
        if OUT_OF_BOX in self._enabled:
            has_moving_centre = self._values["stopping_condition_out_of_box_use_center_of_mass_parameter"]
            centre = simulation.energy.centre_of_mass if has_moving_centre else 0.0
            is_out = np.linalg.norm(simulation.get("position") - centre, axis=1) > limit["out_of_box"]
            self._met += [(OUT_OF_BOX, [index]) for index in self._all(simulation.get("id")[is_out])]
        return grove.STOP if self._met else None

    def has_stopping_condition(self, type, result):  # noqa: A002 - AMUSE's name
        result.value = int(type in (TIMEOUT, NUMBER_OF_STEPS, OUT_OF_BOX))
        return 0

    def enable_stopping_condition(self, type):  # noqa: A002
        self._enabled.add(int(type))
        return 0

    def disable_stopping_condition(self, type):  # noqa: A002
        self._enabled.discard(int(type))
        return 0

    def is_stopping_condition_enabled(self, type, result):  # noqa: A002
        result.value = int(type in self._enabled)
        return 0

    def is_stopping_condition_set(self, type, result):  # noqa: A002
        result.value = int(any(met == type for met, _ in self._met))
        return 0

    def get_number_of_stopping_conditions_set(self, result):
        result.value = len(self._met)
        return 0

    def get_stopping_condition_info(self, index, type, number_of_particles):  # noqa: A002
        type.value, number_of_particles.value = self._met[index][0], len(self._met[index][1])
        return 0

    def get_stopping_condition_particle_index(self, index, index_of_the_column, index_of_particle):
        index_of_particle.value = self._met[index][1][index_of_the_column]
        return 0

    def _at_points(self, eps, *coordinates):
        simulation, softening = self._current(), self._settings["softening"]
        points = np.stack(coordinates, axis=1)[self._own(len(eps))]
        if not len(self._indices):
            return np.zeros((len(eps), 3)), np.zeros(len(eps))
        if eps.max() <= softening:
            return map(self._all, simulation.field(points))
        if eps.min() != eps.max():
            raise ValueError("eps above the softening length of Grove must be the same at all points: of a pair, the larger one counts")
        self._take_particles()
        with grove.Simulation(self._particles(), **{**self._settings, "softening": float(eps[0])}) as softer:
            return map(self._all, softer.field(points))

    def get_gravity_at_point(self, eps, x, y, z, ax, ay, az, npoints):
        acceleration, _ = self._at_points(eps, x, y, z)
        ax.value, ay.value, az.value = acceleration.T
        return 0

    def get_potential_at_point(self, eps, x, y, z, phi, npoints):
        _, phi.value = self._at_points(eps, x, y, z)
        return 0

    def get_time(self, time):
        time.value = self._time()
        return 0

    def get_kinetic_energy(self, kinetic_energy):
        kinetic_energy.value = self._current().energy.kinetic
        return 0

    def get_potential_energy(self, potential_energy):
        potential_energy.value = self._current().energy.potential
        return 0

    def get_total_mass(self, mass):
        mass.value = self._fields["mass"].sum()
        return 0

    def get_center_of_mass_position(self, x, y, z):
        x.value, y.value, z.value = self._current().energy.centre_of_mass
        return 0

    def get_center_of_mass_velocity(self, vx, vy, vz):
        vx.value, vy.value, vz.value = self._current().energy.momentum / self._fields["mass"].sum()
        return 0

    def get_total_radius(self, radius):
        radius.value = np.linalg.norm(self._field("position") - self._current().energy.centre_of_mass, axis=1).max()
        return 0

    def get_number_of_particles(self, number_of_particles):
        number_of_particles.value = len(self._indices)
        return 0

    def get_index_of_first_particle(self, index_of_the_particle):
        index_of_the_particle.value = self._indices[0] if len(self._indices) else 0
        return 0 if len(self._indices) else 1

    def get_index_of_next_particle(self, index_of_the_particle, index_of_the_next_particle):
        rows, is_there = self._rows(np.array([index_of_the_particle]))
        if not is_there[0]:
            index_of_the_next_particle.value = 0
            return -1
        is_last = rows[0] + 1 == len(self._indices)
        index_of_the_next_particle.value = 0 if is_last else self._indices[rows[0] + 1]
        return 1 if is_last else 0


if __name__ == "__main__":
    MpiChannel.ensure_mpi_initialized()
    worker = PythonImplementation(GroveWorker(), GroveInterface)
    if len(sys.argv) == 1:
        worker.start()
    else:
        port, host, uses_mpi = sys.argv[1:4]
        (worker.start_socket_mpi if uses_mpi == "true" else worker.start_socket)(int(port), host)
