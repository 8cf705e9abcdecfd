#include "src/run/files/step_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"

namespace grove {

namespace {
constexpr double division_tolerance = 1e-6;
constexpr double most_steps = 1e15;  // a double counts them exactly

bool is_whole(double ratio) { return std::abs(ratio - std::round(ratio)) <= division_tolerance * std::max(1.0, std::round(ratio)); }

/// What steps have to divide: `every` where that divides the duration, so that its multiples are ends of steps; else the duration.
double to_be_divided(double duration, double every) {
  return every > 0 && every < duration && is_whole(duration / every) ? every : duration;
}
}  // namespace

bool StepSchedule::divides(double begin, double end, double dt) {
  const double steps = (end - begin) / dt;
  return steps == 0 || (std::round(steps) >= 1 && is_whole(steps));
}

double StepSchedule::dividing_step(double duration, double snapshot_every, double most) {
  const double whole = to_be_divided(duration, snapshot_every);
  return whole / std::max(1.0, std::ceil(whole / most - division_tolerance));
}

StepSchedule::StepSchedule(double begin, double end, double dt, double snapshot_every, ShownUnit unit, std::optional<double> first)
    : begin_(begin), end_(end), dt_(dt), snapshot_every_(snapshot_every), first_(first.value_or(begin)), unit_(unit) {
  if (end < begin) throw ConfigError(fmt::format("time.end = {} is before time.begin = {}", text(end), text(begin)));
  if (!(dt > 0)) throw ConfigError(fmt::format("time.dt = {}: allowed is a number > 0", text(dt)));
  if (!(snapshot_every >= 0)) throw ConfigError(fmt::format("output.snapshot_every = {}: allowed is a number >= 0", text(snapshot_every)));
  const double duration = end - begin, exact = duration / dt, whole = std::round(exact);
  if (!(exact < most_steps))
    throw ConfigError(fmt::format("time.dt = {} makes {:.3g} steps; at most {:.0e} are possible", text(dt), exact, most_steps));
  if (!divides(begin, end, dt)) {
    if (exact < 1)
      throw ConfigError(fmt::format("time.dt = {} is longer than the run from {} to {}: {} is the whole of it in one step", text(dt),
                                    text(begin), text(end), text(duration)));
    const double part = to_be_divided(duration, snapshot_every);
    const double shorter = part / std::ceil(part / dt), longer = part / std::max(1.0, std::floor(part / dt));
    const char* const parts = part < duration ? " and output.snapshot_every" : "";
    const auto told = [&](double step) { return fmt::format("{} ({:.0f} steps)", text(step), duration / step); };
    throw ConfigError(fmt::format("time.dt = {} does not divide the run from {} to {}: {}", text(dt), text(begin), text(end),
                                  shorter == longer
                                      ? fmt::format("{} divides it{}", told(shorter), parts)
                                      : fmt::format("the nearest that divide it{} are {} and {}", parts, told(shorter), told(longer))));
  }
  steps_ = static_cast<std::uint64_t>(whole);
  if (steps_ > 0) dt_ = duration / whole;
  require_recurrence("output.snapshot_every", snapshot_every);
}

void StepSchedule::require_recurrence(const std::string& key, double length) const {
  if (steps_ > 0 && length > 0 && length < (1 - division_tolerance) * dt_)
    throw ConfigError(
        fmt::format("{0} = {1} is shorter than time.dt = {2}: the most is one after every step, with {0} = {2}, or "
                    "time.dt must be shorter",
                    key, text(length), text(dt_)));
}

double StepSchedule::time(std::uint64_t step) const {
  const std::uint64_t count = counted(step);
  // As a signed number, for early steps of a run whose steps were shorter then.
  return count == steps_ ? end_ : begin_ + static_cast<double>(static_cast<std::int64_t>(count)) * dt_;
}

std::uint64_t StepSchedule::step_at(double time, const std::string& source) const {
  const double exact = (time - begin_) / dt_, whole = std::round(exact);
  if (time < begin_ && std::abs(exact - whole) > division_tolerance)
    throw ConfigError(fmt::format("time.begin = {} is after the time {} of {}", begin_, time, source));
  if (whole > static_cast<double>(steps_))
    throw ConfigError(fmt::format(
        "time.end = {0} is before the time {1} of {2}, which the run has reached: nothing is left to do up to {0}; to continue, "
        "give a time.end after {1} (--set time.end=...)",
        end_, time, source));
  if (whole < 0 || std::abs(exact - whole) > division_tolerance * std::max(1.0, whole))
    throw ConfigError(
        fmt::format("the time {} of {} lies between two steps of time.dt = {} from time.begin = {} on", time, source, dt_, begin_));
  return numbered(static_cast<std::uint64_t>(whole));
}

std::uint64_t StepSchedule::reached(double length, std::uint64_t count) const {
  // The tolerance lets step 10 of 0.1 reach 1.0, wherever rounding put it.
  return static_cast<std::uint64_t>((static_cast<double>(count) * dt_ + (begin_ - first_)) * (1 + division_tolerance) / length);
}

std::uint64_t StepSchedule::snapshots_after(std::uint64_t step) const {
  const std::uint64_t count = counted(step), first = is_first(count) ? 1 : 0;
  if (count >= steps_) return first;
  // The last state counts among those at multiples, or is one more.
  if (!(snapshot_every_ > 0)) return first + 1;
  const std::uint64_t before_last = snapshots_reached(steps_ - 1) - std::min(snapshots_reached(steps_ - 1), snapshots_reached(count));
  // Where more than one falls into a step, there is one snapshot a step.
  return first + std::min(before_last, steps_ - 1 - count) + 1;
}

std::string StepSchedule::snapshot_advice() const {
  const double exact = snapshot_every_ / dt_, whole = std::round(exact);
  if (steps_ > 0 && snapshot_every_ > (1 + division_tolerance) * (end_ - first_))
    return fmt::format("output.snapshot_every = {} is longer than the run: snapshots have the first and the last state only",
                       text(snapshot_every_));
  if (!(snapshot_every_ > 0) || steps_ == 0 || (whole > 0 && std::abs(exact - whole) <= division_tolerance * whole)) return "";
  return fmt::format(
      "output.snapshot_every = {} is no multiple of time.dt = {}: snapshots come after the first step that reaches each multiple",
      text(snapshot_every_), text(dt_));
}

std::string StepSchedule::length_advice() const {
  constexpr double many = 1e7, quick_step_s = 1e-4, day_s = 86400;
  const auto count = static_cast<double>(steps_);
  if (count < many) return "";
  return fmt::format("time.dt = {} makes {} steps: {} days even if each takes {} s, and as many rows in the logs", text(dt_),
                     format_count(steps_), format_count(static_cast<std::uint64_t>(std::ceil(count * quick_step_s / day_s))), quick_step_s);
}

bool StepSchedule::snapshot_due(std::uint64_t step) const { return due_every(snapshot_every_, step); }

bool StepSchedule::due_every(double length, std::uint64_t step) const {
  const std::uint64_t count = counted(step);
  if (is_first(count) || count == steps_) return true;
  return count > 0 && length > 0 && reached(length, count) > reached(length, count - 1);
}

std::uint64_t StepSchedule::count_until(double duration, double length) {
  return 1 + (length > 0 ? static_cast<std::uint64_t>(duration * (1 + division_tolerance) / length) : 0);
}

}  // namespace grove
