// The names that a configuration can use for opening criterion and softening kernel.
#pragma once

#include <string>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// Opening criteria: values of `gravity.opening`.
const std::vector<std::string>& opening_names();

/// Softening kernels: values of `gravity.softening_kernel`.
const std::vector<std::string>& softening_names();

/// The key of [gravity] with which the opening criterion trades speed for accuracy, "theta" or "tolerance", and its value.
std::string accuracy_setting(const GravityParameters& gravity);
double accuracy(const GravityParameters& gravity);

}  // namespace grove
