// The names that a configuration can use for method, opening criterion and softening kernel.
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

/// Whether the method has a setting that trades speed for accuracy: not so for `direct`.
bool has_accuracy(const GravityParameters& gravity);

/// The key of [gravity] with which the opening criterion trades speed for accuracy, "theta" or "tolerance", and its value.
std::string accuracy_setting(const GravityParameters& gravity);
double accuracy(const GravityParameters& gravity);

}  // namespace grove
