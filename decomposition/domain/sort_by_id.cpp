#include "decomposition/domain/sort_by_id.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "decomposition/domain/key_splits.hpp"
#include "decomposition/ranks/sparse_exchange.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The order that sorts `ids`, stable.
std::vector<std::size_t> sorting_order(std::span<const std::uint64_t> ids) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] != ids[b] ? ids[a] < ids[b] : a < b; });
  return order;
}

/// Moves row order[i] of a field to row i.
void reorder(ParticleSet& particles, const ParticleField& field, const std::vector<std::size_t>& order) {
  const std::size_t row = field.row_bytes();
  const std::span<const std::byte> values = particles.bytes(field);
  std::vector<std::byte> sorted(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(sorted.data() + i * row, values.data() + order[i] * row, row);
  std::copy(sorted.begin(), sorted.end(), particles.resize(field, order.size()).begin());
}

/// The fields that are known. Collective.
std::vector<const ParticleField*> known_fields(const ParticleSet& particles, const Communicator& comm) {
  std::vector<const ParticleField*> known;
  for (const ParticleField& field : particles.fields->rows()) {
    const std::size_t bytes = particles.bytes(field).size(), wanted = particles.size() * field.row_bytes();
    if (comm.max(bytes == 0 ? 0 : 1) == 0) continue;
    comm.agree([&] {
      if (bytes != wanted)
        throw DataError(field.name + " has " + std::to_string(bytes) + " bytes on rank " + std::to_string(comm.rank()) + " where " +
                        std::to_string(wanted) + " are needed: it must be known for all particles or for none");
    });
    known.push_back(&field);
  }
  return known;
}

std::vector<std::uint64_t> splits_of_sorted_ids(const std::vector<std::uint64_t>& ids, const Communicator& comm) {
  const auto count_below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> below) {
    auto at = ids.begin();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      at = std::lower_bound(at, ids.end(), candidates[i]);
      below[i] = static_cast<std::uint64_t>(at - ids.begin());
    }
  };
  return find_key_splits(comm, static_cast<std::uint64_t>(comm.size()), count_below, ids.size(), 0.0);
}

}  // namespace

ParticleSet sort_by_id(ParticleSet local, const Communicator& comm) {
  const std::vector<const ParticleField*> fields = known_fields(local, comm);
  const auto sort_own = [&] {
    if (std::is_sorted(local.id.begin(), local.id.end())) return;
    const std::vector<std::size_t> order = sorting_order(local.id);
    for (const ParticleField* field : fields) reorder(local, *field, order);
  };
  sort_own();
  const std::vector<std::uint64_t> counts = counts_per_owner(local.id, splits_of_sorted_ids(local.id, comm));
  for (const ParticleField* field : fields) {
    const std::vector<std::byte> rows = exchange_items(comm, counts, local.bytes(*field), field->row_bytes());
    std::ranges::copy(rows, local.resize(*field, rows.size() / field->row_bytes()).begin());
  }
  sort_own();
  return local;
}

void require_unique_ids(std::span<const std::uint64_t> ids, const std::string& source, const Communicator& comm,
                        const std::string& remedy) {
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  const std::vector<std::uint64_t> counts = counts_per_owner(sorted, splits_of_sorted_ids(sorted, comm));
  std::vector<std::uint64_t> received = exchange_items(comm, counts, std::span<const std::uint64_t>(sorted));
  std::sort(received.begin(), received.end());

  // Equal ids are never split: they are on the same rank.
  const auto twice = std::adjacent_find(received.begin(), received.end());
  const bool found = twice != received.end();
  if (comm.max(found ? 1 : 0) == 0) return;
  const std::uint64_t lowest = comm.min(found ? *twice : std::numeric_limits<std::uint64_t>::max());
  comm.agree([&] {
    throw DataError(source + ": particle id " + std::to_string(lowest) + " occurs more than once; ids must be unique" +
                    (remedy.empty() ? "" : ". " + remedy));
  });
}

}  // namespace grove
