// An HDF5 file that exists in memory only, for files whose bytes are then written by other means: HDF5 1.10 crashes at exit when closing a
// file on a full disk has failed.
#pragma once

#include <memory>
#include <string>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// Such a file, in the format of HDF5 1.8, whose metadata have checksums: a damaged file is known as one. Files in the older format can
/// crash the library when they are damaged.
class Hdf5Image {
 public:
  /// `name` appears in messages. Throws SystemError.
  explicit Hdf5Image(const std::string& name);
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;
  ~Hdf5Image();

  const Hdf5Handle& file() const { return file_; }
  /// Closes the file and returns its bytes. All objects in it must have been closed: throws std::logic_error otherwise, and SystemError.
  std::string close();

  /// The memory of the file, which HDF5 manages by the functions in the source.
  struct Memory;

 private:
  std::unique_ptr<Memory> memory_;
  Hdf5Handle file_;  ///< uses the memory
};

}  // namespace grove
