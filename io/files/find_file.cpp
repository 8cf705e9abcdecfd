#include "io/files/find_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

bool is_hdf5_extension(const std::string& extension) { return extension == ".hdf5" || extension == ".h5"; }

/// Name and number of a file of a snapshot; the number is 0 when there is none.
struct PieceName {
  std::string snapshot;
  unsigned long number = 0;
  bool has_number = false;
};

PieceName piece_name(const std::filesystem::path& file) {
  std::filesystem::path stem = file.filename();
  std::string ending;
  if (is_hdf5_extension(stem.extension().string())) {
    ending = stem.extension().string();
    stem = stem.stem();
  }
  const std::string number = stem.extension().string();
  constexpr std::size_t most_digits = 9;
  const bool has_number = number.size() > 1 && number.size() <= most_digits + 1 &&
                          std::all_of(number.begin() + 1, number.end(), [](unsigned char c) { return std::isdigit(c); });
  if (!has_number) return {stem.string() + ending, 0, false};
  return {stem.stem().string() + ending, std::stoul(number.substr(1)), true};
}

/// The first file of the one snapshot in a directory. Its files have numbers, or end in .hdf5 or .h5, or there is one file alone.
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
    const bool looks_like_snapshot = name.has_number || is_hdf5_extension(entry.path().extension().string());
    // A file without a number is none of those with numbers.
    const std::string key = (name.has_number ? "numbered " : "") + name.snapshot;
    const auto [known, is_new] = (looks_like_snapshot ? snapshots : others).try_emplace(key, Piece{entry.path(), name.number});
    if (!is_new && name.number < known->second.number) known->second = {entry.path(), name.number};
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

std::filesystem::path find_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  if (std::filesystem::is_directory(path, ignored)) return find_in_directory(path);
  std::filesystem::path stem = path;
  if (is_hdf5_extension(stem.extension().string())) stem.replace_extension();
  for (const char* ending : {".0.hdf5", ".0.h5", ".0"}) {
    std::filesystem::path first = stem.string() + ending;
    if (std::filesystem::is_regular_file(first, ignored)) return first;
  }
  if (std::filesystem::exists(path, ignored)) throw DataError(path.string() + ": is not a regular file");
  throw DataError(path.string() + ": no such file");
}

void add_note_on_stray_file(const std::filesystem::path& path, std::uint64_t files, std::vector<std::string>& notes) {
  const PieceName name = piece_name(path);
  if (!name.has_number || name.number >= files) return;
  const std::string ending = is_hdf5_extension(path.extension().string()) ? path.extension().string() : "";
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
  if (!name.has_number) return false;
  const std::filesystem::path directory = found.has_parent_path() ? found.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    const PieceName other = piece_name(entry.path());
    if (other.has_number && other.snapshot == name.snapshot && std::filesystem::equivalent(file, entry.path(), ignored)) return true;
  }
  return false;
}

}  // namespace grove
