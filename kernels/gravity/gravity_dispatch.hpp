// From the names in GravityParameters to the types of opening.hpp and softening.hpp.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "kernels/space/error.hpp"
#include "kernels/gravity/local_expansion.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

namespace detail {

template <class Make, class F, class... Types>
void visit_named(const std::string& name, const std::tuple<Types...>*, Make make, F f) {
  const bool found = ((name == Types::name ? (f(make.template operator()<Types>()), true) : false) || ...);
  if (!found) throw ConfigError("there is no opening criterion or softening kernel called '" + name + "'");
}

}  // namespace detail

/// Calls f(opening) with the criterion that `gravity` names. Throws ConfigError for a name that is not in the table.
template <class F>
void visit_opening(const GravityParameters& gravity, F f) {
  detail::visit_named(
      gravity.opening, static_cast<const OpeningCriteria*>(nullptr), [&]<class Opening>() { return Opening(gravity); }, f);
}

/// Calls f(softening) with the kernel that `gravity` names, with lengths in units of `length`.
template <class F>
void visit_softening(const GravityParameters& gravity, double length, F f) {
  if (gravity.softening == 0) return f(NewtonKernel(0));
  detail::visit_named(
      gravity.softening_kernel, static_cast<const SofteningKernels*>(nullptr),
      [&]<class Softening>() { return Softening(gravity.softening / length); }, f);
}

/// Calls f(order) with the order of expansions as a constant. Throws ConfigError for one that there is not.
template <class F>
void visit_order(const GravityParameters& gravity, F f) {
  if (gravity.order == 4) return f(std::integral_constant<int, 4>{});
  if (gravity.order == 5) return f(std::integral_constant<int, 5>{});
  throw ConfigError("there are no expansions of order " + std::to_string(gravity.order) + "; there are those of order 4 and 5");
}

/// The terms that the expansions of method = fmm hold.
inline ExpansionForm expansion_form(const GravityParameters& gravity) {
  ExpansionForm form;
  visit_order(gravity, [&](auto order) {
    visit_softening(gravity, 1, [&](const auto& softening) { form = ExpansionTerms<order, std::decay_t<decltype(softening)>>::form; });
  });
  return form;
}

}  // namespace grove
