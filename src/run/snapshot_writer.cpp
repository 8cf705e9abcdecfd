#include "src/run/snapshot_writer.hpp"

#include <sstream>
#include <utility>

#include "decomposition/sort_by_id.hpp"
#include "io/snapshot.hpp"
#include "src/config/config_print.hpp"
#include "src/version.hpp"

namespace grove {

std::vector<std::string> names_of_fields(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream parts(text);
  for (std::string name; std::getline(parts, name, ',');) {
    const auto first = name.find_first_not_of(' ');
    names.push_back(first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

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
  header.fields = names_of_fields(config.output.fields);
  if (config.output.order == "id") local = sort_by_id(std::move(local), comm);
  write_snapshot(path, local, header, comm);
}

}  // namespace grove
