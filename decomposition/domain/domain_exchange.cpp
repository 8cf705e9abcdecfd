#include "decomposition/domain/domain_exchange.hpp"

#include <algorithm>
#include <cmath>

namespace grove {

namespace {

float longest_side(const TargetBox& box) { return 2 * std::max({box.half_size[0], box.half_size[1], box.half_size[2]}); }

/// Distance of two boxes, scaled. Exchanging the boxes gives the same bits.
double distance(const TargetBox& a, const TargetBox& b, const TreeScale& scale) {
  const Double3 d = a.centre - b.centre;
  const double along[3] = {d.x, d.y, d.z};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double gap = std::abs(along[k]) / scale.length - (double{a.half_size[k]} + b.half_size[k]);
    if (gap > 0) sum += gap * gap;
  }
  return std::sqrt(sum);
}

}  // namespace

bool are_near(const DomainSummary& a, const DomainSummary& b, const TreeScale& scale) {
  for (std::uint32_t i = 0; i < a.count; ++i)
    for (std::uint32_t j = 0; j < b.count; ++j) {
      // Both ranks must agree, also for numbers that are not finite: otherwise one would wait for the other.
      const double apart = distance(a.box[i], b.box[j], scale);
      if (!(apart > longest_side(a.box[i]) && apart > longest_side(b.box[j]))) return true;
    }
  return false;
}

DomainSummary summary_of(const DomainDescription& domain) {
  DomainSummary summary;
  summary.keys = domain.keys;
  summary.count = static_cast<std::uint32_t>(domain.coarse.size());
  summary.fine_count = static_cast<std::uint32_t>(domain.fine.size());
  std::copy(domain.coarse.begin(), domain.coarse.end(), summary.box);
  return summary;
}

DomainsOfRanks exchange_domains(const Communicator& comm, const DomainDescription& own, const TreeScale& scale) {
  const DomainSummary summary = summary_of(own);
  DomainsOfRanks domains{comm.all_gather(summary), {}};
  const std::vector<DomainSummary>& summaries = domains.summaries;
  const auto me = static_cast<std::size_t>(comm.rank());
  std::vector<std::vector<TargetBox>> fine(summaries.size());
  Requests messages;
  for (std::size_t r = 0; r < summaries.size(); ++r) {
    if (r == me || !are_near(summaries[r], summary, scale)) continue;
    fine[r].resize(summaries[r].fine_count);
    comm.receive_bytes(std::as_writable_bytes(std::span(fine[r])), static_cast<int>(r), Tag::target_boxes, messages);
    comm.send_bytes(std::as_bytes(std::span(own.fine)), static_cast<int>(r), Tag::target_boxes, messages);
  }
  messages.wait_all();
  for (std::size_t r = 0; r < summaries.size(); ++r) {
    const std::span<const TargetBox> coarse(summaries[r].box, r == me ? 0 : summaries[r].count);
    domains.boxes.add(fine[r].empty() ? coarse : fine[r]);
  }
  return domains;
}

}  // namespace grove
