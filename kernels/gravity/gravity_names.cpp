#include "kernels/gravity/gravity_names.hpp"

#include "kernels/base/type_table.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/gravity/softening.hpp"

namespace grove {

const std::vector<std::string>& opening_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_type<OpeningCriteria>([&]<class Opening>() { all.insert(all.end(), Opening::names.begin(), Opening::names.end()); });
    return all;
  }();
  return names;
}

const std::vector<std::string>& softening_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_type<SofteningKernels>([&]<class Softening>() { all.emplace_back(Softening::name); });
    return all;
  }();
  return names;
}

std::string accuracy_setting(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? "tolerance" : "theta"; }

double accuracy(const GravityParameters& gravity) { return gravity.opening == RelativeOpening::name ? gravity.tolerance : gravity.theta; }

}  // namespace grove
