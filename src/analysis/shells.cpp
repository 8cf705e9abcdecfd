#include "src/analysis/shells.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decomposition/ranks/exact_sum.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/space/host_memory.hpp"

namespace grove {

namespace {

constexpr double share_inside = 0.001, share_to_end = 0.999;
/// Particles that all have about one radius, as two do, get shells inside it, too.
constexpr double least_ratio = 2, ratio_for_others = 10;

double default_begin(const ShellChoice& choice, const OrderedValues& radii, double to) {
  if (choice.spacing == ShellSpacing::linear) return 0;
  const double innermost = radii.percentile(share_inside);
  const double from = innermost > 0 || choice.spacing == ShellSpacing::number ? innermost : radii.next_above(0);
  return from * least_ratio <= to ? from : to / ratio_for_others;
}

std::vector<double> of_equal_number(const ShellChoice& choice, const OrderedValues& radii, double from, double to) {
  const std::uint64_t before = radii.count_below(from), inside = radii.count_up_to(to) - before;
  std::vector<double> edges{from};
  for (std::uint64_t k = 1; k < choice.count; ++k)
    if (const std::uint64_t n = before + fraction_of(inside, k, choice.count); n > 0) edges.push_back(radii.nth(n));
  edges.push_back(to);
  return edges;
}

std::vector<double> of_equal_size(const ShellChoice& choice, double from, double to) {
  std::vector<double> edges{from};
  const auto count = static_cast<double>(choice.count);
  for (std::uint64_t k = 1; k < choice.count; ++k) {
    const double share = static_cast<double>(k) / count;
    const bool is_linear = choice.spacing == ShellSpacing::linear;
    const double edge = is_linear ? from + (to - from) * share : from * std::exp(std::log(to / from) * share);
    edges.push_back(std::clamp(edge, from, to));
  }
  edges.push_back(to);
  return edges;
}

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Place of a radius among the shells: 0 is inside of all, 1 the first one, edges.size() is outside.
std::size_t bin_of(double radius, const std::vector<double>& edges) {
  if (edges.empty()) return 0;
  if (radius == edges.front()) return 1;
  return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), radius) - edges.begin());
}

struct Input {
  const ParticleSet& particles;
  const std::vector<Group>& groups;
  const std::vector<double>& edges;
  const ShellItemOf& item_of;
  const Communicator& comm;
  std::size_t threads;

  std::size_t bins() const { return edges.size() + 1; }
  /// Rows are the groups except the first, which has all; a cell is a bin of a row.
  std::size_t cells() const { return (groups.size() - 1) * bins(); }
  std::size_t cell(std::size_t row, std::size_t bin) const { return row * bins() + bin; }
};

/// [cells][sums] over all particles: add(sums of the particle's cell, cell, item, mass, weight) for each.
template <class Add>
std::vector<ExactSum> sums_of(const Input& in, std::size_t sums, Add add) {
  std::vector<std::size_t> row_of_type(particle_type_count, 0);
  for (std::size_t g = 1; g < in.groups.size(); ++g) row_of_type[static_cast<std::size_t>(in.groups[g].type)] = g - 1;
  std::vector<std::vector<ExactSum>> of_thread;
  // Before the threads begin: an exception among them would end the process without a word.
  in.comm.agree([&] {
    for (std::size_t t = 0; t < in.threads; ++t) of_thread.emplace_back(in.cells() * sums);
  });
#pragma omp parallel num_threads(static_cast <int>(in.threads))
  {
    std::vector<ExactSum>& own = of_thread[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < in.particles.size(); ++i) {
      const ShellItem item = in.item_of(i);
      const std::size_t row = row_of_type[in.particles.type[i]], cell = in.cell(row, bin_of(item.radius, in.edges));
      const double m = in.particles.mass[i];
      add(&own[cell * sums], cell, item, m, in.groups[row + 1].weight(m));
    }
#pragma omp for schedule(static)
    for (std::size_t k = 0; k < of_thread.front().size(); ++k)
      for (std::size_t t = 1; t < in.threads; ++t) of_thread.front()[k].add(of_thread[t][k]);
  }
  ExactSum::sum_over_ranks(of_thread.front(), in.comm);
  return std::move(of_thread.front());
}

// What the first pass adds up; then come the weighted quantities.
enum FirstSum : std::size_t { number_sum, mass_sum, weight_sum, first_quantity, first_sums = first_quantity + moment_count };

/// Sums of many shells can be more than the host has: the system would end a process that takes them. Not collective; throws ConfigError.
void require_memory(const Input& in) {
  const std::size_t components = in.groups.size() - 1, of_cell = first_sums * in.threads + moment_count;
  const double needed = static_cast<double>(in.cells() * of_cell * sizeof(ExactSum));
  for (const MemoryLimit& limit : host_memory_limits()) {
    const int ranks = limit.id.empty() ? 1 : in.comm.local_size();
    if (needed * ranks <= static_cast<double>(limit.free_bytes)) continue;
    throw ConfigError(
        fmt::format("--shells: the sums of {} shells, {} component{} and {} thread{} need {} on each of {} rank{}, and {} "
                    "leaves {}; ask for fewer shells, or for fewer threads (OMP_NUM_THREADS)",
                    format_count(in.edges.empty() ? 0 : in.edges.size() - 1), components, components == 1 ? "" : "s", in.threads,
                    in.threads == 1 ? "" : "s", format_bytes(needed), ranks, ranks == 1 ? "" : "s", limit.name,
                    format_bytes(static_cast<double>(limit.free_bytes))));
  }
}

std::vector<ExactSum> first_pass(const Input& in) {
  return sums_of(in, first_sums, [](ExactSum* sum, std::size_t, const ShellItem& item, double m, double w) {
    sum[number_sum].add(1);
    sum[mass_sum].add(m);
    if (!item.has_direction) return;
    sum[weight_sum].add(w);
    for (std::size_t k = 0; k < moment_count; ++k) sum[first_quantity + k].add(w * item.quantities[k]);
  });
}

Moments means_of(const ExactSum* sum) {
  const double of_weight = sum[weight_sum].value();
  Moments mean;
  for (std::size_t k = 0; k < moment_count; ++k) mean[k] = of_weight > 0 ? sum[first_quantity + k].value() / of_weight : not_known;
  return mean;
}

/// Squares of deviations from the means of the first pass: their differences of squares would lose what is small beside the means.
std::vector<ExactSum> second_pass(const Input& in, const std::vector<ExactSum>& first) {
  std::vector<Moments> means;
  for (std::size_t cell = 0; cell < in.cells(); ++cell) means.push_back(means_of(&first[cell * first_sums]));
  return sums_of(in, moment_count, [&](ExactSum* sum, std::size_t cell, const ShellItem& item, double, double w) {
    // Zero weights leave a bin without means.
    if (!item.has_direction || !(w > 0)) return;
    for (std::size_t k = 0; k < moment_count; ++k) {
      const double deviation = item.quantities[k] - means[cell][k];
      sum[k].add(w * deviation * deviation);
    }
  });
}

/// The groups whose particles weigh in the means of group g: itself, or all that have mass, or all where none has.
std::vector<std::size_t> rows_of(const std::vector<Group>& groups, std::size_t g, bool for_means) {
  if (g > 0) return {g - 1};
  std::vector<std::size_t> rows;
  for (std::size_t other = 1; other < groups.size(); ++other)
    if (!for_means || groups[other].mass > 0 || !(groups[0].mass > 0)) rows.push_back(other - 1);
  return rows;
}

std::vector<ExactSum> joined(const Input& in, const std::vector<ExactSum>& first, std::size_t g, std::size_t bin) {
  std::vector<ExactSum> sum(first_sums);
  for (const bool for_means : {false, true})
    for (const std::size_t row : rows_of(in.groups, g, for_means))
      for (std::size_t k = for_means ? weight_sum : number_sum; k < (for_means ? first_sums : weight_sum); ++k)
        sum[k].add(first[in.cell(row, bin) * first_sums + k]);
  return sum;
}

/// About the mean of the group, from those about the means of its parts.
Moments variances_of(const Input& in, const std::vector<ExactSum>& first, const std::vector<ExactSum>& second, std::size_t g,
                     std::size_t bin, const Moments& mean) {
  Moments sum{};
  double of_weight = 0;
  for (const std::size_t row : rows_of(in.groups, g, true)) {
    const std::size_t cell = in.cell(row, bin);
    const double of_part = first[cell * first_sums + weight_sum].value();
    if (!(of_part > 0)) continue;
    const Moments mean_of_part = means_of(&first[cell * first_sums]);
    of_weight += of_part;
    for (std::size_t k = 0; k < moment_count; ++k) {
      const double offset = mean_of_part[k] - mean[k];
      sum[k] += second[cell * moment_count + k].value() + of_part * offset * offset;
    }
  }
  for (double& s : sum) s = of_weight > 0 ? s / of_weight : not_known;
  return sum;
}

GroupMoments moments_of_group(const Input& in, const std::vector<ExactSum>& first, const std::vector<ExactSum>& second, std::size_t g) {
  GroupMoments group;
  std::vector<ExactSum> inside(first_sums);
  for (std::size_t bin = 0; bin < in.bins(); ++bin) {
    const std::vector<ExactSum> sum = joined(in, first, g, bin);
    const auto particles = static_cast<std::uint64_t>(sum[number_sum].value());
    for (std::size_t k = 0; k < first_sums; ++k) inside[k].add(sum[k]);
    if (bin == 0 || bin == in.edges.size()) {
      (bin == 0 ? group.inside : group.outside) = particles;
      continue;
    }
    const Moments mean = means_of(sum.data());
    group.shells.push_back({particles, sum[mass_sum].value(), mean, variances_of(in, first, second, g, bin, mean),
                            static_cast<std::uint64_t>(inside[number_sum].value()), inside[mass_sum].value(), means_of(inside.data())});
  }
  return group;
}

}  // namespace

ShellSpacing shell_spacing_named(const std::string& name) {
  if (name == "log") return ShellSpacing::log;
  if (name == "linear") return ShellSpacing::linear;
  if (name == "number") return ShellSpacing::number;
  throw ConfigError("--spacing " + name + ": must be log, linear or number");
}

std::vector<double> shell_edges(const ShellChoice& choice, const OrderedValues& radii) {
  const double to = choice.to ? *choice.to : radii.percentile(share_to_end);
  const double from = choice.from ? *choice.from : default_begin(choice, radii, to);
  // In an order of bits, -0 would be the largest number.
  if (!(from + 0.0 < to) || !std::isfinite(to) || (choice.spacing == ShellSpacing::log && !(from > 0))) return {};
  std::vector<double> edges =
      choice.spacing == ShellSpacing::number ? of_equal_number(choice, radii, from, to) : of_equal_size(choice, from, to);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

double middle_of_shell(ShellSpacing spacing, double inner, double outer) {
  return spacing == ShellSpacing::log ? std::sqrt(inner) * std::sqrt(outer) : inner / 2 + outer / 2;
}

std::vector<GroupMoments> shell_moments(const ParticleSet& particles, const std::vector<Group>& groups, const std::vector<double>& edges,
                                        const ShellItemOf& item_of, const Communicator& comm) {
  const Input in{particles, groups, edges, item_of, comm, static_cast<std::size_t>(omp_get_max_threads())};
  comm.agree([&] { require_memory(in); });
  const std::vector<ExactSum> first = first_pass(in), second = second_pass(in, first);
  std::vector<GroupMoments> moments;
  for (std::size_t g = 0; g < groups.size(); ++g) moments.push_back(moments_of_group(in, first, second, g));
  return moments;
}

std::vector<std::vector<double>> shell_medians(const ParticleSet& particles, const std::vector<Group>& groups,
                                               const std::vector<double>& edges, const ShellItemOf& item_of, std::size_t quantity,
                                               const Communicator& comm) {
  const std::size_t shells = edges.empty() ? 0 : edges.size() - 1;
  std::vector<std::vector<double>> sizes(groups.size() * shells);
  comm.agree([&] {
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const ShellItem item = item_of(i);
      const std::size_t bin = bin_of(item.radius, edges);
      if (!item.has_direction || bin == 0 || bin > shells) continue;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g].has(particles.type[i]) && groups[g].weight(particles.mass[i]) > 0)
          sizes[g * shells + bin - 1].push_back(std::abs(item.quantities[quantity]));
    }
  });
  const std::vector<double> medians = medians_of(std::move(sizes), comm);
  std::vector<std::vector<double>> of_group;
  for (std::size_t g = 0; g < groups.size(); ++g)
    of_group.emplace_back(medians.begin() + static_cast<std::ptrdiff_t>(g * shells),
                          medians.begin() + static_cast<std::ptrdiff_t>((g + 1) * shells));
  return of_group;
}

}  // namespace grove
