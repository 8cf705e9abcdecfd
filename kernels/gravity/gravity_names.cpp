#include "kernels/gravity/gravity_names.hpp"

#include <tuple>

#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

namespace {

template <class... Openings>
std::vector<std::string> names_of(const std::tuple<Openings...>*) {
  std::vector<std::string> names;
  (names.insert(names.end(), Openings::names.begin(), Openings::names.end()), ...);
  return names;
}
template <class... Softenings>
std::vector<std::string> softening_names_of(const std::tuple<Softenings...>*) {
  return {Softenings::name...};
}

}  // namespace

const std::vector<std::string>& opening_names() {
  static const std::vector<std::string> names = names_of(static_cast<const OpeningCriteria*>(nullptr));
  return names;
}

const std::vector<std::string>& softening_names() {
  static const std::vector<std::string> names = softening_names_of(static_cast<const SofteningKernels*>(nullptr));
  return names;
}

std::string accuracy_setting(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? "tolerance" : "theta"; }

double accuracy(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? gravity.tolerance : gravity.theta; }

}  // namespace grove
