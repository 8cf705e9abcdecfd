#include "decomposition/domain/vectors_of_ids.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "decomposition/domain/key_splits.hpp"
#include "decomposition/ranks/sparse_exchange.hpp"

namespace grove {

std::vector<double> vectors_of_ids(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& share_ids,
                                   const std::vector<double>& vectors, const Communicator& comm) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  std::vector<std::uint64_t> sorted(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) sorted[k] = ids[order[k]];
  // Where the shares of ranks begin, up to the last one that is not empty; an empty one, where the next one begins.
  std::vector<std::uint64_t> begins = comm.all_gather(share_ids.empty() ? std::uint64_t{0} : share_ids.front());
  std::vector<std::size_t> sizes = comm.all_gather(share_ids.size());
  for (; sizes.back() == 0; sizes.pop_back()) begins.pop_back();
  for (std::size_t r = begins.size() - 1; r > 0; --r)
    if (sizes[r - 1] == 0) begins[r - 1] = begins[r];
  std::vector<std::uint64_t> wanted = counts_per_owner(sorted, std::span(begins).subspan(1));
  wanted.resize(static_cast<std::size_t>(comm.size()));
  const std::vector<std::uint64_t> asked = exchange_items(comm, wanted, std::span<const std::uint64_t>(sorted));
  std::vector<double> answers;
  answers.reserve(3 * asked.size());
  for (const std::uint64_t id : asked) {
    const auto i = 3 * static_cast<std::size_t>(std::lower_bound(share_ids.begin(), share_ids.end(), id) - share_ids.begin());
    answers.insert(answers.end(), {vectors[i], vectors[i + 1], vectors[i + 2]});
  }
  const std::vector<double> found = exchange_items(comm, comm.all_to_all(wanted), std::span<const double>(answers), 3);
  std::vector<double> of_ids(found.size());
  for (std::size_t k = 0; k < order.size(); ++k) std::copy_n(&found[3 * k], 3, &of_ids[3 * order[k]]);
  return of_ids;
}

}  // namespace grove
