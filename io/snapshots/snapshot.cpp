#include "io/snapshots/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/files/partial_file.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_checksum.hpp"
#include "io/hdf5/hdf5_collective.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/snapshots/snapshot_layout.hpp"
#include "kernels/base/error.hpp"

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
  /// The type of each particle; empty if the particles of each type are consecutive.
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

/// The chosen fields that every rank with particles knows.
std::vector<ParticleField> written_fields(const ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm) {
  std::vector<ParticleField> written;
  for (const ParticleField* field : snapshot_fields(*local.table(), header.fields))
    if (comm.min(local.size() == 0 || local.knows(*field) ? 1 : 0) == 1) written.push_back(as_written(*field, header.fields));
  return written;
}

/// The rows of the particles of one type, in order, some at a time.
class RowsOfType {
 public:
  /// Rows of `field`, which become those of `written`.
  RowsOfType(const Shares& shares, int type, std::span<const std::byte> values, const ParticleField& field, const ParticleField& written)
      : types_(shares.types),
        type_(static_cast<std::uint8_t>(type)),
        values_(values),
        field_(field),
        row_bytes_(field.row_bytes()),
        written_bytes_(written.row_bytes()),
        at_(shares.of_type.at(static_cast<std::size_t>(type)).begin) {}

  /// The next `count` rows: where they are if they are consecutive, else gathered in `dense`.
  std::span<const std::byte> next(std::size_t count, std::vector<std::byte>& dense) {
    if (count == 0) return {};
    const std::size_t begin = next_begin(), length = length_from(begin, count);
    if (length == count && written_bytes_ == row_bytes_) return piece(begin, count);
    dense.resize(count * written_bytes_);
    std::byte* to = put(piece(begin, length), dense.data());
    for (count -= length; count > 0;) {
      const std::size_t more = next_begin(), rows = length_from(more, count);
      to = put(piece(more, rows), to);
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
  /// How many of the next `count` rows are consecutive from `begin` on.
  std::size_t length_from(std::size_t begin, std::size_t count) {
    std::size_t length = types_.empty() ? count : 0;
    while (length < count && begin + length < types_.size() && types_[begin + length] == type_) ++length;
    at_ = begin + length;
    return length;
  }
  /// Returns the place after the rows.
  std::byte* put(std::span<const std::byte> rows, std::byte* to) const {
    if (written_bytes_ == row_bytes_) return std::copy(rows.begin(), rows.end(), to);
    shorten(rows, field_, to);
    return to + rows.size() / row_bytes_ * written_bytes_;
  }
  std::span<const std::byte> piece(std::size_t begin, std::size_t count) const {
    return values_.subspan(begin * row_bytes_, count * row_bytes_);
  }

  std::span<const std::uint8_t> types_;
  std::uint8_t type_;
  std::span<const std::byte> values_;
  const ParticleField& field_;
  std::size_t row_bytes_, written_bytes_;
  std::size_t at_;
};

constexpr std::size_t packed_at_once = std::size_t{64} << 20;

/// The datasets of one field, by type.
using Datasets = std::array<Hdf5Handle, particle_type_count>;

/// Opens all datasets [fields], which gives them their space in the file, in the order of types. Collective.
std::vector<Datasets> open_datasets(const Hdf5Handle& file, const SnapshotContents& contents, const Communicator& comm) {
  std::vector<Datasets> datasets(contents.fields.size());
  for (int type = 0; type < particle_type_count; ++type) {
    const auto k = static_cast<std::size_t>(type);
    if (contents.count_of_type[k] == 0) continue;
    for (std::size_t f = 0; f < datasets.size(); ++f)
      comm.agree([&] { datasets[f][k] = open_dataset(open_group(file, gadget_group(type)), contents.fields[f].dataset); });
  }
  return datasets;
}

void write_particles(const std::filesystem::path& path, ParticleColumns& local, const Shares& shares, const SnapshotHeader& header,
                     const SnapshotContents& contents, const Communicator& comm) {
  // HDF5 holds everything that it compresses in one call in memory.
  CollectiveFile file(path, header.compression > 0 ? std::min(header.transfer_bytes, packed_at_once) : header.transfer_bytes, comm);
  {
    const std::vector<Datasets> datasets = open_datasets(file.handle(), contents, comm);
    for (std::size_t f = 0; f < datasets.size(); ++f) {
      const ParticleField &written = contents.fields[f], &field = field_named(local, written.name);
      const std::span<const std::byte> values = local.values(field);
      for (int type = 0; type < particle_type_count; ++type) {
        const auto k = static_cast<std::size_t>(type);
        if (contents.count_of_type[k] == 0) continue;
        RowsOfType rows(shares, type, values, field, written);
        std::vector<std::byte> dense;
        Checksum sum;
        const auto next = [&](std::size_t count) {
          const std::span<const std::byte> some = rows.next(count, dense);
          sum.append(some);
          return some;
        };
        file.write_rows(datasets[f][k], written, shares.of_type[k].first, shares.of_type[k].count, next);
        const std::uint32_t of_all = sum.over_ranks(comm).value();
        comm.agree([&] { write_checksum(datasets[f][k], of_all); });
      }
    }
  }
  file.close();
}

/// The largest absolute value of the finite numbers; 0 if there are none. Without sign, doubles are ordered like their bits as integers.
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

/// The side of the box in the header: the smallest power of two above twice the largest absolute coordinate, which is `extent` on this
/// rank, so that a box centred on the origin encloses all particles; 1 if all are at the origin. Collective.
double box_size_for(double extent, const Communicator& comm) {
  extent = 2 * comm.max(extent);
  if (!(extent > 0)) return 1;
  int exponent = 0;
  std::frexp(extent, &exponent);  // extent < 2^exponent
  return std::ldexp(1.0, std::min(exponent, 1023));
}

}  // namespace

// From macros alone: configurations are read also while another thread uses HDF5.
std::string why_no_compression() {
#if !H5_VERSION_GE(1, 10, 2)
  return "HDF5 packs what several ranks write from version 1.10.2 on";
#elif !defined(H5_HAVE_FILTER_DEFLATE)
  return "the HDF5 library was built without deflate (zlib)";
#else
  return "";
#endif
}

void write_snapshot(const std::filesystem::path& final_name, ParticleColumns& local, const SnapshotHeader& header, const Communicator& comm,
                    const Hdf5Turn&) {
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
  contents.compression = header.compression;
  write_together(final_name, comm, [&](const std::filesystem::path& partial) {
    // One rank writes all metadata and reserves the space before all ranks write together: see CollectiveFile.
    comm.agree([&] {
      if (!comm.is_root()) return;
      const std::string image = make_snapshot_image(partial.string(), header, contents);
      create_with_room(partial, image, largest_snapshot_size(image.size(), contents));
    });
    write_particles(partial, local, shares, header, contents, comm);
  });
}

void write_snapshot(const std::filesystem::path& final_name, const ParticleSet& local, const SnapshotHeader& header,
                    const Communicator& comm) {
  comm.agree([&] { check_lengths(local); });
  ColumnsOfSet columns(local);
  write_snapshot(final_name, columns, header, comm, Hdf5Turn());
}

}  // namespace grove
