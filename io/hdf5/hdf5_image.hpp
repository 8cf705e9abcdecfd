// An HDF5 file in memory, whose bytes are then written by other means: HDF5 1.10 crashes at exit if closing a file on a full disk failed.
#pragma once

#include <memory>
#include <string>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// In the format of HDF5 1.8, whose metadata have checksums: damaged files in the older format can crash the library.
class Hdf5Image {
 public:
  /// `name` appears in messages. Throws SystemError.
  explicit Hdf5Image(const std::string& name);
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;
  ~Hdf5Image();

  const Hdf5Handle& file() const { return file_; }
  /// Closes the file and returns its bytes. Throws SystemError, and std::logic_error if an object in it is still open.
  std::string close();

  /// The memory of the file.
  struct Memory;

 private:
  std::unique_ptr<Memory> memory_;
  Hdf5Handle file_;  ///< uses the memory
};

}  // namespace grove
