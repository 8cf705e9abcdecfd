#include "decomposition/sort_by_id.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "decomposition/key_splits.hpp"
#include "decomposition/sparse_exchange.hpp"
#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// Order that sorts `ids`; equal ids keep their order.
std::vector<std::size_t> sorting_order(std::span<const std::uint64_t> ids) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] != ids[b] ? ids[a] < ids[b] : a < b; });
  return order;
}

template <class T>
void reorder(std::vector<T>& field, std::size_t components, const std::vector<std::size_t>& order) {
  std::vector<T> sorted(field.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(field.begin() + static_cast<std::ptrdiff_t>(order[i] * components), components,
                sorted.begin() + static_cast<std::ptrdiff_t>(i * components));
  field.swap(sorted);
}

struct OptionalFields {
  bool acceleration = false, potential = false;
};

/// Calls visit(field, components) for every field that the particles carry.
template <class Particles, class Visit>
void for_each_field(Particles& particles, OptionalFields optional, const Visit& visit) {
  visit(particles.position, std::size_t{3});
  visit(particles.velocity, std::size_t{3});
  visit(particles.mass, std::size_t{1});
  visit(particles.id, std::size_t{1});
  visit(particles.type, std::size_t{1});
  if (optional.acceleration) visit(particles.acceleration, std::size_t{3});
  if (optional.potential) visit(particles.potential, std::size_t{1});
}

bool known_somewhere(const std::vector<double>& field, std::size_t wanted_length, const char* name, const Communicator& comm) {
  const bool known = comm.max(field.empty() ? 0 : 1) == 1;
  comm.agree([&] {
    if (known && field.size() != wanted_length)
      throw DataError(std::string(name) + " has " + std::to_string(field.size()) + " values on rank " + std::to_string(comm.rank()) +
                      " where " + std::to_string(wanted_length) + " are needed: it must be known for all particles or for none");
  });
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
  return find_key_splits(comm, count_below, ids.size(), 0.0);
}

}  // namespace

ParticleSet sort_by_id(ParticleSet local, const Communicator& comm) {
  OptionalFields optional;
  optional.acceleration = known_somewhere(local.acceleration, 3 * local.size(), "Acceleration", comm);
  optional.potential = known_somewhere(local.potential, local.size(), "Potential", comm);

  const std::vector<std::size_t> order = sorting_order(local.id);
  for_each_field(local, optional, [&](auto& field, std::size_t components) { reorder(field, components, order); });

  const std::vector<std::uint64_t> splits = splits_of_sorted_ids(local.id, comm);
  SparseExchange exchange(comm, counts_per_owner(local.id, splits));
  // Field by field: the sent copy of a field is gone before the next one arrives.
  for_each_field(local, optional, [&]<class T>(std::vector<T>& field, std::size_t components) {
    std::vector<T> received(components * exchange.receive_total());
    exchange.begin(std::span<const T>(field), std::span<T>(received), components);
    exchange.end();
    field.swap(received);
  });

  const std::vector<std::size_t> merged = sorting_order(local.id);
  for_each_field(local, optional, [&](auto& field, std::size_t components) { reorder(field, components, merged); });
  return local;
}

void require_unique_ids(std::span<const std::uint64_t> ids, const std::string& source, const Communicator& comm) {
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  const std::vector<std::uint64_t> splits = splits_of_sorted_ids(sorted, comm);
  SparseExchange exchange(comm, counts_per_owner(sorted, splits));
  std::vector<std::uint64_t> received(exchange.receive_total());
  exchange.begin(std::span<const std::uint64_t>(sorted), std::span<std::uint64_t>(received));
  exchange.end();
  std::sort(received.begin(), received.end());

  // Splits are keys: both copies of an id are on the same rank.
  const auto twice = std::adjacent_find(received.begin(), received.end());
  const bool found = twice != received.end();
  if (comm.max(found ? 1 : 0) == 0) return;
  const std::uint64_t lowest = comm.min(found ? *twice : std::numeric_limits<std::uint64_t>::max());
  comm.agree([&] { throw DataError(source + ": particle id " + std::to_string(lowest) + " occurs more than once; ids must be unique"); });
}

}  // namespace grove
