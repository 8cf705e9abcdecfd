// The gravity law of a run: names of the configuration resolved once to an opening criterion, a softening kernel and an order.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <variant>

#include "kernels/gravity/cell.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/gravity/local_expansion.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

namespace detail {

template <class... Types>
std::variant<Types...> variant_of(std::tuple<Types...>);
template <class... Types>
std::variant<NewtonKernel, Types...> softening_variant_of(std::tuple<Types...>);

}  // namespace detail

using AnyOpening = decltype(detail::variant_of(std::declval<OpeningCriteria>()));
using AnySoftening = decltype(detail::softening_variant_of(std::declval<SofteningKernels>()));

/// Between code units and those of a tree; G is in the results.
struct GravityUnits {
  double length = 1, per_length = 1, per_mass = 1;
  double acceleration = 1, potential = 1;  ///< code units of the results' scaled ones

  GravityUnits() = default;
  GravityUnits(double G, const TreeScale& scale)
      : length(scale.length),
        per_length(1 / scale.length),
        per_mass(1 / scale.mass),
        acceleration(G * scale.mass / (scale.length * scale.length)),
        potential(G * scale.mass / scale.length) {}

  /// x - centre, scaled.
  GROVE_HD float offset(double x, double centre) const { return static_cast<float>((x - centre) * per_length); }
};

/// The law in the units of a tree.
struct ScaledLaw {
  AnyOpening opening;
  AnySoftening softening;
  ExpansionForm form;  ///< what the expansions of method = fmm hold
  GravityUnits units;
  TreeScale scale;
  double G = 1;  ///< code units
  /// Distance, scaled, beyond which the softened force is that of the multipoles, and its square; a little more than the kernel's own.
  float support = 0, support2 = 0;

  /// Calls f(opening, softening).
  template <class F>
  void visit(F f) const {
    std::visit(f, opening, softening);
  }
  /// Calls f(order) with the order of expansions as a constant.
  template <class F>
  void visit_order(F f) const {
    if (form.order == 4)
      f(std::integral_constant<int, 4>{});
    else
      f(std::integral_constant<int, 5>{});
  }
};

class GravityLaw {
 public:
  /// Throws ConfigError for names and orders that there are not.
  explicit GravityLaw(const GravityParameters& gravity);

  double G() const { return gravity_.G; }
  ExpansionForm expansion_form() const { return form_; }
  /// Whether the opening criterion looks at the accelerations of an earlier force evaluation.
  bool needs_acceleration() const {
    return std::visit([](const auto& opening) { return std::decay_t<decltype(opening)>::needs_acceleration; }, opening_);
  }
  /// The law with a criterion that needs none, for first forces.
  GravityLaw without_acceleration() const;

  /// `scale`, or one of longer lengths: a softening that dwarfs the system is what lengths are measured by, since its square, too, must fit
  /// into FP32.
  TreeScale fitting(TreeScale scale) const;
  ScaledLaw at(const TreeScale& scale) const;
  /// In code units.
  ScaledLaw unscaled() const { return at({}); }

 private:
  GravityParameters gravity_;
  AnyOpening opening_;
  ExpansionForm form_;
};

}  // namespace grove
