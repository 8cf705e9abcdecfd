// Marks functions that run on both back ends. Part of the parallel layer.
#pragma once

#if defined(__CUDACC__)
#define GROVE_HD __host__ __device__
#else
#define GROVE_HD
#endif
