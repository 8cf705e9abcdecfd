// A simulation without forces.
#pragma once

#include <functional>
#include <string>

#include "kernels/particles/particle_motion.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "src/run/observers/observers.hpp"
#include "tests/support/idle_simulation.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {

/// Particles that nothing acts on, in a space of the test's own.
class DriftingSimulation : public IdleSimulation {
 public:
  /// `comm` must outlive the object.
  explicit DriftingSimulation(const Communicator& comm) : comm_(comm) {}

  int steps = 0;
  std::function<void(int step)> on_step = [](int) {};  ///< called after each

  void start(ParticleSet particles, double time) override {
    IdleSimulation::start(particles, time);
    upload(space_, particles, particles_);
  }
  void step_to(double time_after, double dt, const StepOverlap& overlap) override {
    IdleSimulation::step_to(time_after, dt, overlap);
    drift(space_, particles_, dt);
    on_step(++steps);
  }
  const FieldTablePtr& fields() const override { return particles_.table(); }
  ParticleSet particles() override { return download(space_, particles_); }
  void visit(ParticleVisitor& visitor) override { visitor.visit(space_, particles_); }
  std::string device_description() const override { return space_.description(); }
  DeviceState device_state() const override { return space_.state(); }

  ObserverContext<BackEnd> context(const ObserverSetup& setup) { return {space_, particles_, comm_, setup}; }

 private:
  BackEnd space_ = make_space();
  Particles<BackEnd> particles_{space_};
  const Communicator& comm_;
};

}  // namespace grove::tests
