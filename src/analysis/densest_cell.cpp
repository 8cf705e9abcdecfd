#include "src/analysis/densest_cell.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace grove {

namespace {

constexpr std::uint32_t in_no_cell = std::numeric_limits<std::uint32_t>::max();

/// Into how many parts a cell is divided. Halves would put the nucleus of a round galaxy, in the middle of the box around it, into eight
/// parts.
constexpr std::size_t parts = 27;

/// The cube at the lower corner of the box around some particles.
struct Cell {
  std::array<double, 3> low{}, high{};
  double weight = 0;

  /// Halves first: the difference of two coordinates may be too large for a double.
  double half_side() const { return std::max({high[0] / 2 - low[0] / 2, high[1] / 2 - low[1] / 2, high[2] / 2 - low[2] / 2}); }
  /// 0, 1 or 2: the third of the cube in which a coordinate is.
  std::size_t third_of(std::size_t d, double x) const {
    const double third = half_side() * (2.0 / 3.0);
    return x < low[d] + third ? 0 : x < low[d] + 2 * third ? 1 : 2;
  }
  /// False where its extent is down to rounding: all of its particles would be in one part.
  bool can_be_divided() const {
    for (std::size_t d = 0; d < 3; ++d)
      if (third_of(d, low[d]) != third_of(d, high[d])) return true;
    return false;
  }
  double log_density() const { return std::log2(weight) - 3 * std::log2(half_side()); }
};

class Search {
 public:
  Search(const ParticleSet& particles, const Group& all, std::uint64_t least, const Communicator& comm)
      : particles_(particles), least_(least), comm_(comm), cell_of_(particles.size(), 0), weight_(particles.size(), 1) {
    if (all.mass > 0) set_weights(all);
    cells_.resize(1);
    std::uint64_t total = 0;
    for (const std::uint64_t w : weight_) total += w;
    cells_[0].weight = static_cast<double>(comm_.sum(total));
    find_boxes();
    best_ = cells_[0];
  }

  Cell best() {
    while (divide())
      for (const Cell& cell : cells_)
        if (is_denser(cell, best_)) best_ = cell;
    return best_;
  }

 private:
  /// Masses as integers, so that sums of them do not depend on an order.
  void set_weights(const Group& all) {
    const double most = comm_.max(particles_.mass.empty() ? 0.0 : *std::max_element(particles_.mass.begin(), particles_.mass.end()));
    const int power = 62 - std::ilogb(most) - 1 - static_cast<int>(std::bit_width(all.particles));
    for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = static_cast<std::uint64_t>(std::ldexp(particles_.mass[i], power));
  }

  static bool is_denser(const Cell& a, const Cell& b) {
    const double of_a = a.log_density(), of_b = b.log_density();
    return of_a > of_b || (of_a == of_b && a.weight > b.weight);
  }

  std::size_t part_of(std::size_t i) const {
    const Cell& cell = cells_[cell_of_[i]];
    std::size_t part = cell_of_[i];
    for (std::size_t d = 0; d < 3; ++d) part = 3 * part + cell.third_of(d, particles_.position[3 * i + d]);
    return part;
  }

  /// Makes the cells of the next level. False when none has enough particles.
  bool divide() {
    std::vector<std::uint64_t> sums(2 * parts * cells_.size(), 0);  // particles and weight of each part
    for (std::size_t i = 0; i < cell_of_.size(); ++i) {
      if (cell_of_[i] == in_no_cell) continue;
      const std::size_t part = part_of(i);
      ++sums[2 * part];
      sums[2 * part + 1] += weight_[i];
    }
    comm_.sum(std::span<std::uint64_t>(sums));
    std::vector<std::uint32_t> number(parts * cells_.size(), in_no_cell);
    std::vector<Cell> next;
    for (std::size_t part = 0; part < number.size(); ++part) {
      if (sums[2 * part] < least_ || !cells_[part / parts].can_be_divided()) continue;
      number[part] = static_cast<std::uint32_t>(next.size());
      next.push_back({});
      next.back().weight = static_cast<double>(sums[2 * part + 1]);
    }
    if (next.empty()) return false;
    for (std::size_t i = 0; i < cell_of_.size(); ++i)
      if (cell_of_[i] != in_no_cell) cell_of_[i] = number[part_of(i)];
    cells_ = std::move(next);
    find_boxes();
    return true;
  }

  void find_boxes() {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::vector<double> low(3 * cells_.size(), infinite), high(3 * cells_.size(), -infinite);
    for (std::size_t i = 0; i < cell_of_.size(); ++i) {
      if (cell_of_[i] == in_no_cell) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t at = std::size_t{3} * cell_of_[i] + d;
        double &l = low[at], &h = high[at];
        l = std::min(l, particles_.position[3 * i + d]);
        h = std::max(h, particles_.position[3 * i + d]);
      }
    }
    comm_.min(std::span<double>(low));
    comm_.max(std::span<double>(high));
    for (std::size_t c = 0; c < cells_.size(); ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        cells_[c].low[d] = low[3 * c + d];
        cells_[c].high[d] = high[3 * c + d];
      }
  }

  const ParticleSet& particles_;
  const std::uint64_t least_;
  const Communicator& comm_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> cell_of_;  ///< of each particle
  std::vector<std::uint64_t> weight_;
  Cell best_;
};

}  // namespace

DensestCell densest_cell(const ParticleSet& particles, const Group& all, std::uint64_t least, const Communicator& comm) {
  const Cell best = Search(particles, all, least, comm).best();
  // Which of 0 and -0 is the lower one depends on their order.
  const auto middle = [&](std::size_t d) { return best.low[d] / 2 + best.high[d] / 2 + 0.0; };
  return {{middle(0), middle(1), middle(2)}, 2 * best.half_side()};
}

}  // namespace grove
