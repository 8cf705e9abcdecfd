"""The C interface (grove.h): where the library is, its functions, and its errors as exceptions."""

import ctypes
import functools
import os
import pathlib

import numpy as np

from . import _dlpack


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
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("row", ctypes.c_ssize_t),
        ("column", ctypes.c_ssize_t),
        ("on_gpu", ctypes.c_int),
    ]


class ParticleArrays(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t)] + [(name, Array) for name in ("position", "velocity", "mass", "id", "type")]


class LentArrays(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t)] + [
        (name, Array) for name in ("position", "velocity", "mass", "id", "type", "acceleration", "potential")
    ]


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
    "grove_comm_self": [],
    "grove_destroy": [_S],
    "grove_load": [_S],
    "grove_get_components": [_S, ctypes.POINTER(ctypes.c_char_p)],
    "grove_set_components": [_S, ctypes.POINTER(ctypes.c_char_p)],
    "grove_get_softening": [_S, ctypes.POINTER(ctypes.c_double)],
    "grove_set_particles": [_S, ctypes.POINTER(ParticleArrays)],
    "grove_add_particles": [_S, ctypes.POINTER(ParticleArrays)],
    "grove_remove_particles": [_S, ctypes.c_size_t, ctypes.c_void_p],
    "grove_count": [_S, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_size_t)],
    "grove_time": [_S, ctypes.POINTER(ctypes.c_double)],
    "grove_get_units": [_S, ctypes.POINTER(Units)],
    "grove_notes": [_S, ctypes.POINTER(ctypes.c_char_p)],
    "grove_get": [_S, ctypes.c_char_p, Array],
    "grove_set": [_S, ctypes.c_char_p, Array],
    "grove_advise": [_S, ctypes.c_double, ctypes.POINTER(ctypes.c_char_p)],
    "grove_evolve": [_S, ctypes.c_double, CALLBACK, ctypes.c_void_p],
    "grove_lend": [_S, ctypes.POINTER(LentArrays)],
    "grove_take_back": [_S, ctypes.c_int],
    "grove_set_interrupt": [_S, INTERRUPT, ctypes.c_void_p],
    "grove_set_external": [_S, EXTERNAL, ctypes.c_void_p],
    "grove_get_energies": [_S, ctypes.POINTER(Energies)],
    "grove_field_at": [_S, ctypes.c_size_t, Array, Array, Array],
    "grove_save": [_S, ctypes.c_char_p, ctypes.c_int],
    "grove_save_checkpoint": [_S, ctypes.c_char_p, ctypes.c_int],
    "grove_restore": [_S, ctypes.c_char_p],
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
        if not hasattr(lib, name):
            raise SystemError(f"{place} is not of the version of this package: it has no {name}()")
        getattr(lib, name).argtypes = arguments
    lib.grove_version.restype = lib.grove_last_error.restype = ctypes.c_char_p
    lib.grove_comm_self.restype = ctypes.c_void_p
    return lib


def call(name, *arguments):
    """Calls a function of the library, and raises what it says. Returns OK or STOPPED."""
    lib = library()
    result = getattr(lib, name)(*arguments)
    if result in (OK, STOPPED):
        return result
    raise _ERRORS.get(result, Error)(lib.grove_last_error().decode())


def version() -> str:
    """Version and commit, as "Grove 0.1.0 (commit 1234567890ab)"."""
    return library().grove_version().decode()


def is_on_gpu(values):
    """Whether this is an array in the memory of a GPU, as of CuPy, PyTorch or Numba, or imported() from one."""
    return hasattr(values, "__cuda_array_interface__")


def imported(values):
    """What has __dlpack__ and no other way to numpy as an array of numpy or, on a GPU, with __cuda_array_interface__, without a copy;
    all else as it is. Raises SettingError where DLPack does not allow it."""
    if is_on_gpu(values) or hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
        return values
    try:
        return _dlpack.OnGpu(values) if _dlpack.is_on_gpu(values) else np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError) as reason:
        raise SettingError(f"an array of {type(values).__name__} cannot be taken by DLPack: {reason}") from reason


def shape_of(values):
    """Of an array of numpy or on a GPU."""
    return tuple(values.__cuda_array_interface__["shape"] if is_on_gpu(values) else values.shape)


def of_shape(values, shape, what):
    """An array on a GPU or of numpy itself. Raises ValueError where it has another shape."""
    if shape_of(values) != shape:
        raise ValueError(f"{what} has the shape {shape_of(values)}, and needs {shape}")
    return values


def described(values):
    """An array (N,) or (N, 3) that array_of() can describe: a copy where rows or columns lie at one place, as numpy.broadcast_to makes."""
    return np.ascontiguousarray(values) if not is_on_gpu(values) and 0 in values.strides else values


def array_of(values):
    """The C description of an array of numpy that is described(), or of a GPU. It must live as long as the description."""
    if is_on_gpu(values):
        return _array_on_gpu(values.__cuda_array_interface__)
    if values.size == 0:
        return Array()
    if values.dtype not in _TYPES:
        raise SettingError(f"an array has elements of the type {values.dtype}: there are float32, float64, uint8 and uint64")
    column = values.strides[1] if values.ndim == 2 else values.itemsize
    return Array(values.ctypes.data, _TYPES[values.dtype], values.strides[0], column)


def _array_on_gpu(of):
    dtype, shape = np.dtype(of["typestr"]), of["shape"]
    if dtype not in _TYPES:
        raise SettingError(f"an array on a GPU has elements of the type {dtype}: there are float32, float64, uint8 and uint64")
    steps = of.get("strides") or np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape).strides
    column = steps[1] if len(shape) == 2 else dtype.itemsize
    return Array(of["data"][0], _TYPES[dtype], steps[0], column, 1)


class GpuArray:
    """An array of Grove's own on a GPU, which cupy.asarray(), torch.as_tensor() and numba take without a copy (CUDA array
    interface 3), and what may be written also others (DLPack). All work on it is done, so there is no stream to wait for."""

    def __init__(self, shape, dtype, address, strides, read_only, gpu):
        self.shape, self.dtype, self._gpu = shape, np.dtype(dtype), gpu
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": self.dtype.str,
            "data": (address or 0, read_only),
            "strides": strides,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self):
        return _dlpack.CUDA, self._gpu

    def __dlpack__(self, **_):
        address, read_only = self.__cuda_array_interface__["data"]
        if read_only:
            raise BufferError("the array may not be written, which DLPack cannot say: use __cuda_array_interface__")
        return _dlpack.capsule(address, self.shape, self.dtype, self.__cuda_array_interface__["strides"], self.__dlpack_device__())

    def __repr__(self):
        return f"<grove: {self.shape} of {self.dtype} on a GPU>"


def view_of(array, shape, dtype, *, writable):
    """The array of Grove's own that an Array describes, in numpy or as a GpuArray."""
    dtype = np.dtype(dtype)
    row, column = array.row or dtype.itemsize, array.column or dtype.itemsize
    strides = (row, column)[: len(shape)]
    if array.on_gpu:
        return GpuArray(shape, dtype, array.data, strides, not writable, array.on_gpu - 1)
    if shape[0] == 0:
        return np.empty(shape, dtype)
    length = (shape[0] - 1) * row + (column * (shape[1] - 1) if len(shape) == 2 else 0) + dtype.itemsize
    view = np.ndarray(shape, dtype, (ctypes.c_char * length).from_address(array.data), strides=strides)
    view.flags.writeable = writable
    return view
