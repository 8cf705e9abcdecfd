"""Simulations: particles that move under their gravity."""

from __future__ import annotations

import contextlib
import ctypes
import os
import types
import typing
import warnings
import weakref

import numpy as np

from . import _library as lib
from ._callbacks import EXIT, Callback, CtrlC, External
from ._progress import Progress
from ._settings import config_text, take_from
from .particles import FIELDS, Particles, column, joined_components, type_numbers, usual_name, vectors
from .units import Units, in_code_units, in_words, is_physical, megayear, quantity

_F = typing.TypeVar("_F", bound=typing.Callable[..., typing.Any])

STOP = "stop"
"""What a function given to Simulation.every() returns to end evolve()."""

_VECTORS = ("position", "velocity", "acceleration")
_DTYPES = {"id": np.uint64, "type": np.uint8}
_FIELDS_LENT = ("position", "velocity", "mass", "id", "type", "acceleration", "potential")
_FIELD_DIMENSIONS = {**FIELDS, "acceleration": "acceleration", "potential": "potential", "time_step": "time"}


class Energy(typing.NamedTuple):
    """Energies and other sums over all particles, in code units."""

    kinetic: float
    potential: float  #: of the particles' own gravity
    external: float  #: in external potentials
    total: float
    momentum: np.ndarray  #: (3,)
    angular_momentum: np.ndarray  #: (3,)
    centre_of_mass: np.ndarray  #: (3,)


class Simulation:
    """Particles and their gravity, on a GPU or the cores of the CPU.

    particles: Particles; None: they are set later, or come from config["initial_conditions"] by load().
    units: as "kpc, km/s, 1e10 Msun", or Units; None: those of the particles, else N-body units, where G is 1.
    comm: a communicator of mpi4py; None: MPI_COMM_WORLD; "self": this rank alone.
    config: a configuration as a dict of sections, {"gravity": {"tolerance": 1e-3}}, or as TOML; as of `grove run`, without
        the keys of its output, time.end and run.max_wall_time. "external" may be a list of up to three potentials.
    settings: keys of the configuration in short: softening (by default that of the particles, where they know one, else 0), dt,
        begin (the time of the particles; by default what a file says, else 0), device, G, method, tolerance, theta, opening, order,
        softening_kernel, all_pairs_up_to, integrator, transport.
    Raises SettingError, DataError or SystemError, which are subclasses of ValueError and OSError.
    """

    def __init__(self, particles: Particles | None = None, *, units: str | Units | None = None,
                 config: dict[str, typing.Any] | str | None = None, comm: typing.Any = None, **settings: typing.Any) -> None:  # fmt: skip
        if not isinstance(config, str):
            units = getattr(particles, "units", None) if units is None else units
            take_from(particles, config or {}, units, settings)
        text = config_text(config, units, settings)
        self._handle: ctypes.c_void_p | None = ctypes.c_void_p()
        self._every: list[list[typing.Any]] = []
        self._steps = 0
        self._is_stepping = False
        self._external: External | None = None
        address = None
        if comm == "self":
            address = lib.library().grove_comm_self()
        elif comm is not None:
            from mpi4py import MPI

            address = MPI._addressof(comm)  # noqa: SLF001 - mpi4py's interface for other libraries
        lib.call("grove_create", text.encode(), address, ctypes.byref(self._handle))
        self._finalizer = weakref.finalize(self, lib.library().grove_destroy, self._handle)
        self._units = lib.Units()
        self._call("grove_get_units", ctypes.byref(self._units))
        if particles is not None:
            self.particles = particles

    def _call(self, name, *arguments):
        if self._handle is None:
            raise lib.SettingError("the simulation is closed")
        try:
            return lib.call(name, self._handle, *arguments)
        except lib.Error:
            if self._external and self._external.failure:
                failure, self._external.failure = self._external.failure, None
                raise failure from None
            raise

    def close(self) -> None:
        """Frees everything. The simulation cannot be used afterwards."""
        if self._handle is not None:
            if self._is_stepping:
                raise lib.SettingError("a simulation cannot be closed while it steps; return grove.STOP to end the steps")
            self._handle = None
            self._finalizer()

    def __reduce__(self):
        raise TypeError("a simulation cannot be copied or pickled: make another one of its particles")

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """The number of particles of all ranks."""
        count = ctypes.c_uint64()
        self._call("grove_count", ctypes.byref(count), None)
        return count.value

    @property
    def time(self) -> float:
        """In code units."""
        time = ctypes.c_double()
        self._call("grove_time", ctypes.byref(time))
        return time.value

    @property
    def G(self) -> float:  # noqa: N802
        """The gravitational constant in code units."""
        return self._units.G

    @property
    def units(self) -> Units:
        """Code units in cgs."""
        return Units(self._units.length_in_cm, self._units.mass_in_g, self._units.velocity_in_cm_per_s)

    @property
    def energy(self) -> Energy:
        """Energies and other sums over all particles: Energy."""
        found = lib.Energies()
        self._call("grove_get_energies", ctypes.byref(found))
        vectors = (np.array(getattr(found, name)) for name in ("momentum", "angular_momentum", "centre_of_mass"))
        return Energy(found.kinetic, found.potential, found.external, found.total, *vectors)

    def load(self) -> list[str]:
        """Takes the particles that config["initial_conditions"] names. Returns sentences on them, a list."""
        self._call("grove_load")
        notes = ctypes.c_char_p()
        self._call("grove_notes", ctypes.byref(notes))
        return (notes.value or b"").decode().splitlines()

    @contextlib.contextmanager
    def _told_others(self, name, *arguments):
        """For what may be raised on this rank while the others wait in the function `name` already: it is called with arguments that it
        refuses, so that they get an error, too."""
        try:
            yield
        except Exception:
            with contextlib.suppress(lib.Error):
                self._call(name, *arguments)
            raise

    def _share(self):
        share = ctypes.c_size_t()
        self._call("grove_count", None, ctypes.byref(share))
        return share.value

    def _exchange(self, name, field, make_array):
        """Calls grove_get() or grove_set() for the array that make_array(shape) returns."""
        shape = (self._share(), 3) if field in _VECTORS else (self._share(),)
        with self._told_others(name, field.encode(), lib.Array()):
            values = make_array(shape)
            array = lib.array_of(values)
        self._call(name, field.encode(), array)
        return values

    def get(self, field: str, *, out: typing.Any = None) -> typing.Any:
        """A copy of a field of this rank's share, in the order of ids: position, velocity, acceleration (N, 3), mass, potential,
        id, type (N,); code units. The potential is per unit mass, without the particle's own. With steps of their own and
        config={"output": {"fields": "time_step"}}, also time_step (N,). out: an array of numpy or on a GPU that is filled and
        returned."""

        def array(shape):
            if out is None:
                return np.empty(shape, _DTYPES.get(field, np.float64))
            return lib.of_shape(out, shape, field)

        return self._exchange("grove_get", field, array)

    def quantity(self, field: str) -> typing.Any:
        """The same as a quantity of astropy."""
        return quantity(self.get(field), _FIELD_DIMENSIONS[field], self._units)

    def set(self, field: str, values: typing.Any) -> None:
        """Sets position, velocity (N, 3), mass or type (N,) of this rank's share, in the order of ids; one mass or type is that of all.
        values: also on a GPU, or of any kind that has __dlpack__."""

        def array(shape):
            given = lib.imported(values)
            if lib.is_on_gpu(given):
                return lib.of_shape(given, shape, field)
            if field in FIELDS:
                given = in_code_units(given, FIELDS[field], self._units)
            if field not in _VECTORS:
                of_type = type_numbers(given, self._components()) if field == "type" else given
                return lib.described(column(of_type, shape[0], field, _DTYPES.get(field, np.float64)))
            numbers = vectors(given, field)
            if numbers.shape != shape:
                raise lib.SettingError(f"{field} has the shape {numbers.shape}, and needs {shape}")
            return lib.described(numbers)

        self._exchange("grove_set", field, array)

    @contextlib.contextmanager
    def local_arrays(self, *, read_only: bool = False) -> typing.Iterator[types.SimpleNamespace]:
        """This rank's particles without a copy, in their present order, which is not that of ids, and where they are: on a GPU for
        cupy.asarray() and other libraries, else in numpy.

            with sim.local_arrays() as a:
                cupy.asarray(a.position)[:, 2] += 1.0

        a.position, a.velocity (N, 3) may be written; a.acceleration (N, 3), a.mass, a.potential, a.id, a.type (N,) are for reading.
        At the end forces are computed anew, unless `read_only`. The simulation can do nothing else meanwhile, and the arrays must not be
        used afterwards. Raises DataError for numbers that are not finite, and where masses have been written.
        """
        lent = lib.LentArrays()
        self._call("grove_lend", ctypes.byref(lent))
        try:
            yield types.SimpleNamespace(
                **{
                    name: lib.view_of(
                        getattr(lent, name),
                        (lent.count, 3) if name in _VECTORS else (lent.count,),
                        _DTYPES.get(name, np.float64),
                        writable=not read_only and name in ("position", "velocity"),
                    )
                    for name in _FIELDS_LENT
                }
            )
        finally:
            self._call("grove_take_back", int(not read_only))

    @property
    def particles(self) -> Particles:
        """A copy of this rank's share, in the order of ids; setting it takes other particles in place of all."""
        fields = (self.get(name) for name in ("position", "velocity", "mass"))
        particles = Particles(*fields, id=self.get("id"), type=self.get("type"), components=self._components())
        particles.units, particles.G, particles.softening = self.units, self.G, self._softening()
        return particles

    @particles.setter
    def particles(self, particles: Particles) -> None:
        with self._told_others("grove_set_particles", None):
            arrays = self._arrays(particles)
        with arrays as given:
            self._call("grove_set_particles", given)
        self._name(particles.components)

    def _components(self):
        """The names that are not the usual ones."""
        names = (ctypes.c_char_p * 6)()
        self._call("grove_get_components", names)
        return {number: name.decode() for number, name in enumerate(names) if name.decode() != usual_name(number)}

    def _softening(self):
        """One length, or lengths by component."""
        lengths = (ctypes.c_double * 6)()
        self._call("grove_get_softening", lengths)
        if len(set(lengths)) == 1:
            return lengths[0]
        names = self._components()
        return {names.get(number, usual_name(number)): length for number, length in enumerate(lengths) if np.isfinite(length)} or None

    def _name(self, components):
        self._call("grove_set_components", (ctypes.c_char_p * 6)(*(components.get(number, "").encode() for number in range(6))))

    def add(self, particles: Particles) -> None:
        """Adds particles. Without ids they get new ones."""
        with self._told_others("grove_add_particles", None):
            arrays, components = self._arrays(particles), joined_components(self._components(), particles.components)
        with arrays as given:
            self._call("grove_add_particles", given)
        self._name(components)

    def remove(self, which: typing.Any) -> None:
        """Removes particles: those with these ids, or those of a mask (N,) of this rank's share, in the order of sim.particles."""
        own = self.get("id")
        with self._told_others("grove_remove_particles", 1, None):
            ids = self._ids(which, own)
        self._call("grove_remove_particles", len(ids), ids.ctypes.data)

    @staticmethod
    def _ids(which, own):
        if isinstance(which, (list, tuple)) and all(isinstance(part, (int, np.integer)) and not isinstance(part, bool) and part >= 0 for part in which):
            return np.array(which, np.uint64)  # also those of 2^63 and more
        ids = np.asarray(None if isinstance(which, Particles) else lib.imported(which))
        if ids.dtype == bool:
            if ids.shape != own.shape:
                raise lib.SettingError(f"a mask has the shape {ids.shape}, and needs {own.shape}")
            return own[ids]
        if ids.size > 0 and (ids.dtype.kind not in "iu" or ids.min() < 0):
            raise lib.SettingError(f"remove({which!r}): it takes ids, which are whole numbers >= 0, or a mask")
        return np.ascontiguousarray(ids, np.uint64).reshape(-1)

    def _arrays(self, particles):
        if not isinstance(particles, Particles):
            raise TypeError(f"{type(particles).__name__}: particles must be grove.Particles")
        if particles.units and not np.allclose(particles.units, self.units, rtol=1e-9, atol=0):
            raise lib.SettingError(f"the particles are in {in_words(particles.units)}, and the simulation in {in_words(self.units)}: give it units=particles.units")
        given = {name: in_code_units(getattr(particles, name), dimension, self._units) for name, dimension in FIELDS.items()}
        kept = {name: values if lib.is_on_gpu(values) else np.asarray(values) for name, values in given.items()}
        kept["type"] = particles.type
        if particles.id is not None:
            kept["id"] = particles.id
        kept = {name: lib.described(values) for name, values in kept.items()}
        return _Arrays(len(particles), kept)

    def every(self, steps: int | None = None, *, time: typing.Any = None) -> typing.Callable[[_F], _F]:
        """Decorator: the function is called with the simulation after so many steps, or where so much time has passed. If it
        returns grove.STOP, evolve() ends. Where only some ranks have one, it can ask for nothing but the time: all else needs all ranks."""
        if (steps is None) == (time is None):
            raise lib.SettingError("every() needs a number of steps, or time=")
        if steps is not None and (not isinstance(steps, (int, np.integer)) or steps < 1):
            raise lib.SettingError(f"every({steps!r}): steps are a whole number >= 1; a length of time is time=")
        length = None if time is None else float(in_code_units(time, "time", self._units))
        if length is not None and not 0 < length < float("inf"):
            raise lib.SettingError(f"every(time={time!r}): must be > 0")

        def register(function):
            self._every.append([function, steps, length, self.time])
            return function

        return register

    def _after_step(self):
        self._steps += 1
        stops = False
        for entry in self._every:
            function, steps, length, last = entry
            if steps is not None and self._steps % steps:
                continue
            if length is not None:
                if self.time < (last + length) - 1e-9 * length:
                    continue
                entry[3] = last + length * round((self.time - last) / length)
            answer = function(self)
            stops = stops or (isinstance(answer, str) and answer == STOP)
        return stops

    def evolve(self, time: typing.Any, *, progress: bool = False) -> bool:
        """Steps until `time`, code units or a quantity: the time to reach, not a duration. In equal steps of dt or, where these do not
        divide it, the longest below that do. progress: a line on standard error. Returns False where a function of every() has stopped
        it, and in a daemon thread where the interpreter ends, which waits for its step.

        Ctrl-C raises KeyboardInterrupt after the present step or the next; the simulation can be used further. An exception
        of a function of every() is raised after its step; on several ranks, on the ranks where it arose.

        Before the first steps of particles that were set, loaded or restored, a dt that is too long, particles that are not bound and
        an unusual G are warnings (UserWarning).
        """
        if self._is_stepping:
            raise lib.SettingError("evolve() cannot be called while the simulation steps")
        try:
            until = float(in_code_units(time, "time", self._units))
        except Exception:
            # The other ranks wait in these calls, which refuse such a time.
            with self._told_others("grove_evolve", -np.inf, lib.CALLBACK(), None):
                self._advise(-np.inf)
                raise
        self._advise(until)
        line = Progress(self, until) if progress else None
        step = Callback(lambda: (line and line.show(), self._after_step())[1])
        wants_steps = bool(self._every or progress)
        with EXIT, CtrlC() as ctrl_c:
            self._call("grove_set_interrupt", ctrl_c.c_function, None)
            was_stepping, self._is_stepping = self._is_stepping, True
            try:
                result = self._call("grove_evolve", until, step.c_function if wants_steps else lib.CALLBACK(), None)
            finally:
                self._is_stepping = was_stepping
                self._call("grove_set_interrupt", lib.INTERRUPT(), None)
                if line:
                    line.end()
        step.raise_failure()
        return result == lib.OK

    def _advise(self, until):
        advice = ctypes.c_char_p()
        self._call("grove_advise", until, ctypes.byref(advice))
        # Warnings may be errors.
        with self._told_others("grove_evolve", -np.inf, lib.CALLBACK(), None):
            for line in (advice.value or b"").decode().splitlines():
                warnings.warn(line, stacklevel=3)

    def set_external(self, function: typing.Callable[[np.ndarray, float], tuple[typing.Any, typing.Any]] | None) -> None:
        """Adds a field to the forces, which is asked at each force evaluation: function(position, time) has a copy of the positions
        (n, 3) of some particles of this rank, in any order, and returns accelerations (n, 3) and potentials (n,); code units or
        quantities. It replaces an earlier one; None: there is none. Energies count it as external.

        What the function raises is raised by the call that needed the forces; after evolve() the particles are then in the middle
        of a step, and must be set anew. Other ranks get SettingError. It may not use the simulation, and ranks call it a different
        number of times.
        """
        external = None if function is None else External(function, self._units)
        self._call("grove_set_external", external.c_function if external else lib.EXTERNAL(), None)
        self._external = external

    def field(self, points: typing.Any) -> tuple[np.ndarray, np.ndarray]:
        """Acceleration (M, 3) and potential (M,) at points (M, 3), of all particles and external potentials. Code units.

        The tree of the particles is kept until these change: the next calls take time for their points alone.

        points: also on a GPU, or of any kind that has __dlpack__; what is returned is of numpy. With method="direct" all pairs are
        summed, else trees are walked also for few particles: all_pairs_up_to is for forces on particles.
        """
        with self._told_others("grove_field_at", 1, lib.Array(), lib.Array(), lib.Array()):
            points = in_code_units(lib.imported(points), "length", self._units)
            if not lib.is_on_gpu(points):
                points = lib.described(np.asarray(points))
                if points.dtype not in (np.float32, np.float64):
                    points = points.astype(np.float64)
            shape = lib.shape_of(points)
            if len(shape) != 2 or shape[1] != 3:
                raise lib.SettingError(f"points have the shape {shape}, and need (M, 3)")
        acceleration, potential = np.empty(shape), np.empty(shape[0])
        self._call("grove_field_at", shape[0], *map(lib.array_of, (points, acceleration, potential)))
        return acceleration, potential

    def save(self, file: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a snapshot (HDF5), which `grove run`, grove.load() and other programs read."""
        self._call("grove_save", str(file).encode(), int(overwrite))

    def save_checkpoint(self, file, *, overwrite=False):
        """Writes a checkpoint, with which restore() continues to the bit: on as many ranks, on a CPU or GPU as then."""
        self._call("grove_save_checkpoint", str(file).encode(), int(overwrite))

    def restore(self, file):
        """Takes particles and time from a checkpoint, also of `grove run`. Settings that change what is computed must be the same,
        except dt, and set_external() must have been called where the forces had a function."""
        self._call("grove_restore", str(file).encode())

    def __repr__(self):
        if self._handle is None:
            return "<grove.Simulation: closed>"
        text = f"<grove.Simulation: {len(self):,} particles, t = {self.time:.6g}"
        if is_physical(self._units):
            text += f" ({self.time / megayear(self._units):.4g} Myr)"
        return text + ">"


class _Arrays:
    """The C description of particles; keeps their arrays as long as it is used."""

    def __init__(self, count, kept):
        self.kept = kept
        self.arrays = lib.ParticleArrays(count, **{name: lib.array_of(values) for name, values in kept.items()})

    def __enter__(self):
        return ctypes.byref(self.arrays)

    def __exit__(self, *_):
        self.kept = None


def generate(generator: str, n: int = 100_000, *, seed: int = 1, units: str | None = None, softening: typing.Any = None,
             galaxies: dict[str, typing.Any] | None = None, comm: typing.Any = None, **parameters: typing.Any) -> Particles:  # fmt: skip
    """Particles of one of Grove's models: generate("plummer", n=1000), generate("galaxy", galaxy="milky_way", n=1_000_000,
    units="kpc, km/s, 1e10 Msun"). parameters: as of `grove ic GENERATOR`; galaxies: a dict as of [galaxies]. softening: that of
    the run, with which the model is in equilibrium; None: 0, or for galaxies lengths by component. A simulation of the particles takes
    it. Returns Particles in code units."""
    config = {"initial_conditions": {"generator": generator, "n": n, "seed": seed, **parameters}}
    if softening is not None:
        config["gravity"] = {"softening": softening}
    if galaxies:
        config["galaxies"] = galaxies
    with Simulation(config=config, units=units, comm=comm) as sim:
        sim.load()
        return sim.particles
