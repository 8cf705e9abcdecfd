#include "src/simulation/field_on.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "src/simulation/require_finite.hpp"

namespace grove {

template <class Space>
FieldOn<Space>::FieldOn(std::unique_ptr<Space> space, std::unique_ptr<Space> space_of_points, const GravityParameters& gravity,
                        const Communicator& comm, const SimulationSetup& setup, ParticleSet sources, double time)
    : space_(std::move(space)),
      space_of_points_(std::move(space_of_points)),
      comm_(comm),
      external_(setup.external, gravity.G, setup.external_function, setup.external_begin),
      sources_(*space_) {
  ParticleSet needed;
  needed.position = std::move(sources.position);
  needed.mass = std::move(sources.mass);
  needed.id = std::move(sources.id);
  needed.type = std::move(sources.type);
  comm_.agree([&] { upload(*space_, std::move(needed), sources_); });
  require_finite<Space>(*space_, comm_, sources_, ParticlePart::motion, time, nullptr);
  // Points have other ids: a particle does not act on one of its own id.
  space_->fill_bytes(sources_.id.data(), 0xff, sources_.size() * sizeof(std::uint64_t));
  gravity_ = std::make_unique<PointForces<Space>>(*space_, *space_of_points_, comm_, gravity, setup.transport, sources_);
}

template <class Space>
FieldValues FieldOn<Space>::at(std::span<const double> points, double time) {
  std::vector<Double4> places(points.size() / 3);
  comm_.agree([&] {
    if (points.size() % 3 != 0) throw ConfigError("points have three coordinates each");
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!std::isfinite(points[i])) throw DataError("point " + std::to_string(i / 3) + " is not finite");
    external_.require_times(time, time);
  });
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = {points[3 * i], points[3 * i + 1], points[3 * i + 2], 0};
  std::vector<Double4> field = gravity_->at(places);
  FieldValues values;
  comm_.agree([&] {
    add_external(places, time, field);
    for (std::size_t i = 0; i < field.size(); ++i) {
      const Double4& f = field[i];
      if (!std::isfinite(f.x + f.y + f.z + f.w))
        throw DataError("the field at point " + std::to_string(i) +
                        " is not finite; unless it is chosen, gravity.method = \"direct\", all in FP64, may help");
      values.acceleration.insert(values.acceleration.end(), {f.x, f.y, f.z});
      values.potential.push_back(f.w);
    }
  });
  return values;
}

template <class Space>
void FieldOn<Space>::add_external(const std::vector<Double4>& points, double time, std::vector<Double4>& field) {
  if (external_.empty() || points.empty()) return;
  external_.set_time(time);
  Buffer<Space, Double4> place(*space_of_points_), sum(*space_of_points_);
  place.resize_discard(points.size());
  sum.resize_discard(points.size());
  copy_from_host<Space, Double4>(*space_of_points_, points, place.view());
  copy_from_host<Space, Double4>(*space_of_points_, field, sum.view());
  external_.add(*space_of_points_, place.view(), sum.data());
  copy_to_host<Space, Double4>(*space_of_points_, sum.view(), field);
}

template class FieldOn<BackEnd>;

}  // namespace grove
