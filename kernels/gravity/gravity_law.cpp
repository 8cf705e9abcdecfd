#include "kernels/gravity/gravity_law.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// Calls f<Type>() for the type of that name; false when there is none.
template <class F, class... Types>
bool for_named(const std::string& name, const std::tuple<Types...>*, F f) {
  return ((name == Types::name ? (f.template operator()<Types>(), true) : false) || ...);
}

AnyOpening find_opening(const GravityParameters& gravity) {
  std::optional<AnyOpening> found;
  for_named(gravity.opening, static_cast<const OpeningCriteria*>(nullptr), [&]<class Opening>() { found = Opening(gravity); });
  if (!found) throw ConfigError("there is no opening criterion called '" + gravity.opening + "'");
  return *found;
}

/// The kernel with lengths in units of `length`.
AnySoftening find_softening(const GravityParameters& gravity, double length) {
  if (gravity.softening == 0) return NewtonKernel(0);
  std::optional<AnySoftening> found;
  for_named(gravity.softening_kernel, static_cast<const SofteningKernels*>(nullptr),
            [&]<class Softening>() { found = Softening(gravity.softening / length); });
  if (!found) throw ConfigError("there is no softening kernel called '" + gravity.softening_kernel + "'");
  return *found;
}

ExpansionForm find_form(const GravityParameters& gravity) {
  if (gravity.order != 4 && gravity.order != 5)
    throw ConfigError("there are no expansions of order " + std::to_string(gravity.order) + "; there are those of order 4 and 5");
  const AnySoftening softening = find_softening(gravity, 1);
  const bool harmonic = std::visit([](const auto& kernel) { return std::decay_t<decltype(kernel)>::harmonic; }, softening);
  return {static_cast<int>(gravity.order), harmonic};
}

/// Enlarges the support a little. Otherwise rounding of FP32 distances could put a pair outside that is inside.
constexpr double support_margin = 1 + 1e-6;

}  // namespace

GravityLaw::GravityLaw(const GravityParameters& gravity) : gravity_(gravity), opening_(find_opening(gravity)), form_(find_form(gravity)) {}

GravityLaw GravityLaw::without_acceleration() const {
  GravityParameters first = gravity_;
  first.opening = BarnesOpening::name;
  return GravityLaw(first);
}

TreeScale GravityLaw::fitting(TreeScale scale) const {
  if (gravity_.softening > scale.length) scale.length = std::exp2(std::round(std::log2(gravity_.softening)));
  return scale;
}

ScaledLaw GravityLaw::at(const TreeScale& scale) const {
  const AnySoftening softening = find_softening(gravity_, scale.length);
  const double support = support_margin * std::visit([](const auto& kernel) { return kernel.support(); }, softening);
  return {opening_,
          softening,
          form_,
          GravityUnits(gravity_.G, scale),
          scale,
          gravity_.G,
          static_cast<float>(support),
          static_cast<float>(support * support)};
}

}  // namespace grove
