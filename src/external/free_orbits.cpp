#include "src/external/free_orbits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/type_table.hpp"
#include "src/external/external_potentials.hpp"

namespace grove {

namespace {

double length(const Double3& d) { return std::sqrt(dot(d, d)); }
Double3 place_of(const ExternalParameters& p) { return {p.number("x"), p.number("y"), p.number("z")}; }
Double3 velocity_of(const ExternalParameters& p) { return {p.number("vx"), p.number("vy"), p.number("vz")}; }

std::function<Double3(const Double3&)> acceleration_of(const ExternalParameters& section, double G) {
  std::function<Double3(const Double3&)> made;
  for_each_type<ExternalPotentials>([&]<class Potential>() {
    if (Potential::info().name == section.potential)
      made = [potential = Potential(section, G)](const Double3& d) { return position_of(potential.at(d)); };
  });
  return made;
}

void require_friction_possible(const std::vector<ExternalParameters>& sections, std::size_t i) {
  const auto fail = [&](const char* why) {
    throw ConfigError(fmt::format("coulomb_logarithm of the potential {}: {}", sections[i].potential, why));
  };
  if (i == 0) fail("the first potential has the matter in which the others feel friction, and feels none");
  if (sections[0].text("orbit") != "") fail("friction is in the matter of the first potential, which must rest");
  if (!find_named(settings_of(external_infos(), sections[i].potential), "mass")) fail("it has no mass");
}

}  // namespace

/// Places and velocities of the free centres, one after the other, are the state of the equations.
class FreeOrbits::Motion {
 public:
  Motion(const std::vector<ExternalParameters>& sections, double G, double begin) : G_(G) {
    for (const ExternalParameters& section : sections) {
      const bool is_free = section.text("orbit") == free_orbit;
      Body body{acceleration_of(section, G), place_of(section), section.path, is_free ? free_++ : none};
      body.coulomb = section.number("coulomb_logarithm");
      body.dispersion = section.number("dispersion");
      const auto fail = [&](const char* keys, const char* with) {
        throw ConfigError(fmt::format("{} of the potential {}: no effect without {}", keys, section.potential, with));
      };
      if (!is_free && length(velocity_of(section)) > 0) fail("vx, vy, vz", "orbit = \"free\"");
      if (!is_free && body.coulomb > 0) fail("coulomb_logarithm", "orbit = \"free\"");
      if (body.dispersion > 0 && !(body.coulomb > 0)) fail("dispersion", "coulomb_logarithm > 0");
      if (body.coulomb > 0) {
        require_friction_possible(sections, bodies_.size());
        body.mass = section.number("mass");
      }
      if (is_free)
        for (const Double3& d : {body.place, velocity_of(section)}) first_.insert(first_.end(), {d.x, d.y, d.z});
      bodies_.push_back(std::move(body));
    }
    if (free_ == 0) return;
    State rates(first_.size());
    derivative(first_, rates, begin);
    double dt = 1;
    for (std::size_t k = 0; k < first_.size(); k += 6) dt = std::min(dt, 1e-3 / (1e-3 + length(three(rates, k + 3))));
    stepper_.initialize(first_, begin, dt);
  }

  bool is_needed() const { return free_ > 0; }

  void reach(double time, std::vector<Orbit>& paths) {
    if (!is_begun_) add(first_, stepper_.current_time(), paths);
    is_begun_ = true;
    while (stepper_.current_time() <= time) {
      const double from = stepper_.current_time();
      if (++steps_ > most_steps) fail_at(from);
      try {
        stepper_.do_step([this](const State& state, State& rates, double t) { derivative(state, rates, t); });
      } catch (const boost::numeric::odeint::odeint_error&) {
        fail_at(from);
      }
      State state(first_.size());
      // So that the cubics between the points are as exact as the solution.
      constexpr int parts = 4;
      for (int part = 1; part <= parts; ++part) {
        const double t = from + (stepper_.current_time() - from) * part / parts;
        stepper_.calc_state(t, state);
        add(state, t, paths);
      }
    }
  }

 private:
  static constexpr std::size_t most_steps = 1'000'000;
  [[noreturn]] static void fail_at(double time) {
    throw DataError(
        fmt::format("the orbit of a free potential cannot be followed beyond t = {:.10g}: does it meet the centre of another?", time));
  }

  using State = std::vector<double>;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Body {
    std::function<Double3(const Double3&)> acceleration;  ///< at a place from its centre
    Double3 place;
    Orbit path;
    std::size_t free = none;  ///< number among the free ones
    double coulomb = 0, dispersion = 0, mass = 0;
  };

  static Double3 three(const State& state, std::size_t i) { return {state[i], state[i + 1], state[i + 2]}; }

  Double3 centre(const Body& body, const State& state, double time) const {
    return body.free != none ? three(state, 6 * body.free) : body.place + body.path.at(time);
  }

  void derivative(const State& state, State& rates, double time) const {
    for (const Body& body : bodies_) {
      if (body.free == none) continue;
      const std::size_t k = 6 * body.free;
      const Double3 x = three(state, k), v = three(state, k + 3);
      Double3 a;
      for (const Body& other : bodies_)
        if (&other != &body) a = a + other.acceleration(x - centre(other, state, time));
      if (body.coulomb > 0) a = a + friction(body, x - bodies_[0].place, v);
      const double all[6] = {v.x, v.y, v.z, a.x, a.y, a.z};
      std::copy_n(all, 6, rates.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  /// Chandrasekhar's formula (Binney & Tremaine 2008, eq. 8.7) in the matter of the first potential, at `d` from its centre.
  Double3 friction(const Body& body, const Double3& d, const Double3& v) const {
    const double r = length(d), speed = length(v), density = density_at(d);
    if (!(speed > 0) || !(density > 0)) return {};
    const double circular2 = -dot(d, bodies_[0].acceleration(d));
    // Where the matter inside weighs no more than the body, the formula does not hold, and the body would circle the centre ever faster.
    const double remains = std::clamp(r * circular2 / (G_ * body.mass) - 1, 0.0, 1.0);
    const double dispersion = body.dispersion > 0 ? body.dispersion : std::sqrt(std::max(circular2, 0.0) / 2);
    if (!(r > 0) || !(dispersion > 0)) return {};
    const double x = speed / (std::numbers::sqrt2 * dispersion), per_sqrt_pi = std::numbers::inv_sqrtpi;
    // Of slower matter; the terms cancel for small x.
    const double slower = x < 1e-3 ? 4.0 / 3 * per_sqrt_pi * x * x * x : std::erf(x) - 2 * x * per_sqrt_pi * std::exp(-x * x);
    return (-4 * std::numbers::pi * G_ * G_ * body.mass * density * body.coulomb * remains * slower / (speed * speed * speed)) * v;
  }

  /// By Poisson's equation; differences of fourth order.
  double density_at(const Double3& d) const {
    const double h = 1e-3 * length(d);
    const auto slope = [&](const Double3& e) {
      const auto at = [&](double s) { return dot(bodies_[0].acceleration(d + (s * h) * e), e); };
      return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    };
    return -(slope({1, 0, 0}) + slope({0, 1, 0}) + slope({0, 0, 1})) / (4 * std::numbers::pi * G_);
  }

  void add(const State& state, double time, std::vector<Orbit>& paths) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (const std::size_t k = 6 * bodies_[i].free; bodies_[i].free != none)
        paths[i].append({time, three(state, k) - bodies_[i].place, three(state, k + 3)});
  }

  const double G_;
  std::vector<Body> bodies_;
  std::size_t free_ = 0;
  State first_;
  bool is_begun_ = false;
  std::size_t steps_ = 0;
  decltype(boost::numeric::odeint::make_dense_output(1e-30, 1e-10, boost::numeric::odeint::runge_kutta_dopri5<State>())) stepper_ =
      boost::numeric::odeint::make_dense_output(1e-30, 1e-10, boost::numeric::odeint::runge_kutta_dopri5<State>());
};

FreeOrbits::FreeOrbits(const std::vector<ExternalParameters>& sections, double G, double begin)
    : motion_(std::make_unique<Motion>(sections, G, begin)) {
  if (!motion_->is_needed()) motion_.reset();
}
FreeOrbits::~FreeOrbits() = default;

void FreeOrbits::reach(double time, std::vector<Orbit>& paths) {
  if (motion_) motion_->reach(time, paths);
}

}  // namespace grove
