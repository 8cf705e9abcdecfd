#include "src/run/files/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "io/files/file_of_grove.hpp"
#include "io/files/partial_file.hpp"
#include "io/snapshots/xdmf_series.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_print.hpp"
#include "src/pictures/png_file.hpp"
#include "src/run/files/csv_log.hpp"
#include "src/run/files/log_kinds.hpp"

namespace grove {

namespace fs = std::filesystem;

namespace {

const std::string partial_suffix = partial_name("");

/// All ranks of a run that fails end within this time.
constexpr std::chrono::milliseconds longest_wait{10000}, interval{100};

bool is_state(const std::string& name) { return snapshot_number(name) || checkpoint_number(name); }

/// The number of a picture that Grove has made.
std::optional<std::uint64_t> number_of_picture(const fs::path& file) {
  const std::optional<PictureName> name = picture_name(file.filename().string());
  return name && is_png_of_grove(file) ? std::optional(name->number) : std::nullopt;
}

std::string first_bytes(const fs::path& file) {
  std::string bytes(256, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

/// Whether Grove has written or begun a snapshot or checkpoint. After a power cut it may be empty, or zeros.
bool is_begun_state(const fs::path& file) {
  return begins_as_hdf5_of_grove(file) || first_bytes(file).find_first_not_of('\0') == std::string::npos;
}

}  // namespace

bool is_unfinished(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(partial_suffix)) return false;
  const std::string final_name = name.substr(0, name.size() - partial_suffix.size());
  std::error_code unknown;
  if (!fs::is_regular_file(fs::symlink_status(file, unknown))) return false;
  // A power cut can leave an empty one.
  const bool is_empty = fs::file_size(file, unknown) == 0;
  if (picture_name(final_name)) return is_empty || is_png_of_grove(file);
  if (final_name == snapshot_series_file) return is_empty || XdmfSeries::is_one(file);
  if (final_name == used_parameters_file) return is_empty || is_printed_config(first_bytes(file));
  return is_state(final_name) && is_begun_state(file);
}

void require_free_or_own(const std::string& file) {
  std::error_code unknown;
  const fs::file_status there = fs::symlink_status(file, unknown);
  if (fs::exists(there) && !(fs::is_regular_file(there) && is_begun_state(file)))
    throw SystemError(file + ": cannot be written: there is a file of this name that Grove has not written; move it away");
}

namespace {

template <class Wanted>
std::vector<fs::path> files_in(const std::string& directory, Wanted wanted) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.is_regular_file() && wanted(entry.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string and_more(const std::vector<fs::path>& files) {
  return files.front().filename().string() + (files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "");
}

/// A new directory next to that of the results.
fs::path free_name(const fs::path& directory) {
  fs::path whole = fs::canonical(directory);
  for (int number = 1;; ++number) {
    fs::path name = whole.string() + "." + std::to_string(number);
    if (fs::create_directory(name)) return name;
  }
}

}  // namespace

bool is_result(const fs::path& file) {
  const std::string name = file.filename().string();
  if (picture_name(name)) return is_png_of_grove(file);
  if (name == plot_file) return is_png_of_grove(file, plot_source);
  if (name == snapshot_series_file) return XdmfSeries::is_one(file);
  return name == used_parameters_file || is_state(name) || is_log_of_grove(file.string());
}

void OutputDirectory::require_usable() const {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_directory(path_, ignored))
    throw ConfigError(fmt::format("output.directory = \"{}\" is a file: name a directory, which the run makes if it is not there", path_));
  const auto require_file = [](bool is_file, const std::string& path) {
    if (!is_file)
      throw ConfigError(fmt::format("{} is not a regular file, but has the name of a file that the run writes: move it away", path));
  };
  for (fs::directory_iterator entry(path_, ignored), end; entry != end; entry.increment(ignored))
    if (is_state(entry->path().filename().string()))
      require_file(!entry->exists(ignored) || entry->is_regular_file(ignored), entry->path().string());
  // A checkpoint would take the place of a link.
  for (int generation = 0; generation < checkpoint_generations; ++generation)
    require_file(!fs::is_symlink(checkpoint(generation), ignored), checkpoint(generation));
}

std::vector<std::string> OutputDirectory::prepare(EarlierResults earlier) const {
  std::vector<std::string> done;
  try {
    fs::create_directories(path_);
    if (::access(path_.c_str(), W_OK | X_OK) != 0)
      throw SystemError(fmt::format("output.directory = \"{}\" cannot be written to: {}", path_, std::strerror(errno)));
    XdmfSeries::require_no_other(snapshot_series());
    // Logs that a run continues were looked at before.
    if (earlier != EarlierResults::keep)
      for (const std::string& log : {energy(), timings(), time_bins()}) CsvLog::require_no_other(log);
    const std::vector<fs::path> results = files_in(path_, is_result);
    if (!results.empty() && earlier == EarlierResults::refuse)
      throw ConfigError(
          fmt::format("output.directory = \"{}\" has results of an earlier run ({}): give --continue to continue that run, "
                      "--overwrite to set its results aside, or name another directory",
                      path_, and_more(results)));
    const std::vector<fs::path> unfinished = files_in(path_, is_unfinished);
    for (const fs::path& file : unfinished) fs::remove(file);
    if (!unfinished.empty()) done.push_back(fmt::format("removed what an earlier run had not finished: {}", and_more(unfinished)));
    if (!results.empty() && earlier == EarlierResults::set_aside) {
      const fs::path aside = free_name(path_);
      for (const fs::path& file : results) fs::rename(file, aside / file.filename());
      done.push_back(fmt::format("the results of the earlier run are now in {}", aside.string()));
    }
  } catch (const fs::filesystem_error& error) {
    throw SystemError(fmt::format("output.directory = \"{}\" cannot be used: {}", path_, error.code().message()));
  }
  return done;
}

std::vector<std::string> OutputDirectory::set_aside_from(std::optional<std::uint64_t> snapshot,
                                                         std::optional<std::uint64_t> picture) const {
  const auto at_least = [](std::optional<std::uint64_t> number, std::optional<std::uint64_t> first) {
    return first && number && *number >= *first;
  };
  try {
    const std::vector<fs::path> snapshots =
        files_in(path_, [&](const fs::path& file) { return at_least(snapshot_number(file.filename().string()), snapshot); });
    const std::vector<fs::path> pictures =
        files_in(path_, [&](const fs::path& file) { return at_least(number_of_picture(file), picture); });
    if (snapshots.empty() && pictures.empty()) return {};
    const fs::path aside = free_name(path_);
    std::vector<std::string> done;
    for (const auto& [files, what] : {std::pair(&snapshots, "snapshots"), std::pair(&pictures, "pictures")}) {
      for (const fs::path& file : *files) fs::rename(file, aside / file.filename());
      if (!files->empty())
        done.push_back(fmt::format("{} of the earlier run from {} on, which other ones follow now, are in {}", what,
                                   files->front().filename().string(), aside.string()));
    }
    return done;
  } catch (const fs::filesystem_error& error) {
    throw SystemError(fmt::format("output.directory = \"{}\" cannot be used: {}", path_, error.code().message()));
  }
}

int OutputDirectory::checkpoints() const {
  int count = 0;
  for (int generation = 0; generation < checkpoint_generations; ++generation) count += fs::exists(checkpoint(generation)) ? 1 : 0;
  return count;
}

std::uint64_t OutputDirectory::pictures() const {
  std::uint64_t count = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored))
    if (const auto number = number_of_picture(entry.path())) count = std::max(count, *number + 1);
  return count;
}

std::vector<std::uint64_t> OutputDirectory::snapshots() const {
  std::vector<std::uint64_t> numbers;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored))
    if (const auto number = snapshot_number(entry.path().filename().string())) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool OutputDirectory::contains(const fs::path& file) const {
  const fs::path inner = fs::weakly_canonical(file), outer = fs::weakly_canonical(path_);
  const auto [at, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return at == outer.end() || (std::next(at) == outer.end() && at->empty());
}

DirectoryLock::~DirectoryLock() {
  if (directory_ >= 0) ::close(directory_);
}

void DirectoryLock::take(const std::string& directory) {
  if (directory_ >= 0) return;
  directory_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) return;
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (::flock(directory_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (std::chrono::steady_clock::now() > end)
      throw SystemError("output.directory = \"" + directory +
                        "\": another run of Grove is writing there; stop it, or name another directory");
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace grove
