// The gravity law of a run. The names in the configuration are resolved once, to an opening criterion, a softening kernel and an order.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <variant>

#include "kernels/gravity/cell.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/gravity/local_expansion.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "kernels/particles/acceleration_measure.hpp"

namespace grove {

namespace detail {

template <class... Types>
std::variant<Types...> variant_of(std::tuple<Types...>);
template <class... Types>
std::variant<NewtonKernel, Types...> softening_variant_of(std::tuple<Types...>);

}  // namespace detail

using AnyOpening = decltype(detail::variant_of(std::declval<OpeningCriteria>()));
using AnySoftening = decltype(detail::softening_variant_of(std::declval<SofteningKernels>()));

/// Converts between code units and the units of a tree. The factors for accelerations and potentials contain G.
struct GravityUnits {
  double length = 1, per_length = 1, per_mass = 1;
  double acceleration = 1, potential = 1;  ///< factors from scaled results to code units

  GravityUnits() = default;
  GravityUnits(double G, const TreeScale& scale)
      : length(scale.length),
        per_length(1 / scale.length),
        per_mass(1 / scale.mass),
        acceleration(G * scale.mass / (scale.length * scale.length)),
        potential(G * scale.mass / scale.length) {}

  /// x - centre in units of the tree.
  GROVE_HD float offset(double x, double centre) const { return static_cast<float>((x - centre) * per_length); }
  /// The same for add_close_particle(). An offset that is not zero but too small for FP32 becomes `least`: its force is then infinite,
  /// instead of zero.
  GROVE_HD float close_offset(double x, double centre) const {
    constexpr float least = 1e-36F;
    const float d = offset(x, centre);
    return x == centre || d > least || d < -least ? d : x > centre ? least : -least;
  }
};

/// The law in the units of a tree.
struct ScaledLaw {
  AnyOpening opening;
  AnySoftening softening;
  ExpansionForm form;  ///< terms of the expansions of method = fmm
  GravityUnits units;
  TreeScale scale;
  double G = 1;  ///< code units
  /// Scaled distance beyond which multipoles give the softened force, and its square. Slightly larger than that of the kernel, because of
  /// rounding.
  float support = 0, support2 = 0;
  float common_mass = 0;  ///< of each particle, scaled; 0: not all have the same. Walks are then a little faster

  /// The smallest softening length, scaled, for which forces fit into FP32.
  double least_softening() const {
    return std::visit([](const auto& kernel) { return std::decay_t<decltype(kernel)>::least_length; }, softening);
  }
  /// Calls f(opening, softening).
  template <class F>
  void visit(F f) const {
    std::visit(f, opening, softening);
  }
  /// The same for walks with expansions of `form`: if these are harmonic, SmallPlummerKernel replaces PlummerKernel. Throws
  /// std::logic_error if the law does not allow expansions of that form.
  template <class F>
  void visit_with_expansions(F f) const {
    visit([&](const auto& of_opening, const auto& of_softening) {
      using Softening = std::decay_t<decltype(of_softening)>;
      if constexpr (std::is_same_v<Softening, PlummerKernel> && std::is_same_v<std::decay_t<decltype(of_opening)>, RelativeOpening>)
        if (form.harmonic) return f(of_opening, SmallPlummerKernel{of_softening});
      if (form.harmonic != Softening::harmonic) throw std::logic_error("this softening takes expansions of another form");
      f(of_opening, of_softening);
    });
  }
  /// Calls f(order) with the order of the expansions as a compile-time constant.
  template <class F>
  void visit_order(F f) const {
    if (form.order == 4)
      f(std::integral_constant<int, 4>{});
    else
      f(std::integral_constant<int, 5>{});
  }
};

/// Opening criterion, softening kernel, order and G of a run, in code units.
class GravityLaw {
 public:
  /// Throws ConfigError for an unknown opening criterion, softening kernel or order.
  explicit GravityLaw(const GravityParameters& gravity);

  double G() const { return gravity_.G; }
  /// The form of expansions that is valid for cells of any size.
  ExpansionForm expansion_form() const { return form_; }
  /// The form of expansions for a tree in which nearly all cells have sides of at least `side` [code units]. With the criterion `relative`
  /// and a Plummer softening that is small compared with `side`, it is harmonic and so has fewer terms. For smaller cells this would not
  /// do: more cells would be opened, and the neglected parts of the forces, which all have the same sign, would add up.
  ExpansionForm form_for_cells(double side) const;
  /// Whether the opening criterion uses the accelerations of an earlier force evaluation.
  bool needs_acceleration() const {
    return std::visit([](const auto& opening) { return std::decay_t<decltype(opening)>::needs_acceleration; }, opening_);
  }
  /// The same law with an opening criterion that needs no accelerations, for the first forces of a run, with an opening angle that is
  /// `wider`: only the magnitudes of these forces are used, and a larger angle saves memory for the lists of the walk.
  GravityLaw without_acceleration(double wider = 1.25) const;

  /// `scale`, with a larger unit of length if the softening length is larger than that unit: the square of the softening length must also
  /// fit into FP32.
  TreeScale fitting(TreeScale scale) const;
  /// Classes of particles with equal softening lengths; at least one.
  const SofteningClasses& classes() const { return classes_; }
  /// The law in the units of a tree, with the largest softening: its support holds for all pairs.
  ScaledLaw at(const TreeScale& scale) const { return at(scale, form_); }
  ScaledLaw at(const TreeScale& scale, ExpansionForm form) const { return with_softening(classes_.longest(), scale, form); }
  /// The law for the pairs of two classes, with expansions of the given form.
  ScaledLaw of_pair(int a, int b, const TreeScale& scale, ExpansionForm form) const;
  /// The measure of accelerations that opening criteria use, for particles with the total mass `mass` [code units].
  AccelerationMeasure measure(const TreeScale& scale, double mass) const;
  /// The law in code units.
  ScaledLaw unscaled() const { return at({}); }

 private:
  ScaledLaw with_softening(double length, const TreeScale& scale, ExpansionForm form) const;

  GravityParameters gravity_;
  SofteningClasses classes_;
  AnyOpening opening_;
  ExpansionForm form_;
};

}  // namespace grove
