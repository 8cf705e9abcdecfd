#include "kernels/gravity/gravity_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/base/type_table.hpp"

namespace grove {

namespace {

AnyOpening find_opening(const GravityParameters& gravity) {
  std::optional<AnyOpening> found;
  for_each_type<OpeningCriteria>([&]<class Opening>() {
    if (std::find(Opening::names.begin(), Opening::names.end(), gravity.opening) != Opening::names.end()) found = Opening(gravity);
  });
  if (!found) throw ConfigError("there is no opening criterion called '" + gravity.opening + "'");
  return *found;
}

/// The softening kernel for the softening length `softening`, in units of `unit`.
AnySoftening find_softening(const GravityParameters& gravity, double softening, double unit) {
  if (softening == 0) return NewtonKernel(0);
  std::optional<AnySoftening> found;
  for_each_type<SofteningKernels>([&]<class Softening>() {
    if (Softening::name == gravity.softening_kernel) found = Softening(softening / unit);
  });
  if (!found) throw ConfigError("there is no softening kernel called '" + gravity.softening_kernel + "'");
  return *found;
}

ExpansionForm find_form(const GravityParameters& gravity) {
  if (gravity.order != 4 && gravity.order != 5)
    throw ConfigError("there are no expansions of order " + std::to_string(gravity.order) + "; there are those of order 4 and 5");
  const AnySoftening softening = find_softening(gravity, softening_classes(gravity).longest(), 1);
  const bool harmonic = std::visit([](const auto& kernel) { return std::decay_t<decltype(kernel)>::harmonic; }, softening);
  return {static_cast<int>(gravity.order), harmonic};
}

/// Enlarges the support slightly. Otherwise a pair inside the support could appear outside it, because FP32 distances are rounded.
constexpr double support_margin = 1 + 1e-6;

/// A softening length up to this fraction of the side of a cell counts as small (docs/development/constants.md).
constexpr double small_softening = 1.0 / 14;

/// The trees of all classes have expansions of the same form. Unsoftened gravity has another form than some softening kernels.
SofteningClasses checked_classes(const GravityParameters& gravity) {
  SofteningClasses classes = softening_classes(gravity);
  if (classes.length.size() > 1 && classes.length.front() == 0)
    throw ConfigError("gravity.softening: some components have a softening of 0, and others have not; give all one above 0, or none");
  for (const SofteningBetween& pair : classes.between)
    if ((pair.length == 0) != (classes.length.front() == 0))
      throw ConfigError("gravity.softening_between: some pairs have a softening of 0, and others have not; give all one above 0, or none");
  return classes;
}

/// With several classes, each target gets forces from a tree of each class. The errors of these add up like random numbers.
GravityParameters with_tolerance_of_each(GravityParameters gravity, const SofteningClasses& classes) {
  gravity.tolerance /= std::sqrt(classes.count());
  return gravity;
}

}  // namespace

GravityLaw::GravityLaw(const GravityParameters& gravity)
    : gravity_(gravity),
      classes_(checked_classes(gravity)),
      opening_(find_opening(with_tolerance_of_each(gravity, classes_))),
      form_(find_form(gravity)) {}

GravityLaw GravityLaw::without_acceleration(double wider) const {
  GravityParameters first = gravity_;
  first.theta *= wider;
  first.opening = AngleOpening::barnes;
  return GravityLaw(first);
}

TreeScale GravityLaw::fitting(TreeScale scale) const {
  const double largest = classes_.longest();
  if (largest > scale.length) scale.length = std::exp2(std::round(std::log2(largest)));
  return scale;
}

AccelerationMeasure GravityLaw::measure(const TreeScale& scale, double mass) const {
  return {GravityUnits(gravity_.G, scale).acceleration, gravity_.G * mass, classes_.longest()};
}

ExpansionForm GravityLaw::form_for_cells(double side) const {
  const bool is_small = std::holds_alternative<RelativeOpening>(opening_) && gravity_.softening_kernel == PlummerKernel::name &&
                        classes_.longest() <= small_softening * side;
  return {form_.order, form_.harmonic || is_small};
}

ScaledLaw GravityLaw::of_pair(int a, int b, const TreeScale& scale, ExpansionForm form) const {
  return with_softening(classes_.of_pair(a, b), scale, form);
}

ScaledLaw GravityLaw::with_softening(double length, const TreeScale& scale, ExpansionForm form) const {
  const AnySoftening softening = find_softening(gravity_, length, scale.length);
  const double support = support_margin * std::visit([](const auto& kernel) { return kernel.support(); }, softening);
  AnyOpening opening = opening_;
  if (RelativeOpening* const relative = std::get_if<RelativeOpening>(&opening))
    if (const PlummerKernel* const plummer = std::get_if<PlummerKernel>(&softening); plummer && form.harmonic)
      relative->trace = static_cast<float>(SmallPlummerKernel::lacking_trace * plummer->eps2.exact);
  return {opening,
          softening,
          form,
          GravityUnits(gravity_.G, scale),
          scale,
          gravity_.G,
          static_cast<float>(support),
          static_cast<float>(support * support)};
}

}  // namespace grove
