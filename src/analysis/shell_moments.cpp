#include "src/analysis/shell_moments.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/analysis/exact_sum.hpp"

namespace grove {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Place of a radius among the shells: 0 is inside of all, 1 the first one, edges.size() is outside.
std::size_t bin_of(double radius, const std::vector<double>& edges) {
  if (edges.empty()) return 0;
  if (radius == edges.front()) return 1;
  return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), radius) - edges.begin());
}

/// Sums for each group but the first, which has all, and each bin.
class BinSums {
 public:
  BinSums(const std::vector<Group>& groups, std::size_t bins, std::size_t sums)
      : bins_(bins), sums_(sums), values_((groups.size() - 1) * bins * sums), row_of_type_(particle_type_count, 0) {
    for (std::size_t g = 1; g < groups.size(); ++g) row_of_type_[static_cast<std::size_t>(groups[g].type)] = g - 1;
  }
  std::size_t row_of(std::uint8_t type) const { return row_of_type_[type]; }
  ExactSum* at(std::size_t row, std::size_t bin) { return &values_[(row * bins_ + bin) * sums_]; }
  const ExactSum* at(std::size_t row, std::size_t bin) const { return &values_[(row * bins_ + bin) * sums_]; }

  void add(std::span<const BinSums> others) {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < values_.size(); ++k)
      for (const BinSums& other : others) values_[k].add(other.values_[k]);
  }
  void sum_over_ranks(const Communicator& comm) { ExactSum::sum_over_ranks(values_, comm); }

 private:
  std::size_t bins_, sums_;
  std::vector<ExactSum> values_;
  std::vector<std::size_t> row_of_type_;
};

struct Input {
  const ParticleSet& particles;
  const std::vector<Group>& groups;
  const std::vector<double>& edges;
  const ShellItemOf& item_of;
  const Communicator& comm;
  std::size_t threads;

  std::size_t bins() const { return edges.size() + 1; }
};

/// add(sums of the particle's group and bin, row, bin, item, mass, weight) for each particle.
template <class Add>
BinSums sums_of(const Input& in, std::size_t sums, Add add) {
  std::vector<BinSums> of_thread;
  of_thread.reserve(in.threads);
  // Before the threads begin: an exception among them would end the process without a word.
  in.comm.agree([&] {
    for (std::size_t t = 0; t < in.threads; ++t) of_thread.emplace_back(in.groups, in.bins(), sums);
  });
#pragma omp parallel num_threads(static_cast <int>(in.threads))
  {
    BinSums& own = of_thread[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < in.particles.size(); ++i) {
      const ShellItem item = in.item_of(i);
      const std::size_t row = own.row_of(in.particles.type[i]), bin = bin_of(item.radius, in.edges);
      const double mass = in.particles.mass[i];
      add(own.at(row, bin), row, bin, item, mass, in.groups[row + 1].weight(mass));
    }
  }
  BinSums all = std::move(of_thread.front());
  all.add(std::span(of_thread).subspan(1));
  all.sum_over_ranks(in.comm);
  return all;
}

// What the first pass adds up; then come the weighted quantities.
enum FirstSum : std::size_t { number, mass, weight, first_quantity, first_sums = first_quantity + moment_count };

/// Sums of many shells can be more than the host has: the system would end a process that takes them. Not collective; throws ConfigError.
void require_memory(const Input& in) {
  const std::size_t components = in.groups.size() - 1, of_bin = first_sums * in.threads + moment_count;
  const double needed = static_cast<double>(components * in.bins() * of_bin * sizeof(ExactSum));
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

BinSums first_pass(const Input& in) {
  return sums_of(in, first_sums, [](ExactSum* sum, std::size_t, std::size_t, const ShellItem& item, double m, double w) {
    sum[number].add(1);
    sum[mass].add(m);
    if (!item.has_direction) return;
    sum[weight].add(w);
    for (std::size_t k = 0; k < moment_count; ++k) sum[first_quantity + k].add(w * item.quantities[k]);
  });
}

Moments means_of(const ExactSum* sum) {
  const double of_weight = sum[weight].value();
  Moments mean;
  for (std::size_t k = 0; k < moment_count; ++k) mean[k] = of_weight > 0 ? sum[first_quantity + k].value() / of_weight : not_known;
  return mean;
}

/// Squares of deviations from the means of the first pass: their differences of squares would lose what is small beside the means.
BinSums second_pass(const Input& in, const BinSums& first) {
  std::vector<Moments> means;
  for (std::size_t row = 0; row + 1 < in.groups.size(); ++row)
    for (std::size_t bin = 0; bin < in.bins(); ++bin) means.push_back(means_of(first.at(row, bin)));
  return sums_of(in, moment_count, [&](ExactSum* sum, std::size_t row, std::size_t bin, const ShellItem& item, double, double w) {
    // Zero weights leave a bin without means.
    if (!item.has_direction || !(w > 0)) return;
    const Moments& mean = means[row * in.bins() + bin];
    for (std::size_t k = 0; k < moment_count; ++k) {
      const double deviation = item.quantities[k] - mean[k];
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

std::vector<ExactSum> joined(const Input& in, const BinSums& first, std::size_t g, std::size_t bin) {
  std::vector<ExactSum> sum(first_sums);
  for (const bool for_means : {false, true})
    for (const std::size_t row : rows_of(in.groups, g, for_means))
      for (std::size_t k = for_means ? weight : number; k < (for_means ? first_sums : weight); ++k) sum[k].add(first.at(row, bin)[k]);
  return sum;
}

/// About the mean of the group, from those about the means of its parts.
Moments variances_of(const Input& in, const BinSums& first, const BinSums& second, std::size_t g, std::size_t bin, const Moments& mean) {
  Moments sum{};
  double of_weight = 0;
  for (const std::size_t row : rows_of(in.groups, g, true)) {
    const double of_part = first.at(row, bin)[weight].value();
    if (!(of_part > 0)) continue;
    const Moments mean_of_part = means_of(first.at(row, bin));
    of_weight += of_part;
    for (std::size_t k = 0; k < moment_count; ++k) {
      const double offset = mean_of_part[k] - mean[k];
      sum[k] += second.at(row, bin)[k].value() + of_part * offset * offset;
    }
  }
  for (double& s : sum) s = of_weight > 0 ? s / of_weight : not_known;
  return sum;
}

GroupMoments moments_of_group(const Input& in, const BinSums& first, const BinSums& second, std::size_t g) {
  GroupMoments group;
  ExactSum inside;
  for (std::size_t bin = 0; bin < in.bins(); ++bin) {
    const std::vector<ExactSum> sum = joined(in, first, g, bin);
    const auto particles = static_cast<std::uint64_t>(sum[number].value());
    inside.add(sum[mass]);
    if (bin == 0 || bin == in.edges.size()) {
      (bin == 0 ? group.inside : group.outside) = particles;
      continue;
    }
    ShellMoments shell{particles, sum[mass].value(), inside.value(), means_of(sum.data()), {}};
    shell.variance = variances_of(in, first, second, g, bin, shell.mean);
    group.shells.push_back(shell);
  }
  return group;
}

}  // namespace

std::vector<GroupMoments> shell_moments(const ParticleSet& particles, const std::vector<Group>& groups, const std::vector<double>& edges,
                                        const ShellItemOf& item_of, const Communicator& comm) {
  const Input in{particles, groups, edges, item_of, comm, static_cast<std::size_t>(omp_get_max_threads())};
  comm.agree([&] { require_memory(in); });
  const BinSums first = first_pass(in), second = second_pass(in, first);
  std::vector<GroupMoments> moments;
  for (std::size_t g = 0; g < groups.size(); ++g) moments.push_back(moments_of_group(in, first, second, g));
  return moments;
}

}  // namespace grove
