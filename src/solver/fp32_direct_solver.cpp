#include "src/solver/fp32_direct_solver.hpp"

#include <algorithm>
#include <bit>

#include "kernels/walks/direct_sum.hpp"
#include "src/solver/fp32_range.hpp"

namespace grove {

namespace {
struct Spread {
  double low[3], high[3], sum[3];
  double mass;
  double zero;  ///< NaN if a number is not finite
};
static_assert(sizeof(Spread) == sizeof(SpreadRow));

struct SpreadOf {
  const Double4* particles;
  GROVE_HD SpreadRow operator()(std::size_t i) const {
    const Double4 p = particles[i];
    return {{p.x, p.y, p.z, p.x, p.y, p.z, p.x, p.y, p.z, p.w, 0 * p.x + 0 * p.y + 0 * p.z + 0 * p.w}};
  }
};

struct TakeActive {
  const Double4* from;
  const std::uint8_t* active;
  Double4* to;
  GROVE_HD void operator()(std::size_t i) const {
    if (!active || active[i] != 0) to[i] = from[i];
  }
};

template <class Space>
auto spread_of(Space& space, const Particles<Space>& particles) {
  constexpr double none = 1e300;
  const SpreadRow nothing{{none, none, none, -none, -none, -none, 0, 0, 0, 0, 0}};
  return space.reduce_rows_later(particles.size(), nothing, SpreadOf{particles.position.data()}, JoinBoxAndSums{});
}

}  // namespace

template <class Space>
void Fp32DirectSolver<Space>::prepare_ahead(Particles<Space>& particles, PhaseClock<Space>& clock, double) {
  clock.begin("checks");
  space_.arena().begin_step();
  spread_.emplace(spread_of(space_, particles));
}

template <class Space>
void Fp32DirectSolver<Space>::prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift, Targets) {
  clock.begin("checks");
  // Without a drift, the particles may be elsewhere than those of prepare_ahead().
  if (!spread_ || drift == 0) prepare_ahead(particles, clock, drift);
  const auto spread = std::bit_cast<Spread>(spread_->get());
  spread_.reset();
  if (spread.zero != 0) throw PositionsNotFinite();
  double extent = 0;
  for (int k = 0; k < 3; ++k) extent = std::max(extent, spread.high[k] - spread.low[k]);
  require_extent(extent);
  centre_ = (1.0 / static_cast<double>(std::max<std::size_t>(particles.size(), 1))) * Double3{spread.sum[0], spread.sum[1], spread.sum[2]};
  scaled_law_ = law_.at(law_.fitting(TreeScale::near(extent, spread.mass)));
  require_softening(law_.classes(), scaled_law_, extent);
  particles.has_acceleration = false;
}

template <class Space>
void Fp32DirectSolver<Space>::forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                                     const std::function<void()>& meanwhile) {
  clock.begin("walk");
  const std::size_t n = particles.size();
  if (n <= most_in_fp64<Space>) {
    Scratch<Space, Double4> all(space_, n);
    space_.fill_bytes(all.data(), 0, n * sizeof(Double4));
    add_direct_sum<Space>(space_, law_, {particles.position.view(), particles.id.view(), particles.type.view()},
                          {particles.position.view(), particles.id.view(), all.view(), particles.type.view()});
    space_.for_each(n, TakeActive{all.data(), active, particles.acceleration.data()});
  } else {
    sum_.run(space_, scaled_law_, centre_, particles.position.view(), active, particles.acceleration.view());
  }
  pairs_ = std::uint64_t{n} * n;
  if (!active) particles.has_acceleration = true;
  if (meanwhile) meanwhile();
}

template class Fp32DirectSolver<BackEnd>;

}  // namespace grove
