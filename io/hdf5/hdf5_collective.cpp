#include "io/hdf5/hdf5_collective.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// MPI opens several files for one that several processes write, HDF5 one.
constexpr int descriptors_needed = 8;

/// Throws SystemError unless this rank can open the file and has enough descriptors left.
void require_openable(const std::filesystem::path& path) {
  std::vector<int> open_ones{open(path.c_str(), O_RDWR | O_CLOEXEC)};
  while (open_ones.back() >= 0 && open_ones.size() < descriptors_needed) open_ones.push_back(dup(open_ones.front()));
  const int error = errno;
  const bool is_limit = open_ones.back() < 0 && (error == EMFILE || error == ENFILE), is_open = open_ones.back() >= 0;
  for (const int one : open_ones)
    if (one >= 0) ::close(one);
  if (is_open) return;
  const char* const advice =
      is_limit ? "; raise the limit 'ulimit -n'" : "; all ranks must see one directory: name one that all nodes share";
  throw SystemError(path.string() + ": cannot be opened for writing: " + reason_of(error) + advice);
}

}  // namespace

CollectiveFile::CollectiveFile(const std::filesystem::path& path, std::size_t transfer_bytes, const Communicator& comm)
    : comm_(comm), path_(path), transfer_bytes_(transfer_bytes) {
  comm.agree([&] {
    require_openable(path);
    require_memory_to_open();
  });
  comm.agree([&] {
    collective_ = Hdf5Handle(check_hdf5(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"), H5Pclose);
#ifdef H5_HAVE_PARALLEL
    check_hdf5(H5Pset_dxpl_mpio(collective_.id(), H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
    // Each rank's rows are contiguous: aggregating them on a few ranks would gain nothing, and Open MPI 4 hangs when an aggregator fails to
    // write.
    check_hdf5(H5Pset_dxpl_mpio_collective_opt(collective_.id(), H5FD_MPIO_INDIVIDUAL_IO), "H5Pset_dxpl_mpio_collective_opt");
#endif
  });
  comm.agree([&] { file_ = open_hdf5_file_parallel(path, comm); });
}

void CollectiveFile::write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first, std::uint64_t count,
                                const NextRows& next) {
  std::uint64_t piece = 1;
  comm_.agree([&] { piece = rows_in_piece(dataset); });
  const std::uint64_t rows_per_round = std::max<std::uint64_t>(1, transfer_bytes_ / field.row_bytes() / piece) * piece;
  // From the beginning of a piece to this rank's first row.
  const std::uint64_t before = first % piece;
  const std::uint64_t rounds = comm_.max(count == 0 ? 0 : (before + count + rows_per_round - 1) / rows_per_round);
  const hid_t memory_type = hdf5_type(field.type);
  for (std::uint64_t round = 0, begin = 0; round < rounds; ++round) {
    const std::uint64_t end = std::min(count, (round + 1) * rows_per_round - before);
    Hdf5Handle memory, space;
    std::span<const std::byte> values;
    // Everything that can fail on one rank alone comes before the collective write.
    comm_.agree([&] {
      values = next(end - begin);
      space = select_rows(dataset, first + begin, end - begin, memory);
    });
    comm_.agree([&] {
      check_hdf5(H5Dwrite(dataset.id(), memory_type, memory.id(), space.id(), collective_.id(), values.data()),
                 hdf5_name(dataset) + ": cannot be written");
    });
    begin = end;
    // The disk writes while the next rows are prepared; otherwise it would start only when the memory is full of them.
    if (comm_.local_rank() == 0) begin_flush(path_);
  }
}

void CollectiveFile::write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first,
                                std::span<const std::byte> rows) {
  std::size_t at = 0;
  write_rows(dataset, field, first, rows.size() / field.row_bytes(), [&](std::size_t count) {
    const std::span<const std::byte> next = rows.subspan(at, count * field.row_bytes());
    at += next.size();
    return next;
  });
}

void CollectiveFile::close() {
  comm_.agree([&] { check_hdf5(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), path_.string() + ": cannot be flushed"); });
  comm_.agree([&] { file_.close(path_.string() + ": cannot be closed"); });
}

}  // namespace grove
