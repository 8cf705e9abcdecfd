#include "src/integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/setting.hpp"
#include "kernels/base/stopwatch.hpp"
#include "src/integrators/rung_loops.hpp"

namespace grove {

namespace {

/// A new length is that which the error allows times `caution`, and within these factors of the old one.
constexpr double caution = 0.8, least_factor = 0.2, most_factor = 5;

/// Stages stand still where an iteration changes accelerations by less than this, over the largest one, and no longer halves the change:
/// it has come to rounding. FP32 forces and opening criteria change with the last bits of positions.
constexpr double rounding_of_fp64 = 1e-10, rounding_of_trees = 1e-5;

constexpr const char* not_smooth = "; forces by trees are not smooth enough for a small error, those of gravity.method = \"direct\" are";

double number_or(const SettingValues& settings, const char* key, double otherwise) {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : std::get<double>(found->second);
}
std::uint64_t count_or(const SettingValues& settings, const char* key, std::uint64_t otherwise) {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : std::get<std::uint64_t>(found->second);
}

}  // namespace

template <class Space>
RungeKutta<Space>::RungeKutta(const Tableau& tableau, const SettingValues& settings, const StepParameters& steps,
                              const GravityParameters& gravity)
    : tableau_(tableau),
      form_(tableau),
      error_(number_or(settings, error_key, 0)),
      iterations_(count_or(settings, iterations_key, default_iterations)),
      dt_min_(steps.dt_min),
      is_direct_(gravity.method == "direct") {}

template <class Space>
void RungeKutta<Space>::end(StepContext<Space>& context, double dt) {
  census_.clear();
  if (error_ > 0) return divide(context, dt);
  Stopwatch watch;
  evaluations_ = 0;
  begin_step(context);
  compute_stages(context, 0, dt);
  end_step(context, dt, dt);
  count(context, 1, watch.lap());
  census_.back().particles = context.particles().size();
}

/// Steps that end exactly where the step of the run does.
template <class Space>
void RungeKutta<Space>::divide(StepContext<Space>& context, double dt) {
  const double whole = std::abs(dt), shortest = std::min(dt_min_ > 0 ? dt_min_ : std::ldexp(whole, -deepest_rung), whole);
  const double of_rate = 1.0 / std::min(tableau_.info.order, tableau_.order_embedded);
  Stopwatch watch;
  for (double done = 0; done < whole;) {
    begin_step(context);
    for (double h = length_of_next(whole - done);;) {
      const double signed_h = std::copysign(h, dt);
      evaluations_ = 0;
      compute_stages(context, std::copysign(done, dt), signed_h);
      const Largest largest = error_of_stages(context, signed_h);
      const double error = largest.value * whole / h / error_;
      const double wanted =
          h * (std::isfinite(error) ? std::clamp(caution * std::pow(error, -of_rate), least_factor, most_factor) : least_factor);
      const bool is_taken = error <= 1;
      const double next_done = h == whole - done ? whole : done + h;
      if (wanted < shortest && !(is_taken && next_done == whole)) refuse(context, largest, shortest);
      if (is_taken) end_step(context, signed_h, std::copysign(next_done, dt));
      count(context, h / whole, watch.lap());
      if (is_taken) {
        // A step that was shorter than it might have been, to end with the run's, does not shorten the next.
        next_ = std::max(wanted < h ? wanted : std::max(wanted, next_), shortest);
        done = next_done;
        break;
      }
      h = next_ = wanted;
    }
  }
  if (!census_.empty()) census_.back().particles = context.particles().size();
}

/// A step of this part of the run's step counts on the rung whose steps are as long, or the next shorter ones, also if it is taken back.
template <class Space>
void RungeKutta<Space>::count(StepContext<Space>& context, double part, double seconds) {
  const int rung = static_cast<int>(std::ceil(-std::log2(part)));
  add_sub_step(census_, rung, evaluations_ * context.particles().size(), seconds);
}

/// The particle with the largest error wants a step that is too short.
template <class Space>
void RungeKutta<Space>::refuse(StepContext<Space>& context, const Largest& error, double shortest) {
  context.comm().agree([&] {
    if (!error.is_here) return;
    std::uint64_t id = 0;
    context.space().copy_to_host(&id, context.particles().id.data() + error.particle, sizeof(id));
    std::ostringstream words;  // nvcc cannot compile fmt
    words << "the particle with id " << id << " wants steps that are shorter than "
          << (dt_min_ > 0 ? "time.dt_min = " : "time.dt / 2^20 = ") << shortest
          << "; a larger softening, or a larger time.error (less accurate), allows longer steps" << (is_direct_ ? "" : not_smooth);
    throw DataError(words.str());
  });
  throw std::logic_error("no particle has the largest error");
}

/// Two steps of half of what is left, rather than one that leaves little.
template <class Space>
double RungeKutta<Space>::length_of_next(double left) const {
  if (next_ == 0 || next_ >= left) return left;
  return std::min(next_, 0.5 * left);
}

template <class Space>
void RungeKutta<Space>::begin_step(StepContext<Space>& context) {
  keep_position(context, vectors(context, step_start_field));
  // The first guess of implicit methods is that the acceleration stays as it is.
  const std::size_t known = form_.is_implicit ? form_.stages() : form_.begins_at_start ? 1 : 0;
  for (std::size_t i = 0; i < known; ++i) keep_acceleration(context, vectors(context, stage_field(i)));
}

template <class Space>
void RungeKutta<Space>::compute_stages(StepContext<Space>& context, double from, double h) {
  const std::size_t first = form_.begins_at_start ? 1 : 0;
  const double rounding = is_direct_ ? rounding_of_fp64 : rounding_of_trees;
  double change = std::numeric_limits<double>::infinity();
  for (std::uint64_t k = 0; k < (form_.is_implicit ? iterations_ : 1); ++k) {
    const double before = std::exchange(change, 0.0);
    for (std::size_t i = first; i < form_.stages(); ++i) change = std::max(change, compute_stage(context, i, from, h));
    if (change <= rounding && change >= 0.5 * before) return;
  }
  if (!form_.is_implicit || change <= rounding) return;
  context.comm().agree([&] {
    std::ostringstream words;  // nvcc cannot compile fmt
    words << "time.integrator = \"" << tableau_.info.name << "\": after " << iterations_
          << " iterations (time.iterations) the accelerations still change by " << change
          << " of the largest one; shorter steps, or a larger softening, may help" << (is_direct_ ? "" : not_smooth);
    throw DataError(words.str());
  });
}

/// Returns how much an iteration has changed it.
template <class Space>
double RungeKutta<Space>::compute_stage(StepContext<Space>& context, std::size_t stage, double from, double h) {
  place(context, vectors(context, step_start_field), form_.c[stage] * h, sum_of_stages(context, form_.position[stage], h * h));
  context.positions_are_at(from + form_.c[stage] * h);
  context.compute_forces();
  ++evaluations_;
  Double3* const row = vectors(context, stage_field(stage));
  if (form_.is_implicit) return keep_and_compare(context, row);
  keep_acceleration(context, row);
  return 0;
}

/// `to`: the time to which the step leads, since the beginning of the run's step.
template <class Space>
void RungeKutta<Space>::end_step(StepContext<Space>& context, double h, double to) {
  place(context, vectors(context, step_start_field), h, sum_of_stages(context, form_.last_position, h * h),
        sum_of_stages(context, form_.velocity, h));
  context.positions_are_at(to);
  if (form_.ends_at_last) return;
  context.compute_forces();
  ++evaluations_;
}

template <class Space>
Largest RungeKutta<Space>::error_of_stages(StepContext<Space>& context, double h) {
  return largest_error(context, h, vectors(context, stage_field(0)), sum_of_stages(context, form_.position_error, h * h),
                       sum_of_stages(context, form_.velocity_error, h));
}

template <class Space>
VectorSum RungeKutta<Space>::sum_of_stages(StepContext<Space>& context, const std::vector<double>& weights, double factor) const {
  VectorSum sum;
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] != 0) sum.add(vectors(context, stage_field(j)), factor * weights[j]);
  return sum;
}

template <class Space>
void RungeKutta<Space>::save(SavedState& state) const {
  state.put_number("runge_kutta.next", next_);
}

template <class Space>
void RungeKutta<Space>::restore(const SavedState& state) {
  next_ = state.has("runge_kutta.next") ? state.number("runge_kutta.next") : 0;
}

template class RungeKutta<BackEnd>;

}  // namespace grove
