#include "src/run/output_directory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "io/partial_file.hpp"
#include "io/xdmf_series.hpp"
#include "kernels/space/error.hpp"
#include "src/pictures/png_file.hpp"
#include "src/plot/plot.hpp"
#include "src/run/observers/csv_log.hpp"

namespace grove {

namespace fs = std::filesystem;

namespace {

constexpr const char *snapshot_prefix = "snapshot_", *checkpoint_prefix = "checkpoint_", *picture_prefix = "picture_", *suffix = ".hdf5";
constexpr const char* series_name = "snapshots.xdmf";
const std::string partial_suffix = partial_name("");

/// The number that digits stand for; nothing for other texts.
std::optional<std::uint64_t> number_of(const std::string& digits) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// The number in a name "PREFIXnumber.hdf5"; nothing for other names.
std::optional<std::uint64_t> number_in(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  return number_of(name.substr(prefix.size(), name.size() - prefix.size() - std::strlen(suffix)));
}

bool is_state(const std::string& name) { return number_in(name, snapshot_prefix) || number_in(name, checkpoint_prefix); }

bool is_name_of_picture(const std::string& name) { return name.starts_with(picture_prefix) && name.ends_with(".png"); }

/// The number of a picture that Grove has made: "picture_density_z_number.png".
std::optional<std::uint64_t> number_of_picture(const fs::path& file) {
  const std::string name = file.filename().string(), stem = file.stem().string();
  if (!is_name_of_picture(name) || !is_png_of_grove(file)) return std::nullopt;
  return number_of(stem.substr(stem.rfind('_') + 1));
}

bool is_unfinished(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(partial_suffix)) return false;
  const std::string final_name = name.substr(0, name.size() - partial_suffix.size());
  std::error_code unknown;
  if (!fs::is_regular_file(fs::symlink_status(file, unknown))) return false;
  // A power cut can leave an empty one.
  const bool is_empty = fs::file_size(file, unknown) == 0;
  if (is_name_of_picture(final_name)) return is_empty || is_png_of_grove(file);
  if (final_name == series_name) return is_empty || XdmfSeries::is_one(file);
  return is_state(final_name);
}

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

/// A directory beside the one of the results, which does not exist yet.
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
  if (is_name_of_picture(name)) return is_png_of_grove(file);
  if (name == plot_file_name) return is_plot_of_grove(file.string());
  if (name == series_name) return XdmfSeries::is_one(file);
  return name == "used_parameters.toml" || is_state(name) || CsvLog::is_one(file.string());
}

std::vector<std::string> OutputDirectory::prepare(EarlierResults earlier) const {
  std::vector<std::string> done;
  try {
    fs::create_directories(path_);
    if (::access(path_.c_str(), W_OK | X_OK) != 0)
      throw SystemError(fmt::format("output.directory = \"{}\" cannot be written to: {}", path_, std::strerror(errno)));
    if (earlier != EarlierResults::keep) {
      for (const std::string& log : {energy(), timings()}) CsvLog::require_no_other(log);
      XdmfSeries::require_no_other(snapshot_series());
    }
    const std::vector<fs::path> results = files_in(path_, is_result);
    if (!results.empty() && earlier == EarlierResults::refuse)
      throw ConfigError(
          fmt::format("output.directory = \"{}\" has results of an earlier run ({}): give --continue to go on with that run, "
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
        files_in(path_, [&](const fs::path& file) { return at_least(number_in(file.filename().string(), snapshot_prefix), snapshot); });
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
    if (const auto number = number_in(entry.path().filename().string(), snapshot_prefix)) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool OutputDirectory::contains(const fs::path& file) const {
  const fs::path inner = fs::weakly_canonical(file), outer = fs::weakly_canonical(path_);
  const auto [at, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return at == outer.end() || (std::next(at) == outer.end() && at->empty());
}

std::string OutputDirectory::snapshot(std::uint64_t number) const {
  return fmt::format("{}/{}{:04}{}", path_, snapshot_prefix, number, suffix);
}

std::string OutputDirectory::picture(const std::string& name, std::uint64_t number) const {
  return fmt::format("{}/{}_{:04}.png", path_, name, number);
}

std::string OutputDirectory::checkpoint(int generation) const {
  return fmt::format("{}/{}{}{}", path_, checkpoint_prefix, generation, suffix);
}

std::string OutputDirectory::not_finite(std::uint64_t step, int number) const {
  return fmt::format("{}/not_finite_step_{}{}.csv", path_, step, number == 0 ? "" : fmt::format("_{}", number));
}

}  // namespace grove
