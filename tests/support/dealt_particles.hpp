// Particles in another order, dealt out to ranks: what must not change a result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove::tests {

/// This rank's part of `all`, which every rank has, after a shuffle. All fields that are known are kept.
inline ParticleSet dealt(const ParticleSet& all, const Communicator& comm, std::uint64_t seed = 1) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  std::vector<std::size_t> own;
  for (std::size_t k = static_cast<std::size_t>(comm.rank()); k < order.size(); k += static_cast<std::size_t>(comm.size()))
    own.push_back(order[k]);
  ParticleSet part;
  part.fields = all.fields;
  for (const ParticleField& field : all.fields->rows()) {
    const auto from = all.bytes(field);
    if (from.empty()) continue;
    const auto to = part.resize(field, own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(own[i] * field.row_bytes()), field.row_bytes(),
                  to.begin() + static_cast<std::ptrdiff_t>(i * field.row_bytes()));
  }
  return part;
}

/// One particle at rest.
struct Point {
  double x, y, z;
  double mass = 1;
  std::uint8_t type = 1;
};

/// Particles with ids from 0, at rest.
inline ParticleSet particles_at(const std::vector<Point>& points) {
  ParticleSet set;
  set.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::copy_n(&points[i].x, 3, &set.position[3 * i]);
    set.mass[i] = points[i].mass;
    set.id[i] = i;
    set.type[i] = points[i].type;
  }
  return set;
}

/// Adds the particles of `more` behind the others, moved by `shift`; ids continue.
inline void append(ParticleSet& set, const ParticleSet& more, const std::vector<double>& shift = {0, 0, 0}) {
  const std::size_t before = set.size();
  set.resize(before + more.size());
  for (std::size_t i = 0; i < more.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      set.position[3 * (before + i) + d] = more.position[3 * i + d] + shift[d];
      set.velocity[3 * (before + i) + d] = more.velocity[3 * i + d];
    }
    set.mass[before + i] = more.mass[i];
    set.id[before + i] = before + i;
    set.type[before + i] = more.type[i];
  }
}

}  // namespace grove::tests
