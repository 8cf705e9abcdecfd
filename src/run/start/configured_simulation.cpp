#include "src/run/start/configured_simulation.hpp"

#include "src/simulation/devices.hpp"

namespace grove {

std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm) {
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm,
                                 {.integrator = config.time.integrator,
                                  .integrator_settings = config.time.parameters,
                                  .transport = transport_way_named(config.run.transport),
                                  .external = config.external_sections()});
  });
  return simulation;
}

}  // namespace grove
