"""Arrays on a GPU: lent ones that other code writes in a stream of its own, and others that are read and filled. The other code is the
CUDA runtime itself. Exit code 77 without a GPU.

    GROVE_LIBRARY=build/libgrove_c.so PYTHONPATH=python python3 tests/python/gpu_arrays.py
"""

import ctypes
import ctypes.util
import glob
import os
import sys
import time
import unittest

import numpy as np

import grove

TO_GPU, TO_HOST = 1, 2
SETTINGS = {"softening": 0.05, "dt": 1 / 128}


def runtime():
    """libcudart, where there is a GPU."""
    names = [ctypes.util.find_library("cudart"), *glob.glob("/usr/local/cuda/lib64/libcudart.so*")]
    for name in filter(None, names):
        try:
            lib = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int()
        return lib if lib.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0 else None
    return None


CUDA = runtime()
SLEEP = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.3))


def check(code):
    if code:
        raise RuntimeError(f"CUDA error {code}")


class Memory:
    """(rows, columns) of a type in the memory of the GPU."""

    def __init__(self, values):
        self.shape, self.dtype = values.shape, values.dtype
        self.address = ctypes.c_void_p()
        check(CUDA.cudaMalloc(ctypes.byref(self.address), ctypes.c_size_t(values.nbytes)))
        check(CUDA.cudaMemcpy(self.address, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes), TO_GPU))
        self.__cuda_array_interface__ = {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address.value, False),
            "version": 3,
        }

    def numpy(self):
        values = np.empty(self.shape, self.dtype)
        check(CUDA.cudaMemcpy(values.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(values.nbytes), TO_HOST))
        return values

    def __del__(self):
        CUDA.cudaFree(self.address)


def copy(lent, values, kind, stream=None):
    """Between a lent array and one of numpy without gaps."""
    of = lent.__cuda_array_interface__
    width = values.nbytes // len(values)
    there, here = ctypes.c_void_p(of["data"][0]), values.ctypes.data_as(ctypes.c_void_p)
    pitch = of["strides"][0]
    to, to_pitch, source, source_pitch = (there, pitch, here, width) if kind == TO_GPU else (here, width, there, pitch)
    sizes = [ctypes.c_size_t(size) for size in (width, len(values))]
    code = CUDA.cudaMemcpy2DAsync(to, ctypes.c_size_t(to_pitch), source, ctypes.c_size_t(source_pitch), *sizes, kind, stream)
    check(code)


class GpuArrays(unittest.TestCase):
    def setUp(self):
        self.sim = grove.Simulation(grove.generate("plummer", n=20_000, softening=0.05), device="gpu", **SETTINGS)
        self.sim.evolve(0.0625)

    def test_lent_arrays_are_the_particles(self):
        position, ids = np.empty((20_000, 3)), np.empty(20_000, np.uint64)
        with self.sim.local_arrays(read_only=True) as a:
            self.assertEqual((a.position.shape, a.id.dtype), ((20_000, 3), np.uint64))
            for lent, values in ((a.position, position), (a.id, ids)):
                copy(lent, values, TO_HOST)
            check(CUDA.cudaDeviceSynchronize())
        np.testing.assert_array_equal(position[np.argsort(ids)], self.sim.get("position"))

    def test_what_a_stream_writes_late_is_in_the_next_forces(self):
        position, potential = self.sim.get("position"), self.sim.get("potential")
        stream = ctypes.c_void_p()
        check(CUDA.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
        with self.sim.local_arrays() as a:
            new = np.empty((20_000, 3))
            copy(a.position, new, TO_HOST)
            check(CUDA.cudaDeviceSynchronize())
            new[:, 2] += 5
            check(CUDA.cudaLaunchHostFunc(stream, SLEEP, None))
            copy(a.position, new, TO_GPU, stream)
        check(CUDA.cudaStreamDestroy(stream))
        np.testing.assert_array_equal(self.sim.get("position"), position + [0, 0, 5])
        np.testing.assert_allclose(self.sim.get("potential"), potential, rtol=2e-3)
        self.assertTrue(self.sim.evolve(0.125))

    def test_a_view_takes_no_time_to_speak_of(self):
        times = []
        for _ in range(20):
            began = time.perf_counter()
            with self.sim.local_arrays(read_only=True):
                times.append(time.perf_counter() - began)
        print(f"view of 20,000 particles: {1e3 * min(times):.3f} ms", file=sys.stderr)
        self.assertLess(min(times), 1e-3)

    def test_fields_are_set_from_and_got_into_arrays_on_a_gpu(self):
        velocity = np.random.default_rng(1).normal(size=(20_000, 3)).astype(np.float32)
        self.sim.set("velocity", Memory(velocity))
        np.testing.assert_array_equal(self.sim.get("velocity"), velocity)
        place = Memory(np.zeros((20_000, 3)))
        self.assertIs(self.sim.get("velocity", out=place), place)
        np.testing.assert_array_equal(place.numpy(), velocity)
        with self.assertRaisesRegex(ValueError, "has the shape"):
            self.sim.set("mass", place)

    def test_the_present_device_stays(self):
        before, after = ctypes.c_int(), ctypes.c_int()
        count = ctypes.c_int()
        check(CUDA.cudaGetDeviceCount(ctypes.byref(count)))
        check(CUDA.cudaSetDevice(count.value - 1))
        check(CUDA.cudaGetDevice(ctypes.byref(before)))
        self.sim.evolve(0.25)
        check(CUDA.cudaGetDevice(ctypes.byref(after)))
        self.assertEqual(before.value, after.value)
        self.assertTrue(np.isfinite(self.sim.energy.total))
        check(CUDA.cudaSetDevice(0))


if __name__ == "__main__":
    if CUDA is None:
        print("there is no GPU")
        sys.exit(77)
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    unittest.main()
