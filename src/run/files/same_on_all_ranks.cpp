#include "src/run/files/same_on_all_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/file_fingerprint.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_table.hpp"
#include "src/config/given_galaxies.hpp"
#include "src/run/files/log_kinds.hpp"

namespace grove {

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\0';
  return text;
}

std::vector<std::string> parted(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line, '\0');) lines.push_back(line);
  return lines;
}

/// Index of the first line that differs.
std::size_t first_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto end = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + end, b.begin()).first - a.begin());
}

/// Throws a ConfigError, agreed, unless all ranks have the same lines. `explain` is called on a rank that differs, with its own lines,
/// those of rank 0 and the index of the first difference.
template <class Explain>
void require_same_lines(const std::vector<std::string>& own, const Communicator& comm, Explain explain) {
  const std::string text = joined(own);
  std::string of_root = text;
  comm.broadcast(of_root);
  comm.agree([&] {
    if (of_root == text) return;
    const std::vector<std::string> root = parted(of_root);
    throw ConfigError(explain(own, root, first_difference(own, root)));
  });
}

/// Word `at` in quotes, an option together with its value.
std::string quoted_word(const std::vector<std::string>& words, std::size_t at) {
  const auto is_option = [&](std::size_t i) { return words[i].starts_with("-"); };
  if (at >= words.size()) return "nothing more";
  if (at > 0 && is_option(at - 1) && !is_option(at)) --at;
  const bool has_value = is_option(at) && at + 1 < words.size() && !is_option(at + 1);
  return "'" + words[at] + (has_value ? " " + words[at + 1] : "") + "'";
}

std::string line_or_nothing(const std::vector<std::string>& lines, std::size_t at) { return at < lines.size() ? lines[at] : "nothing"; }

}  // namespace

void require_same_command_line(const std::vector<std::string>& words, const Communicator& comm) {
  require_same_lines(words, comm, [&](const auto& own, const auto& root, std::size_t at) {
    return fmt::format("the ranks were started with different command lines: {} on rank 0, {} on {}; start all ranks with the same one",
                       quoted_word(root, at), quoted_word(own, at), place_or_number(comm.rank()));
  });
}

EffectiveSettings effective_settings(const Config& config) {
  const ConfigTable& table = config_table();
  EffectiveSettings settings;
  for (const ConfigSetting& row : table.settings)
    if (applies(table, row, config)) settings.emplace_back(fmt::format("{}.{}", row.section, row.setting.name), to_toml(row.get(config)));
  Config copy = config;
  for (const ConfigChoice& choice : table.choices)
    for (const auto& [name, value] : choice.values(copy)) settings.emplace_back(fmt::format("{}.{}", choice.section, name), to_toml(value));
  std::vector<std::string> sections;
  for (const GalaxySection& section : sections_of(config.initial_conditions.galaxies)) {
    sections.push_back(section.name);
    for (const auto& [setting, value] : section.keys)
      // Softening acts through gravity.softening.
      if (setting.name != "softening") settings.emplace_back(fmt::format("{}.{}", section.name, setting.name), to_toml(value));
  }
  if (!sections.empty()) settings.emplace_back("galaxies", fmt::format("{}", fmt::join(sections, ", ")));
  return settings;
}

void require_same_config(const Config& config, const Communicator& comm) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : effective_settings(config)) lines.push_back(name + " = " + value);
  require_same_lines(lines, comm, [&](const auto& own, const auto& root, std::size_t at) {
    return fmt::format("the ranks have different configurations: {} on rank 0, {} on {}; give all ranks the same file and settings",
                       line_or_nothing(root, at), line_or_nothing(own, at), place_or_number(comm.rank()));
  });
}

void require_same_file(const std::filesystem::path& path, const std::string& key, const Communicator& comm) {
  comm.agree([&] {
    if (comm.is_root() && log_kind_in(path.string()))
      throw DataError(fmt::format(
          "{0}: is a log of a run, not a file of particles: 'grove info {0}' says what is in it, and 'grove plot OUTPUT_DIR' draws it",
          path.string()));
  });
  require_same_files({path}, comm, key);
}

void require_same_directory(const std::filesystem::path& path, const std::string& key, const Communicator& comm) {
  std::string mark = (path / fmt::format(".grove_{}_{}", host_name(), ::getpid())).string();
  comm.broadcast(mark);
  const auto remove = [&] {
    if (comm.is_root()) ::unlink(mark.c_str());
  };
  try {
    comm.agree([&] {
      if (comm.is_root() && !std::ofstream(mark))
        throw SystemError(fmt::format("{} = \"{}\": no file can be made there", key, path.string()));
    });
    comm.agree([&] {
      if (::access(mark.c_str(), F_OK) != 0)
        throw ConfigError(
            fmt::format("{} = \"{}\" is not the same directory for all ranks: {} does not see what rank 0 writes there; name one "
                        "that all nodes share",
                        key, path.string(), place_or_number(comm.rank())));
      if (::access(path.c_str(), W_OK | X_OK) != 0)
        throw SystemError(fmt::format("{} = \"{}\" cannot be written to: {}", key, path.string(), std::strerror(errno)));
    });
  } catch (...) {
    remove();
    throw;
  }
  remove();
}

}  // namespace grove
