// A fresh directory for the files of one test, removed with everything in it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

class TemporaryDirectory {
 public:
  /// A directory of this process.
  TemporaryDirectory() : owner_(true) { create(); }
  /// One directory for all ranks, made and removed by the root. Collective.
  explicit TemporaryDirectory(const Communicator& comm) : owner_(comm.is_root()) {
    if (owner_) create();
    comm.broadcast(path_);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (owner_) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  void create() {
    std::string name = (std::filesystem::temp_directory_path() / "grove_test_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a directory like " + name);
    path_ = name;
  }

  bool owner_;
  std::string path_;
};

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace grove
