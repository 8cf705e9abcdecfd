// The table of observers.
//
// To add one, write a header like energies.hpp, with a class derived from Observer and a function that makes it, and add one line to the
// table in observers.cpp. Both are compiled for every space, so that an observer can use the particles in device memory.
#pragma once

#include <memory>
#include <vector>

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
  Simulation& simulation;
  const ObserverSetup& setup;
};

/// The observers of a run, in the order in which they see each state. Collective; throws AgreedError.
template <class Space>
std::vector<std::unique_ptr<Observer>> observers_of(const ObserverContext<Space>& context);

}  // namespace grove
