// Loops of OpenMP threads out of which an exception comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace grove {

/// Calls work(i) for 0 <= i < count on all threads, `chunk` numbers at a time. Of the exceptions that of
/// the smallest i is thrown again, whatever the number of threads.
template <class Work>
void parallel_for(std::size_t count, int chunk, const Work& work) {
  std::atomic<std::size_t> failed{count};
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, chunk)
  for (std::size_t i = 0; i < count; ++i) {
    if (i > failed.load(std::memory_order_relaxed)) continue;
    try {
      work(i);
    } catch (...) {
#pragma omp critical(grove_parallel_for)
      if (i < failed.load()) {
        failed = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace grove
