#include "io/snapshots/checkpoint_file.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "io/files/sealed_file.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Rows are read in pieces of about this size.
constexpr std::size_t piece_bytes = std::size_t{64} << 20;

bool has_type(const Hdf5Handle& dataset, hid_t type) {
  const Hdf5Handle own(check_hdf5(H5Dget_type(dataset.id()), hdf5_name(dataset)), H5Tclose);
  return H5Tequal(own.id(), type) > 0;
}

template <class T>
std::vector<T> read_all(const Hdf5Handle& dataset, hid_t type) {
  const DatasetInfo info = describe_dataset(dataset);
  if (info.shape.size() != 1) throw DataError(hdf5_name(dataset) + ": must have one dimension");
  std::vector<T> values(info.shape[0]);
  if (!values.empty())
    check_hdf5(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), hdf5_name(dataset) + ": cannot be read");
  return values;
}

template <class T>
Checksum checksum_of(const std::vector<T>& values) {
  return Checksum(std::as_bytes(std::span(values)));
}

/// Runs `read`; a failure of HDF5 means that the file is damaged.
template <class Read>
auto read_checked(const std::string& path, Read read) {
  try {
    return read();
  } catch (const SystemError& error) {
    throw DataError(path + ": the checkpoint is damaged: " + error.what());
  }
}

}  // namespace

void CheckpointFile::fail(const std::string& what) const { throw DataError(path_ + ": " + what); }

CheckpointFile::CheckpointFile(const std::filesystem::path& path) : path_(path.string()) {
  require_seal(path);
  file_ = open_hdf5_file(path);
  read_checked(path_, [&] {
    const auto version = read_number(file_, "Checkpoint_version");
    if (!version) fail("is no checkpoint of Grove");
    if (*version != checkpoint_version) fail("is a checkpoint of another version of Grove, which this one cannot read");
    particles_ = open_group(file_, "Particles");
    state_ = open_group(file_, "State");
    checksums_ = read_all<std::uint32_t>(open_dataset(file_, "Checksums"), H5T_NATIVE_UINT32);
  });
}

std::uint32_t CheckpointFile::expected(const Hdf5Handle& dataset) const {
  const auto row = read_number(dataset, "Checksum_row");
  if (!row || !(*row >= 0) || !(*row < static_cast<double>(checksums_.size()))) fail("the checkpoint is damaged: a checksum is missing");
  return checksums_[static_cast<std::size_t>(*row)];
}

SavedState CheckpointFile::state() const {
  return read_checked(path_, [&] {
    SavedState state;
    for (const std::string& name : link_names(state_)) {
      const Hdf5Handle dataset = open_dataset(state_, name);
      const auto put = [&](const auto& values, auto stored) {
        if (checksum_of(values).value() != expected(dataset))
          fail("the checkpoint is damaged: the state " + name + " has a wrong checksum");
        state.put(name, std::move(stored));
      };
      if (has_type(dataset, H5T_IEEE_F64LE)) {
        const auto values = read_all<double>(dataset, H5T_NATIVE_DOUBLE);
        put(values, values);
      } else if (has_type(dataset, H5T_STD_U64LE)) {
        const auto values = read_all<std::uint64_t>(dataset, H5T_NATIVE_UINT64);
        put(values, values);
      } else {
        const auto values = read_all<char>(dataset, H5T_NATIVE_UINT8);
        put(values, std::string(values.begin(), values.end()));
      }
    }
    return state;
  });
}

bool CheckpointFile::has(const ParticleField& field) const { return has_link(particles_, field.name); }

std::uint32_t CheckpointFile::expected(const ParticleField& field) const {
  return read_checked(path_, [&] { return expected(open_dataset(particles_, field.name)); });
}

Checksum CheckpointFile::read(const ParticleField& field, std::uint64_t first, std::uint64_t count, std::span<std::byte> to) const {
  return read_checked(path_, [&] {
    const Hdf5Handle dataset = open_dataset(particles_, field.name);
    const DatasetInfo info = describe_dataset(dataset);
    if (!has_type(dataset, hdf5_type(field.type)) || info.shape.size() != 2 || info.shape[1] != field.components)
      fail("the field " + field.name + " has another form than in this program");
    if (first + count > info.shape[0]) fail("the checkpoint is damaged: the field " + field.name + " is too short");
    const std::size_t row = field.row_bytes();
    const std::uint64_t longest = std::max<std::size_t>(1, piece_bytes / row);
    std::vector<std::byte> scratch(to.empty() ? std::min(count, longest) * row : 0);
    Checksum sum;
    for (std::uint64_t at = 0; at < count; at += longest) {
      const std::uint64_t rows = std::min(longest, count - at);
      const std::span<std::byte> piece = to.empty() ? std::span(scratch).first(rows * row) : to.subspan(at * row, rows * row);
      Hdf5Handle memory;
      const Hdf5Handle space = select_rows(dataset, first + at, rows, memory);
      check_hdf5(H5Dread(dataset.id(), hdf5_type(field.type), memory.id(), space.id(), H5P_DEFAULT, piece.data()), hdf5_name(dataset));
      sum.append(Checksum(piece));
    }
    return sum;
  });
}

SavedState read_checkpoint_state(const std::filesystem::path& path) {
  const Hdf5Turn turn;
  return CheckpointFile(path).state();
}

namespace {

/// The rows of this rank: those that it wrote, or an equal share.
struct Rows {
  std::uint64_t first, count;
};
Rows rows_of_rank(const SavedState& state, const Communicator& comm) {
  const SavedState::Counts& before = state.counts(particles_of_ranks);
  const auto me = static_cast<std::size_t>(comm.rank());
  if (before.size() == static_cast<std::size_t>(comm.size()))
    return {std::accumulate(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(me), std::uint64_t{0}), before[me]};
  const std::uint64_t all = std::accumulate(before.begin(), before.end(), std::uint64_t{0});
  const std::uint64_t first = first_of_rank(all, comm.rank(), comm.size());
  return {first, first_of_rank(all, comm.rank() + 1, comm.size()) - first};
}

/// Reads a field and checks its checksum. `take` returns where the rows go. Collective.
template <class Take>
void read_field(const std::filesystem::path& path, const CheckpointFile* file, const ParticleField& field, const Rows& rows,
                const Communicator& comm, Take take) {
  Checksum sum;
  comm.agree([&] { sum = file->read(field, rows.first, rows.count, take()); });
  const Checksum all = sum.over_ranks(comm);
  comm.agree([&] {
    if (comm.is_root() && all.value() != file->expected(field))
      throw DataError(path.string() + ": the checkpoint is damaged: the field " + field.name + " has a wrong checksum");
  });
}

}  // namespace

ParticleSet read_checkpoint_particles(const std::filesystem::path& path, const SavedState& state, const Communicator& comm,
                                      const FieldTablePtr& fields) {
  const Hdf5Turn turn;
  std::unique_ptr<CheckpointFile> file;
  Rows rows{};
  comm.agree([&] {
    rows = rows_of_rank(state, comm);
    file = std::make_unique<CheckpointFile>(path);
  });
  ParticleSet particles;
  particles.fields = fields;
  for (const ParticleField& field : fields->rows()) {
    bool is_there = false;
    comm.agree([&] { is_there = field.restart && file->has(field); });
    if (!is_there) continue;
    read_field(path, file.get(), field, rows, comm, [&] { return particles.resize(field, rows.count); });
  }
  return particles;
}

void verify_checkpoint(const std::filesystem::path& path, std::uint64_t first, std::uint64_t count, const FieldTable& fields,
                       const Communicator& comm, const Hdf5Turn&) {
  std::unique_ptr<CheckpointFile> file;
  comm.agree([&] {
    file = std::make_unique<CheckpointFile>(path);
    file->state();
  });
  for (const ParticleField& field : fields.rows())
    if (field.restart) read_field(path, file.get(), field, {first, count}, comm, [] { return std::span<std::byte>(); });
}

}  // namespace grove
