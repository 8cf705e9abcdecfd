// Observer: pictures of the particles, at equal times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/space/activity.hpp"
#include "kernels/space/error.hpp"
#include "src/config/config.hpp"
#include "src/pictures/picture_files.hpp"
#include "src/pictures/picture_sums.hpp"
#include "src/run/go_on.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/snapshot_writer.hpp"
#include "src/run/step_schedule.hpp"
#include "src/run/worker_thread.hpp"

namespace grove {

/// Names of what a saved state has of pictures: their number, and the view and the colours that all of a run have in common.
inline constexpr const char *saved_picture_count = "pictures.count", *saved_picture_view = "pictures.view";

/// Sums the particles in pixels on the device. Adding the ranks together, drawing and writing goes on beside the steps, on a thread of each
/// rank, where MPI lets two threads use it; else the steps wait.
template <class Space>
class PictureObserver final : public Observer {
 public:
  explicit PictureObserver(const ObserverContext<Space>& context, int thread_level = thread_level_of_mpi())
      : context_(context), plan_(parameters()), thread_level_(thread_level), range_(plan_.range()) {
    double field_of_view = 0;
    const SavedState* const before = context.setup.resume;
    if (before && before->has(saved_picture_count)) first_ = count_ = before->count(saved_picture_count);
    if (before && before->has(saved_picture_view)) {
      const SavedState::Numbers& view = before->numbers(saved_picture_view, 4);
      field_of_view = view[0];
      if (range_.lowest_density == 0) range_.lowest_density = view[1];
      if (range_.highest_density == 0) range_.highest_density = view[2];
      if (range_.highest_speed == 0) range_.highest_speed = view[3];
    }
    sums_.emplace(context.space, context.comm, plan_, context.setup.components, field_of_view);
  }
  /// Waits for pictures that are being drawn.
  ~PictureObserver() override = default;

  bool due(const RunState& state) const override {
    return state.is_last || context_.setup.schedule.due_every(parameters().every, state.step);
  }
  void observe(const RunState& state) override {
    finish();
    begin_activity("sums for pictures");
    if (!write_comm_) prepare_drawing();
    go_on_without([&] {
      auto collected = std::make_shared<PictureState>(sums_->collect(context_.particles));
      const std::uint64_t number = count_++;
      const double time = state.time;
      if (worker_)
        worker_->start([this, collected, number, time] {
          const WatchedThread watched(activity_);
          begin_activity("pictures beside the steps");
          draw(*collected, number, time);
        });
      else
        draw(*collected, number, time);
    });
  }
  void finish() override {
    if (!worker_) return;
    go_on_without([&] {
      begin_activity(nullptr);  // how long this takes, it is the drawing thread's activity that says so
      worker_->wait();
    });
  }
  bool has_failed() const override { return worker_ && worker_->has_failed(); }
  void save(SavedState& state) override {
    finish();
    std::vector<double> view{sums_->field_of_view(), range_.lowest_density, range_.highest_density, range_.highest_speed};
    context_.comm.broadcast(std::span<double>(view));
    state.put_count(saved_picture_count, count_);
    state.put(saved_picture_view, SavedState::Numbers(view));
  }
  std::string written() const override {
    if (count_ == first_) return "";
    const auto first_of = [&](std::uint64_t number) { return path(plan_.quantities.front(), plan_.axes.front(), number); };
    const std::string lost = lost_ > 0 ? " (those of " + std::to_string(lost_) + " times could not be written)" : "";
    const std::size_t others = plan_.quantities.size() * plan_.axes.size() - 1;
    return first_of(first_) + (count_ > first_ + 1 ? " ... " + first_of(count_ - 1) : "") +
           (others > 0 ? ", and " + std::to_string(others) + " more of each time" : "") + lost;
  }

 private:
  const PictureParameters& parameters() const { return context_.setup.config.pictures; }

  std::string path(PictureQuantity quantity, char axis, std::uint64_t number) const {
    return context_.setup.directory.picture({name_of(quantity), std::string(1, axis), number});
  }

  /// All ranks have a drawing thread, or none has. Collective.
  void prepare_drawing() {
    write_comm_ = std::make_unique<Communicator>(context_.comm.raw());
    if (thread_level_ >= MPI_THREAD_MULTIPLE) try {
        worker_ = std::make_unique<WorkerThread>();
      } catch (const std::system_error&) {
        // Without a thread the steps wait.
      }
    if (context_.comm.min(worker_ ? 1 : 0) == 0) worker_.reset();
  }

  /// On the drawing thread, if there is one. Collective. Throws AgreedError.
  void draw(const PictureState& state, std::uint64_t number, double time) {
    write_comm_->sum_on_root(state.sums);
    write_comm_->agree([&] {
      if (!write_comm_->is_root()) return;
      const auto path_of = [&](PictureQuantity quantity, char axis) { return path(quantity, axis, number); };
      write_pictures({plan_, context_.setup.config.units, time, true, context_.setup.directory.path(), path_of}, state, range_);
    });
  }

  void go_on_without(const std::function<void()>& work) {
    if (!succeeds_or_goes_on(context_.setup.config.output, context_.comm, work)) ++lost_;
  }

  const ObserverContext<Space> context_;
  const PicturePlan plan_;
  const int thread_level_;
  std::unique_ptr<Communicator> write_comm_;  ///< of the drawing thread
  PictureRange range_;                        ///< of the drawing thread; on the root
  std::uint64_t first_ = 0, count_ = 0;       ///< number of the first pictures of this job; of all so far, also by jobs before
  std::uint64_t lost_ = 0;                    ///< times of this job whose pictures could not be written
  std::optional<PictureSums<Space>> sums_;
  Activity activity_;                     ///< of the drawing thread
  std::unique_ptr<WorkerThread> worker_;  ///< last, so that it ends first: it uses the others
};

template <class Space>
std::unique_ptr<Observer> make_pictures(const ObserverContext<Space>& context) {
  if (!context.setup.config.pictures.are_wanted()) return nullptr;
  return std::make_unique<PictureObserver<Space>>(context);
}

}  // namespace grove
