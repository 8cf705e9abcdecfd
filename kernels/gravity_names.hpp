// The names a configuration may use for method, opening criterion and softening kernel.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// How forces are computed: values of `gravity.method`, the default first.
const std::vector<std::string>& method_names();

/// Opening criteria: values of `gravity.opening`.
const std::vector<std::string>& opening_names();

/// Softening kernels: values of `gravity.softening_kernel`.
const std::vector<std::string>& softening_names();

}  // namespace grove
