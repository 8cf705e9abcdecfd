// Exchange of domain descriptions.
//
// All ranks get a coarse description of each domain: a few boxes. Ranks with nearby domains also exchange a fine one: finer boxes make the
// essential trees smaller (docs/development/scaling_model.md). For distant ranks a coarse description is enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/domain/cut_cells.hpp"
#include "decomposition/domain/domain_boxes.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// What every rank knows of each rank.
struct DomainSummary {
  KeyRange keys;
  std::uint32_t count = 0;       ///< coarse boxes, which hold all targets; 0 without particles
  std::uint32_t fine_count = 0;  ///< boxes of the fine description
  TargetBox box[coarse_box_capacity];
};

/// The part of a description that every rank gets.
DomainSummary summary_of(const DomainDescription& domain);

/// Whether two ranks exchange fine boxes: the distance of two of their boxes is at most the longest side of the larger one. Symmetric.
bool are_near(const DomainSummary& a, const DomainSummary& b, const TreeScale& scale);

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

/// What this rank knows of all ranks.
struct DomainsOfRanks {
  std::vector<DomainSummary> summaries;  ///< [ranks]
  BoxesOfRanks boxes;                    ///< the finest known of each other rank; none for this rank
};

/// Sends the coarse boxes and the key range of this rank to all ranks, and its fine boxes to near ones. Collective.
DomainsOfRanks exchange_domains(const Communicator& comm, const DomainDescription& own, const TreeScale& scale);

}  // namespace grove
