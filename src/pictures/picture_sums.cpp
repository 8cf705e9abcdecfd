#include "src/pictures/picture_sums.hpp"

#include <cmath>
#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/space/atomic.hpp"

namespace grove {

namespace {

// Neighbours along the Morton curve are often in one pixel: adding them first saves most of the atomic additions.
constexpr std::size_t run_length = 8;

// NOLINTNEXTLINE(bugprone-incorrect-roundings): faster than llround() for each particle, and no value is below 0.
GROVE_HD inline std::uint64_t in_quanta(double value, double per_unit) { return static_cast<std::uint64_t>(value * per_unit + 0.5); }

GROVE_HD inline bool is_shown(const std::uint8_t* type, std::size_t i, TypeMask mask) { return (mask >> type[i] & 1U) != 0; }

struct AddToPixels {
  const Double4* position;
  const Double3* velocity;
  const std::uint8_t* type;
  std::size_t count;
  PictureView view;
  PictureQuanta quanta;
  TypeMask mask;
  std::uint64_t* mass;
  std::uint64_t* momentum;

  GROVE_HD void operator()(std::size_t run) const {
    std::uint32_t pixel = PictureView::outside;
    std::uint64_t mass_here = 0, momentum_here = 0;
    const std::size_t begin = run * run_length, end = begin + run_length < count ? begin + run_length : count;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_shown(type, i, mask)) continue;
      const Double4 p = position[i];
      const std::uint32_t next = view.pixel_of(position_of(p));
      if (next == PictureView::outside) continue;
      if (next != pixel) {
        flush(pixel, mass_here, momentum_here);
        mass_here = momentum_here = 0;
        pixel = next;
      }
      mass_here += in_quanta(p.w, quanta.per_mass);
      if (momentum) momentum_here += in_quanta(p.w * sqrt(dot(velocity[i], velocity[i])), quanta.per_momentum);
    }
    flush(pixel, mass_here, momentum_here);
  }

  GROVE_HD void flush(std::uint32_t pixel, std::uint64_t mass_here, std::uint64_t momentum_here) const {
    if (pixel == PictureView::outside) return;
    fetch_add(mass[pixel], mass_here);
    if (momentum) fetch_add(momentum[pixel], momentum_here);
  }
};

/// Adds the mass of a particle to the bin of its distance from `centre`.
struct AddToDistances {
  const Double4* position;
  const std::uint8_t* type;
  Double3 centre;
  double per_mass;
  TypeMask mask;
  std::uint64_t* mass;

  GROVE_HD void operator()(std::size_t i) const {
    if (!is_shown(type, i, mask)) return;
    const Double3 d = position_of(position[i]) - centre;
    const double square = dot(d, d);
    // NaN, of positions near the end of the range of numbers.
    if (!(square >= 0)) return;
    std::uint64_t bits;
    memcpy(&bits, &square, sizeof bits);
    fetch_add(mass[bits >> distance_bits_dropped], in_quanta(position[i].w, per_mass));
  }
};

struct SpeedOf {
  const Double3* velocity;
  GROVE_HD double operator()(std::size_t i) const { return sqrt(dot(velocity[i], velocity[i])); }
};
struct Larger {
  GROVE_HD double operator()(double a, double b) const { return larger(a, b); }
};

struct Shown {
  const Double4* position;
  const std::uint8_t* type;
  TypeMask mask;
  GROVE_HD ShownParticles operator()(std::size_t i) const {
    const Double4 p = position[i];
    return is_shown(type, i, mask) ? ShownParticles{p.w * position_of(p), p.w, 1} : ShownParticles{};
  }
};
struct AddUp {
  GROVE_HD ShownParticles operator()(const ShownParticles& a, const ShownParticles& b) const {
    return {a.moment + b.moment, a.mass + b.mass, a.count + b.count};
  }
};

// The last bits of sums over all particles depend on the number of ranks. Rounding keeps them out of the pictures.
constexpr int bits_kept = 20;

double rounded_like(double x, double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  const double step = std::ldexp(1.0, exponent - bits_kept);
  return step > 0 ? std::round(x / step) * step : x;
}

double rounded(double x) { return rounded_like(x, x); }

/// Rounded to a small part of the picture.
Double3 rounded(const Double3& place, double field_of_view) {
  const auto round = [=](double x) { return rounded_like(x, field_of_view); };
  return {round(place.x), round(place.y), round(place.z)};
}

}  // namespace

template <class Space>
void add_to_pixels(Space& space, const Particles<Space>& particles, const PictureView& view, const PictureQuanta& quanta, TypeMask mask,
                   View<std::uint64_t> mass, std::uint64_t* momentum) {
  const std::size_t count = particles.size();
  space.for_each((count + run_length - 1) / run_length, AddToPixels{particles.position.data(), particles.velocity.data(),
                                                                    particles.type.data(), count, view, quanta, mask, mass.data, momentum});
}

template <class Space>
double largest_speed(Space& space, const Particles<Space>& particles) {
  return space.transform_reduce(particles.size(), 0.0, SpeedOf{particles.velocity.data()}, Larger{});
}

template <class Space>
ShownParticles shown_particles(Space& space, const Particles<Space>& particles, TypeMask mask) {
  return space.transform_reduce(particles.size(), ShownParticles{}, Shown{particles.position.data(), particles.type.data(), mask}, AddUp{});
}

template <class Space>
PictureSums<Space>::PictureSums(Space& space, const Communicator& comm, const PicturePlan& plan, const ComponentNames& names,
                                double field_of_view)
    : space_(space),
      comm_(comm),
      plan_(plan),
      names_(names),
      field_of_view_(plan.parameters.field_of_view > 0 ? plan.parameters.field_of_view : field_of_view),
      sums_(space) {}

template <class Space>
PictureState PictureSums<Space>::collect(const Particles<Space>& particles, OnHost& on_host) {
  if (!are_types_known_) find_types(particles);
  ShownParticles shown = shown_particles(space_, particles, mask_);
  std::array<double, 4> sums{shown.moment.x, shown.moment.y, shown.moment.z, shown.mass};
  comm_.sum(std::span<double>(sums));
  shown = {{sums[0], sums[1], sums[2]}, sums[3], comm_.sum(shown.count)};
  const double speed = plan_.shows_speed() ? comm_.max(largest_speed(space_, particles)) : 0;
  PictureState state;
  state.quanta = PictureQuanta::of(shown.mass, speed);
  state.particle_mass = shown.count > 0 ? rounded(shown.mass / static_cast<double>(shown.count)) : 0;
  Double3 middle = plan_.place ? *plan_.place : shown.mass > 0 ? 1 / shown.mass * shown.moment : Double3{};
  comm_.agree([&] {
    if (!plan_.place && !std::isfinite(middle.x + middle.y + middle.z))
      throw DataError("pictures.centre = \"mass\": the centre of mass is beyond the numbers of 64 bits; give a place instead");
  });
  if (field_of_view_ == 0) choose_field_of_view(particles, middle, state.quanta.per_mass);
  middle = rounded(middle, field_of_view_);
  comm_.agree([&] {
    sums_.resize_discard(count_of(plan_));
    on_host.resize_discard(sums_.size());
  });
  space_.fill_bytes(sums_.data(), 0, sums_.size() * sizeof(std::uint64_t));
  std::uint64_t* at = sums_.data();
  for (const char axis : plan_.axes) {
    const PictureView view = view_along(axis, middle, field_of_view_, plan_.parameters);
    std::uint64_t* const mass = at;
    at += view.pixels();
    std::uint64_t* const momentum = plan_.shows_speed() ? at : nullptr;
    if (momentum) at += view.pixels();
    add_to_pixels(space_, particles, view, state.quanta, mask_, View<std::uint64_t>{mass, view.pixels()}, momentum);
    state.views.push_back(view);
  }
  space_.order_copies_after_work();
  space_.copy_to_host_async(on_host.data(), sums_.data(), sums_.size() * sizeof(std::uint64_t));
  space_.wait_for_copies();
  state.sums = {on_host.data(), on_host.size()};
  return state;
}

template <class Space>
void PictureSums<Space>::find_types(const Particles<Space>& particles) {
  std::array<std::uint64_t, particle_type_count> count{};
  for (std::size_t type = 0; type < count.size(); ++type) count[type] = shown_particles(space_, particles, 1U << type).count;
  comm_.sum(std::span<std::uint64_t>(count));
  comm_.agree([&] { mask_ = shown_types(plan_, names_, count); });
  are_types_known_ = true;
}

template <class Space>
void PictureSums<Space>::choose_field_of_view(const Particles<Space>& particles, const Double3& middle, double per_mass) {
  Buffer<Space, std::uint64_t> mass(space_);
  comm_.agree([&] { mass.resize_discard(distance_bins); });
  space_.fill_bytes(mass.data(), 0, mass.size() * sizeof(std::uint64_t));
  space_.for_each(particles.size(), AddToDistances{particles.position.data(), particles.type.data(), middle, per_mass, mask_, mass.data()});
  std::vector<std::uint64_t> of_all(distance_bins);
  space_.copy_to_host(of_all.data(), mass.data(), of_all.size() * sizeof(std::uint64_t));
  comm_.sum(std::span<std::uint64_t>(of_all));
  field_of_view_ = field_of_view_for(of_all);
  comm_.agree([&] { require_visible(field_of_view_); });
}

template void add_to_pixels(BackEnd&, const Particles<BackEnd>&, const PictureView&, const PictureQuanta&, TypeMask, View<std::uint64_t>,
                            std::uint64_t*);
template double largest_speed(BackEnd&, const Particles<BackEnd>&);
template ShownParticles shown_particles(BackEnd&, const Particles<BackEnd>&, TypeMask);
template class PictureSums<BackEnd>;

}  // namespace grove
