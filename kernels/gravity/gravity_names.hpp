// The names a configuration may use for method, opening criterion and softening kernel.
#pragma once

#include <string>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// How forces are computed: values of `gravity.method`, the default first.
const std::vector<std::string>& method_names();

/// Opening criteria: values of `gravity.opening`.
const std::vector<std::string>& opening_names();

/// Softening kernels: values of `gravity.softening_kernel`.
const std::vector<std::string>& softening_names();

/// False for a method without a setting that trades speed for accuracy: `direct`.
bool has_accuracy(const GravityParameters& gravity);

/// The name of the key of [gravity] by which the opening criterion trades speed for accuracy, "theta" or "tolerance", and its value.
std::string accuracy_setting(const GravityParameters& gravity);
double accuracy(const GravityParameters& gravity);

}  // namespace grove
