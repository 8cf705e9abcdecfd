#include "src/analysis/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "src/analysis/ordered_values.hpp"

namespace grove {

namespace {

/// Says which set a particle is of: 0 or 1.
constexpr const char* set_field = "set";

/// All particles of both sets, sorted by id over the ranks: those of equal id are on one rank.
struct Sorted {
  ParticleSet particles;
  /// The place of one of the two particles that have an id in common; the other one stands behind it, of either set.
  std::vector<std::size_t> pairs;

  bool is_of_b(std::size_t i) const { return particles.bytes(*particles.fields->find(set_field))[i] != std::byte{0}; }
  std::span<const double> values(const ParticleField& field) const {
    const std::span<const std::byte> bytes = particles.bytes(field);
    return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
  }
};

/// Whether any rank has values of the field. Collective.
bool is_known(const ParticleSet& set, const ParticleField& field, const Communicator& comm) {
  return comm.max(set.bytes(field).empty() ? 0 : 1) == 1;
}

ParticleSet join_sets(const ParticleSet& a, const ParticleSet& b, const Communicator& comm) {
  ParticleSet both;
  both.fields = comparison_fields();
  for (const ParticleField& field : both.fields->rows()) {
    const bool a_knows = is_known(a, field, comm), b_knows = is_known(b, field, comm);
    if (!a_knows || !b_knows) continue;
    const std::span<const std::byte> of_a = a.bytes(field), of_b = b.bytes(field);
    std::copy(of_b.begin(), of_b.end(), std::copy(of_a.begin(), of_a.end(), both.resize(field, a.size() + b.size()).begin()));
  }
  const std::span<std::byte> marks = both.resize(*both.fields->find(set_field), a.size() + b.size());
  std::fill(marks.begin() + static_cast<std::ptrdiff_t>(a.size()), marks.end(), std::byte{1});
  return both;
}

constexpr std::uint64_t no_id = std::numeric_limits<std::uint64_t>::max();

void count(CountedIds& ids, std::uint64_t id) {
  ids.lowest = std::min(ids.count == 0 ? no_id : ids.lowest, id);
  ++ids.count;
}

CountedIds over_ranks(const CountedIds& ids, const Communicator& comm) {
  const CountedIds all{comm.sum(ids.count), comm.min(ids.count == 0 ? no_id : ids.lowest)};
  return all.count > 0 ? all : CountedIds{};
}

void find_pairs(Sorted& sorted, Comparison& result, const Communicator& comm) {
  const ParticleSet& p = sorted.particles;
  std::array<CountedIds, 2> alone;
  CountedIds other_type;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i + 1 == p.size() || p.id[i] != p.id[i + 1]) {
      count(alone[sorted.is_of_b(i) ? 1 : 0], p.id[i]);
      continue;
    }
    if (p.type[i] != p.type[i + 1]) count(other_type, p.id[i]);
    sorted.pairs.push_back(i++);
  }
  result.in_both = comm.sum(static_cast<std::uint64_t>(sorted.pairs.size()));
  result.only_in_a = over_ranks(alone[0], comm);
  result.only_in_b = over_ranks(alone[1], comm);
  result.of_other_type = over_ranks(other_type, comm);
}

/// The rms of the values of the first set or, of positions and velocities, their rms distance from the mean.
double spread_of(const ParticleField& field, const Sorted& sorted, std::span<const double> values, const Communicator& comm) {
  const std::size_t components = field.components;
  std::array<double, 3> middle{};
  if (field.name == "position" || field.name == "velocity") {
    const auto sum = exact_sums<4>(sorted.particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 4>& sums) {
      if (sorted.is_of_b(i)) return;
      sums[3].add(1);
      for (std::size_t d = 0; d < components; ++d) sums[d].add(values[components * i + d]);
    });
    for (std::size_t d = 0; d < 3; ++d) middle[d] = sum[d] / sum[3];
  }
  const auto sum = exact_sums<2>(sorted.particles.size(), comm, [&](std::size_t i, std::array<ExactSum, 2>& sums) {
    if (sorted.is_of_b(i)) return;
    sums[0].add(1);
    for (std::size_t d = 0; d < components; ++d) sums[1].add(std::pow(values[components * i + d] - middle[d], 2));
  });
  return std::sqrt(sum[1] / sum[0]);
}

/// Squares of values that are very large or small would not fit.
double rms_of(const std::vector<WeightedValue>& values, double largest, std::uint64_t count, const Communicator& comm) {
  if (!(largest > 0)) return largest;
  const auto sum = exact_sums<1>(values.size(), comm,
                                 [&](std::size_t i, std::array<ExactSum, 1>& s) { s[0].add(std::pow(values[i].value / largest, 2)); });
  return largest * std::sqrt(sum[0] / static_cast<double>(count));
}

FieldDifference difference_of(const ParticleField& field, const Sorted& sorted, const Communicator& comm) {
  const std::span<const double> values = sorted.values(field);
  const std::size_t components = field.components;
  std::vector<WeightedValue> lengths;
  lengths.reserve(sorted.pairs.size());
  for (const std::size_t first : sorted.pairs) {
    std::array<double, 3> d{};
    for (std::size_t k = 0; k < components; ++k) d[k] = values[components * (first + 1) + k] - values[components * first + k];
    lengths.push_back({std::hypot(d[0], d[1], d[2]), 0});
  }
  const OrderedValues ordered(lengths, comm);
  FieldDifference result{field.name, 0, ordered.percentile(0.5), ordered.percentile(0.99), ordered.largest(), 0, 0};
  result.rms = rms_of(lengths, result.max, ordered.count(), comm);
  std::uint64_t lowest = no_id;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    if (lengths[k].value == result.max) lowest = std::min(lowest, sorted.particles.id[sorted.pairs[k]]);
  result.id_of_max = comm.min(lowest);
  result.spread = spread_of(field, sorted, values, comm);
  return result;
}

}  // namespace

const FieldTablePtr& comparison_fields() {
  static const FieldTablePtr table = [] {
    std::vector<ParticleField> rows = standard_fields()->rows();
    for (ParticleField& row : rows)
      if (row.name == "acceleration" || row.name == "potential") row.input = InInput::when_there;
    rows.push_back({.name = set_field, .type = ElementType::u1});
    return std::make_shared<FieldTable>(std::move(rows));
  }();
  return table;
}

Comparison compare_particles(ParticleSet a, ParticleSet b, const Communicator& comm) {
  Sorted sorted{join_sets(a, b, comm), {}};
  a = {};
  b = {};
  sorted.particles = sort_by_id(std::move(sorted.particles), comm);
  Comparison result;
  find_pairs(sorted, result, comm);
  if (result.in_both == 0) return result;
  for (const char* field : compared_fields) {
    const ParticleField& row = *sorted.particles.fields->find(field);
    if (is_known(sorted.particles, row, comm)) result.differences.push_back(difference_of(row, sorted, comm));
  }
  return result;
}

}  // namespace grove
