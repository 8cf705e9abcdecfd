#include <algorithm>
#include <cmath>

#include "decomposition/domain.hpp"

namespace grove {

namespace {

/// Extent and sums of positions; what is needed of each rank to place the cube.
struct Spread {
  double low[3], high[3], sum[3];
  double mass, count;
};

struct SpreadOf {
  const Double4* position;
  GROVE_HD Spread operator()(std::size_t i) const {
    const Double4 p = position[i];
    return {{p.x, p.y, p.z}, {p.x, p.y, p.z}, {p.x, p.y, p.z}, p.w, 1};
  }
};

struct Join {
  GROVE_HD Spread operator()(const Spread& a, const Spread& b) const {
    Spread c;
    for (int k = 0; k < 3; ++k) {
      c.low[k] = smaller(a.low[k], b.low[k]);
      c.high[k] = larger(a.high[k], b.high[k]);
      c.sum[k] = a.sum[k] + b.sum[k];
    }
    c.mass = a.mass + b.mass;
    c.count = a.count + b.count;
    return c;
  }
};

/// log2 of a particle's largest coordinate offset from `centre`, not below `least`.
struct LogDistance {
  const Double4* position;
  Double3 centre;
  double least;
  GROVE_HD double operator()(std::size_t i) const {
    const Double3 d = position_of(position[i]) - centre;
    return log2(larger(larger(fabs(d.x), fabs(d.y)), larger(fabs(d.z), least)));
  }
};
struct Add {
  GROVE_HD double operator()(double a, double b) const { return a + b; }
};

/// Half the cube's edge beyond which particles are taken to be outliers, in typical distances. At 2^10, 2^11 key cells remain inside
/// the typical distance, and 0.2 % of a Hernquist sphere of any size lie outside.
constexpr double outlier_factor = 1024;

double power_of_two_near(double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1; }

}  // namespace

template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles) {
  // Sums over ranks are made here, in rank order: an MPI library may choose another order each time.
  constexpr double none = 1e300;
  const Spread nothing{{none, none, none}, {-none, -none, -none}, {0, 0, 0}, 0, 0};
  const Double4* const position = particles.position.data();
  Spread all = nothing;
  for (const Spread& s : comm.all_gather(space.transform_reduce(particles.size(), nothing, SpreadOf{position}, Join{})))
    all = Join{}(all, s);
  if (all.count == 0) return {};

  const Double3 mean{all.sum[0] / all.count, all.sum[1] / all.count, all.sum[2] / all.count};
  Double3 centre{0.5 * (all.low[0] + all.high[0]), 0.5 * (all.low[1] + all.high[1]), 0.5 * (all.low[2] + all.high[2])};
  double half = 0;
  for (int k = 0; k < 3; ++k) half = std::max(half, 0.5 * (all.high[k] - all.low[k]));
  if (half > 0) {
    const LogDistance log_distance{position, mean, half * 1e-12};
    double log_sum = 0;
    for (double s : comm.all_gather(space.transform_reduce(particles.size(), 0.0, log_distance, Add{}))) log_sum += s;
    const double typical = std::exp2(log_sum / all.count);
    if (half > outlier_factor * typical) {
      half = outlier_factor * typical;
      centre = mean;
    }
  }
  // All at one point: any cube around it will do.
  if (half == 0) half = std::max({std::abs(centre.x), std::abs(centre.y), std::abs(centre.z)}) * 1e-6;
  if (half == 0) half = 1;
  half *= 1 + 1e-12;  // the highest coordinate belongs inside

  Frame frame;
  frame.cube = {centre - Double3{half, half, half}, 2 * half};
  frame.scale = {power_of_two_near(2 * half), power_of_two_near(all.mass)};
  return frame;
}

template Frame find_frame(BackEnd&, const Communicator&, const Particles<BackEnd>&);

}  // namespace grove
