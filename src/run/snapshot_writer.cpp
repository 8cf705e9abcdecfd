#include "src/run/snapshot_writer.hpp"

#include <utility>

#include "decomposition/sort_by_id.hpp"
#include "io/snapshot.hpp"
#include "src/config/config_print.hpp"
#include "src/version.hpp"

namespace grove {

void save_snapshot(const std::string& path, ParticleSet local, double time, const Config& config, const std::string& device,
                   const Communicator& comm) {
  SnapshotHeader header;
  header.time = time;
  header.units = config.units;
  header.G = config.gravity.G;
  header.softening = config.gravity.softening;
  header.provenance = program_provenance();
  header.provenance.configuration = print_config(config);
  header.provenance.device = device;
  header.fields = config.output.field_names();
  if (config.output.order == "id") local = sort_by_id(std::move(local), comm);
  write_snapshot(path, local, header, comm);
}

}  // namespace grove
