#include "io/snapshot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

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
  std::uint64_t count = 0;
  std::size_t begin = 0;    // index of the first of them among the particles
  std::uint64_t first = 0;  // row of the first of them in the datasets
};
struct Shares {
  std::array<TypeShare, particle_type_count> of_type;
  /// The type of each particle. Empty when the particles of each type lie one after the other.
  std::vector<std::uint8_t> types;
};

Shares split_by_type(std::span<const std::byte> types) {
  Shares shares;
  bool in_one_piece = true;
  for (std::size_t i = 0; i < types.size();) {
    const auto type = std::to_integer<std::uint8_t>(types[i]);
    if (type >= particle_type_count) throw Error(fmt::format("particle type {} in a snapshot; 0 to 5 are allowed", type));
    std::size_t end = i + 1;
    while (end < types.size() && types[end] == types[i]) ++end;
    TypeShare& share = shares.of_type.at(type);
    if (share.count == 0)
      share.begin = i;
    else
      in_one_piece = false;
    share.count += end - i;
    i = end;
  }
  if (!in_one_piece)
    for (const std::byte type : types) shares.types.push_back(std::to_integer<std::uint8_t>(type));
  return shares;
}

void check_lengths(const ParticleSet& local) {
  for (const ParticleField& field : local.fields->rows()) {
    const std::size_t bytes = local.bytes(field).size(), needed = local.size() * field.row_bytes();
    if (bytes != needed && (field.input == InInput::required || bytes != 0))
      throw Error(fmt::format("particle field {} has {} bytes in a snapshot; {} are needed", field.name, bytes, needed));
  }
}

const ParticleField& field_named(const ParticleColumns& local, const std::string& name) {
  const ParticleField* const field = local.table()->find(name);
  if (!field) throw Error("particles without the field " + name + " in a snapshot");
  return *field;
}

/// A field that is wanted is written when every rank that has particles knows it.
std::vector<const ParticleField*> written_fields(const ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm) {
  std::vector<const ParticleField*> written;
  for (const ParticleField* field : snapshot_fields(*local.table(), header.fields))
    if (comm.min(local.size() == 0 || local.knows(*field) ? 1 : 0) == 1) written.push_back(field);
  return written;
}

/// The rows of the particles of one type, in order, some at a time.
class RowsOfType {
 public:
  RowsOfType(const Shares& shares, int type, std::span<const std::byte> values, std::size_t row_bytes)
      : types_(shares.types),
        type_(static_cast<std::uint8_t>(type)),
        values_(values),
        row_bytes_(row_bytes),
        at_(shares.of_type.at(static_cast<std::size_t>(type)).begin) {}

  /// The next `count` rows: where they are, if they lie one after the other, else brought together in `dense`.
  std::span<const std::byte> next(std::size_t count, std::vector<std::byte>& dense) {
    if (count == 0) return {};
    const std::size_t begin = next_begin(), length = length_from(begin, count);
    if (length == count) return piece(begin, count);
    dense.resize(count * row_bytes_);
    std::byte* to = dense.data();
    to = std::copy_n(piece(begin, length).data(), length * row_bytes_, to);
    for (count -= length; count > 0;) {
      const std::size_t more = next_begin(), rows = length_from(more, count);
      to = std::copy_n(piece(more, rows).data(), rows * row_bytes_, to);
      count -= rows;
    }
    return dense;
  }

 private:
  std::size_t next_begin() {
    if (!types_.empty())
      at_ = static_cast<std::size_t>(std::find(types_.begin() + static_cast<std::ptrdiff_t>(at_), types_.end(), type_) - types_.begin());
    return at_;
  }
  /// How many of the next `count` rows lie one after the other from `begin` on.
  std::size_t length_from(std::size_t begin, std::size_t count) {
    std::size_t length = types_.empty() ? count : 0;
    while (length < count && begin + length < types_.size() && types_[begin + length] == type_) ++length;
    at_ = begin + length;
    return length;
  }
  std::span<const std::byte> piece(std::size_t begin, std::size_t count) const {
    return values_.subspan(begin * row_bytes_, count * row_bytes_);
  }

  std::span<const std::uint8_t> types_;
  std::uint8_t type_;
  std::span<const std::byte> values_;
  std::size_t row_bytes_;
  std::size_t at_;
};

/// The open file and how to write to it.
struct Target {
  Hdf5Handle file;
  Hdf5Handle collective;  // transfer property list
  std::size_t transfer_bytes = 0;
};

/// Writes one field of one type. Collective, in as many rounds as the rank with most particles needs.
void write_rows(const Target& target, const Hdf5Handle& dataset, const ParticleField& field, RowsOfType rows, const TypeShare& share,
                const Communicator& comm) {
  const std::uint64_t rows_per_round = std::max<std::uint64_t>(1, target.transfer_bytes / field.row_bytes());
  const std::uint64_t rounds = (comm.max(share.count) + rows_per_round - 1) / rows_per_round;
  const hid_t memory_type = memory_type_of(field.type);
  std::vector<std::byte> dense;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::uint64_t begin = std::min(share.count, round * rows_per_round), end = std::min(share.count, begin + rows_per_round);
    Hdf5Handle memory, space;
    std::span<const std::byte> values;
    // All that can fail on one rank alone comes before the collective write.
    comm.agree([&] {
      values = rows.next(end - begin, dense);
      space = select_rows(dataset, share.first + begin, end - begin, memory);
    });
    comm.agree([&] {
      check_hdf5(H5Dwrite(dataset.id(), memory_type, memory.id(), space.id(), target.collective.id(), values.data()),
                 hdf5_name(dataset) + ": cannot be written");
    });
  }
}

/// The datasets of one field, by type.
using Datasets = std::array<Hdf5Handle, particle_type_count>;

/// Opens all datasets, one [fields] of each type that there is. They get their space in the file now, in the order of types. Collective.
std::vector<Datasets> open_datasets(const Target& target, const SnapshotContents& contents, const Communicator& comm) {
  std::vector<Datasets> datasets(contents.fields.size());
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (contents.count_of_type[k] == 0) continue;
    for (std::size_t f = 0; f < datasets.size(); ++f)
      comm.agree([&] { datasets[f][k] = open_dataset(open_group(target.file, gadget_group(type)), contents.fields[f]->dataset); });
  }
  return datasets;
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

void write_particles(const std::filesystem::path& path, ParticleColumns& local, const Shares& shares, const SnapshotHeader& header,
                     const SnapshotContents& contents, const Communicator& comm) {
  Target target;
  // Opening, flushing and closing communicate inside HDF5, which lets all ranks know of a failure; agreeing afterwards is safe.
  comm.agree([&] { target = open_target(path, header, comm); });
  {
    const std::vector<Datasets> datasets = open_datasets(target, contents, comm);
    for (std::size_t f = 0; f < datasets.size(); ++f) {
      const ParticleField& field = *contents.fields[f];
      const std::span<const std::byte> values = local.values(field);
      for (int type = 0; type < particle_type_count; ++type) {
        const auto k = static_cast<std::size_t>(type);
        if (contents.count_of_type[k] == 0) continue;
        write_rows(target, datasets[f][k], field, {shares, type, values, field.row_bytes()}, shares.of_type[k], comm);
      }
      // The disk works while the next field is made ready.
      if (comm.local_rank() == 0) begin_flush(path);
    }
  }
  comm.agree([&] { check_hdf5(H5Fflush(target.file.id(), H5F_SCOPE_GLOBAL), path.string() + ": cannot be flushed"); });
  comm.agree([&] { target.file.close(path.string() + ": cannot be closed"); });
}

/// The largest absolute value of numbers that are finite; 0 without any. Without sign, doubles have the order of their bits as integers.
double largest_finite(std::span<const std::byte> numbers) {
  constexpr std::int64_t without_sign = std::numeric_limits<std::int64_t>::max();
  constexpr auto infinite = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < numbers.size(); i += sizeof(double)) {
    std::int64_t bits = 0;
    std::memcpy(&bits, numbers.data() + i, sizeof bits);
    bits &= without_sign;
    largest = std::max(largest, bits < infinite ? bits : 0);
  }
  return std::bit_cast<double>(largest);
}

/// The side of the box, when `extent` is the largest absolute coordinate on this rank. Collective.
double box_size_for(double extent, const Communicator& comm) {
  extent = 2 * comm.max(extent);
  if (!(extent > 0)) return 1;
  int exponent = 0;
  std::frexp(extent, &exponent);  // extent < 2^exponent
  return std::ldexp(1.0, std::min(exponent, 1023));
}

}  // namespace

double enclosing_box_size(const ParticleSet& local, const Communicator& comm) {
  return box_size_for(largest_finite(std::as_bytes(std::span(local.position))), comm);
}

std::vector<const ParticleField*> snapshot_fields(const FieldTable& fields, const std::vector<std::string>& names) {
  std::vector<const ParticleField*> wanted;
  for (const ParticleField& field : fields.rows()) {
    const bool asked_for = field.snapshot == InSnapshot::on_request && std::count(names.begin(), names.end(), field.name) > 0;
    if ((field.snapshot == InSnapshot::always || asked_for) && !field.dataset.empty()) wanted.push_back(&field);
  }
  return wanted;
}

void write_snapshot(const std::filesystem::path& final_name, ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm,
                    const Hdf5Turn&) {
  const IgnoreFileSizeSignal ignore_signal;
  const std::filesystem::path partial = partial_name(final_name);
  Shares shares;
  SnapshotContents contents;
  const std::span<const std::byte> types = local.values(field_named(local, "type"));
  comm.agree([&] { shares = split_by_type(types); });
  for (std::size_t k = 0; k < contents.count_of_type.size(); ++k) {
    contents.count_of_type[k] = comm.sum(shares.of_type[k].count);
    shares.of_type[k].first = comm.prefix_sum(shares.of_type[k].count);
  }
  contents.fields = written_fields(local, header, comm);
  contents.box_size = box_size_for(largest_finite(local.values(field_named(local, "position"))), comm);
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
  } catch (...) {
    if (comm.is_root()) remove_quietly(partial);
    throw;
  }
}

void write_snapshot(const std::filesystem::path& final_name, const ParticleSet& local, const SnapshotHeader& header,
                    const Communicator& comm) {
  comm.agree([&] { check_lengths(local); });
  ColumnsOfSet columns(local);
  write_snapshot(final_name, columns, header, comm, Hdf5Turn());
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
