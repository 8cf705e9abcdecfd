// Observer: pictures of the particles, at equal times.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/activity.hpp"
#include "src/config/config.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/picture_sums.hpp"
#include "src/process/background_work.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/output_errors.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// Names in a saved state of the number of pictures, and of the view and colours of all pictures of a run.
inline constexpr const char *saved_picture_count = "pictures.count", *saved_picture_view = "pictures.view";

/// How the cores of a rank are shared between the states whose pictures are drawn at the same time. Compression, half of the work, takes
/// one thread for each picture; many states with few threads each are therefore drawn sooner than one with all threads.
struct PictureLanes {
  std::size_t count = 1;  ///< states at the same time, >= 1
  int threads_each = 1;   ///< OpenMP threads that draw one of them, >= 1

  /// @param threads        of the rank, >= 1
  /// @param bytes_a_state  the sums of all pictures of one state: those of all lanes are at most a quarter of a GiB, if one state's are.
  ///                       A lane at work takes about three times as much
  static PictureLanes of(int threads, std::uint64_t bytes_a_state) {
    constexpr std::uint64_t most = 8, threads_wanted = 2, bytes_for_all = std::uint64_t{1} << 28;
    const auto available = static_cast<std::uint64_t>(threads);
    const std::uint64_t by_memory = bytes_for_all / std::max<std::uint64_t>(bytes_a_state, 1);
    const std::uint64_t count = std::max<std::uint64_t>(std::min({by_memory, available / threads_wanted, most}), 1);
    return {static_cast<std::size_t>(count), static_cast<int>(std::max<std::uint64_t>(available / count, 1))};
  }
};

/// Sums the particles in pixels on the device. Adding the ranks together, drawing and writing happens in the background if possible, for
/// several states at a time (PictureLanes).
template <class Space>
class PictureObserver final : public Observer {
 public:
  explicit PictureObserver(const ObserverContext<Space>& context, int thread_level = thread_level_of_mpi())
      : context_(context), plan_(parameters()), range_(plan_.range()) {
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
    make_lanes(thread_level);
  }
  /// Waits for pictures that are being drawn.
  ~PictureObserver() override = default;

  bool due(const RunState& state) const override {
    return state.is_last || context_.setup.schedule.due_every(parameters().every, state.step);
  }
  void observe(const RunState& state) override {
    Lane& lane = next_lane();
    begin_activity("sums for pictures");
    const bool in_background = lane.background.can_start();
    try_to_write([&] {
      const PictureState collected = sums_->collect(context_.particles, lane.sums);
      const std::uint64_t number = count_++;
      const double time = state.time;
      if (in_background)
        lane.background.start("pictures in the background", [this, &lane, collected, number, time](const Communicator& comm) {
          omp_set_num_threads(threads_each_);
          draw(lane, collected, number, time, comm);
        });
      else
        draw(lane, collected, number, time, context_.comm);
    });
  }
  void finish() override {
    for (std::size_t i = 1; i <= lanes_.size(); ++i) wait_for(*lanes_[(turn_ + i) % lanes_.size()]);  // the oldest work first
  }
  bool has_failed() const override {
    return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->background.has_failed(); });
  }
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
  /// Draws one state at a time in the background.
  struct Lane {
    Lane(const ObserverContext<Space>& context, int thread_level)
        : sums(context.space.host_memory()), background(context.comm, thread_level) {}
    typename PictureSums<Space>::OnHost sums;
    bool settles_range = true;  ///< no other lane works, and the range is incomplete. The same on all ranks
    BackgroundWork background;  ///< last, because it uses the others
  };

  const PictureParameters& parameters() const { return context_.setup.config.pictures; }

  void make_lanes(int thread_level) {
    // The root draws, and on the other ranks a thread of each lane waits for it, which keeps a core busy in MPI. On CPUs the steps need
    // these cores.
    const bool has_cores_to_spare = Space::on_gpu || context_.comm.size() == 1;
    const PictureLanes wanted = has_cores_to_spare ? PictureLanes::of(omp_get_max_threads(), PictureSums<Space>::bytes_of(plan_))
                                                   : PictureLanes{1, omp_get_max_threads()};
    std::array<std::uint64_t, 1> count{wanted.count};
    context_.comm.broadcast(std::span<std::uint64_t>(count));
    threads_each_ = wanted.threads_each;
    for (std::size_t i = 0; i < count[0]; ++i) lanes_.push_back(std::make_unique<Lane>(context_, thread_level));
  }
  /// Waits for the next lane. The first pictures determine the colours of all, and are therefore drawn one after the other.
  Lane& next_lane() {
    if (!is_range_complete_) {
      wait_for(*lanes_[turn_]);
      is_range_complete_ = !lanes_[turn_]->settles_range;
      if (!is_range_complete_) return *lanes_[turn_];
    }
    turn_ = (turn_ + 1) % lanes_.size();
    wait_for(*lanes_[turn_]);
    lanes_[turn_]->settles_range = false;
    return *lanes_[turn_];
  }
  void wait_for(Lane& lane) {
    try_to_write([&] { lane.background.wait(); });
  }

  std::string path(PictureQuantity quantity, char axis, std::uint64_t number) const {
    return context_.setup.directory.picture({name_of(quantity), std::string(1, axis), number});
  }

  /// On the thread whose communicator `comm` is. Collective. Throws AgreedError.
  void draw(Lane& lane, const PictureState& state, std::uint64_t number, double time, const Communicator& comm) {
    comm.sum_on_root(state.sums);
    PictureRange complete = range_;  // other lanes may read range_ at the same time
    PictureRange& range = lane.settles_range ? range_ : complete;
    comm.agree([&] {
      if (!comm.is_root()) return;
      const auto path_of = [&](PictureQuantity quantity, char axis) { return path(quantity, axis, number); };
      write_pictures({plan_, context_.setup.config.units, time, context_.setup.directory.path(), path_of}, state, range);
    });
    if (lane.settles_range) lane.settles_range = comm.max(comm.is_root() && range_.is_complete(plan_.shows_speed()) ? 1 : 0) == 0;
  }

  void try_to_write(const std::function<void()>& work) {
    if (!succeeds_or_continues(context_.setup.config.output.on_error == "continue", context_.comm, work)) ++lost_;
  }

  const ObserverContext<Space> context_;
  const PicturePlan plan_;
  PictureRange range_;                   ///< on the root. Set by one lane; read by all when complete
  std::uint64_t first_ = 0, count_ = 0;  ///< number of the first pictures of this job; of all jobs so far
  std::uint64_t lost_ = 0;               ///< times of this job whose pictures could not be written
  std::optional<PictureSums<Space>> sums_;
  int threads_each_ = 1;  ///< OpenMP threads of a lane
  bool is_range_complete_ = false;
  std::size_t turn_ = 0;                      ///< the lane used last
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< last, because they use the others
};

template <class Space>
std::unique_ptr<Observer> make_pictures(const ObserverContext<Space>& context) {
  if (!context.setup.config.pictures.are_wanted()) return nullptr;
  return std::make_unique<PictureObserver<Space>>(context);
}

}  // namespace grove
