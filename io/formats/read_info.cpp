#include "io/formats/read_info.hpp"

#include <numeric>

#include "io/formats/shared.hpp"

namespace grove {

std::uint64_t ReadInfo::count() const { return std::accumulate(count_of_type.begin(), count_of_type.end(), std::uint64_t{0}); }

void share_info(ReadInfo& info, const Communicator& comm) {
  share(info.format, comm);
  share(info.count_of_type, comm);
  for (std::string& name : info.components) share(name, comm);
  share(info.time, comm);
  share(info.box_size, comm);
  share(info.G, comm);
  share(info.units, comm);
  share(info.universe, comm);
  share(info.has_n_body_units, comm);
  share(info.notes, comm);
  std::size_t softenings = info.softenings.size(), texts = info.provenance.size();
  share(softenings, comm);
  info.softenings.resize(softenings);
  for (FileSoftening& softening : info.softenings) {
    share(softening.what, comm);
    share(softening.lowest, comm);
    share(softening.highest, comm);
    share(softening.type, comm);
  }
  share(texts, comm);
  info.provenance.resize(texts);
  for (auto& [name, text] : info.provenance) {
    share(name, comm);
    share(text, comm);
  }
}

}  // namespace grove
