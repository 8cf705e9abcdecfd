#include "src/external/external_field.hpp"

#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/type_table.hpp"
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
  PotentialOn(const ExternalParameters& p, double G) : potential_(p, G), centre_{p.number("x"), p.number("y"), p.number("z")} {}

  void add(Space& space, View<const Double4> position, Double4* field) const override {
    space.for_each(position.size, AddField<Potential>{potential_, centre_, position.data, field});
  }
  Double3 centre() const override { return centre_; }
  ExternalSums sums(Space& space, View<const Double4> position, const Double3& origin) const override {
    const FieldSums all =
        space.reduce_rows(position.size, FieldSums{}, SumField<Potential>{potential_, centre_, origin, position.data}, AddSums{});
    return {all.part[0], all.part[1], {all.part[2], all.part[3], all.part[4]}};
  }

 private:
  Potential potential_;
  Double3 centre_;
};

struct KeepMagnitude {
  const Double4* acceleration;
  double* magnitude;
  GROVE_HD void operator()(std::size_t i) const {
    const Double3 a = position_of(acceleration[i]);
    magnitude[i] = sqrt(dot(a, a));
  }
};
struct SetMagnitude {
  const double* magnitude;
  Double4* acceleration;
  GROVE_HD void operator()(std::size_t i) const { acceleration[i] = {magnitude[i], 0, 0, 0}; }
};

template <class Space>
double* magnitudes_of(const Particles<Space>& particles) {
  return reinterpret_cast<double*>(particles.array(particles.table()->array_of(own_gravity_field)).data());
}

}  // namespace

template <class Space>
ExternalField<Space>::ExternalField(const std::vector<ExternalParameters>& sections, double G) {
  for (const ExternalParameters& section : sections) {
    if (!section.is_there()) continue;
    std::unique_ptr<ExternalPotential<Space>> made;
    for_each_type<ExternalPotentials>([&]<class Potential>() {
      if (Potential::info().name == section.potential) made = std::make_unique<PotentialOn<Space, Potential>>(section, G);
    });
    if (!made) throw ConfigError("external.potential = \"" + section.potential + "\": there is no potential of this name");
    potentials_.push_back(std::move(made));
    holds_all_ = holds_all_ || find_named(external_infos(), section.potential)->holds_all;
  }
}

template <class Space>
void ExternalField<Space>::hide(Space& space, Particles<Space>& particles) const {
  if (empty() || !particles.has_acceleration) return;
  space.for_each(particles.size(), SetMagnitude{magnitudes_of(particles), particles.acceleration.data()});
}

template <class Space>
void ExternalField<Space>::show(Space& space, Particles<Space>& particles) const {
  if (empty()) return;
  space.for_each(particles.size(), KeepMagnitude{particles.acceleration.data(), magnitudes_of(particles)});
  add(space, particles.position.view(), particles.acceleration.data());
}

template <class Space>
void ExternalField<Space>::add(Space& space, View<const Double4> position, Double4* field) const {
  for (const auto& potential : potentials_) potential->add(space, position, field);
}

template <class Space>
ExternalSums ExternalField<Space>::sums(Space& space, View<const Double4> position) const {
  ExternalSums all;
  for (const auto& potential : potentials_) all = all + potential->sums(space, position, potentials_.front()->centre());
  return all;
}

template class ExternalField<BackEnd>;

}  // namespace grove
