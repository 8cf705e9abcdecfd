#include "src/simulation/few_particles_solver.hpp"

#include <algorithm>

#include "src/simulation/all_pairs.hpp"
#include "src/simulation/fp32_range.hpp"

namespace grove {

namespace {

struct Spread {
  Double3 low, high, sum;
  double mass;
  double zero;  ///< NaN if a number is not finite
};

struct SpreadOf {
  const Double4* particles;
  GROVE_HD Spread operator()(std::size_t i) const {
    const Double4 p = particles[i];
    const Double3 x = position_of(p);
    return {x, x, x, p.w, 0 * p.x + 0 * p.y + 0 * p.z + 0 * p.w};
  }
};

struct Join {
  GROVE_HD Spread operator()(const Spread& a, const Spread& b) const {
    return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
            {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)},
            a.sum + b.sum,
            a.mass + b.mass,
            a.zero + b.zero};
  }
};

}  // namespace

template <class Space>
void FewParticlesSolver<Space>::prepare(Particles<Space>& particles, PhaseClock<Space>& clock) {
  are_few_ = sums_all_pairs(gravity_, particles.size(), comm_.size(), Space::on_gpu);
  if (!are_few_) return of_many_->prepare(particles, clock);
  clock.begin("checks");
  space_.arena().begin_step();
  constexpr double none = 1e300;
  const Spread spread = space_.transform_reduce(particles.size(), Spread{{none, none, none}, {-none, -none, -none}, {}, 0, 0},
                                                SpreadOf{particles.position.data()}, Join{});
  if (spread.zero != 0) throw PositionsNotFinite();
  const Double3 size = spread.high - spread.low;
  const double extent = particles.size() > 0 ? std::max({size.x, size.y, size.z}) : 0;
  require_extent(extent);
  centre_ = (1.0 / static_cast<double>(std::max<std::size_t>(particles.size(), 1))) * spread.sum;
  scaled_law_ = law_.at(law_.fitting(TreeScale::near(extent, spread.mass)));
  require_softening(law_.classes(), scaled_law_, extent);
  particles.has_acceleration = false;
}

template <class Space>
void FewParticlesSolver<Space>::forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock) {
  if (!are_few_) return of_many_->forces(particles, active, clock);
  clock.begin("walk");
  sum_.run(space_, scaled_law_, centre_, particles.position.view(), active, particles.acceleration.view());
  pairs_ = std::uint64_t{particles.size()} * particles.size();
  if (!active) particles.has_acceleration = true;
}

template <class Space>
WorkCounts FewParticlesSolver<Space>::work_counts() {
  if (!are_few_) return of_many_->work_counts();
  WorkCounts counts;
  counts.particle_particle = pairs_;
  return counts;
}

template class FewParticlesSolver<BackEnd>;

}  // namespace grove
