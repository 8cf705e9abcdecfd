#include "src/run/component_softening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/space/error.hpp"
#include "src/config/setting.hpp"

namespace grove {

namespace {

std::string list_of(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

std::vector<double> softening_of_types(const GravityParameters& gravity, const ComponentNames& names,
                                       const std::vector<std::uint64_t>& count) {
  const auto& length = gravity.softening_of_component;
  if (length.empty()) return {};
  std::vector<std::string> present, missing;
  double smallest = length.begin()->second;
  for (const auto& [name, value] : length) smallest = std::min(smallest, value);
  std::vector<double> of_type(count.size(), smallest);
  for (std::size_t type = 0; type < count.size(); ++type) {
    if (count[type] == 0) continue;
    const auto found = length.find(names[type]);
    present.push_back(names[type]);
    if (found == length.end())
      missing.push_back(names[type]);
    else
      of_type[type] = found->second;
  }
  for (const auto& [name, value] : length) {
    if (std::find(present.begin(), present.end(), name) != present.end()) continue;
    const std::string near = nearest_name(name, present);
    throw ConfigError(fmt::format("gravity.softening: there is no component called \"{}\"; the particles have {}{}", name, list_of(present),
                                  near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
  }
  if (!missing.empty())
    throw ConfigError(
        fmt::format("gravity.softening has no length for {}: the particles have the components {}", list_of(missing), list_of(present)));
  return of_type;
}

void set_component_softening(GravityParameters& gravity, const InitialState& state, Simulation& simulation, const Communicator& comm) {
  if (gravity.softening_of_component.empty()) return;
  const auto count = count_of_types(state.particles, comm);
  comm.agree([&] {
    gravity.softening_of_type = softening_of_types(gravity, state.components, {count.begin(), count.end()});
    simulation.set_softening(gravity.softening_of_type);
  });
}

}  // namespace grove
