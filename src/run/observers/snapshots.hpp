// Observer: the particles, in snapshots, at the times of the schedule and at the end of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "decomposition/domain/order_by_id.hpp"
#include "kernels/base/activity.hpp"
#include "kernels/base/error.hpp"
#include "kernels/particles/host_columns.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/output_errors.hpp"
#include "src/run/files/snapshot_writer.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// The name of the number of snapshots in a saved state.
inline constexpr const char* saved_snapshot_count = "snapshots.count";

/// Copies the particles to the host and writes them in the background of the steps, one snapshot at a time. Without memory for the copy,
/// the steps wait until the snapshot is written, field by field.
template <class Space>
class SnapshotObserver final : public Observer {
 public:
  explicit SnapshotObserver(const ObserverContext<Space>& context, const WritingResources& means = {})
      : context_(context),
        is_wanted_(output().snapshots == "all"),
        first_(context.setup.resume ? context.setup.resume->count(saved_snapshot_count) : 0),
        count_(first_),
        transport_(context.space, context.comm, transport_way_named(context.setup.config.run.transport)),
        copy_(context.space, context.particles.table()),
        series_(is_wanted_ && context.comm.is_root()
                    ? std::make_unique<SnapshotSeries>(context.setup.directory, first_, output().on_error == "continue")
                    : nullptr),
        writer_(context.comm, output().in_background == "yes", means, series_.get()) {}

  bool due(const RunState& state) const override {
    return is_wanted_ && (state.is_last || context_.setup.schedule.snapshot_due(state.step));
  }
  void observe(const RunState& state) override {
    finish();
    begin_activity("copy for a snapshot");
    const ObserverSetup& setup = context_.setup;
    SnapshotRequest request = snapshot_request(setup.directory.snapshot(count_), state.time, setup.config, setup.device, setup.components);
    const KeptState asked_for{request.path, state.step, state.time};
    ++count_;
    const std::unique_ptr<ItemOrder<Space>> order = order_for(request);
    if (writer_.can_start() && copies_the_particles(request, *order)) {
      writer_.start(std::move(request), copy_);
      being_written_ = asked_for;
    } else {
      try_to_write([&] {
        ColumnsOnDemand<Space> columns(context_.space, context_.particles.table(), *order);
        writer_.write(request, columns);
        kept_ = asked_for;
      });
    }
  }
  void finish() override {
    try_to_write([&] {
      const KeptState written = std::exchange(being_written_, {});
      writer_.wait();
      if (!written.file.empty()) kept_ = written;
      context_.comm.agree([&] {
        if (series_) series_->flush();
      });
    });
  }
  void save(SavedState& state) override { state.put_count(saved_snapshot_count, count_); }
  bool has_failed() const override { return writer_.has_failed(); }
  double writing_s() const override { return writer_.seconds(); }
  std::string written() const override {
    if (!is_wanted_) return "no snapshots, as asked for";
    if (count_ == first_) return "";
    const std::string note = short_of_memory_ > 0 ? " (the steps waited for " + std::to_string(short_of_memory_) +
                                                        " of them: too little memory on the host for a copy of the particles)"
                                                  : "";
    const std::string lost = lost_ > 0 ? " (" + std::to_string(lost_) + " of them could not be written)" : "";
    return setup_directory().snapshot(first_) + (count_ > first_ + 1 ? " ... " + setup_directory().snapshot(count_ - 1) : "") + lost + note;
  }
  KeptState kept_state() const override { return kept_; }

 private:
  const OutputParameters& output() const { return context_.setup.config.output; }
  const OutputDirectory& setup_directory() const { return context_.setup.directory; }
  std::unique_ptr<ItemOrder<Space>> order_for(const SnapshotRequest& request) {
    if (!request.by_id) return std::make_unique<PresentOrder<Space>>(context_.particles);
    return std::make_unique<OrderById<Space>>(context_.space, context_.comm, transport_, context_.particles);
  }

  void try_to_write(const std::function<void()>& work) {
    if (!succeeds_or_continues(context_.setup.config.output.on_error == "continue", context_.comm, work)) ++lost_;
  }

  /// False on all ranks if one lacks memory. Collective.
  bool copies_the_particles(const SnapshotRequest& request, ItemOrder<Space>& order) {
    auto fields = snapshot_fields(*context_.particles.table(), request.header.fields);
    fields.push_back(context_.particles.table()->find("type"));
    const std::uint64_t bytes = HostCopy<Space>::bytes_of(order.size(), fields);
    // With a margin, since the number of particles on a rank changes.
    const std::uint64_t wanted = bytes <= copy_.capacity() ? 0 : bytes + bytes / 16;
    if (!writer_.has_room(wanted - std::min<std::uint64_t>(wanted, copy_.capacity())) || !reserve(wanted)) {
      copy_.release();
      ++short_of_memory_;
      return false;
    }
    copy_.take(fields, order);
    return true;
  }
  bool reserve(std::uint64_t bytes) {
    bool is_there = true;
    try {
      copy_.reserve(bytes);
    } catch (const SystemError&) {
      is_there = false;
    }
    return context_.comm.min(is_there ? 1 : 0) == 1;
  }

  const ObserverContext<Space> context_;
  bool is_wanted_;
  std::uint64_t first_;                ///< number of the first snapshot of this job
  std::uint64_t count_;                ///< asked for by all jobs so far
  std::uint64_t lost_ = 0;             ///< of this job, not written
  std::uint64_t short_of_memory_ = 0;  ///< of this job, written between the steps for lack of memory
  KeptState kept_, being_written_;     ///< the newest one on the disk; the one being written
  Transport<Space> transport_;         ///< for the order by id
  HostCopy<Space> copy_;
  std::unique_ptr<SnapshotSeries> series_;  ///< on the root; else null
  SnapshotWriter writer_;                   ///< last, because it uses the others
};

template <class Space>
std::unique_ptr<Observer> make_snapshots(const ObserverContext<Space>& context) {
  return std::make_unique<SnapshotObserver<Space>>(context);
}

}  // namespace grove
