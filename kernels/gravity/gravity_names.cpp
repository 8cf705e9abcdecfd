#include "kernels/gravity/gravity_names.hpp"

#include <tuple>

#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

namespace {

template <class... Types>
std::vector<std::string> names_of(const std::tuple<Types...>*) {
  return {Types::name...};
}

}  // namespace

const std::vector<std::string>& opening_names() {
  static const std::vector<std::string> names = names_of(static_cast<const OpeningCriteria*>(nullptr));
  return names;
}

const std::vector<std::string>& softening_names() {
  static const std::vector<std::string> names = names_of(static_cast<const SofteningKernels*>(nullptr));
  return names;
}

std::string accuracy_setting(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? "tolerance" : "theta"; }

double accuracy(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? gravity.tolerance : gravity.theta; }

}  // namespace grove
