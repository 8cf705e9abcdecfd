#include "src/advice/advice.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/gravity/opening.hpp"
#include "src/config/gravity_report.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/process/threads.hpp"

namespace grove {

namespace {

/// The model must promise this speed-up before the user is told.
constexpr double worthwhile = 1.25;

// docs/development/constants.md, "How many ranks".
constexpr StepTimeModel one_gpu{0.36e-3, 0.94e-9, 0.06e-3};
constexpr StepTimeModel one_core{0.1e-3, 1.4e-6, 0.1e-3};

// The work grows about with this power of 1 / tolerance, below the default.
constexpr double tolerance_power = 0.4;
constexpr double default_tolerance = 1e-3;

/// A softening between components is so many times shorter than their own (docs/time_steps.md, "Who wants which step").
constexpr double much_shorter = 4;

struct NodeGpus {
  int ranks = 0, visible = 0, installed = 0;
  std::set<std::string> in_use;
  int sharing() const { return ranks - static_cast<int>(in_use.size()); }
  /// GPUs that each rank could choose and none has. Where each rank sees its own alone, there are none.
  int idle() const { return std::max(visible - static_cast<int>(in_use.size()), 0); }
};

std::string count_of(int number, const std::string& what) { return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s"); }

/// The GPUs of every node whose ranks use any.
std::map<std::string, NodeGpus> nodes_of(const std::vector<RankDevice>& ranks) {
  std::map<std::string, NodeGpus> nodes;
  for (const RankDevice& rank : ranks) {
    if (rank.device.empty()) continue;
    NodeGpus& node = nodes[rank.host];
    ++node.ranks;
    node.in_use.insert(rank.device);
    node.visible = std::max(node.visible, rank.visible);
    node.installed = std::max(node.installed, rank.installed);
  }
  return nodes;
}

std::string more_nodes(std::ptrdiff_t count) {
  return count == 0 ? "" : fmt::format(" (and so on {} more)", count_of(static_cast<int>(count), "node"));
}

/// The number of cores that mpirun may use, if it has bound this process to fewer; 0: it has not, or OMP_NUM_THREADS is set.
int cores_of_launcher() {
  if (!std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("OMP_NUM_THREADS")) return 0;
  cpu_set_t own, launcher;
  if (sched_getaffinity(0, sizeof own, &own) != 0 || sched_getaffinity(getppid(), sizeof launcher, &launcher) != 0) return 0;
  return CPU_COUNT(&launcher) > CPU_COUNT(&own) ? CPU_COUNT(&launcher) : 0;
}

/// Of an integrator: beyond it, errors of the steps are below those of the forces at any useful length.
constexpr int highest_order_of_trees = 4;

}  // namespace

int installed_gpus(const std::filesystem::path& root) {
  std::error_code none;
  int count = 0;
  for (std::filesystem::directory_iterator entry(root / "proc/driver/nvidia/gpus", none), end; !none && entry != end; entry.increment(none))
    ++count;
  return count;
}

std::string table_of_ranks(const std::vector<RankDevice>& ranks) {
  TextTable table({"rank", "host", "device", "threads"});
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    table.add_row({std::to_string(rank), ranks[rank].host, ranks[rank].name, std::to_string(ranks[rank].threads)});
  return table.text();
}

std::vector<RankDevice> all_rank_devices(const DeviceState& own, const Communicator& comm) {
  const std::string line = fmt::format("{}\t{}\t{}\t{} {} {} {}\n", host_name(), own.id, own.name, own.visible,
                                       own.is_gpu() ? installed_gpus() : 0, omp_get_max_threads(), cores_of_launcher());
  const std::vector<char> all = comm.all_gather_vectors<char>(line);
  std::istringstream lines(std::string(all.begin(), all.end()));
  std::vector<RankDevice> ranks;
  for (RankDevice rank;
       std::getline(lines, rank.host, '\t') && std::getline(lines, rank.device, '\t') && std::getline(lines, rank.name, '\t');) {
    lines >> rank.visible >> rank.installed >> rank.threads >> rank.cores;
    lines.ignore();
    ranks.push_back(rank);
  }
  return ranks;
}

std::vector<std::string> device_advice(const std::vector<RankDevice>& ranks, bool wants_gpu) {
  std::vector<std::string> lines;
  const std::map<std::string, NodeGpus> nodes = nodes_of(ranks);
  const auto shares = [](const auto& node) { return node.second.sharing() > 0; };
  const auto worst =
      std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second.sharing() < b.second.sharing(); });
  if (worst != nodes.end() && shares(*worst)) {
    const auto& [host, node] = *worst;
    const int gpus = static_cast<int>(node.in_use.size());
    lines.push_back(
        fmt::format("{} on {} share {}{}; one rank a GPU is meant: start {} there, or take more nodes. Under CUDA's "
                    "multi-process service (nvidia-cuda-mps-control -d) they at least need not take turns",
                    count_of(node.ranks, "rank"), host, count_of(gpus, "GPU"),
                    more_nodes(std::count_if(nodes.begin(), nodes.end(), shares) - 1), count_of(gpus, "rank")));
    if (node.visible < node.installed && node.visible < node.ranks)
      lines.push_back(
          fmt::format("{} has {}, of which a rank sees {}: a container, the batch system or CUDA_VISIBLE_DEVICES hides the others; let "
                      "each rank see all GPUs of its node",
                      host, count_of(node.installed, "GPU"), node.visible));
  }
  const auto has_idle = [](const auto& node) { return node.second.idle() > 0; };
  if (const auto most =
          std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second.idle() < b.second.idle(); });
      most != nodes.end() && has_idle(*most)) {
    const auto& [host, node] = *most;
    lines.push_back(fmt::format("{} has {} that its {} can use, and {} of them stay{} idle{}; one rank a GPU is meant", host,
                                count_of(node.visible, "GPU"), count_of(node.ranks, "rank"), node.idle(), node.idle() == 1 ? "s" : "",
                                more_nodes(std::count_if(nodes.begin(), nodes.end(), has_idle) - 1)));
  }
  const auto without = std::find_if(ranks.begin(), ranks.end(), [](const RankDevice& rank) { return rank.device.empty(); });
  if (wants_gpu && !nodes.empty() && without != ranks.end())
    lines.push_back(
        fmt::format("rank {} on {} has no GPU and computes on CPU cores, and all others wait for it; '--device gpu' says why it has none",
                    without - ranks.begin(), without->host));
  return lines;
}

std::vector<std::string> thread_advice(const std::vector<RankDevice>& ranks) {
  struct Node {
    int ranks = 0, threads = 0, cores = 0;
    /// Cores that would be used without binding: threads are the same number on all ranks, and some cores may be left.
    int idle() const { return std::max(ranks * threads_per_rank(cores, cores, ranks) - threads, 0); }
  };
  std::map<std::string, Node> nodes;
  for (const RankDevice& rank : ranks) {
    if (!rank.device.empty()) continue;
    Node& node = nodes[rank.host];
    ++node.ranks;
    node.threads += rank.threads;
    node.cores = std::max(node.cores, rank.cores);
  }
  const auto most =
      std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second.idle() < b.second.idle(); });
  if (most == nodes.end() || most->second.idle() == 0) return {};
  const auto& [host, node] = *most;
  return {
      fmt::format("{} of the {} of {} stay{} idle{}: mpirun has bound the {} there to fewer; mpirun --bind-to none lets ranks use all, "
                  "as does one rank without mpirun",
                  node.idle(), count_of(node.cores, "core"), host, node.idle() == 1 ? "s" : "",
                  more_nodes(std::count_if(nodes.begin(), nodes.end(), [](const auto& one) { return one.second.idle() > 0; }) - 1),
                  count_of(node.ranks, "rank"))};
}

std::vector<std::string> task_count_advice(int ranks, const char* tasks) {
  const int count = tasks ? std::atoi(tasks) : 0;
  if (count <= 1 || count == ranks) return {};
  return {fmt::format("the SLURM job has {}, and this run {}; if that is not meant, look at -n of mpirun or srun", count_of(count, "task"),
                      count_of(ranks, "rank"))};
}

std::vector<std::string> settings_advice(const Config& config, bool on_gpu) {
  std::vector<std::string> lines;
  const GravityParameters& gravity = config.gravity;
  if (is_not_softened(gravity))
    lines.push_back(std::string("gravity.softening is 0: close pairs deflect each other as point masses do") +
                    (gravity.softening_kernel == GravityParameters{}.softening_kernel ? "" : "; gravity.softening_kernel has no effect"));
  const IntegratorInfo* const integrator = find_integrator_info(config.time.integrator);
  if (integrator->order > highest_order_of_trees && gravity.method != "direct")
    lines.push_back(
        fmt::format("time.integrator = \"{}\" has order {}, which pays only with gravity.method = \"direct\": forces by \"{}\" are not "
                    "accurate enough; otherwise take an integrator of order {} at most",
                    integrator->name, integrator->order, gravity.method, highest_order_of_trees));
  const auto of_type = [&](int type) { return gravity.softening_of_type[static_cast<std::size_t>(type)]; };
  const auto is_much_shorter = [&](const SofteningBetween& pair) {
    return much_shorter * pair.length <= std::max(of_type(pair.a), of_type(pair.b));
  };
  if (config.time.criterion == "softening" && config.time.steps != "shared" &&
      std::any_of(gravity.softening_between_types.begin(), gravity.softening_between_types.end(), is_much_shorter))
    lines.push_back(
        "time.criterion = \"softening\" takes the softening of each component, and knows nothing of gravity.softening_between, which is "
        "much shorter: around a black hole \"potential\" keeps the energy better");
  if (!on_gpu && config.run.transport != RunParameters{}.transport)
    lines.push_back(fmt::format("run.transport = \"{}\" has no effect: the ranks compute on CPU cores", config.run.transport));
  return lines;
}

int StepTimeModel::fastest_ranks(std::uint64_t particles, int most) const {
  // Least where the derivative is zero, at one of the two whole numbers around it.
  const double least = std::sqrt(per_particle_s * static_cast<double>(particles) / per_rank_s);
  const int below = static_cast<int>(std::clamp(std::floor(least), 1.0, static_cast<double>(most)));
  const int above = std::min(below + 1, most);
  return time_s(particles, above) < time_s(particles, below) ? above : below;
}

StepTimeModel step_time_model(const GravityParameters& gravity, bool on_gpu, int threads) {
  StepTimeModel model = on_gpu ? one_gpu : one_core;
  if (!on_gpu) model.per_particle_s /= std::max(threads, 1);
  model.per_particle_s *= std::pow(std::max(default_tolerance / gravity.tolerance, 1.0), tolerance_power);
  return model;
}

std::vector<std::string> rank_count_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu, int threads) {
  if (gravity.method != "fmm" || gravity.opening != RelativeOpening::name) return {};
  const StepTimeModel model = step_time_model(gravity, on_gpu, threads);
  const int best = model.fastest_ranks(particles, ranks);
  const double now_s = model.time_s(particles, ranks), best_s = model.time_s(particles, best);
  if (now_s < worthwhile * best_s) return {};
  return {fmt::format("fewer ranks would be faster for {} particles: about {} a step on {}, and {} on {}", format_count(particles),
                      format_seconds(best_s), count_of(best, "rank"), format_seconds(now_s), ranks)};
}

}  // namespace grove
