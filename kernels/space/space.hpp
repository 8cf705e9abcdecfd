// The parallel layer: a space owns a device's memory and queue and offers the few primitives that every algorithm is written with.
//
// Algorithms are templates on the space, which is their first argument. Each source file of an algorithm is compiled twice, by the host
// compiler for HostSpace and by nvcc for CudaSpace, and instantiates its templates for `BackEnd`, the space of the compiler at hand.
//
// Every space has (n items; views lie in its memory; calls are ordered, and asynchronous unless they return a value):
//   for_each(n, f)                                  f(i) for i in [0, n); for_each<threads>: on a GPU in blocks of so many threads
//   for_each_by_team<lanes>(n, f)                   f(team, i): the lanes of a team share each i; see serial_team.hpp
//   transform_reduce(n, nothing, f, op) -> T        op over f(i), in an order that depends on n alone: the same bits every run.
//                                                   op(nothing, a) is a
//   reduce_rows(n, nothing, f, op) -> Row           the same for each part k of the Rows f(i), by op(k, a, b); 32 parts at most.
//                                                   Some results count for nothing; then k may be a few past the last.
//                                                   Both reductions call f once for each i
//   reduce_rows_later(...) -> Later<Row>            the same without a wait: get() waits, at once or after other work was enqueued
//   copy_to_host_later(from) -> Later<T>            *from, likewise. get() is called before four more results are asked for by these calls
//                                                   or by reductions
//   values_to_host(n, f, to)                        to[i] = f(i) on the host; 4 KiB at most
//   exclusive_scan(in, out)                         out[i] = sum of in[0..i), i in [0, n]; out has one item more than in
//   sort_pairs(keys, values, bits, order)           in place by the lowest `bits` bits of the keys, ascending, stable; `order` is the
//                                                   KeyOrder to expect, by default any
//   copy, fill_bytes, copy_to_host, copy_from_host  of memory that does not overlap; the last two return when
//                                                   the host memory, which must be pageable, may be used again
//   bytes_held(), most_bytes_held()                 memory allocated now, and the most since restart_most_bytes_held()
//   description(), state()                          the device's name; what device_state.hpp says of it
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
