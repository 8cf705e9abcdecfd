// Advice on the machine and the number of ranks before a run begins: one line each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/space/device_state.hpp"
#include "src/config/config.hpp"

namespace grove {

/// A rank and its device.
struct RankDevice {
  std::string host;
  std::string device;  ///< DeviceState::id; empty: the rank computes on CPU cores
  int visible = 0;     ///< GPUs that the rank can choose from
  int installed = 0;   ///< GPUs of the node, as its driver says; 0: not known
  std::string name{};  ///< of the device, for people
  int threads = 1;     ///< of OpenMP
  int cores = 0;       ///< those of mpirun, where it has bound this rank to fewer; 0: it has not
};

/// All ranks with their devices, on every rank. Collective.
std::vector<RankDevice> all_rank_devices(const DeviceState& own, const Communicator& comm);

/// One line a rank: its number, host, device and threads.
std::string table_of_ranks(const std::vector<RankDevice>& ranks);

/// GPUs that the driver lists below `root`, whether this process may use them or not; 0 without a driver.
int installed_gpus(const std::filesystem::path& root = "/");

/// Lines on ranks that share a GPU, on GPUs that the ranks that need them cannot see, on GPUs that no rank uses, and on ranks without a GPU
/// where others have one. `wants_gpu`: run.device is not "cpu".
std::vector<std::string> device_advice(const std::vector<RankDevice>& ranks, bool wants_gpu);

/// A line where ranks without a GPU leave cores idle, since mpirun has bound them to others.
std::vector<std::string> thread_advice(const std::vector<RankDevice>& ranks);

/// A line when the number of tasks of a SLURM job is not that of the ranks; `tasks`: SLURM_NTASKS, or null. One task says nothing: a job
/// whose script starts its ranks by nodes has one.
std::vector<std::string> task_count_advice(int ranks, const char* tasks);

/// Lines on settings that have no effect with the others, and on a softening of 0, which is seldom meant for a galaxy.
/// `on_gpu`: some rank has a GPU.
std::vector<std::string> settings_advice(const Config& config, bool on_gpu);

/// time(P) = once + work / P + each * (P - 1) for P ranks: a constant, the share of the work, and a cost of every further rank. The
/// constants are measured: docs/development/constants.md, "How many ranks".
struct StepTimeModel {
  double once_s = 0;          ///< s
  double per_particle_s = 0;  ///< s, of one rank alone
  double per_rank_s = 0;      ///< s

  double time_s(std::uint64_t particles, int ranks) const {
    return once_s + per_particle_s * static_cast<double>(particles) / ranks + per_rank_s * (ranks - 1);
  }
  /// The number of ranks, `most` at most, for which time_s() is least.
  int fastest_ranks(std::uint64_t particles, int most) const;
};

/// The model for ranks with one GPU, or with `threads` CPU cores. A smaller tolerance takes more work.
StepTimeModel step_time_model(const GravityParameters& gravity, bool on_gpu, int threads);

/// A line when fewer ranks would be faster by the step time model, which was measured for `fmm` with the opening criterion `relative`;
/// else nothing. `threads` of each rank.
std::vector<std::string> rank_count_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu, int threads);

}  // namespace grove
