// The directory of a run's results: made, checked for earlier results, and the names in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace grove {

/// What becomes of the results of an earlier run. Files that Grove did not write are never touched.
enum class EarlierResults : std::uint8_t {
  refuse,     ///< they are an error
  set_aside,  ///< they go to a directory of their own: DIRECTORY.1, or the next number that is free
  keep,       ///< the run goes on from them
};

/// Whether a file is one that a run writes: by its name, and a log or a list of snapshots by its content.
bool is_result(const std::filesystem::path& file);

/// Names of the files of one run.
class OutputDirectory {
 public:
  explicit OutputDirectory(std::string path) : path_(std::move(path)) {}

  /// Creates the directory with its parents, and removes the unfinished files of runs that were killed. Returns what it has done, in
  /// sentences for the user. Not collective: one rank does it. Throws ConfigError, naming the directory and what was found, or SystemError,
  /// also when a log or list that the run will begin is there that is not Grove's; nothing has been moved then.
  std::vector<std::string> prepare(EarlierResults earlier) const;

  /// Moves the snapshots and the pictures from these numbers on, if they are given, to a directory of their own; returns what it has done,
  /// as above. For a run that goes on from an earlier state and will write others. Not collective. Throws SystemError.
  std::vector<std::string> set_aside_from(std::optional<std::uint64_t> snapshot, std::optional<std::uint64_t> picture) const;

  /// The snapshots under final names, by number, ascending.
  std::vector<std::uint64_t> snapshots() const;
  /// One more than the highest number of a picture; 0 without any.
  std::uint64_t pictures() const;
  /// Whether a file lies in the directory, or below it.
  bool contains(const std::filesystem::path& file) const;

  const std::string& path() const { return path_; }
  std::string snapshot(std::uint64_t number) const;              ///< snapshot_0000.hdf5; more digits from 10,000 on
  std::string checkpoint(int generation) const;                  ///< checkpoint_0.hdf5, checkpoint_1.hdf5
  std::string not_finite(std::uint64_t step, int number) const;  ///< not_finite_step_12.csv; with the number in its name from 1 on
  /// NAME_0000.png, where the name is that of PicturePlan::name().
  std::string picture(const std::string& name, std::uint64_t number) const;
  std::string snapshot_series() const { return path_ + "/snapshots.xdmf"; }  ///< lists the snapshots, for ParaView
  std::string energy() const { return path_ + "/energy.csv"; }
  std::string timings() const { return path_ + "/timings.csv"; }
  std::string used_parameters() const { return path_ + "/used_parameters.toml"; }
  std::string stop_request() const { return path_ + "/stop"; }              ///< a file of the user: see RunRequests
  std::string checkpoint_request() const { return path_ + "/checkpoint"; }  ///< the same

  static constexpr int checkpoint_generations = 2;

 private:
  std::string path_;
};

}  // namespace grove
