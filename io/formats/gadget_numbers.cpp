#include "io/formats/gadget_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "io/formats/gadget_info.hpp"
#include "io/formats/shared.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Of one type in one file: the numbers of particles with position 0, velocity 0, mass 0, and another mass than MassTable's.
using Zeros = std::array<std::uint64_t, 4>;
constexpr std::array<const char*, 3> datasets = {"Coordinates", "Velocities", "Masses"};

Zeros zeros_of_rows(const ParticleSet& particles, std::size_t first, std::size_t count, double table_mass) {
  const auto is_zero = [](const double* v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; };
  Zeros zeros{};
  for (std::size_t i = first; i < first + count; ++i) {
    zeros[0] += is_zero(&particles.position[3 * i]) ? 1 : 0;
    zeros[1] += is_zero(&particles.velocity[3 * i]) ? 1 : 0;
    zeros[2] += particles.mass[i] == 0 ? 1 : 0;
    // The field may be in single precision.
    zeros[3] += table_mass != 0 && !(std::abs(particles.mass[i] - table_mass) <= 1e-6 * std::abs(table_mass)) ? 1 : 0;
  }
  return zeros;
}

/// [pieces * types], over all ranks. Collective.
std::vector<Zeros> count_zeros(const GadgetLayout& layout, const ParticleSet& particles, const Communicator& comm) {
  const std::uint64_t begin = comm.prefix_sum(particles.size());
  std::vector<Zeros> zeros(layout.pieces.size() * particle_type_count);
  for (const TypeBlock& block : blocks_of_rows(layout.count, begin, begin + particles.size()))
    zeros[block.piece * particle_type_count + static_cast<std::size_t>(block.type)] =
        zeros_of_rows(particles, block.row - begin, block.count, layout.mass_beside[block.piece][static_cast<std::size_t>(block.type)]);
  comm.sum(std::span<std::uint64_t>(zeros.front().data(), zeros.size() * zeros.front().size()));
  return zeros;
}

/// Throws or adds notes for one type in one file. Where one file has all particles, notes_on_values() looks at velocities and masses.
void judge(const std::string& file, int type, std::uint64_t count, bool is_all, const Zeros& zeros, ReadInfo& info) {
  if (count < 2) return;
  for (std::size_t k = 0; k < datasets.size(); ++k) {
    const std::string name = fmt::format("{}: {}/{}", file, gadget_group(type), std::string(datasets[k]));
    if (k == 0 && zeros[k] == count)
      throw DataError(fmt::format("{}: all {} positions are 0, as in a dataset that was never written", name, count));
    if (k == 0 && zeros[k] > 1)
      info.notes.push_back(
          fmt::format("{}: {} of {} positions are 0, as where a dataset was not written to its end", name, zeros[k], count));
    if (k > 0 && zeros[k] == count && !is_all) info.notes.push_back(fmt::format("{}: all {} are 0", name, count));
  }
}

/// Whether the particles fill the box of the file and none is outside. Collective.
bool fill_the_box(const ParticleSet& particles, double side, const Communicator& comm) {
  std::array<double, 3> low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < particles.position.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], particles.position[i]);
    high[i % 3] = std::max(high[i % 3], particles.position[i]);
  }
  comm.min(std::span<double>(low));
  comm.max(std::span<double>(high));
  bool fill = side > 0;
  for (std::size_t c = 0; c < 3; ++c) fill = fill && low[c] >= 0 && high[c] <= side && high[c] - low[c] > 0.9 * side;
  return fill;
}

}  // namespace

void check_numbers(const GadgetLayout& layout, const ParticleSet& particles, ReadInfo& info, const Communicator& comm) {
  const std::vector<Zeros> zeros = count_zeros(layout, particles, comm);
  comm.agree([&] {
    for (std::size_t i = 0; i < zeros.size() && comm.is_root(); ++i) {
      const std::size_t piece = i / particle_type_count, type = i % particle_type_count;
      const std::string file = layout.pieces[piece].string();
      judge(file, static_cast<int>(type), layout.count[piece][type], layout.pieces.size() == 1, zeros[i], info);
      if (zeros[i][3] > 0)
        info.notes.push_back(fmt::format("{}: PartType{}: {} of {} masses are not the {} of /Header MassTable; the field is used", file,
                                         type, zeros[i][3], layout.count[piece][type], layout.mass_beside[piece][type]));
    }
  });
  double side = info.universe.box_size.value_or(0);
  share(comm, side);
  const bool is_full = fill_the_box(particles, side, comm);
  if (is_full && comm.is_root() && !info.universe.is_periodic && why_not_isolated(info.universe).empty())
    info.notes.push_back(fmt::format(
        "the particles fill the box of the file, of side {:.6g}: if it is periodic there, it has an end here, and falls together", side));
}

}  // namespace grove
