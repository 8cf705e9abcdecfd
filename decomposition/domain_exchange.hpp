// What ranks tell each other of their domains.
//
// All ranks get a coarse description: a few boxes. Ranks whose domains are near each other also get the fine one: the finer the boxes are,
// the less of a tree must be sent (docs/scaling.md has figures). Far away a coarse one costs little.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/cut_cells.hpp"
#include "decomposition/domain_boxes.hpp"

namespace grove {

/// What every rank knows of a rank.
struct DomainSummary {
  KeyRange keys;
  std::uint32_t count = 0;       ///< coarse boxes, which hold all targets; 0 for a rank without particles
  std::uint32_t fine_count = 0;  ///< boxes of its fine description
  TargetBox box[coarse_box_capacity];
};

/// Of a description what every rank gets.
DomainSummary summary_of(const DomainDescription& domain);

/// Whether two ranks tell each other their fine boxes: two of their boxes are nearer to each other than the larger one is long. The same
/// for both.
bool are_near(const DomainSummary& a, const DomainSummary& b, const TreeScale& scale);

/// The longest side of the box around the coarse boxes of all ranks; not a number where theirs are not.
double extent_of(const std::vector<DomainSummary>& summaries, const TreeScale& scale);

/// The boxes of all ranks: rank r has box[begin[r]] to box[begin[r + 1] - 1].
struct BoxesOfRanks {
  std::vector<TargetBox> box;
  std::vector<std::uint32_t> begin{0};

  std::size_t rank_count() const { return begin.size() - 1; }
  std::span<const TargetBox> of(std::size_t rank) const { return std::span(box).subspan(begin[rank], begin[rank + 1] - begin[rank]); }
  void add(std::span<const TargetBox> of_next_rank) {
    box.insert(box.end(), of_next_rank.begin(), of_next_rank.end());
    begin.push_back(static_cast<std::uint32_t>(box.size()));
  }
};

/// Tells all ranks the coarse boxes and the keys of this rank, and near ones its fine boxes.
class DomainExchange {
 public:
  /// Collective.
  void run(const Communicator& comm, const DomainDescription& own, const TreeScale& scale);

  /// [ranks]
  const std::vector<DomainSummary>& summaries() const { return summaries_; }
  /// Of each rank the finest boxes that this rank knows; of this rank none.
  const BoxesOfRanks& boxes() const { return boxes_; }

 private:
  std::vector<DomainSummary> summaries_;
  BoxesOfRanks boxes_;
};

}  // namespace grove
