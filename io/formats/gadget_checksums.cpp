#include "io/formats/gadget_checksums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats/gadget_info.hpp"
#include "io/formats/shared.hpp"
#include "io/hdf5/hdf5_checksum.hpp"

namespace grove {

void GadgetChecksums::find(const GadgetLayout& layout) {
  if (layout.pieces.size() > 1) return;
  const Hdf5Handle file = open_hdf5_file(layout.pieces.front());
  for (int type = 0; type < particle_type_count; ++type) {
    const std::uint64_t count = layout.count.front()[static_cast<std::size_t>(type)];
    if (count == 0) continue;
    const Hdf5Handle group = open_group(file, gadget_group(type));
    for (const std::string& name : link_names(group)) {
      if (!is_dataset(group, name)) continue;
      const Hdf5Handle dataset = open_dataset(group, name);
      const auto sum = recorded_checksum(dataset);
      if (!sum) continue;
      const std::vector<hsize_t> shape = describe_dataset(dataset).shape;
      if (!shape.empty() && shape.front() == count) recorded_.emplace_back(gadget_group(type) + '/' + name, *sum);
    }
  }
}

void GadgetChecksums::share_recorded(const Communicator& comm) {
  share(comm, recorded_);
  own_.resize(recorded_.size());
}

void GadgetChecksums::add(const Hdf5Handle& dataset, const std::string& name, const TypeBlock& block, hid_t memory_type,
                          const void* values) {
  const auto at = std::find_if(recorded_.begin(), recorded_.end(), [&](const auto& row) { return row.first == name; });
  if (at == recorded_.end()) return;
  own_[static_cast<std::size_t>(at - recorded_.begin())].append(checksum_of_rows(dataset, block.first, block.count, memory_type, values));
}

void GadgetChecksums::add_others(const Hdf5Handle& group, const TypeBlock& block) {
  const std::string prefix = gadget_group(block.type) + '/';
  for (std::size_t i = 0; i < recorded_.size(); ++i)
    if (recorded_[i].first.starts_with(prefix) && own_[i].length() == 0)
      own_[i] = checksum_of_rows(open_dataset(group, recorded_[i].first.substr(prefix.size())), block.first, block.count);
}

void GadgetChecksums::require_all(const std::filesystem::path& path, const Communicator& comm) const {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const Checksum all = own_[i].over_ranks(comm);
    comm.agree([&] { require_checksum(all, recorded_[i].second, fmt::format("{}: {}", path.string(), recorded_[i].first)); });
  }
}

}  // namespace grove
