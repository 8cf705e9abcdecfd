// A list of snapshots for ParaView, VisIt and other programs that use VTK: a text file in the format XDMF, beside the snapshots.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "io/hdf5/hdf5_turn.hpp"

namespace grove {

/// Times and fields of some snapshots, in the order of their times. Each type of particles is a grid of points, the types of a
/// snapshot are a spatial collection, the snapshots a temporal one. The numbers stay in the snapshots, which the list names relative to its
/// own directory. Not collective: one rank keeps it.
class XdmfSeries {
 public:
  explicit XdmfSeries(std::filesystem::path path) : path_(std::move(path)) {}

  /// Whether a file that exists is such a list of Grove's, by its content.
  static bool is_one(const std::filesystem::path& path);
  /// Throws SystemError when a file of that name is there that is none.
  static void require_no_other(const std::filesystem::path& path);

  /// Adds a snapshot, which must lie in the directory of the list: all its particles and datasets of numbers. Throws DataError and
  /// SystemError for one that cannot be read or has no time or positions; the list is then as it was.
  void add(const std::filesystem::path& snapshot, const Hdf5Turn& turn);
  /// Replaces the file; at every moment the whole former or the whole new one is there. Throws SystemError, also as require_no_other().
  void write();

  std::size_t size() const { return entries_.size(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::multimap<double, std::string> entries_;  ///< the text of each snapshot, by time
};

}  // namespace grove
