#include "src/pictures/picture_sums.hpp"

#include <cmath>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

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
  Double3 middle = place_of_middle(shown);
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
Double3 PictureSums<Space>::place_of_middle(const ShownParticles& shown) const {
  if (plan_.place) return *plan_.place;
  return shown.mass > 0 ? 1 / shown.mass * shown.moment : Double3{};
}

template <class Space>
void PictureSums<Space>::choose_field_of_view(const Particles<Space>& particles, const Double3& middle, double per_mass) {
  Buffer<Space, std::uint64_t> mass(space_);
  comm_.agree([&] { mass.resize_discard(distance_bins); });
  space_.fill_bytes(mass.data(), 0, mass.size() * sizeof(std::uint64_t));
  add_to_distances(space_, particles, middle, per_mass, mask_, mass.view());
  std::vector<std::uint64_t> of_all(distance_bins);
  space_.copy_to_host(of_all.data(), mass.data(), of_all.size() * sizeof(std::uint64_t));
  comm_.sum(std::span<std::uint64_t>(of_all));
  field_of_view_ = field_of_view_for(of_all);
  comm_.agree([&] { require_visible(field_of_view_); });
}

template <class Space>
std::size_t PictureSums<Space>::count_of(const PicturePlan& plan) {
  const std::size_t pixels = plan.parameters.width * plan.parameters.height * plan.axes.size();
  return pixels * (plan.shows_speed() ? 2 : 1);
}

template class PictureSums<BackEnd>;

}  // namespace grove
