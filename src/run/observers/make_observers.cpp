#include <utility>

#include "src/run/observers/observers.hpp"

namespace grove {

namespace {

class MakeObservers final : public ParticleVisitor {
 public:
  MakeObservers(const Communicator& comm, const ObserverSetup& setup) : comm_(comm), setup_(setup) {}
  void visit(HostSpace& space, const Particles<HostSpace>& particles) override {
    observers = observers_of({space, particles, comm_, setup_});
  }
  void visit(CudaSpace& space, const Particles<CudaSpace>& particles) override {
    observers = observers_of({space, particles, comm_, setup_});
  }

  Observers observers;

 private:
  const Communicator& comm_;
  const ObserverSetup& setup_;
};

}  // namespace

Observers make_observers(Simulation& simulation, const Communicator& comm, const ObserverSetup& setup) {
  MakeObservers make(comm, setup);
  simulation.visit(make);
  return std::move(make.observers);
}

}  // namespace grove
