// Observer: the particles, in snapshots, at the times of the schedule and at the end of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/config/config.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/snapshot_writer.hpp"
#include "src/run/step_schedule.hpp"

namespace grove {

class SnapshotObserver final : public Observer {
 public:
  SnapshotObserver(Simulation& simulation, const Communicator& comm, const ObserverSetup& setup)
      : simulation_(simulation), comm_(comm), setup_(setup), is_wanted_(setup.config.output.snapshots == "all") {}

  bool due(const RunState& state) const override { return is_wanted_ && (state.is_last || setup_.schedule.snapshot_due(state.step)); }
  void observe(const RunState& state) override {
    save_snapshot(setup_.directory.snapshot(count_), simulation_.particles(), state.time, setup_.config, setup_.device, comm_);
    ++count_;
  }
  std::string written() const override {
    if (count_ == 0) return "no snapshots, as asked for";
    return setup_.directory.snapshot(0) + (count_ > 1 ? " ... " + last_state() : "");
  }
  std::string last_state() const override { return count_ > 0 ? setup_.directory.snapshot(count_ - 1) : ""; }

 private:
  Simulation& simulation_;
  const Communicator& comm_;
  const ObserverSetup& setup_;
  bool is_wanted_;
  std::uint64_t count_ = 0;  ///< written so far
};

template <class Space>
std::unique_ptr<Observer> make_snapshots(const ObserverContext<Space>& context) {
  return std::make_unique<SnapshotObserver>(context.simulation, context.comm, context.setup);
}

}  // namespace grove
