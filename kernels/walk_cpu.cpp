// The group walk on the CPU: a thread walks for one group, and the inner loops run over SIMD vectors of its targets.
#include <vector>

#include "kernels/float_vector.hpp"
#include "kernels/gravity_dispatch.hpp"
#include "kernels/interaction.hpp"
#include "kernels/walk.hpp"

namespace grove {

namespace {

constexpr int vectors_per_group = (largest_group + FloatVector::width - 1) / FloatVector::width;
constexpr int padded_group = vectors_per_group * FloatVector::width;
// Targets worked on at once: enough independent sums to hide the latency of one interaction's chain of operations.
constexpr int vectors_at_once = 2;
static_assert(vectors_per_group % vectors_at_once == 0);

struct WalkConstants {
  TreeView sources;
  WalkTargets targets;
  TreeScale scale;
  double per_length, per_mass;
  double acceleration_unit, potential_unit;  ///< code units of the results' scaled ones, G included
  float support2;
  WalkMode mode;
};

/// One thread's lists, re-used from group to group.
struct Lists {
  std::vector<std::uint32_t> stack;
  std::vector<CellSource> cells;
  std::vector<Float4> particles;  ///< offset from the group's centre, and mass
  std::vector<Float4> own;        ///< the group's own particles among the sources, in order from `own_first`
};

template <class Opening, class Softening>
class GroupWalk {
 public:
  GroupWalk(const WalkConstants& c, const Opening& opening, const Softening& softening, Lists& lists)
      : c_(c), opening_(opening), softening_(softening), lists_(lists) {}

  void run(std::size_t group) {
    load_targets(group);
    collect_sources();
    const auto filled = static_cast<int>((target_count_ + FloatVector::width - 1) / FloatVector::width);
    for (int v = 0; v < filled; v += vectors_at_once) sum_forces(v);
    store(group);
  }

 private:
  void load_targets(std::size_t group) {
    first_ = c_.targets.group_start[group];
    target_count_ = c_.targets.group_start[group + 1] - first_;
    Double3 low = position_of(c_.targets.particles[first_]), high = low;
    for (std::uint32_t i = 0; i < target_count_; ++i) {
      const Double4& p = c_.targets.particles[first_ + i];
      low = {smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
      high = {larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    box_.centre = 0.5 * (low + high);
    const Double3 half = (0.5 * target_margin * c_.per_length) * (high - low);
    box_.half_size[0] = static_cast<float>(half.x);
    box_.half_size[1] = static_cast<float>(half.y);
    box_.half_size[2] = static_cast<float>(half.z);
    for (std::uint32_t i = 0; i < padded_group; ++i) {
      const Float4 p = source_of(c_.targets.particles[first_ + (i < target_count_ ? i : 0)]);
      x_[i] = p.x;
      y_[i] = p.y;
      z_[i] = p.z;
      lane_[i] = static_cast<float>(i);
    }
    work_ = {};
  }

  float offset(double x, double centre) const { return static_cast<float>((x - centre) * c_.per_length); }

  Float4 source_of(const Double4& p) const {
    return {offset(p.x, box_.centre.x), offset(p.y, box_.centre.y), offset(p.z, box_.centre.z), static_cast<float>(p.w * c_.per_mass)};
  }

  /// Walks the source tree for the group and lists the cells and particles that act on it.
  void collect_sources() {
    lists_.cells.clear();
    lists_.particles.clear();
    lists_.own.clear();
    lists_.stack.clear();
    for (std::uint32_t i = c_.sources.root_count; i-- > 0;) lists_.stack.push_back(c_.sources.root(i));
    while (!lists_.stack.empty()) {
      const std::uint32_t cell = lists_.stack.back();
      lists_.stack.pop_back();
      ++work_.opening_tests;
      const CellGeometry& g = c_.sources.geometry[cell];
      const CellLinks& links = c_.sources.links[cell];
      // A cell without contents was accepted by the rank that sent it, for a box around these targets.
      if (accept(opening_, g, box_, c_.per_length, c_.support2) || links.particle_count == 0) {
        if (g.mass > 0) list_cell(cell);
      } else if (links.child_count > 0) {
        for (std::uint32_t k = links.child_count; k-- > 0;) lists_.stack.push_back(links.first_child + k);
      } else {
        for (std::uint32_t i = 0; i < links.particle_count; ++i) list_particle(links.first_particle + i);
      }
    }
    work_.cell_particle = static_cast<std::uint32_t>(lists_.cells.size());
    work_.particle_particle = static_cast<std::uint32_t>(lists_.particles.size() + lists_.own.size());
  }

  void list_cell(std::uint32_t cell) {
    const CellGeometry& g = c_.sources.geometry[cell];
    lists_.cells.push_back(make_cell_source(offset(g.centre_of_mass.x, box_.centre.x), offset(g.centre_of_mass.y, box_.centre.y),
                                            offset(g.centre_of_mass.z, box_.centre.z), g.mass, c_.sources.multipole[cell]));
  }

  void list_particle(std::uint32_t i) {
    // Particles of the tree come in order, and the group's own are a run of them.
    const bool own = !Softening::zero_at_zero && c_.mode == WalkMode::own_tree && i - first_ < target_count_;
    (own ? lists_.own : lists_.particles).push_back(source_of(c_.sources.particles[i]));
  }

  /// Sums all listed sources for the targets of vectors [v, v + vectors_at_once).
  void sum_forces(int v) {
    FloatVector x[vectors_at_once], y[vectors_at_once], z[vectors_at_once], lane[vectors_at_once];
    Force<FloatVector> force[vectors_at_once];
    for (int t = 0; t < vectors_at_once; ++t) {
      const int at = (v + t) * FloatVector::width;
      x[t] = FloatVector::load(x_ + at);
      y[t] = FloatVector::load(y_ + at);
      z[t] = FloatVector::load(z_ + at);
      lane[t] = FloatVector::load(lane_ + at);
    }
    for (const CellSource& s : lists_.cells)
      for (int t = 0; t < vectors_at_once; ++t) add_cell(softening_, s, x[t], y[t], z[t], force[t]);
    for (const Float4& s : lists_.particles)
      for (int t = 0; t < vectors_at_once; ++t)
        add_particle(softening_, FloatVector(s.x), FloatVector(s.y), FloatVector(s.z), FloatVector(s.w), x[t], y[t], z[t], force[t]);
    for (std::size_t k = 0; k < lists_.own.size(); ++k) {
      const Float4& s = lists_.own[k];
      for (int t = 0; t < vectors_at_once; ++t) {
        const FloatVector mass = select(lane[t] == FloatVector(static_cast<float>(k)), FloatVector(0), FloatVector(s.w));
        add_particle(softening_, FloatVector(s.x), FloatVector(s.y), FloatVector(s.z), mass, x[t], y[t], z[t], force[t]);
      }
    }
    for (int t = 0; t < vectors_at_once; ++t) {
      const int at = (v + t) * FloatVector::width;
      force[t].x.store(ax_ + at);
      force[t].y.store(ay_ + at);
      force[t].z.store(az_ + at);
      force[t].potential.store(potential_ + at);
    }
  }

  void store(std::size_t group) const {
    const bool set = c_.mode == WalkMode::own_tree;
    for (std::uint32_t i = 0; i < target_count_; ++i) {
      Double4& out = c_.targets.acceleration[first_ + i];
      const Double4 before = set ? Double4{} : out;
      out = {before.x + ax_[i] * c_.acceleration_unit, before.y + ay_[i] * c_.acceleration_unit, before.z + az_[i] * c_.acceleration_unit,
             before.w - potential_[i] * c_.potential_unit};
    }
    GroupWork& out = c_.targets.work[group];
    const GroupWork before = set ? GroupWork{} : out;
    out = {before.particle_particle + work_.particle_particle, before.cell_particle + work_.cell_particle,
           before.opening_tests + work_.opening_tests};
  }

  const WalkConstants& c_;
  const Opening& opening_;
  const Softening& softening_;
  Lists& lists_;
  std::uint32_t first_ = 0, target_count_ = 0;
  TargetBox box_{};
  GroupWork work_;
  alignas(FloatVector::alignment) float x_[padded_group], y_[padded_group], z_[padded_group], lane_[padded_group];
  alignas(FloatVector::alignment) float ax_[padded_group], ay_[padded_group], az_[padded_group], potential_[padded_group];
};

}  // namespace

template <>
void walk_tree(HostSpace&, const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  if (targets.group_count() == 0 || sources.root_count == 0) return;
  WalkConstants c{};
  c.sources = sources;
  c.targets = targets;
  c.scale = scale;
  c.mode = mode;
  c.per_length = 1 / scale.length;
  c.per_mass = 1 / scale.mass;
  c.potential_unit = gravity.G * scale.mass / scale.length;
  c.acceleration_unit = c.potential_unit / scale.length;
  visit_opening(gravity, [&](const auto& opening) {
    visit_softening(gravity, scale.length, [&](const auto& softening) {
      const double support = softening.support() * (1 + 1e-6);
      c.support2 = static_cast<float>(support * support);
#pragma omp parallel
      {
        Lists lists;
        GroupWalk walk(c, opening, softening, lists);
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t g = 0; g < static_cast<std::int64_t>(targets.group_count()); ++g) walk.run(static_cast<std::size_t>(g));
      }
    });
  });
}

}  // namespace grove
