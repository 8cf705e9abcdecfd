// Two runs must not write into one directory.
#pragma once

#include <string>

namespace grove {

/// Keeps other runs out of a directory as long as it lives. The system gives the lock back when the process ends, however it does. Without
/// effect on file systems that have no such locks (flock). Not collective: one rank holds it.
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
