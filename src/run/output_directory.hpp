// The directory of a run's results: made, checked for earlier results, and the names in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/run/run_file_names.hpp"

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
  // The files of the run, as run_file_names.hpp calls them.
  std::string snapshot(std::uint64_t number) const { return file(snapshot_file(number)); }
  std::string checkpoint(int generation) const { return file(checkpoint_file(generation)); }
  std::string not_finite(std::uint64_t step, int number) const { return file(not_finite_file(step, number)); }
  std::string picture(const PictureName& name) const { return file(picture_file(name)); }
  std::string snapshot_series() const { return file(snapshot_series_file); }
  std::string energy() const { return file(energy_log_file); }
  std::string timings() const { return file(timings_log_file); }
  std::string used_parameters() const { return file(used_parameters_file); }
  std::string stop_request() const { return file("stop"); }              ///< a file of the user: see RunRequests
  std::string checkpoint_request() const { return file("checkpoint"); }  ///< the same

  static constexpr int checkpoint_generations = 2;

 private:
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  std::string path_;
};

}  // namespace grove
