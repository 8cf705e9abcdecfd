#include "src/run/output_directory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "kernels/space/error.hpp"

namespace grove {

namespace fs = std::filesystem;

namespace {

bool is_result(const std::string& name) {
  if (name == "energy.csv" || name == "timings.csv" || name == "used_parameters.toml") return true;
  // Also a snapshot that was not finished and still has a temporary name.
  return name.rfind("snapshot_", 0) == 0 && name.find(".hdf5") != std::string::npos;
}

std::vector<fs::path> results_in(const std::string& directory) {
  std::vector<fs::path> results;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (is_result(entry.path().filename().string())) results.push_back(entry.path());
  std::sort(results.begin(), results.end());
  return results;
}

}  // namespace

void OutputDirectory::prepare(bool overwrite) const {
  try {
    fs::create_directories(path_);
    if (::access(path_.c_str(), W_OK | X_OK) != 0)
      throw SystemError(fmt::format("output.directory = \"{}\" cannot be written to: {}", path_, std::strerror(errno)));
    const std::vector<fs::path> earlier = results_in(path_);
    if (!earlier.empty() && !overwrite)
      throw ConfigError(fmt::format(
          "output.directory = \"{}\" has results of an earlier run ({}{}): name another directory, "
          "or give --overwrite to delete them",
          path_, earlier.front().filename().string(), earlier.size() > 1 ? fmt::format(" and {} more", earlier.size() - 1) : ""));
    for (const fs::path& file : earlier) fs::remove(file);
  } catch (const fs::filesystem_error& error) {
    throw SystemError(fmt::format("output.directory = \"{}\" cannot be used: {}", path_, error.code().message()));
  }
}

std::string OutputDirectory::snapshot(std::uint64_t number) const { return fmt::format("{}/snapshot_{:04}.hdf5", path_, number); }

}  // namespace grove
