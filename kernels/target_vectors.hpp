// The targets of one group as SIMD vectors, and the lists of sources that act on all of them: the CPU's inner loops.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/float_vector.hpp"
#include "kernels/interaction.hpp"
#include "kernels/opening.hpp"
#include "kernels/walk.hpp"

namespace grove {

/// Units of a walk: between code units and those of the trees.
struct WalkUnits {
  double length, per_length, per_mass;
  double acceleration, potential;  ///< code units of the results' scaled ones, G included

  WalkUnits(const GravityParameters& gravity, const TreeScale& scale)
      : length(scale.length),
        per_length(1 / scale.length),
        per_mass(1 / scale.mass),
        acceleration(gravity.G * scale.mass / (scale.length * scale.length)),
        potential(gravity.G * scale.mass / scale.length) {}

  float offset(double x, double centre) const { return static_cast<float>((x - centre) * per_length); }
};

/// Sources listed for one group; offsets from the group's centre.
struct SourceLists {
  std::vector<CellSource> cells;
  std::vector<Float4> particles;  ///< offset and mass
  std::vector<Float4> own;        ///< the group's own particles, where the softening would make them meet themselves
  std::vector<float> own_index;   ///< which target each of them is

  void clear() {
    cells.clear();
    particles.clear();
    own.clear();
    own_index.clear();
  }
};

/// Up to `capacity` targets, padded to whole vectors, and the force on each.
template <int capacity>
class TargetVectors {
 public:
  /// Takes `count` particles from `first` on and centres them on their bounding box.
  void load(const Double4* particles, std::uint32_t first, std::uint32_t count, const WalkUnits& units) {
    first_ = first;
    count_ = count;
    Double3 low = position_of(particles[first]), high = low;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Double4& p = particles[i];
      low = {smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
      high = {larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    box_ = {};
    box_.centre = 0.5 * (low + high);
    const Double3 half = (0.5 * target_margin * units.per_length) * (high - low);
    box_.half_size[0] = static_cast<float>(half.x);
    box_.half_size[1] = static_cast<float>(half.y);
    box_.half_size[2] = static_cast<float>(half.z);
    float radius2 = 0;
    for (std::uint32_t i = 0; i < padded; ++i) {
      const Float4 p = source(particles[first + (i < count ? i : 0)], units);
      x_[i] = p.x;
      y_[i] = p.y;
      z_[i] = p.z;
      lane_[i] = static_cast<float>(i);
      radius2 = larger(radius2, p.x * p.x + p.y * p.y + p.z * p.z);
    }
    box_.radius = target_margin * std::sqrt(radius2);
    filled_ = static_cast<int>((count + FloatVector::width - 1) / FloatVector::width);
  }

  /// Sets box().least_acceleration from the last acceleration of each particle, code units.
  void find_least_acceleration(const Double4* last_acceleration, const WalkUnits& units) {
    double least2 = 1e300;
    for (std::uint32_t i = first_; i < first_ + count_; ++i) {
      const Double3 a = position_of(last_acceleration[i]);
      least2 = smaller(least2, dot(a, a));
    }
    box_.least_acceleration = static_cast<float>(std::sqrt(least2) / units.acceleration);
  }

  const TargetBox& box() const { return box_; }
  std::uint32_t first() const { return first_; }
  std::uint32_t count() const { return count_; }

  Float4 source(const Double4& p, const WalkUnits& units) const {
    return {units.offset(p.x, box_.centre.x), units.offset(p.y, box_.centre.y), units.offset(p.z, box_.centre.z),
            static_cast<float>(p.w * units.per_mass)};
  }

  /// Lists particle `i` of the sources, which are the targets' own tree or not.
  template <class Softening>
  void list_particle(const Double4* sources, std::uint32_t i, bool own_tree, const WalkUnits& units, SourceLists& lists) const {
    if (!Softening::zero_at_zero && own_tree && i - first_ < count_) {
      lists.own.push_back(source(sources[i], units));
      lists.own_index.push_back(static_cast<float>(i - first_));
    } else {
      lists.particles.push_back(source(sources[i], units));
    }
  }

  /// Sets the forces to those of all listed sources, plus what `extra(x, y, z, force)` adds for each vector of targets.
  template <class Softening, class Extra>
  void sum(const Softening& softening, const SourceLists& lists, Extra extra) {
    for (int v = 0; v < filled_; v += at_once) sum_vectors(v, softening, lists, extra);
  }

  /// Sets or adds to acceleration and potential in code units.
  void store(Double4* acceleration, const WalkUnits& units, WalkMode mode) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      Double4& out = acceleration[first_ + i];
      const Double4 before = mode == WalkMode::own_tree ? Double4{} : out;
      out = {before.x + ax_[i] * units.acceleration, before.y + ay_[i] * units.acceleration, before.z + az_[i] * units.acceleration,
             before.w - potential_[i] * units.potential};
    }
  }

 private:
  // Vectors worked on at once: enough independent sums to hide the latency of one interaction's chain of operations.
  static constexpr int at_once = 2;
  static constexpr int vectors = ((capacity + FloatVector::width - 1) / FloatVector::width + at_once - 1) / at_once * at_once;
  static constexpr std::uint32_t padded = vectors * FloatVector::width;

  template <class Softening, class Extra>
  void sum_vectors(int v, const Softening& softening, const SourceLists& lists, Extra& extra) {
    FloatVector x[at_once], y[at_once], z[at_once], lane[at_once];
    for (int t = 0; t < at_once; ++t) {
      const int at = (v + t) * FloatVector::width;
      x[t] = FloatVector::load(x_ + at);
      y[t] = FloatVector::load(y_ + at);
      z[t] = FloatVector::load(z_ + at);
      lane[t] = FloatVector::load(lane_ + at);
    }
    Force<FloatVector> force[at_once];
    CompensatedForce<FloatVector> total[at_once];
    const auto end_block = [&] {
      for (int t = 0; t < at_once; ++t) total[t].take(force[t]);
    };
    for (std::span<const CellSource> left = lists.cells; !left.empty(); end_block())
      for (const CellSource& s : take_block(left))
        for (int t = 0; t < at_once; ++t) add_cell(softening, s, x[t], y[t], z[t], force[t]);
    for (std::span<const Float4> left = lists.particles; !left.empty(); end_block())
      for (const Float4& s : take_block(left))
        for (int t = 0; t < at_once; ++t)
          add_particle(softening, FloatVector(s.x), FloatVector(s.y), FloatVector(s.z), FloatVector(s.w), x[t], y[t], z[t], force[t]);
    for (std::size_t k = 0; k < lists.own.size(); ++k) {  // no more than `capacity`
      const Float4& s = lists.own[k];
      for (int t = 0; t < at_once; ++t) {
        const FloatVector mass = select(lane[t] == FloatVector(lists.own_index[k]), FloatVector(0), FloatVector(s.w));
        add_particle(softening, FloatVector(s.x), FloatVector(s.y), FloatVector(s.z), mass, x[t], y[t], z[t], force[t]);
      }
    }
    for (int t = 0; t < at_once; ++t) {
      const int at = (v + t) * FloatVector::width;
      extra(x[t], y[t], z[t], force[t]);
      total[t].take(force[t]);
      total[t].sum.x.store(ax_ + at);
      total[t].sum.y.store(ay_ + at);
      total[t].sum.z.store(az_ + at);
      total[t].sum.potential.store(potential_ + at);
    }
  }

  /// Takes the next block of sources off `left`.
  template <class Source>
  static std::span<const Source> take_block(std::span<const Source>& left) {
    const std::span<const Source> block = left.first(std::min<std::size_t>(sources_per_block, left.size()));
    left = left.subspan(block.size());
    return block;
  }

  std::uint32_t first_ = 0, count_ = 0;
  int filled_ = 0;
  TargetBox box_{};
  alignas(FloatVector::alignment) float x_[padded], y_[padded], z_[padded], lane_[padded];
  alignas(FloatVector::alignment) float ax_[padded], ay_[padded], az_[padded], potential_[padded];
};

}  // namespace grove
