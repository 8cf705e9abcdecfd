#include "io/formats/particle_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "kernels/base/error.hpp"

namespace grove {

ParticleSet make_rows(const FieldTablePtr& fields, std::uint64_t begin, std::uint64_t end, const std::filesystem::path& path) {
  ParticleSet particles;
  particles.fields = fields;
  try {
    particles.resize(end - begin);
  } catch (const std::bad_alloc&) {
    throw SystemError(
        fmt::format("{}: there is no memory for the {} particles that this rank reads: {}", path.string(), end - begin, more_host_memory));
  }
  std::iota(particles.id.begin(), particles.id.end(), begin);
  return particles;
}

ParticleSet read_own_rows(const std::filesystem::path& path, std::uint64_t total, const Communicator& comm,
                          const std::function<ParticleSet(std::uint64_t begin, std::uint64_t end)>& read, const RowNamer& name_row,
                          const std::function<void()>& check) {
  const std::uint64_t begin = first_of_rank(total, comm.rank(), comm.size());
  const std::uint64_t end = first_of_rank(total, comm.rank() + 1, comm.size());
  ParticleSet particles;
  comm.agree([&] { particles = read(begin, end); });
  if (check) check();
  validate_particles(particles, path.string(), begin, comm, name_row);
  return particles;
}

TypeCounts sum_over_files(const std::vector<TypeCounts>& counts) {
  TypeCounts sum{};
  for (const TypeCounts& of_file : counts)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_file[k];
  return sum;
}

std::vector<TypeBlock> blocks_of_rows(const std::vector<TypeCounts>& counts, std::uint64_t begin, std::uint64_t end) {
  std::vector<TypeBlock> result;
  std::uint64_t row = 0;
  for (int type = 0; type < particle_type_count; ++type) {
    for (std::size_t piece = 0; piece < counts.size(); ++piece) {
      const std::uint64_t size = counts[piece][static_cast<std::size_t>(type)];
      const std::uint64_t first = std::max(begin, row), last = std::min(end, row + size);
      if (first < last) result.push_back({piece, type, first - row, last - first, first});
      row += size;
    }
  }
  return result;
}

}  // namespace grove
