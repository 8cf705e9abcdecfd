#include "src/integrators/motion_sums.hpp"

#include <cmath>

namespace grove {

namespace {

struct KeepPosition {
  const Double4* position;
  Double3* row;
  GROVE_HD void operator()(std::size_t i) const { row[i] = position_of(position[i]); }
};
struct KeepVelocity {
  const Double3* velocity;
  Double3* row;
  GROVE_HD void operator()(std::size_t i) const { row[i] = velocity[i]; }
};
struct Place {
  const Double3* start;
  Double4* position;
  Double3* velocity;
  double h;
  VectorSum sum, of_velocity;
  GROVE_HD void operator()(std::size_t i) const {
    const Double3 v = velocity[i], x = start[i] + h * v + sum(i);
    position[i] = {x.x, x.y, x.z, position[i].w};
    velocity[i] = v + of_velocity(i);
  }
};
struct Move {
  Double4* position;
  Double3* velocity;
  VectorSum sum, of_velocity;
  GROVE_HD void operator()(std::size_t i) const {
    const Double3 x = position_of(position[i]) + sum(i), v = velocity[i] + of_velocity(i);
    position[i] = {x.x, x.y, x.z, position[i].w};
    velocity[i] = v;
  }
};

GROVE_HD double length(const Double3& v) { return sqrt(dot(v, v)); }

struct ErrorOfStep {
  const Double3 *velocity, *acceleration;
  double h;
  VectorSum of_position, of_velocity;
  GROVE_HD Largest operator()(std::size_t i) const {
    const double speed = length(velocity[i]) + fabs(h) * length(acceleration[i]);
    const double error = length(of_velocity(i)) + length(of_position(i)) / fabs(h);
    const double value = speed > 0 ? error / speed : 0.0;
    return {0 * value == 0 ? value : static_cast<double>(INFINITY), i, true};  // a maximum passes over NaN
  }
};
struct LargerOf {
  GROVE_HD Largest operator()(const Largest& a, const Largest& b) const {
    return a.value > b.value || (a.value == b.value && a.particle < b.particle) ? a : b;
  }
};

struct Change {
  double change = 0, acceleration = 0;
};
struct ChangeOfRow {
  const Double4* acceleration;
  const Double3* row;
  GROVE_HD Change operator()(std::size_t i) const {
    const Double3 now = position_of(acceleration[i]);
    return {length(now - row[i]), length(now)};
  }
};
struct LargerChange {
  GROVE_HD Change operator()(const Change& a, const Change& b) const {
    return {a.change > b.change ? a.change : b.change, a.acceleration > b.acceleration ? a.acceleration : b.acceleration};
  }
};

}  // namespace

template <class Space>
void keep_position(StepContext<Space>& context, Double3* row) {
  const Particles<Space>& p = context.particles();
  context.space().for_each(p.size(), KeepPosition{p.position.data(), row});
}

template <class Space>
void keep_velocity(StepContext<Space>& context, Double3* row) {
  const Particles<Space>& p = context.particles();
  context.space().for_each(p.size(), KeepVelocity{p.velocity.data(), row});
}

template <class Space>
void keep_acceleration(StepContext<Space>& context, Double3* row) {
  const Particles<Space>& p = context.particles();
  context.space().for_each(p.size(), KeepPosition{p.acceleration.data(), row});
}

template <class Space>
void place(StepContext<Space>& context, const Double3* start, double h, const VectorSum& sum, const VectorSum& of_velocity) {
  Particles<Space>& p = context.particles();
  context.space().for_each(p.size(), Place{start, p.position.data(), p.velocity.data(), h, sum, of_velocity});
}

template <class Space>
void move(StepContext<Space>& context, const VectorSum& sum, const VectorSum& of_velocity) {
  Particles<Space>& p = context.particles();
  context.space().for_each(p.size(), Move{p.position.data(), p.velocity.data(), sum, of_velocity});
}

template <class Space>
Largest largest_error(StepContext<Space>& context, double h, const Double3* acceleration, const VectorSum& of_position,
                      const VectorSum& of_velocity) {
  const Particles<Space>& p = context.particles();
  const Largest largest = context.space().transform_reduce(
      p.size(), Largest{}, ErrorOfStep{p.velocity.data(), acceleration, h, of_position, of_velocity}, LargerOf{});
  const double of_all = context.comm().max(largest.value);
  return {of_all, largest.particle, largest.value == of_all && p.size() > 0};
}

template <class Space>
double keep_and_compare(StepContext<Space>& context, Double3* row) {
  const Particles<Space>& p = context.particles();
  const Change own = context.space().transform_reduce(p.size(), Change{}, ChangeOfRow{p.acceleration.data(), row}, LargerChange{});
  keep_acceleration(context, row);
  const double change = context.comm().max(own.change), acceleration = context.comm().max(own.acceleration);
  return acceleration > 0 ? change / acceleration : 0;
}

template void keep_position(StepContext<BackEnd>&, Double3*);
template void keep_velocity(StepContext<BackEnd>&, Double3*);
template void keep_acceleration(StepContext<BackEnd>&, Double3*);
template void place(StepContext<BackEnd>&, const Double3*, double, const VectorSum&, const VectorSum&);
template void move(StepContext<BackEnd>&, const VectorSum&, const VectorSum&);
template Largest largest_error(StepContext<BackEnd>&, double, const Double3*, const VectorSum&, const VectorSum&);
template double keep_and_compare(StepContext<BackEnd>&, Double3*);

}  // namespace grove
