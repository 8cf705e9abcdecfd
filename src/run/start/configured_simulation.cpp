#include "src/run/start/configured_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "io/formats/text_lines.hpp"
#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "src/external/free_orbits.hpp"
#include "src/simulation/devices.hpp"

namespace grove {

namespace {

Orbit read_orbit(const std::string& path, const std::string& key) {
  const std::string name = fmt::format("{} = \"{}\"", key, path);
  std::vector<OrbitPoint> points;
  TextLines lines(path);
  TextLine line;
  std::vector<std::string_view> words;
  while (lines.next(line)) {
    if (line.data.empty()) continue;
    split_words(line.data, line.data.find(',') != std::string_view::npos, words);
    std::array<double, 4> numbers{};
    const auto fail = [&](const std::string& why) {
      throw ConfigError(fmt::format("{}: line {}: {}; a row is t x y z, four numbers in code units", name, line.number, why));
    };
    if (words.size() != numbers.size()) fail(fmt::format("{} words", words.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (const char* wrong = parse_number(words[i], numbers[i])) fail(fmt::format("\"{}\" {}", shown_word(words[i]), wrong));
      if (!std::isfinite(numbers[i])) fail(fmt::format("\"{}\" is not finite", shown_word(words[i])));
    }
    points.push_back({numbers[0], {numbers[1], numbers[2], numbers[3]}, {}});
  }
  return {std::move(points), name};
}

/// On each rank. Throws ConfigError, DataError.
std::vector<ExternalParameters> external_with_orbits(const Config& config) {
  std::vector<ExternalParameters> sections = config.external_sections();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].is_there()) continue;
    const std::string key = i == 0 ? "external.orbit" : fmt::format("external_{}.orbit", i + 1);
    if (const std::string& path = sections[i].text("orbit"); !path.empty() && path != free_orbit) sections[i].path = read_orbit(path, key);
  }
  return sections;
}

}  // namespace

std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm, const ExternalFunction& function) {
  std::unique_ptr<Simulation> simulation;
  const std::vector<std::string> asked_for = config.output.field_choice().further;
  const bool asks_for_steps = std::find(asked_for.begin(), asked_for.end(), time_step_field) != asked_for.end();
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm,
                                 {.integrator = config.time.integrator,
                                  .integrator_settings = config.time.parameters,
                                  .steps = config.time,
                                  .transport = transport_way_named(config.run.transport),
                                  .further_fields = asks_for_steps ? std::vector{time_step_row()} : std::vector<ParticleField>(),
                                  .external = external_with_orbits(config),
                                  .external_function = function,
                                  .external_begin = config.time.begin});
  });
  return simulation;
}

std::unique_ptr<Simulation> make_simulation_of_forces(const Config& config, const Communicator& comm) {
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm, {.transport = transport_way_named(config.run.transport)});
  });
  return simulation;
}

}  // namespace grove
