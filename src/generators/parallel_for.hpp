// Loops of OpenMP threads out of which an exception comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace grove {

/// Calls work(i) for 0 <= i < count on all threads, `chunk` numbers at a time. The first exception ends the loop and is thrown again.
template <class Work>
void parallel_for(std::int64_t count, int chunk, const Work& work) {
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, chunk)
  for (std::int64_t i = 0; i < count; ++i) {
    if (has_failed.load(std::memory_order_relaxed)) continue;
    try {
      work(i);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace grove
