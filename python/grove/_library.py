"""The C interface (grove.h): where the library is, its functions, and its errors as exceptions."""

import ctypes
import functools
import os
import pathlib

import numpy as np


class Error(Exception):
    """Base of all errors of Grove, and a defect of Grove where it is of no other class."""


class SettingError(Error, ValueError):
    """A key, value or argument; the message says what is allowed."""


class DataError(Error, ValueError):
    """Particles that cannot be used."""


class SystemError(Error, OSError):  # noqa: A001 - the name of the C++ class
    """Memory, GPU, MPI, file system."""


OK, STOPPED = 0, 5
_ERRORS = {2: SettingError, 3: DataError, 4: SystemError}
_TYPES = {np.dtype(np.float32): 0, np.dtype(np.float64): 1, np.dtype(np.uint8): 2, np.dtype(np.uint64): 3}


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("row", ctypes.c_ssize_t), ("column", ctypes.c_ssize_t)]


class ParticleArrays(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t)] + [(name, Array) for name in ("position", "velocity", "mass", "id", "type")]


class Energies(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("time", "mass", "kinetic", "potential", "external", "total")] + [
        (name, ctypes.c_double * 3) for name in ("momentum", "angular_momentum", "centre_of_mass")
    ]


class Units(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("length_in_cm", "mass_in_g", "velocity_in_cm_per_s", "G")]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
INTERRUPT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
EXTERNAL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_size_t, *[ctypes.POINTER(ctypes.c_double)] * 3)

_S = ctypes.c_void_p
_SIGNATURES = {
    "grove_create": [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(_S)],
    "grove_destroy": [_S],
    "grove_load": [_S],
    "grove_set_particles": [_S, ctypes.POINTER(ParticleArrays)],
    "grove_add_particles": [_S, ctypes.POINTER(ParticleArrays)],
    "grove_remove_particles": [_S, ctypes.c_size_t, ctypes.c_void_p],
    "grove_count": [_S, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_size_t)],
    "grove_time": [_S, ctypes.POINTER(ctypes.c_double)],
    "grove_get_units": [_S, ctypes.POINTER(Units)],
    "grove_notes": [_S, ctypes.POINTER(ctypes.c_char_p)],
    "grove_get": [_S, ctypes.c_char_p, Array],
    "grove_set": [_S, ctypes.c_char_p, Array],
    "grove_evolve": [_S, ctypes.c_double, CALLBACK, ctypes.c_void_p],
    "grove_set_interrupt": [_S, INTERRUPT, ctypes.c_void_p],
    "grove_set_external": [_S, EXTERNAL, ctypes.c_void_p],
    "grove_get_energies": [_S, ctypes.POINTER(Energies)],
    "grove_field_at": [_S, ctypes.c_size_t, Array, Array, Array],
    "grove_save": [_S, ctypes.c_char_p, ctypes.c_int],
}


def _places():
    """Where the library may be: GROVE_LIBRARY, beside this package, an installation's lib, the system's."""
    if "GROVE_LIBRARY" in os.environ:
        yield os.environ["GROVE_LIBRARY"]
        return
    here = pathlib.Path(__file__).resolve().parent
    for directory in (here, *(parent / lib for parent in here.parents for lib in ("lib", "lib64"))):
        if (directory / "libgrove_c.so").exists():
            yield str(directory / "libgrove_c.so")
    yield "libgrove_c.so"


@functools.cache
def library():
    """The C library, which is loaded when it is first needed. Raises SystemError."""
    reasons = []
    for place in _places():
        try:
            lib = ctypes.CDLL(place)
            break
        except OSError as reason:
            reasons.append(str(reason))
    else:
        raise SystemError("libgrove_c.so cannot be loaded (GROVE_LIBRARY names it): " + "; ".join(reasons))
    for name, arguments in _SIGNATURES.items():
        getattr(lib, name).argtypes = arguments
    lib.grove_version.restype = lib.grove_last_error.restype = ctypes.c_char_p
    return lib


def call(name, *arguments):
    """Calls a function of the library, and raises what it says. Returns OK or STOPPED."""
    lib = library()
    result = getattr(lib, name)(*arguments)
    if result in (OK, STOPPED):
        return result
    raise _ERRORS.get(result, Error)(lib.grove_last_error().decode())


def version():
    """Version and commit, as "Grove 0.1.0 (commit 1234567890ab)"."""
    return library().grove_version().decode()


def described(values):
    """An array (N,) or (N, 3) that array_of() can describe: a copy where rows or columns lie at one place, as numpy.broadcast_to makes."""
    return np.ascontiguousarray(values) if 0 in values.strides else values


def array_of(values):
    """The C description of a numpy array that is described(), and must live as long as the description."""
    if values.size == 0:
        return Array()
    column = values.strides[1] if values.ndim == 2 else values.itemsize
    return Array(values.ctypes.data, _TYPES[values.dtype], values.strides[0], column)
