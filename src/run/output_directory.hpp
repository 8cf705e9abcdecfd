// The directory of a run's results: made, checked for earlier results, and the names in it.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

/// Names of the files of one run.
class OutputDirectory {
 public:
  explicit OutputDirectory(std::string path) : path_(std::move(path)) {}

  /// Creates the directory with its parents. Results of an earlier run in it are an error, or are deleted when `overwrite` is set; other
  /// files are left alone. Not collective: one rank does it. Throws ConfigError, naming the directory and what was found, or SystemError.
  void prepare(bool overwrite) const;

  const std::string& path() const { return path_; }
  std::string snapshot(std::uint64_t number) const;  ///< snapshot_0000.hdf5; more digits from 10,000 on
  std::string energy() const { return path_ + "/energy.csv"; }
  std::string timings() const { return path_ + "/timings.csv"; }
  std::string used_parameters() const { return path_ + "/used_parameters.toml"; }

 private:
  std::string path_;
};

}  // namespace grove
