// The limit on the size of files (ulimit -f).
#pragma once

namespace grove {

/// While it exists, a write beyond the limit on file sizes (ulimit -f) fails with an error instead of ending the process.
class IgnoreFileSizeSignal {
 public:
  IgnoreFileSizeSignal();
  ~IgnoreFileSizeSignal();
  IgnoreFileSizeSignal(const IgnoreFileSizeSignal&) = delete;
  IgnoreFileSizeSignal& operator=(const IgnoreFileSizeSignal&) = delete;

 private:
  void (*former_)(int);
};

}  // namespace grove
