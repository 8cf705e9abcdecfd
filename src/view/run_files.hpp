// The files in the output directory of a run, read-only.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"

namespace grove {

/// A file that is not there, or no longer.
class FileNotThere : public DataError {
 public:
  using DataError::DataError;
};

/// A file that is there, but is not shown: a link, a directory, a pipe.
class FileRefused : public DataError {
 public:
  using DataError::DataError;
};

/// A regular file of a directory.
struct FileFacts {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;  ///< when its content was last changed, since 1970

  /// An entity tag of HTTP, from size and time.
  std::string tag() const;
};

/// A file that is open for reading; closed on destruction. Move-only.
class OpenFile {
 public:
  OpenFile(int descriptor, std::string name);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  const std::string& name() const { return name_; }
  /// A path to this open file, for libraries that open files themselves and for other processes of this user; its name may belong to
  /// another file by now. Valid as long as this object.
  std::filesystem::path way() const;
  /// As they are now. Throws SystemError.
  FileFacts facts() const;
  /// Up to `most` bytes from byte `at` on; fewer at the end of the file. Throws SystemError.
  std::string read(std::uint64_t at, std::size_t most) const;

 private:
  int descriptor_;
  std::string name_;
};

/// Whether a run writes in a directory, as its lock tells.
enum class RunLock : std::uint8_t {
  held,
  given_back,  ///< it has been held
  unknown,     ///< no run is seen; there may be one on another machine, where a file system keeps locks within one machine
};

/// The directory of a run, which may appear, disappear and be replaced at any time. Links in it are not followed.
class RunFiles {
 public:
  /// `directory` is taken as it is now, relative to the present directory.
  explicit RunFiles(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  bool is_there() const;
  /// Regular files, sorted by number and name; none without the directory. Throws SystemError.
  std::vector<FileFacts> list() const;
  /// Opens the regular file of that name. Throws FileNotThere, FileRefused, SystemError.
  OpenFile open(const std::string& name) const;
  /// See DirectoryLock. May be called by many threads.
  RunLock lock() const;

 private:
  std::filesystem::path directory_;
  mutable std::atomic<bool> has_been_held_ = false;
};

}  // namespace grove
