// The directory of a run's results: made, locked, checked for earlier results, and the names in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/run/files/run_file_names.hpp"

namespace grove {

/// What becomes of the results of an earlier run. Files that Grove did not write are never touched.
enum class EarlierResults : std::uint8_t {
  refuse,     ///< they are an error
  set_aside,  ///< they are moved to a new directory: DIRECTORY.1, or the next free number
  keep,       ///< the run continues them
};

/// Whether a run has written a file, by its name and, for logs, pictures and lists of snapshots, its content.
bool is_result(const std::filesystem::path& file);

/// Whether a run has begun a file under a partial name, by its name and content.
bool is_unfinished(const std::filesystem::path& file);

/// Throws SystemError if something has the name of a snapshot or checkpoint that is to be written, except such a file of Grove, which is
/// replaced.
void require_free_or_own(const std::string& file);

/// Names of the files of one run.
class OutputDirectory {
 public:
  explicit OutputDirectory(std::string path) : path_(std::move(path)) {}

  /// Throws ConfigError if something that is no directory has its name, or something that is not a regular file that of a snapshot or
  /// checkpoint in it. Not collective.
  void require_usable() const;

  /// Creates the directory with its parents, and removes the unfinished files of killed runs. Returns sentences for the user on what it
  /// did. Not collective. Throws ConfigError, which names the directory and the earlier results, or SystemError, also when another
  /// program's file has the name of a log or list of the run; nothing has been moved then.
  std::vector<std::string> prepare(EarlierResults earlier) const;

  /// Moves the snapshots and the pictures from these numbers on, if given, to a new directory; returns sentences as prepare() does. For a
  /// run that continues at an earlier state and will write others. Not collective. Throws SystemError.
  std::vector<std::string> set_aside_from(std::optional<std::uint64_t> snapshot, std::optional<std::uint64_t> picture) const;

  /// How many checkpoints there are.
  int checkpoints() const;
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
  std::string time_bins() const { return file(time_bins_log_file); }
  std::string used_parameters() const { return file(used_parameters_file); }
  std::string stop_request() const { return file("stop"); }              ///< a file of the user: see RunRequests
  std::string checkpoint_request() const { return file("checkpoint"); }  ///< the same

  static constexpr int checkpoint_generations = 2;

 private:
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  std::string path_;
};

/// Keeps other runs out of a directory during its lifetime. The system releases the lock when the process ends in any way. Without effect
/// on file systems that have no such locks (flock). Not collective: one rank holds it.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

  /// Takes the lock of a directory that exists, unless the object has it already. Waits some seconds for a run that is about to end, such
  /// as one whose job was killed. Throws SystemError when it does not end.
  void take(const std::string& directory);
  bool is_held() const { return directory_ >= 0; }

 private:
  int directory_ = -1;
};

}  // namespace grove
