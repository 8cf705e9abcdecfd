// The times of the steps of a run, and after which of them a snapshot is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/base/quantity.hpp"

namespace grove {

/// A run from `begin` to `end` in equal steps. Times follow from the step's number, so that rounding errors do not accumulate.
class StepSchedule {
 public:
  /// `dt` > 0 and end >= begin. The number of steps is (end - begin) / dt, which must be whole to one part in 10^6 (a decimal dt seldom
  /// divides exactly in binary); the steps are then stretched to end exactly at `end`. A snapshot is due at the first step that reaches a
  /// multiple of `snapshot_every`, counted from `first`, the time of the first state, which is `begin` unless these are the later steps of
  /// a run; with 0 only at the first and the last. Throws ConfigError that names the key, its value and the nearest values that divide,
  /// also `snapshot_every` where that divides the run. Messages have times in `unit`.
  StepSchedule(double begin, double end, double dt, double snapshot_every, ShownUnit unit = {}, std::optional<double> first = {});

  /// A time or a length of time for messages.
  std::string text(double time) const { return unit_.text(time); }

  /// Continues the step numbers of an earlier part of the run with another dt: step `from` gets the number `to`, and all others follow.
  /// Times do not change.
  void number_on(std::uint64_t from, std::uint64_t to) { shift_ += static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from); }

  /// The longest step up to `most` that divides the run and, where output.snapshot_every divides the run, that as well.
  double dividing_step(double most) const { return dividing_step(duration(), snapshot_every_, most); }
  static double dividing_step(double duration, double snapshot_every, double most);
  /// Whether steps of the length that was given could begin at `begin` instead.
  static bool divides(double begin, double end, double dt);
  double begin() const { return begin_; }
  /// From begin() to the end.
  double duration() const { return end_ - begin_; }

  /// The number of the last step.
  std::uint64_t steps() const { return numbered(steps_); }
  double dt() const { return dt_; }
  /// Time after step number `step`, 0 <= step <= steps().
  double time(std::uint64_t step) const;
  /// The number of the step that ends at `time`, up to rounding. Throws ConfigError, which says what to do, for a time outside the run or
  /// between two of its steps; `source` is where the time comes from.
  std::uint64_t step_at(double time, const std::string& source) const;
  /// A sentence where there are no snapshots between the first and the last state, or where no steps end at the multiples of
  /// output.snapshot_every; else empty.
  std::string snapshot_advice() const;
  /// A sentence where there are more steps than were probably meant; else empty.
  std::string length_advice() const;
  /// True after the first and the last step of the run and wherever the next snapshot time is reached.
  bool snapshot_due(std::uint64_t step) const;
  /// snapshot_due() with another length of time than output.snapshot_every.
  bool due_every(double length, std::uint64_t step) const;
  /// How often due_every(`length`) holds in a run that is `duration` old, including the first state.
  static std::uint64_t count_until(double duration, double length);
  /// Throws ConfigError, which names `key`, where `length` of time is > 0 and shorter than a step.
  void require_recurrence(const std::string& key, double length) const;
  /// How many snapshots are due after `step`; for step 0 including that of the first state.
  std::uint64_t snapshots_after(std::uint64_t step) const;

 private:
  /// The number of steps of this dt since `begin`, and the step's number.
  std::uint64_t counted(std::uint64_t number) const { return number - static_cast<std::uint64_t>(shift_); }
  std::uint64_t numbered(std::uint64_t count) const { return count + static_cast<std::uint64_t>(shift_); }
  /// How many multiples of a length of time `count` steps reach.
  std::uint64_t reached(double length, std::uint64_t count) const;
  std::uint64_t snapshots_reached(std::uint64_t count) const { return reached(snapshot_every_, count); }
  bool is_first(std::uint64_t count) const { return count == 0 && begin_ == first_; }

  double begin_, end_, dt_, snapshot_every_, first_;
  ShownUnit unit_;
  std::uint64_t steps_ = 0;
  std::int64_t shift_ = 0;
};

}  // namespace grove
