// A list of snapshots for ParaView, VisIt and other programs that use VTK: an XDMF file in the directory of the snapshots.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "io/hdf5/hdf5_turn.hpp"

namespace grove {

/// Times and fields of snapshots, in the order of time. Each type of particles is a grid of points, the types of a snapshot are a spatial
/// collection, the snapshots a temporal one. The numbers stay in the snapshots, which are named relative to the list's directory. Not
/// collective: one rank keeps it.
class XdmfSeries {
 public:
  explicit XdmfSeries(std::filesystem::path path) : path_(std::move(path)) {}

  /// Whether a file exists and is, by its content, such a list of Grove's.
  static bool is_one(const std::filesystem::path& path);
  /// Throws SystemError if another file of this name exists.
  static void require_no_other(const std::filesystem::path& path);

  /// Adds all particles and numeric datasets of a snapshot in the directory of the list. Throws DataError and SystemError for one that
  /// cannot be read or has no time or positions; the list is then unchanged.
  void add(const std::filesystem::path& snapshot, const Hdf5Turn& turn);
  /// Replaces the file; at every moment either the old or the new one is complete. Throws SystemError, also as require_no_other().
  void write();

  std::size_t size() const { return entries_.size(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::multimap<double, std::string> entries_;  ///< the text of each snapshot, by time
};

}  // namespace grove
