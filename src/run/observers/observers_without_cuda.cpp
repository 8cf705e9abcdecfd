// Where observers.cpp is not compiled for GPUs.
#include <stdexcept>

#include "src/run/observers/observers.hpp"

namespace grove {

Observers observers_of(const ObserverContext<CudaSpace>&) { throw std::logic_error("particles on a GPU, in a Grove without CUDA"); }

}  // namespace grove
