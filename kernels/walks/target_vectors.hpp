// The targets of one group as SIMD vectors, and the lists of sources that act on all of them: the inner loops on the CPU.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/space/float_vector.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

/// A particle is near if its distance from the box around the targets is less than this fraction of the targets' radius. Farther away,
/// rounding two offsets to FP32 hardly changes a force (docs/development/constants.md).
inline constexpr float near_margin = 1.0F / 16;

/// Scaled, and larger than the distance of NewtonKernel::smallest(). Particles closer than this count as near for groups of any size.
inline constexpr float least_margin = 2e-12F;

/// In group radii. FP32 offsets with their residuals are exact to 2^-49 of the radius. Without softening, forces between particles closer
/// than this are computed from their positions in FP64.
inline constexpr float close_pair = 0x1p-30F;

/// A particle so near to the targets that rounding of offsets could matter.
struct NearSource {
  Float4 offset;    ///< and mass
  Float4 residual;  ///< rounding error of the offset; w: index among the targets if it is one of them, else -1
  const Double4* particle;
};

/// The sources listed for one group. Offsets are from the group's centre.
struct SourceLists {
  std::vector<CellSource> cells;
  std::vector<Float4> particles;  ///< offset and mass
  std::vector<NearSource> near;   ///< the group's own particles among them

  void clear() {
    cells.clear();
    particles.clear();
    near.clear();
  }
  std::size_t particle_count() const { return particles.size() + near.size(); }
};

/// Up to `capacity` targets, padded to whole vectors, and the force on each.
template <int capacity>
class TargetVectors {
 public:
  /// Takes the `count` particles from `first` on, with offsets from the centre of their bounding box. `least_acceleration` is their
  /// smallest last acceleration.
  void load(const Double4* particles, std::uint32_t first, std::uint32_t count, float least_acceleration, const GravityUnits& units) {
    first_ = first;
    count_ = count;
    particles_ = particles;
    units_ = units;
    Double3 low = position_of(particles[first]), high = low;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Double4& p = particles[i];
      low = {smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
      high = {larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    box_ = {};
    box_.centre = 0.5 * (low + high);
    box_.least_acceleration = least_acceleration;
    const Double3 half = (0.5 * target_margin * units.per_length) * (high - low);
    box_.half_size[0] = static_cast<float>(half.x);
    box_.half_size[1] = static_cast<float>(half.y);
    box_.half_size[2] = static_cast<float>(half.z);
    float radius2 = 0, farthest[3] = {0, 0, 0};
    for (std::uint32_t i = 0; i < padded; ++i) {
      const Double4& particle = particles[first + (i < count ? i : 0)];
      const Float4 p = source(particle, units), rest = residual(particle, p, units);
      x_[i] = p.x;
      y_[i] = p.y;
      z_[i] = p.z;
      rest_x_[i] = rest.x;
      rest_y_[i] = rest.y;
      rest_z_[i] = rest.z;
      lane_[i] = static_cast<float>(i);
      radius2 = larger(radius2, p.x * p.x + p.y * p.y + p.z * p.z);
      farthest[0] = larger(farthest[0], std::abs(p.x));
      farthest[1] = larger(farthest[1], std::abs(p.y));
      farthest[2] = larger(farthest[2], std::abs(p.z));
    }
    // If a group is narrow compared with its distance from the origin, rounding of the centre can put targets outside the box.
    for (int k = 0; k < 3; ++k) box_.half_size[k] = larger(box_.half_size[k], farthest[k]);
    box_.radius = target_margin * std::sqrt(radius2);
    filled_ = static_cast<int>((count + FloatVector::width - 1) / FloatVector::width);
    centre_ = Four<double>{box_.centre.x, box_.centre.y, box_.centre.z, 0};
    scale_ = Four<double>{units.per_length, units.per_length, units.per_length, units.per_mass};
    const float margin = larger(near_margin * box_.radius, least_margin);
    reach_ = Four<float>{box_.half_size[0] + margin, box_.half_size[1] + margin, box_.half_size[2] + margin};
  }

  const TargetBox& box() const { return box_; }
  std::uint32_t first() const { return first_; }
  std::uint32_t count() const { return count_; }

  Float4 source(const Double4& p, const GravityUnits& units) const {
    return {units.offset(p.x, box_.centre.x), units.offset(p.y, box_.centre.y), units.offset(p.z, box_.centre.z),
            static_cast<float>(p.w * units.per_mass)};
  }

  /// Lists the `count` particles of `sources` from `first` on. `own_tree`: `sources` are the particles that include the targets.
  void list_particles(const Double4* sources, std::uint32_t first, std::uint32_t count, bool own_tree, SourceLists& lists) const {
    const std::size_t before = lists.particles.size();
    lists.particles.resize(before + count);
    Float4* next = lists.particles.data() + before;
    for (std::uint32_t i = first; i < first + count; ++i) {
      Four<double> particle;
      std::memcpy(&particle, sources + i, sizeof(particle));
      const Four<float> offset = __builtin_convertvector((particle - centre_) * scale_, Four<float>);
      *reinterpret_cast<StoredFour*>(next) = offset;
      const auto is_within = (offset <= reach_) & (-offset <= reach_);
      if ((is_within[0] & is_within[1] & is_within[2]) == 0)
        ++next;
      else
        list_near(sources + i, *next, own_tree && i - first_ < count_ ? static_cast<float>(i - first_) : -1, lists);
    }
    lists.particles.resize(static_cast<std::size_t>(next - lists.particles.data()));
  }

  /// Sets the forces to the sum over all listed sources, plus what `extra(x, y, z, force)` adds for each vector of targets.
  template <class Softening, class Extra>
  void sum(const Softening& softening, const SourceLists& lists, Extra extra) {
    for (int v = 0; v < filled_; v += at_once) sum_vectors(v, softening, lists, extra);
  }

  /// Sets acceleration and potential of the active targets, in code units, or adds to them, according to `mode`.
  void store(Double4* acceleration, const ActiveTargets& active, const GravityUnits& units, WalkMode mode) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!active.wants(first_ + i)) continue;
      store_force(Force<float>{ax_[i], ay_[i], az_[i], potential_[i]}, units, mode, acceleration[first_ + i]);
    }
  }

 private:
  // Number of vectors processed at once: enough independent sums to hide the latency of the operations of one interaction.
  static constexpr int at_once = 2;
  static constexpr int vectors = ((capacity + FloatVector::width - 1) / FloatVector::width + at_once - 1) / at_once * at_once;
  static constexpr std::uint32_t padded = vectors * FloatVector::width;

  template <class T>
  using Four __attribute__((vector_size(4 * sizeof(T)))) = T;
  using StoredFour __attribute__((vector_size(4 * sizeof(float)), may_alias)) = float;

  template <class Softening, class Extra>
  void sum_vectors(int v, const Softening& softening, const SourceLists& lists, Extra& extra) {
    FloatVector x[at_once], y[at_once], z[at_once];
    for (int t = 0; t < at_once; ++t) {
      const int at = (v + t) * FloatVector::width;
      x[t] = FloatVector::load(x_ + at);
      y[t] = FloatVector::load(y_ + at);
      z[t] = FloatVector::load(z_ + at);
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
    for (std::span<const NearSource> left = lists.near; !left.empty(); end_block()) {
      const std::span<const NearSource> block = take_block(left);
      FloatVector closest2(3e38F);
      for (const NearSource& s : block)
        for (int t = 0; t < at_once; ++t) add_near(softening, s, x[t], y[t], z[t], (v + t) * FloatVector::width, closest2, force[t]);
      if constexpr (Softening::zero_at_zero) {
        const float close = close_pair * box_.radius;
        if (smallest_of(closest2) > larger(close * close, NewtonKernel::smallest<float>())) continue;
        for (int t = 0; t < at_once; ++t) force[t] = exact_forces(softening, block, (v + t) * FloatVector::width);
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

  /// Adds the force of a near particle to the targets (x, y, z), the first of which has index `at`. The difference of two nearly equal
  /// offsets is exact; the difference of their residuals corrects for the rounding of both. `closest2`: without softening, the smallest
  /// squared distance so far between a particle and a target other than itself.
  template <class Softening>
  void add_near(const Softening& softening, const NearSource& s, FloatVector x, FloatVector y, FloatVector z, int at, FloatVector& closest2,
                Force<FloatVector>& force) const {
    const FloatVector dx = (FloatVector(s.offset.x) - x) + (FloatVector(s.residual.x) - FloatVector::load(rest_x_ + at));
    const FloatVector dy = (FloatVector(s.offset.y) - y) + (FloatVector(s.residual.y) - FloatVector::load(rest_y_ + at));
    const FloatVector dz = (FloatVector(s.offset.z) - z) + (FloatVector(s.residual.z) - FloatVector::load(rest_z_ + at));
    const auto is_target = FloatVector::load(lane_ + at) == FloatVector(s.residual.w);
    const FloatVector mass = select(is_target, FloatVector(0), FloatVector(s.offset.w)), r2 = softening.squared(dx, dy, dz);
    if constexpr (Softening::zero_at_zero) closest2 = select(is_target, closest2, select(r2 < closest2, r2, closest2));
    add_particle_at<false>(softening, dx, dy, dz, r2, mass, force);
  }

  /// The forces of near particles on the vector of targets from index `at` on, with differences of positions in FP64.
  template <class Softening>
  Force<FloatVector> exact_forces(const Softening& softening, std::span<const NearSource> sources, int at) const {
    alignas(FloatVector::alignment) float fx[FloatVector::width], fy[FloatVector::width], fz[FloatVector::width], p[FloatVector::width];
    for (int l = 0; l < FloatVector::width; ++l) {
      const auto target = static_cast<std::uint32_t>(at + l);
      const Double4& here = particles_[first_ + (target < count_ ? target : 0)];
      Force<float> force;
      for (const NearSource& s : sources)
        if (s.particle != &here)
          add_close_particle(softening, units_.close_offset(s.particle->x, here.x), units_.close_offset(s.particle->y, here.y),
                             units_.close_offset(s.particle->z, here.z), s.offset.w, force);
      fx[l] = force.x, fy[l] = force.y, fz[l] = force.z, p[l] = force.potential;
    }
    return {FloatVector::load(fx), FloatVector::load(fy), FloatVector::load(fz), FloatVector::load(p)};
  }

  /// Lists a near particle. `target`: its index among the targets, or -1.
  void list_near(const Double4* particle, const Float4& offset, float target, SourceLists& lists) const {
    lists.near.push_back({offset, residual(*particle, offset, units_), particle});
    lists.near.back().residual.w = target;
  }

  /// The exact offset minus its FP32 offset; w is -1. Not inlined: when GCC 12 vectorizes both, it omits the rounding of a double to FP32,
  /// and the result is zero.
  [[gnu::noinline]] Float4 residual(const Double4& p, const Float4& offset, const GravityUnits& units) const {
    const Double3 exact = units.per_length * (position_of(p) - box_.centre);
    return {static_cast<float>(exact.x - static_cast<double>(offset.x)), static_cast<float>(exact.y - static_cast<double>(offset.y)),
            static_cast<float>(exact.z - static_cast<double>(offset.z)), -1};
  }

  /// Removes the next block of sources from `left` and returns it.
  template <class Source>
  static std::span<const Source> take_block(std::span<const Source>& left) {
    const std::span<const Source> block = left.first(std::min<std::size_t>(sources_per_block, left.size()));
    left = left.subspan(block.size());
    return block;
  }

  const Double4* particles_ = nullptr;
  GravityUnits units_;
  std::uint32_t first_ = 0, count_ = 0;
  int filled_ = 0;
  TargetBox box_{};
  Four<double> centre_, scale_;  ///< for a position and a mass
  Four<float> reach_;            ///< offsets of near particles are within these bounds
  alignas(FloatVector::alignment) float x_[padded], y_[padded], z_[padded], lane_[padded];
  alignas(FloatVector::alignment) float rest_x_[padded], rest_y_[padded], rest_z_[padded];  ///< rounding errors of x_, y_, z_
  alignas(FloatVector::alignment) float ax_[padded], ay_[padded], az_[padded], potential_[padded];
};

}  // namespace grove
