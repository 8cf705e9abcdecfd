#include "src/bench/virtual_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "decomposition/domain/cut_cells.hpp"
#include "decomposition/domain/domain_cuts.hpp"
#include "decomposition/domain/domain_exchange.hpp"
#include "decomposition/domain/essential_tree.hpp"
#include "decomposition/domain/frame.hpp"
#include "decomposition/domain/key_splits.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "kernels/tree/moments.hpp"
#include "kernels/tree/tree_build.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "src/solver/force_solver.hpp"

namespace grove {

namespace {

/// Particles [begin, begin + count) of the sorted set.
struct Domain {
  std::size_t begin = 0, count = 0;
};

/// The whole set, sorted by key, with what the trees of its domains are made of.
class WholeSet {
 public:
  WholeSet(ParticleSet set, const GravityParameters& gravity)
      : law_(gravity), form_(gravity.method == "tree" ? WalkTerms::form : law_.expansion_form()), scaled_(law_.unscaled()) {
    upload(space_, std::move(set), particles_);
    PhaseClock<HostSpace> clock(space_);
    clock.restart();
    const auto solver = make_force_solver(space_, self_, gravity, TransportWay::automatic, particles_.size());
    solver->prepare(particles_, clock);
    solver->forces(particles_, nullptr, clock);
    space_.synchronize();
    Frame frame = find_frame(space_, self_, particles_);
    frame.scale = law_.fitting(frame.scale);
    scaled_ = law_.at(frame.scale);
    cube_ = frame.cube;
    keys_.resize(particles_.size());
    const View<std::uint64_t> keys{keys_.data(), keys_.size()};
    const SortInput<HostSpace> input(space_, particles_, {frame.cube}, law_.measure(frame.scale, frame.mass), keys);
    const View<const float> magnitude = sort_particles<HostSpace>(space_, input, particles_);
    magnitude_.assign(magnitude.data, magnitude.data + magnitude.size);
  }

  std::size_t size() const { return keys_.size(); }
  HostSpace& space() { return space_; }
  const ScaledLaw& law() const { return scaled_; }
  View<const Double4> positions(const Domain& d) const { return View<const Double4>(particles_.position.view()).part(d.begin, d.count); }

  /// Cuts the set as DomainCuts does.
  std::vector<Domain> cut(int ranks, double& balance) const {
    const std::uint32_t* const work = particles_.work.data();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < size(); ++i) total += work[i];
    const std::uint64_t idle = std::max<std::uint64_t>(total / size() / idle_share_of_work, 1);
    std::vector<std::uint64_t> below(size() + 1, 0);
    for (std::size_t i = 0; i < size(); ++i) below[i + 1] = below[i] + work[i] + idle;
    const auto first_with = [this](std::uint64_t key) {
      return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
    };
    const auto weight_below = [&](std::span<const std::uint64_t> keys, std::span<std::uint64_t> out) {
      for (std::size_t k = 0; k < keys.size(); ++k) out[k] = below[first_with(keys[k])];
    };
    std::vector<Domain> domains;
    std::uint64_t largest = 0;
    std::size_t begin = 0;
    const auto end_at = [&](std::size_t end) {
      domains.push_back({begin, end - begin});
      largest = std::max(largest, below[end] - below[begin]);
      begin = end;
    };
    for (const std::uint64_t split :
         find_key_splits(self_, static_cast<std::uint64_t>(ranks), weight_below, below.back(), balance_tolerance))
      end_at(first_with(split));
    end_at(size());
    balance = static_cast<double>(largest) * ranks / static_cast<double>(below.back());
    return domains;
  }

  /// The tree of a domain, with moments; `ranges`: as enlarge_cut_cells() needs them; empty: not yet known.
  void build(const Domain& d, std::span<const KeyRange> ranges, std::size_t own, Tree<HostSpace>& tree) {
    space_.arena().begin_step();
    build_tree<HostSpace>(space_, {keys_.data() + d.begin, d.count}, tree);
    compute_moments<HostSpace>(space_, positions(d), View<const float>{magnitude_.data() + d.begin, d.count}, {scaled_.scale}, tree);
    if (!ranges.empty()) enlarge_cut_cells<HostSpace>(space_, ranges, own, tree);
  }
  DomainDescription describe(const Domain& d, const Tree<HostSpace>& tree) {
    if (d.count == 0) return {};
    const std::uint64_t ends[] = {keys_[d.begin], keys_[d.begin + d.count - 1]};
    return describe_domain<HostSpace>(space_, tree, {ends, 2}, {positions(d)}, cube_, scaled_.scale);
  }
  ExpansionForm form() const { return form_; }

 private:
  HostSpace space_;
  Communicator self_{MPI_COMM_SELF};
  GravityLaw law_;
  ExpansionForm form_;
  ScaledLaw scaled_;
  KeyCube cube_;
  Particles<HostSpace> particles_{space_};
  std::vector<std::uint64_t> keys_;
  std::vector<float> magnitude_;
};

MeanAndMost summary_of(const std::vector<double>& values) {
  MeanAndMost s;
  for (const double v : values) {
    s.mean += v / static_cast<double>(values.size());
    s.most = std::max(s.most, v);
  }
  return s;
}

VirtualRanks measure(WholeSet& whole, int rank_count) {
  VirtualRanks result;
  result.ranks = rank_count;
  result.particles = static_cast<double>(whole.size()) / rank_count;
  const std::vector<Domain> domains = whole.cut(rank_count, result.balance);
  const auto ranks = static_cast<std::size_t>(rank_count);
  Tree<HostSpace> tree(whole.space(), whole.form());
  std::vector<DomainSummary> summaries;
  std::vector<std::vector<TargetBox>> fine;
  std::vector<KeyRange> ranges;
  for (const Domain& domain : domains) {
    whole.build(domain, {}, 0, tree);
    DomainDescription description = whole.describe(domain, tree);
    summaries.push_back(summary_of(description));
    ranges.push_back(description.keys);
    fine.push_back(std::move(description.fine));
  }
  result.table_bytes = static_cast<double>(ranks * sizeof(DomainSummary));
  std::vector<double> particles(ranks, 0), cells(ranks, 0), bytes(ranks, 0), near(ranks, 0), senders(ranks, 0);
  EssentialTrees<HostSpace> trees(whole.space());
  const double cell_bytes = sizeof(CellLinks) + sizeof(CellGeometry) + sizeof(float) * static_cast<double>(multipole_stride(whole.form()));
  for (std::size_t r = 0; r < ranks; ++r) {
    BoxesOfRanks boxes;
    for (std::size_t other = 0; other < ranks; ++other) {
      const bool is_near = other != r && are_near(summaries[r], summaries[other], whole.law().scale);
      near[r] += is_near ? 1 : 0;
      if (other == r)
        boxes.add({});
      else if (is_near)
        boxes.add(fine[other]);
      else
        boxes.add({summaries[other].box, summaries[other].count});
    }
    whole.build(domains[r], ranges, r, tree);
    trees.select(whole.space(), whole.law(), tree, boxes);
    for (std::size_t other = 0; other < ranks; ++other) {
      particles[other] += static_cast<double>(trees.particle_counts[other]);
      cells[other] += static_cast<double>(trees.cell_counts[other]);
      bytes[other] +=
          sizeof(Double4) * static_cast<double>(trees.particle_counts[other]) + cell_bytes * static_cast<double>(trees.cell_counts[other]);
      senders[other] += trees.cell_counts[other] > 1 ? 1 : 0;
    }
  }
  result.imported_particles = summary_of(particles);
  result.imported_cells = summary_of(cells);
  result.imported_bytes = summary_of(bytes);
  result.near_ranks = summary_of(near);
  result.senders = summary_of(senders);
  return result;
}

}  // namespace

std::vector<VirtualRanks> measure_virtual_ranks(ParticleSet particles, const GravityParameters& gravity, const std::vector<int>& ranks) {
  WholeSet whole(std::move(particles), gravity);
  std::vector<VirtualRanks> rows;
  for (const int count : ranks) rows.push_back(measure(whole, count));
  return rows;
}

std::string virtual_ranks_text(const std::vector<VirtualRanks>& rows) {
  std::string text = fmt::format("{:>6} {:>12} {:>12} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>8}\n", "ranks", "particles", "imported",
                                 "imported", "MB mean", "MB most", "near", "senders", "table kB", "balance");
  text += fmt::format("{:>6} {:>12} {:>12} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>8}\n", "", "a rank", "particles", "/ own", "", "",
                      "ranks", "", "", "");
  for (const VirtualRanks& row : rows)
    text += fmt::format("{:>6} {:>12.0f} {:>12.0f} {:>10.3f} {:>10.2f} {:>10.2f} {:>8.1f} {:>8.1f} {:>9.1f} {:>8.3f}\n", row.ranks,
                        row.particles, row.imported_particles.mean, row.import_share(), 1e-6 * row.imported_bytes.mean,
                        1e-6 * row.imported_bytes.most, row.near_ranks.mean, row.senders.mean, 1e-3 * row.table_bytes, row.balance);
  return text;
}

nlohmann::ordered_json virtual_ranks_json(const std::vector<VirtualRanks>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto both = [](const MeanAndMost& m) { return nlohmann::ordered_json{{"mean", m.mean}, {"most", m.most}}; };
  for (const VirtualRanks& row : rows)
    all.push_back({{"ranks", row.ranks},
                   {"particles_a_rank", row.particles},
                   {"imported_particles", both(row.imported_particles)},
                   {"imported_cells", both(row.imported_cells)},
                   {"imported_bytes", both(row.imported_bytes)},
                   {"near_ranks", both(row.near_ranks)},
                   {"senders", both(row.senders)},
                   {"table_bytes", row.table_bytes},
                   {"balance", row.balance}});
  return all;
}

}  // namespace grove
