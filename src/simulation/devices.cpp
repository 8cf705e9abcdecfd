#include "src/simulation/devices.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/space/cpu_level.hpp"
#include "src/simulation/simulation_cuda.hpp"
#include "src/simulation/simulation_on.hpp"

namespace grove {

namespace {

void require_setting(bool is_allowed, const char* key, double value, const char* allowed) {
  if (!is_allowed) throw ConfigError(fmt::format("gravity.{} = {}: must be {}", key, value, allowed));
}

/// The names in them are looked at where they are used.
void require_numbers_of(const GravityParameters& gravity) {
  const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto is_length = [](double value) { return value >= 0 && std::isfinite(value); };
  require_setting(is_positive(gravity.G), "G", gravity.G, "a number > 0");
  require_setting(is_length(gravity.softening), "softening", gravity.softening, "a number >= 0");
  for (const double length : gravity.softening_of_type) require_setting(is_length(length), "softening", length, "a number >= 0");
  for (const SofteningBetween& pair : gravity.softening_between_types)
    require_setting(is_length(pair.length), "softening_between", pair.length, "a number >= 0");
  require_setting(is_positive(gravity.tolerance), "tolerance", gravity.tolerance, "a number > 0");
  require_setting(is_positive(gravity.theta), "theta", gravity.theta, "a number > 0");
  require_setting(gravity.order == 4 || gravity.order == 5, "order", static_cast<double>(gravity.order), "4 or 5");
  require_setting(gravity.steps_per_tree > 0, "steps_per_tree", 0, "at least 1");
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm,
                                            const SimulationSetup& setup) {
  if (device != "auto" && device != "gpu" && device != "cpu")
    throw ConfigError("run.device = \"" + device + "\": must be auto, gpu or cpu");
  require_numbers_of(gravity);
  const std::string missing = device == "cpu" ? "" : why_no_gpu();
  if (device == "gpu" && !missing.empty()) throw ConfigError("run.device = \"gpu\": " + missing);
  if (device != "cpu" && missing.empty()) return make_cuda_simulation(gravity, comm, setup);
  return std::make_unique<SimulationOn<HostSpace>>(std::make_unique<HostSpace>(), gravity, comm, setup);
}

std::string built_back_ends() {
  const std::string cuda = cuda_version();
  std::string text = cuda.empty() ? "" : "cuda " + cuda + ", ";
  text += "cpu (OpenMP";
  for (const CpuLevel level : usable_cpu_levels()) text += std::string(", ") + name_of(level);
  return text + ")";
}

}  // namespace grove
