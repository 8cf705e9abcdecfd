#include "io/files/find_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

bool is_number(const std::string& extension) {
  return extension.size() > 1 && std::all_of(extension.begin() + 1, extension.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// Name and number of a file of a snapshot.
struct PieceName {
  std::string snapshot;
  std::optional<unsigned long> number;
};

PieceName piece_name(const std::filesystem::path& file) {
  std::filesystem::path stem = file.filename();
  std::string ending;
  if (has_hdf5_ending(stem)) {
    ending = stem.extension().string();
    stem = stem.stem();
  }
  const std::string number = stem.extension().string();
  constexpr std::size_t most_digits = 9;
  if (!is_number(number) || number.size() > most_digits + 1) return {stem.string() + ending, std::nullopt};
  return {stem.stem().string() + ending, std::stoul(number.substr(1))};
}

/// The first file of the only snapshot in a directory, whose files have numbers or end in .hdf5 or .h5; or the only file.
std::filesystem::path find_in_directory(const std::filesystem::path& directory) {
  struct Piece {
    std::filesystem::path path;
    unsigned long number = 0;
  };
  std::map<std::string, Piece> snapshots, others;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    if (!entry.is_regular_file(failed) || entry.path().filename().string().starts_with(".")) continue;
    const PieceName name = piece_name(entry.path());
    const bool looks_like_snapshot = name.number.has_value() || has_hdf5_ending(entry.path());
    // A file without a number does not belong to those with numbers.
    const std::string key = (name.number ? "numbered " : "") + name.snapshot;
    const auto [known, is_new] = (looks_like_snapshot ? snapshots : others).try_emplace(key, Piece{entry.path(), name.number.value_or(0)});
    if (!is_new && name.number && *name.number < known->second.number) known->second = {entry.path(), *name.number};
  }
  if (failed) throw DataError(fmt::format("{}: the directory cannot be read: {}", directory.string(), failed.message()));
  const auto& found = snapshots.empty() ? others : snapshots;
  if (found.size() == 1) return found.begin()->second.path;
  if (found.empty()) throw DataError(directory.string() + ": is a directory without files; a snapshot is needed");
  throw DataError(fmt::format("{}: is a directory with {} snapshots or other files, such as {} and {}: name the one that is meant",
                              directory.string(), found.size(), found.begin()->second.path.filename().string(),
                              std::next(found.begin())->second.path.filename().string()));
}

}  // namespace

bool has_hdf5_ending(const std::filesystem::path& file) { return file.extension() == ".hdf5" || file.extension() == ".h5"; }

std::filesystem::path find_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.extension() == ".toml" && std::filesystem::exists(path, ignored))
    throw DataError(fmt::format("{0}: is a configuration, not a file of particles: 'grove run {0}' runs it", path.string()));
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  if (std::filesystem::is_directory(path, ignored)) return find_in_directory(path);
  std::filesystem::path stem = path;
  if (has_hdf5_ending(stem)) stem.replace_extension();
  for (const char* ending : {".0.hdf5", ".0.h5", ".0"}) {
    std::filesystem::path first = stem.string() + ending;
    if (std::filesystem::is_regular_file(first, ignored)) return first;
  }
  if (std::filesystem::exists(path, ignored)) throw DataError(path.string() + ": is not a regular file");
  throw DataError(path.string() + ": no such file" +
                  (path.is_absolute() ? "" : " in the current directory, " + std::filesystem::current_path(ignored).string()));
}

std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, std::uint64_t files, const std::string& ending,
                                                     const std::string& complaint) {
  if (files <= 1) return {path};
  std::filesystem::path stem = path;  // name.0
  if (!ending.empty()) stem.replace_extension();
  if (!is_number(stem.extension().string())) throw DataError(path.string() + ": " + complaint);
  std::vector<std::filesystem::path> paths;
  for (std::uint64_t i = 0; i < files; ++i) {
    paths.push_back(stem.replace_extension(std::to_string(i)).string() + ending);
    std::error_code ignored;
    if (!std::filesystem::exists(paths.back(), ignored))
      throw DataError(fmt::format("{}: no such file; {} is one of {} files of a snapshot", paths.back().string(), path.string(), files));
  }
  return paths;
}

void add_note_on_stray_file(const std::filesystem::path& path, std::uint64_t files, std::vector<std::string>& notes) {
  const PieceName name = piece_name(path);
  if (!name.number || name.number >= files) return;
  const std::string ending = has_hdf5_ending(path) ? path.extension().string() : "";
  std::filesystem::path stray = path;
  if (!ending.empty()) stray.replace_extension();
  stray.replace_extension(std::to_string(files) + ending);
  std::error_code ignored;
  if (std::filesystem::exists(stray, ignored))
    notes.push_back(fmt::format("{} is not read: by the header, the snapshot has {} file(s)", stray.string(), files));
}

bool is_file_of(const std::filesystem::path& file, const std::filesystem::path& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(file, input, ignored)) return true;
  std::filesystem::path found;
  try {
    found = find_file(input);
  } catch (const DataError&) {
    return false;
  }
  if (std::filesystem::equivalent(file, found, ignored)) return true;
  const PieceName name = piece_name(found);
  if (!name.number) return false;
  const std::filesystem::path directory = found.has_parent_path() ? found.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    const PieceName other = piece_name(entry.path());
    if (other.number && other.snapshot == name.snapshot && std::filesystem::equivalent(file, entry.path(), ignored)) return true;
  }
  return false;
}

}  // namespace grove
