// The table of observers.
//
// To add one, write a header like energies.hpp, with a class derived from Observer and a function that makes it, and add one line to the
// table in observers.cpp. Both are compiled for every space, so that an observer can use the particles in device memory.
#pragma once

#include "kernels/particles/particles.hpp"
#include "src/run/observers/observer.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// What observers are made from, which outlives them.
template <class Space>
struct ObserverContext {
  Space& space;
  const Particles<Space>& particles;  ///< of this rank, in the memory of the space
  const Communicator& comm;
  const ObserverSetup& setup;
};

/// The observers of a run, in the order in which they see each state. `simulation`, `comm` and `setup` must outlive them. Collective;
/// throws AgreedError.
Observers make_observers(Simulation& simulation, const Communicator& comm, const ObserverSetup& setup);

/// The same for particles in each space.
Observers observers_of(const ObserverContext<HostSpace>& context);
Observers observers_of(const ObserverContext<CudaSpace>& context);

}  // namespace grove
