// A simulation in which nothing happens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/simulation/simulation.hpp"

namespace grove::tests {

/// Has no particles; knows its time. Tests override what they ask for.
class IdleSimulation : public Simulation {
 public:
  void set_softening(const std::vector<double>&, const std::vector<SofteningBetween>&) override {}
  void start(ParticleSet, double time) override { time_ = time; }
  std::unique_ptr<Field> field_of(ParticleSet, double) const override { return nullptr; }
  void step_to(double time_after, double, const StepOverlap&) override { time_ = time_after; }
  void save(SavedState&) const override {}
  void resume(ParticleSet, const SavedState&) override {}
  std::unique_ptr<ParticleColumns> columns() override { return nullptr; }
  void compute_forces() override {}
  const FieldTablePtr& fields() const override { return standard_fields(); }
  double time() const override { return time_; }
  Diagnostics diagnostics() override { return {}; }
  StepCriterion check_step(double, const StepParameters&, double) override { return {}; }
  ParticleSet particles() override { return {}; }
  ForceBalance force_balance() override { return {}; }
  ReferenceForces reference_forces(std::uint64_t, std::uint64_t) override { return {}; }
  ForceSample compare_forces(const ReferenceForces&) override { return {}; }
  void visit(ParticleVisitor&) override {}
  ParticleMemory memory() override { return {}; }
  void memory_was_written() override {}
  std::vector<PhaseTime> phase_times() const override { return {}; }
  WorkCounts work_counts() const override { return {}; }
  std::uint64_t most_bytes_held() const override { return 0; }
  std::string transport_description() override { return ""; }
  std::string device_description() const override { return "nothing"; }
  DeviceState device_state() const override { return {"nothing", "", 0, 0}; }

 private:
  double time_ = 0;
};

}  // namespace grove::tests
