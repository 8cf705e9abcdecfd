"""DLPack: arrays that offer only __dlpack__, and arrays on a GPU for others (https://dmlc.github.io/dlpack/latest/python_spec.html)."""

import ctypes

import numpy as np

CUDA, CUDA_MANAGED = 2, 13
_NAME = b"dltensor"
_KINDS = {"i": 0, "u": 1, "f": 2}
#: CUDA's default stream, in which Grove copies: the other library lets it wait for its own work.
_DEFAULT_STREAM = 1


class _Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),  # elements; NULL: without gaps
        ("offset", ctypes.c_uint64),  # bytes
        ("context", ctypes.c_void_p),
        ("delete", ctypes.c_void_p),
    ]


def is_on_gpu(values):
    return values.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED)


class OnGpu:
    """An array on a GPU that has __dlpack__ alone, with __cuda_array_interface__. It keeps the capsule, which is not consumed, and
    with it the memory. Raises TypeError for elements that have no name in numpy."""

    def __init__(self, values):
        self._capsule = values.__dlpack__(stream=_DEFAULT_STREAM)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = _Tensor.from_address(pointer(self._capsule, _NAME))
        kind = {number: letter for letter, number in _KINDS.items()}.get(tensor.kind)
        if kind is None or tensor.lanes != 1 or tensor.bits not in (8, 16, 32, 64):
            raise TypeError(f"its elements are of kind {tensor.kind} with {tensor.bits} bits")
        dtype = np.dtype(f"{kind}{tensor.bits // 8}")
        self.shape = tuple(tensor.shape[: tensor.dimensions])
        self.__cuda_array_interface__ = {
            "shape": self.shape,
            "typestr": dtype.str,
            "data": ((tensor.data or 0) + tensor.offset, False),
            "strides": tuple(dtype.itemsize * n for n in tensor.strides[: tensor.dimensions]) if tensor.strides else None,
            "stream": None,
            "version": 3,
        }


def capsule(address, shape, dtype, strides, device):
    """What __dlpack__() returns. The consumer frees the description of the array, and not the array."""
    n = len(shape)
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    # Shape and strides lie behind it, so that free() deletes all of it.
    place = libc.malloc(ctypes.sizeof(_Tensor) + 16 * n)
    numbers = (ctypes.c_int64 * (2 * n)).from_address(place + ctypes.sizeof(_Tensor))
    numbers[:] = [*shape, *(step // dtype.itemsize for step in strides)]
    tensor = _Tensor.from_address(place)
    tensor.data, tensor.offset, tensor.context = address, 0, None
    tensor.device_type, tensor.device = device
    tensor.kind, tensor.bits, tensor.lanes = _KINDS[dtype.kind], 8 * dtype.itemsize, 1
    tensor.dimensions, tensor.shape = n, ctypes.cast(numbers, type(tensor.shape))
    tensor.strides = ctypes.cast(ctypes.byref(numbers, 8 * n), type(tensor.strides))
    tensor.delete = ctypes.cast(libc.free, ctypes.c_void_p)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(place, _NAME, None)
