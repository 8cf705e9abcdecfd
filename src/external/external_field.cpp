#include "src/external/external_field.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/type_table.hpp"
#include "kernels/particles/active_particles.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/space/arena.hpp"
#include "src/external/external_potentials.hpp"

namespace grove {

namespace {

template <class Potential>
struct AddField {
  Potential potential;
  Double3 centre;
  const Double4* position;
  Double4* field;
  GROVE_HD void operator()(std::size_t i) const {
    const FieldAt f = potential.at(position_of(position[i]) - centre);
    Double4& sum = field[i];
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z, sum.w + f.w};
  }
};

using FieldSums = Row<CompensatedSum, 5>;

template <class Potential>
struct SumField {
  Potential potential;
  Double3 centre, origin;
  const Double4* position;
  GROVE_HD FieldSums operator()(std::size_t i) const {
    const double m = position[i].w;
    const Double3 x = position_of(position[i]);
    const FieldAt f = potential.at(x - centre);
    return {{{m * f.w, 0}, {m * dot(x - origin, position_of(f)), 0}, {m * f.x, 0}, {m * f.y, 0}, {m * f.z, 0}}};
  }
};

template <class Space, class Potential>
class PotentialOn final : public ExternalPotential<Space> {
 public:
  PotentialOn(const ExternalParameters& p, double G)
      : potential_(p, G), place_{p.number("x"), p.number("y"), p.number("z")}, centre_(place_) {}

  void add(Space& space, View<const Double4> position, Double4* field) const override {
    space.for_each(position.size, AddField<Potential>{potential_, centre_, position.data, field});
  }
  Double3 centre() const override { return centre_; }
  void set_time(double, const Double3& path) override { centre_ = place_ + path; }
  ExternalSums sums(Space& space, View<const Double4> position, const Double3& origin) const override {
    const FieldSums all =
        space.reduce_rows(position.size, FieldSums{}, SumField<Potential>{potential_, centre_, origin, position.data}, AddParts{});
    return {all.part[0], all.part[1], {all.part[2], all.part[3], all.part[4]}};
  }

 private:
  Potential potential_;
  const Double3 place_;
  Double3 centre_;
};

struct AddGiven {
  const Double4* given;
  Double4* field;
  GROVE_HD void operator()(std::size_t i) const {
    const Double4 f = given[i];
    Double4& sum = field[i];
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z, sum.w + f.w};
  }
};

template <class Space>
std::vector<Double4> copied_to_host(Space& space, View<const Double4> items) {
  std::vector<Double4> host(items.size);
  copy_to_host<Space, Double4>(space, items, host);
  return host;
}

/// What the caller's function gives, about the origin. It works on the host.
template <class Space>
class FunctionOn final : public ExternalPotential<Space> {
 public:
  explicit FunctionOn(ExternalFunction function) : function_(std::move(function)) {}

  void add(Space& space, View<const Double4> position, Double4* field) const override {
    const std::vector<Double4> given = values(copied_to_host(space, position));
    Scratch<Space, Double4> there(space, given.size());
    copy_from_host<Space, Double4>(space, given, there.view());
    space.for_each(given.size(), AddGiven{there.data(), field});
  }
  Double3 centre() const override { return {}; }
  void set_time(double time, const Double3&) override { time_ = time; }
  ExternalSums sums(Space& space, View<const Double4> position, const Double3& origin) const override {
    const std::vector<Double4> here = copied_to_host(space, position), given = values(here);
    ExternalSums all;
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double m = here[i].w;
      const Double3 f = position_of(given[i]);
      all = all +
            ExternalSums{{m * given[i].w, 0}, {m * dot(position_of(here[i]) - origin, f), 0}, {{m * f.x, 0}, {m * f.y, 0}, {m * f.z, 0}}};
    }
    return all;
  }

 private:
  std::vector<Double4> values(const std::vector<Double4>& position) const {
    const std::size_t n = position.size();
    std::vector<double> at(3 * n), acceleration(3 * n), potential(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double place[3] = {position[i].x, position[i].y, position[i].z};
      std::copy_n(place, 3, at.data() + 3 * i);
    }
    if (n > 0) function_(time_, n, at.data(), acceleration.data(), potential.data());
    std::vector<Double4> all(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double* const a = acceleration.data() + 3 * i;
      all[i] = {a[0], a[1], a[2], potential[i]};
      if (!std::isfinite(a[0] + a[1] + a[2] + potential[i])) {
        std::ostringstream words;  // nvcc cannot compile fmt
        words << "the external function gives numbers that are not finite at " << position[i].x << ", " << position[i].y << ", "
              << position[i].z;
        throw DataError(words.str());
      }
    }
    return all;
  }

  const ExternalFunction function_;
  double time_ = 0;
};

}  // namespace

template <class Space>
ExternalField<Space>::ExternalField(const std::vector<ExternalParameters>& sections, double G, const ExternalFunction& function,
                                    double begin) {
  std::vector<ExternalParameters> there;
  for (const ExternalParameters& section : sections) {
    if (!section.is_there()) continue;
    std::unique_ptr<ExternalPotential<Space>> made;
    for_each_type<ExternalPotentials>([&]<class Potential>() {
      if (Potential::info().name == section.potential) made = std::make_unique<PotentialOn<Space, Potential>>(section, G);
    });
    if (!made) throw ConfigError("external.potential = \"" + section.potential + "\": there is no potential of this name");
    potentials_.push_back(std::move(made));
    paths_.push_back(section.path);
    there.push_back(section);
    holds_all_ = holds_all_ || find_named(external_infos(), section.potential)->holds_all;
  }
  free_ = std::make_unique<FreeOrbits>(there, G, begin);
  set_time(begin);
  changes_ = std::any_of(paths_.begin(), paths_.end(), [](const Orbit& path) { return path.moves(); });
  if (!function) return;
  potentials_.push_back(std::make_unique<FunctionOn<Space>>(function));
  paths_.emplace_back();
  changes_ = true;
}

template <class Space>
void ExternalField<Space>::require_times(double begin, double end) const {
  for (const Orbit& path : paths_) path.require_times(begin, end);
}

template <class Space>
void ExternalField<Space>::set_time(double time) {
  free_->reach(time, paths_);
  for (std::size_t i = 0; i < potentials_.size(); ++i) potentials_[i]->set_time(time, paths_[i].at(time));
}

template <class Space>
void ExternalField<Space>::add(Space& space, View<const Double4> position, Double4* field, const std::uint8_t* active) const {
  if (!active) {
    for (const auto& potential : potentials_) potential->add(space, position, field);
    return;
  }
  Scratch<Space, std::uint32_t> index(space, position.size);
  const std::uint32_t count = select_active(space, position.size, active, index.data());
  Scratch<Space, Double4> of_active(space, count), force(space, count);
  gather_items<Space>(space, {index.data(), count}, sizeof(Double4), position.data, of_active.data());
  space.fill_bytes(force.data(), 0, count * sizeof(Double4));
  for (const auto& potential : potentials_) potential->add(space, of_active.view(), force.data());
  space.for_each(count, AddForces{force.data(), index.data(), field});
}

template <class Space>
ExternalSums ExternalField<Space>::sums(Space& space, View<const Double4> position) const {
  ExternalSums all;
  for (const auto& potential : potentials_) all = all + potential->sums(space, position, potentials_.front()->centre());
  return all;
}

template class ExternalField<BackEnd>;

}  // namespace grove
