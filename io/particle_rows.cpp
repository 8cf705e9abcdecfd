#include "io/particle_rows.hpp"

#include <fmt/format.h>

#include <new>
#include <numeric>

#include "kernels/space/error.hpp"

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

}  // namespace grove
