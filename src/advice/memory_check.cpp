#include "src/advice/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"

namespace grove {

namespace {

/// A pool over all ranks that share it.
struct SharedPool {
  double needed = 0, free_bytes = 0;
  int ranks = 0;
};

std::map<std::string, SharedPool> shared_pools(const std::vector<MemoryPool>& own, const Communicator& comm) {
  std::string lines;
  for (const MemoryPool& pool : own) lines += fmt::format("{:.17g} {:.17g} {}\n", pool.needed, pool.free_bytes, pool.id);
  const std::vector<char> all = comm.all_gather_vectors<char>(lines);
  std::istringstream stream(std::string(all.begin(), all.end()));
  std::map<std::string, SharedPool> pools;
  double needed = 0, free_bytes = 0;
  for (std::string id; stream >> needed >> free_bytes && stream.ignore() && std::getline(stream, id);) {
    SharedPool& pool = pools[id];
    pool.needed += needed;
    // Ranks look at different moments: a run is refused only if it fits at none of them.
    pool.free_bytes = std::max(pool.free_bytes, free_bytes);
    ++pool.ranks;
  }
  return pools;
}

/// The least number from 1 on for which `fits` is true, as it is for all larger ones; 0 if there is none up to a million.
int least_number(const std::function<bool(int)>& fits) {
  int below = 0, least = 1'000'000;
  if (!fits(least)) return 0;
  while (least - below > 1) {
    const int middle = below + (least - below) / 2;
    (fits(middle) ? least : below) = middle;
  }
  return least;
}

/// How many GPUs, or nodes with as many ranks each, would do.
std::string what_would_do(const MemoryPool& own, const SharedPool& pool, const MemoryModel& model, double particles) {
  if (own.is_of_process) return "raise that limit, or use more ranks";
  const int ranks_each = own.is_gpu ? 1 : pool.ranks;
  const int number = least_number([&](int pools) {
    const int ranks = pools * ranks_each;
    const double share = particles / ranks;
    const double needed = own.is_gpu ? model.device_bytes(share, ranks) : ranks_each * model.host_bytes(share, ranks);
    return (1 + MemoryModel::margin(ranks)) * needed <= pool.free_bytes;
  });
  if (number == 0) return "use fewer particles";
  if (own.is_gpu) return fmt::format("{} GPUs of this kind, with one rank each, would do", number);
  return fmt::format("{} such nodes, with {} rank{} each, would do", number, ranks_each, ranks_each == 1 ? "" : "s");
}

std::string account(const MemoryPool& own, const SharedPool& pool, const Communicator& comm) {
  const std::string who = pool.ranks > 1 ? fmt::format("the {} ranks of {}", pool.ranks, own.name) : place_or_number(comm.rank());
  return fmt::format("{} need{} about {}, and {} has {} free", who, pool.ranks > 1 ? "" : "s", format_bytes(pool.needed), own.name,
                     format_bytes(pool.free_bytes));
}

/// The pools of the host; this rank needs `needed` bytes of each.
std::vector<MemoryPool> host_pools(const std::vector<MemoryLimit>& limits, double needed, const Communicator& comm) {
  std::vector<MemoryPool> pools;
  for (const MemoryLimit& limit : limits) {
    const bool is_of_process = limit.id.empty();
    const std::string id = is_of_process ? fmt::format("rank {}", comm.rank()) : host_name() + " " + limit.id;
    const std::string name = limit.name + (limit.id == "node" ? " " : " on ") + host_name();
    pools.push_back({name, id, needed, static_cast<double>(limit.free_bytes), false, is_of_process});
  }
  return pools;
}

}  // namespace

std::vector<MemoryPool> memory_pools(const MemoryModel& model, const DeviceState& device, const std::vector<MemoryLimit>& limits,
                                     std::uint64_t particles, bool are_loaded, const Communicator& comm) {
  const double share = static_cast<double>(particles) / comm.size();
  std::vector<MemoryPool> pools =
      host_pools(limits, model.host_bytes(share, comm.size()) - (are_loaded ? model.loaded_bytes(share) : 0), comm);
  if (device.is_gpu())
    pools.insert(pools.begin(),
                 {device.name, device.id, model.device_bytes(share, comm.size()), static_cast<double>(device.free_bytes), true, false});
  return pools;
}

std::string require_memory(const std::vector<MemoryPool>& own, const MemoryModel& model, std::uint64_t particles,
                           const Communicator& comm) {
  const std::map<std::string, SharedPool> pools = shared_pools(own, comm);
  const double margin = MemoryModel::margin(comm.size());
  std::string warning;
  comm.agree([&] {
    for (const MemoryPool& pool : own) {
      const SharedPool& shared = pools.at(pool.id);
      if ((1 - margin) * shared.needed > shared.free_bytes)
        throw ConfigError(fmt::format("{} particles do not fit: {}; {}", format_count(particles), account(pool, shared, comm),
                                      what_would_do(pool, shared, model, static_cast<double>(particles))));
      if (warning.empty() && (1 + margin) * shared.needed > shared.free_bytes)
        warning = fmt::format("{} particles may not fit: {}", format_count(particles), account(pool, shared, comm));
    }
  });
  const int first = comm.min(warning.empty() ? comm.size() : comm.rank());
  if (first < comm.size()) comm.broadcast(warning, first);
  return warning;
}

void require_memory_of_forces(const Config& config, const Simulation& simulation, const Communicator& comm) {
  if (!config.initial_conditions.file.empty()) return;
  DeviceState device;
  comm.agree([&] { device = simulation.device_state(); });
  const std::uint64_t particles = config.initial_conditions.n;
  const MemoryModel model(config.gravity, *simulation.fields(), device.is_gpu(), false);
  require_memory(memory_pools(model, device, host_memory_limits(), particles, false, comm), model, particles, comm);
}

void require_memory_of_particles(const InitialConditions& conditions, double bytes, const Communicator& comm) {
  const std::vector<MemoryPool> own = host_pools(host_memory_limits(), bytes, comm);
  const std::map<std::string, SharedPool> pools = shared_pools(own, comm);
  comm.agree([&] {
    for (const MemoryPool& pool : own) {
      const SharedPool& shared = pools.at(pool.id);
      if (shared.needed > shared.free_bytes)
        throw ConfigError(fmt::format("initial_conditions.n = {}: so many particles do not fit: {}; use fewer particles or more nodes",
                                      format_count(conditions.n), account(pool, shared, comm)));
    }
  });
}

}  // namespace grove
