// Positions and velocities that are sums over rows of vectors: the stages of a Runge-Kutta method, the past of a multistep method.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "kernels/particles/particles.hpp"
#include "src/integrators/integrator.hpp"

namespace grove {

/// A sum of vectors with a factor each, for each particle.
class VectorSum {
 public:
  static constexpr int most_terms = 16;

  void add(const Double3* of, double factor) {
    if (count_ == most_terms) throw std::logic_error("a sum of too many vectors");
    of_[count_] = of;
    factor_[count_++] = factor;
  }
  GROVE_HD Double3 operator()(std::size_t i) const {
    Double3 sum{0, 0, 0};
    for (int k = 0; k < count_; ++k) sum = sum + factor_[k] * of_[k][i];
    return sum;
  }

 private:
  const Double3* of_[most_terms] = {};
  double factor_[most_terms] = {};
  int count_ = 0;
};

/// [particles of this rank] a row of vectors that the integrator has declared, until the next forces.
template <class Space>
Double3* vectors(StepContext<Space>& context, const std::string& field) {
  return context.template field<Double3>(field.c_str()).data;
}

/// row = position, row = velocity, row = acceleration. Asynchronous.
template <class Space>
void keep_position(StepContext<Space>& context, Double3* row);
template <class Space>
void keep_velocity(StepContext<Space>& context, Double3* row);
template <class Space>
void keep_acceleration(StepContext<Space>& context, Double3* row);

/// position = start + h velocity + sum, and velocity += of_velocity. Asynchronous.
template <class Space>
void place(StepContext<Space>& context, const Double3* start, double h, const VectorSum& sum, const VectorSum& of_velocity = {});

/// position += sum and velocity += of_velocity; both sums may have velocities and accelerations as terms. Asynchronous.
template <class Space>
void move(StepContext<Space>& context, const VectorSum& sum, const VectorSum& of_velocity);

/// The largest value of all ranks, and the particle that has it, where it is one of this rank.
struct Largest {
  double value = 0;
  std::size_t particle = 0;
  bool is_here = false;
};

/// Largest error of a step of length h: |of_position| / (h s) and |of_velocity| / s with s = |velocity| + h |acceleration|, which are those
/// at the step's beginning. Infinite where a number is not finite. Collective; synchronises.
template <class Space>
Largest largest_error(StepContext<Space>& context, double h, const Double3* acceleration, const VectorSum& of_position,
                      const VectorSum& of_velocity);

/// row = acceleration. Returns the largest change of it over the largest acceleration, of all particles of all ranks. Collective;
/// synchronises.
template <class Space>
double keep_and_compare(StepContext<Space>& context, Double3* row);

}  // namespace grove
