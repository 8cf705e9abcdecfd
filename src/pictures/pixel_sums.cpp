#include "src/pictures/pixel_sums.hpp"

#include <cmath>
#include <cstring>

#include "kernels/space/atomic.hpp"

namespace grove {

namespace {

// Neighbours along the Morton curve are often in one pixel: adding them first saves most of the atomic additions.
constexpr std::size_t run_length = 8;

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

}  // namespace

template <class Space>
void add_to_pixels(Space& space, const Particles<Space>& particles, const PictureView& view, const PictureQuanta& quanta, TypeMask mask,
                   View<std::uint64_t> mass, std::uint64_t* momentum) {
  const std::size_t count = particles.size();
  space.for_each((count + run_length - 1) / run_length, AddToPixels{particles.position.data(), particles.velocity.data(),
                                                                    particles.type.data(), count, view, quanta, mask, mass.data, momentum});
}

template <class Space>
void add_to_distances(Space& space, const Particles<Space>& particles, const Double3& centre, double per_mass, TypeMask mask,
                      View<std::uint64_t> mass) {
  space.for_each(particles.size(), AddToDistances{particles.position.data(), particles.type.data(), centre, per_mass, mask, mass.data});
}

template <class Space>
double largest_speed(Space& space, const Particles<Space>& particles) {
  return space.transform_reduce(particles.size(), 0.0, SpeedOf{particles.velocity.data()}, Larger{});
}

template <class Space>
ShownParticles shown_particles(Space& space, const Particles<Space>& particles, TypeMask mask) {
  return space.transform_reduce(particles.size(), ShownParticles{}, Shown{particles.position.data(), particles.type.data(), mask}, AddUp{});
}

template void add_to_pixels(BackEnd&, const Particles<BackEnd>&, const PictureView&, const PictureQuanta&, TypeMask, View<std::uint64_t>,
                            std::uint64_t*);
template void add_to_distances(BackEnd&, const Particles<BackEnd>&, const Double3&, double, TypeMask, View<std::uint64_t>);
template double largest_speed(BackEnd&, const Particles<BackEnd>&);
template ShownParticles shown_particles(BackEnd&, const Particles<BackEnd>&, TypeMask);

}  // namespace grove
