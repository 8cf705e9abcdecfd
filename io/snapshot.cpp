#include "io/snapshot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "io/gadget_layout.hpp"
#include "io/hdf5_elements.hpp"
#include "io/hdf5_handles.hpp"
#include "io/partial_file.hpp"
#include "io/snapshot_layout.hpp"
#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// This rank's particles of one type and where they go.
struct TypeShare {
  std::vector<std::size_t> rows;  // indices into the particle set
  std::uint64_t first = 0;        // row of the first of them in the datasets
};
using Shares = std::array<TypeShare, particle_type_count>;

Shares split_by_type(const ParticleSet& local) {
  Shares shares;
  for (std::size_t i = 0; i < local.size(); ++i) shares.at(local.type[i]).rows.push_back(i);
  return shares;
}

void check_lengths(const ParticleSet& local) {
  for (const ParticleField& field : local.fields->rows()) {
    const std::size_t bytes = local.bytes(field).size(), needed = local.size() * field.row_bytes();
    if (bytes != needed && (field.input == InInput::required || bytes != 0))
      throw Error(fmt::format("particle field {} has {} bytes in a snapshot; {} are needed", field.name, bytes, needed));
  }
  const auto bad = std::find_if(local.type.begin(), local.type.end(), [](std::uint8_t type) { return type >= particle_type_count; });
  if (bad != local.type.end()) throw Error(fmt::format("particle type {} in a snapshot; 0 to 5 are allowed", *bad));
}

/// A field that is wanted is written when every rank that has particles knows it.
std::vector<const ParticleField*> written_fields(const ParticleSet& local, const SnapshotHeader& header, const Communicator& comm) {
  std::vector<const ParticleField*> written;
  for (const ParticleField& field : local.fields->rows()) {
    const bool asked_for = std::count(header.fields.begin(), header.fields.end(), field.name) > 0;
    const bool wanted = field.snapshot == InSnapshot::always || (field.snapshot == InSnapshot::on_request && asked_for);
    const bool known = comm.min(local.size() == 0 || !local.bytes(field).empty() ? 1 : 0) == 1;
    if (wanted && known && !field.dataset.empty()) written.push_back(&field);
  }
  return written;
}

/// Copies the rows [begin, end) of a share into a dense buffer.
void gather(const ParticleField& field, const ParticleSet& local, std::span<const std::size_t> rows, std::vector<std::byte>& dense) {
  const std::span<const std::byte> values = local.bytes(field);
  dense.resize(rows.size() * field.row_bytes());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(dense.data() + i * field.row_bytes(), values.data() + rows[i] * field.row_bytes(), field.row_bytes());
  }
}

/// The open file and how to write to it.
struct Target {
  Hdf5Handle file;
  Hdf5Handle collective;  // transfer property list
  std::size_t transfer_bytes = 0;
};

/// Writes one field of one type. Collective, in as many rounds as the rank with most particles needs.
void write_field(const Target& target, int type, const ParticleField& field, const ParticleSet& local, const TypeShare& share,
                 const Communicator& comm) {
  const std::uint64_t rows_per_round = std::max<std::uint64_t>(1, target.transfer_bytes / field.row_bytes());
  const std::uint64_t rounds = (comm.max(static_cast<std::uint64_t>(share.rows.size())) + rows_per_round - 1) / rows_per_round;
  Hdf5Handle dataset;
  comm.agree([&] { dataset = open_dataset(open_group(target.file, gadget_group(type)), field.dataset); });
  const hid_t memory_type = memory_type_of(field.type);
  std::vector<std::byte> dense;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::uint64_t begin = std::min<std::uint64_t>(share.rows.size(), round * rows_per_round);
    const std::uint64_t end = std::min<std::uint64_t>(share.rows.size(), begin + rows_per_round);
    Hdf5Handle memory, space;
    // All that can fail on one rank alone comes before the collective write.
    comm.agree([&] {
      gather(field, local, std::span(share.rows).subspan(begin, end - begin), dense);
      space = select_rows(dataset, share.first + begin, end - begin, memory);
    });
    comm.agree([&] {
      check_hdf5(H5Dwrite(dataset.id(), memory_type, memory.id(), space.id(), target.collective.id(), dense.data()),
                 hdf5_name(dataset) + ": cannot be written");
    });
  }
}

Target open_target(const std::filesystem::path& path, const SnapshotHeader& header, const Communicator& comm) {
  Target target;
  target.collective = Hdf5Handle(check_hdf5(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"), H5Pclose);
  check_hdf5(H5Pset_dxpl_mpio(target.collective.id(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  // Each rank's rows are one contiguous piece of a dataset: collecting them on a few ranks first would gain nothing, and Open MPI 4
  // leaves ranks waiting when one that collects fails to write.
  check_hdf5(H5Pset_dxpl_mpio_collective_opt(target.collective.id(), H5FD_MPIO_INDIVIDUAL_IO), "H5Pset_dxpl_mpio_collective_opt");
  target.transfer_bytes = header.transfer_bytes;
  target.file = open_hdf5_file_parallel(path, comm);
  return target;
}

void write_particles(const std::filesystem::path& path, const ParticleSet& local, const Shares& shares, const SnapshotHeader& header,
                     const SnapshotContents& contents, const Communicator& comm) {
  Target target;
  // Opening, flushing and closing communicate inside HDF5, which lets all ranks know of a failure; agreeing afterwards is safe.
  comm.agree([&] { target = open_target(path, header, comm); });
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (contents.count_of_type[k] == 0) continue;
    for (const ParticleField* field : contents.fields) write_field(target, type, *field, local, shares[k], comm);
  }
  comm.agree([&] { check_hdf5(H5Fflush(target.file.id(), H5F_SCOPE_GLOBAL), path.string() + ": cannot be flushed"); });
  comm.agree([&] { target.file.close(path.string() + ": cannot be closed"); });
}

}  // namespace

double enclosing_box_size(const ParticleSet& local, const Communicator& comm) {
  double extent = 0;
  for (const double x : local.position) {
    if (std::isfinite(x)) extent = std::max(extent, std::abs(x));
  }
  extent = 2 * comm.max(extent);
  if (!(extent > 0)) return 1;
  int exponent = 0;
  std::frexp(extent, &exponent);  // extent < 2^exponent
  return std::ldexp(1.0, std::min(exponent, 1023));
}

void write_snapshot(const std::filesystem::path& final_name, const ParticleSet& local, const SnapshotHeader& header,
                    const Communicator& comm) {
  const IgnoreFileSizeSignal ignore_signal;
  const std::filesystem::path partial = partial_name(final_name);
  Shares shares;
  SnapshotContents contents;
  comm.agree([&] {
    check_lengths(local);
    shares = split_by_type(local);
  });
  for (std::size_t k = 0; k < shares.size(); ++k) {
    contents.count_of_type[k] = comm.sum(static_cast<std::uint64_t>(shares[k].rows.size()));
    shares[k].first = comm.prefix_sum(shares[k].rows.size());
  }
  contents.fields = written_fields(local, header, comm);
  contents.box_size = enclosing_box_size(local, comm);
  contents.ranks = comm.size();
  try {
    // All metadata come from one rank: this is little work, and an error in it (no room on the disk first of all) is met before
    // all ranks write together, where one that fails could leave the others waiting.
    comm.agree([&] {
      if (!comm.is_root()) return;
      const std::string image = make_snapshot_image(partial.string(), header, contents);
      create_with_room(partial, image, largest_snapshot_size(image.size(), contents));
    });
    write_particles(partial, local, shares, header, contents, comm);
    comm.agree([&] {
      if (comm.is_root()) publish(final_name);
    });
  } catch (const Error&) {
    if (comm.is_root()) remove_quietly(partial);
    throw;
  }
}

void require_fields_on_request(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key) {
  std::vector<std::string> allowed;
  for (const ParticleField& field : fields.rows())
    if (field.snapshot == InSnapshot::on_request && !field.dataset.empty()) allowed.push_back(field.name);
  for (const std::string& name : names)
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw ConfigError(
          fmt::format("{}: \"{}\" is no particle field that is written on request; these are: {}", key, name, fmt::join(allowed, ", ")));
}

}  // namespace grove
