// The parallel layer: a space owns the memory and queue of a device and offers the few primitives with which every algorithm is written.
//
// Algorithms are templates on the space, their first argument. Each source file of an algorithm is compiled twice, by the host compiler for
// HostSpace and by nvcc for CudaSpace, and instantiates its templates for `BackEnd`, the space of the present compiler.
//
// Primitives (n items; views are in memory of the space; calls are ordered, and asynchronous unless they return a value):
//   for_each(n, f)                                  f(i) for i in [0, n); for_each<threads>: block size on a GPU
//   for_each_by_team<lanes>(n, f)                   f(team, i): the lanes of a team share each i; see serial_team.hpp
//   transform_reduce(n, nothing, f, op) -> T        op over f(i), in an order that depends only on n: the same bits in every run.
//                                                   op(nothing, a) must be a
//   reduce_rows(n, nothing, f, op) -> Row           the same for each part k of the Rows f(i), by op(k, a, b); at most 32 parts. k may be
//                                                   a few past the last part; such results are unused.
//                                                   Both reductions call f once for each i
//   reduce_rows_later(...) -> Later<Row>            the same without a wait: get() waits
//   copy_to_host_later(from) -> Later<T>            *from without a wait. Call get() before four more results are requested by these calls
//                                                   or by reductions
//   values_to_host(n, f, to)                        to[i] = f(i) on the host; at most 4 KiB
//   exclusive_scan(in, out)                         out[i] = sum of in[0..i), i in [0, n]; out has n + 1 items
//   sort_pairs(keys, values, bits, order)           in place by the lowest `bits` bits of the keys, ascending, stable; `order` is the
//                                                   expected KeyOrder, by default any
//   copy, fill_bytes, copy_to_host, copy_from_host  memory must not overlap; the last two are synchronous, with pageable
//                                                   host memory
//   bytes_held(), most_bytes_held()                 allocated memory, and its largest value since restart_most_bytes_held()
//   another()                                       a space of its own on the same device, with its own queue
//   description(), state()                          the name of the device; its DeviceState
//   arena(), synchronize(), stamp(), seconds_between(a, b), host_memory(), and asynchronous staging copies
#pragma once

#include "kernels/space/memory.hpp"
#include "kernels/space/row.hpp"
#include "kernels/space/serial_team.hpp"
#include "kernels/space/vector.hpp"
#include "kernels/space/view.hpp"

#if defined(__CUDACC__)
#include "kernels/space/space_cuda.hpp"
namespace grove {
using BackEnd = CudaSpace;
}
#else
#include "kernels/space/space_cpu.hpp"
namespace grove {
using BackEnd = HostSpace;
}
#endif
