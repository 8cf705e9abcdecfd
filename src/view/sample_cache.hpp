// Samples of snapshots, ready to be sent.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "src/view/run_files.hpp"

namespace grove {

/// The name of the task that makes a sample in a process of its own (io/hdf5/hdf5_apart.hpp), and its work: the bytes that
/// SampleCache::sample() returns, of the snapshot called `name`. Throws as read_particle_sample() does.
inline constexpr const char* sample_task = "sample";
std::string make_sample(const std::filesystem::path& path, const std::string& name);

/// What of a sample goes to the page.
std::string_view sent_part(std::string_view sample);

/// The last few samples. One snapshot is read at a time, other requests wait. Thread-safe.
class SampleCache {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  /// `stop`: reading ends early, with a SystemError, when it is asked to.
  SampleCache(const RunFiles& files, std::stop_token stop) : files_(files), stop_(std::move(stop)) {}

  /// The sample of a snapshot of the run, in bytes of little-endian numbers:
  ///
  ///   uint32               length of the text that follows
  ///   text                 JSON in a multiple of 4 bytes: snapshot, time (if it is known), particles, shown, not_finite, centre, radius,
  ///                        components [{type, name, particles}]
  ///   float32 [shown][3]   positions from the centre
  ///   uint8 [shown]        types
  ///   float64 [shown]      masses, which sent_part() leaves out
  ///
  /// Reads the open file itself, even if its name belongs to another file by now. Not collective.
  /// @param tag  of the file, when it was asked for
  /// @throws FileNotThere when the file has gone or changed since; else as read_particle_sample() does
  Bytes sample(const OpenFile& snapshot, const std::string& tag);

 private:
  std::string read(const OpenFile& snapshot, const std::string& tag) const;
  bool is_what_it_was(const OpenFile& snapshot, const std::string& tag) const;

  struct Entry {
    std::string name, tag;
    Bytes bytes;
  };

  const RunFiles& files_;
  std::stop_token stop_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the last one used comes first
};

}  // namespace grove
