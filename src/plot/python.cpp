#include "src/plot/python.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "kernels/base/error.hpp"
#include "src/pictures/png_file.hpp"

namespace grove {

extern const std::string_view picture_start;

namespace {

/// A file in memory. Unlike a pipe, it takes all that a process writes before another one reads, and never breaks.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("grove", MFD_CLOEXEC)) {
    if (file_ < 0) throw SystemError(fmt::format("no file in memory can be made for Python: {}", std::strerror(errno)));
  }
  explicit MemoryFile(std::string_view text) : MemoryFile() {
    std::ofstream file(path());
    file << text << std::flush;
    if (!file) throw SystemError(fmt::format("a script for Python cannot be kept in memory: {}", std::strerror(errno)));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }

  int descriptor() const { return file_; }
  std::string text() const {
    std::ifstream file(path());
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) throw SystemError(fmt::format("what Python wrote cannot be read: {}", std::strerror(errno)));
    return text;
  }

 private:
  /// Opened by this name, it is read and written from its start, whatever the descriptor has done.
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

  int file_ = -1;
};

/// Standard input, output and error of a process that is to be started.
class Redirections {
 public:
  Redirections(const MemoryFile& in, const MemoryFile& out, const MemoryFile& err) {
    int error = ::posix_spawn_file_actions_init(&actions_);
    for (int to = 0; const MemoryFile* file : {&in, &out, &err})
      if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions_, file->descriptor(), to++);
    if (error != 0) throw SystemError(fmt::format("Python cannot be prepared: {}", std::strerror(error)));
  }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  ~Redirections() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The exit code of a script that lacks a package.
constexpr int lacks_package = 4;

/// The system's Python, which may have packages that the python3 of PATH lacks.
constexpr const char* system_python = "/usr/bin/python3";

/// The Pythons that scripts are run by, one after the other as long as a package is lacking: the user's, by GROVE_PYTHON in the
/// environment, or the one in PATH and that of the system.
std::vector<std::string> pythons() {
  if (const char* given = std::getenv("GROVE_PYTHON"); given && *given) return {given};
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  std::vector<std::string> found;
  for (std::string directory; found.empty() && std::getline(directories, directory, ':');)
    if (const std::string file = directory + "/python3"; ::access(file.c_str(), X_OK) == 0) found.push_back(file);
  std::error_code none;
  if (::access(system_python, X_OK) == 0 && (found.empty() || !std::filesystem::equivalent(found.front(), system_python, none)))
    found.push_back(system_python);
  return found.empty() ? std::vector<std::string>{"python3"} : found;
}

ScriptResult run_with(std::string program, std::string_view script, const std::vector<std::string>& arguments) {
  const MemoryFile in(script), out, err;
  const Redirections redirections(in, out, err);
  std::vector<std::string> words{program, "-"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  if (const int error = ::posix_spawnp(&process, program.c_str(), redirections.get(), nullptr, pointers.data(), environ); error != 0)
    throw SystemError(
        fmt::format("{} cannot be started: {}. Install it (Debian, Ubuntu: apt-get install python3), or name another Python in "
                    "the environment variable GROVE_PYTHON",
                    program, std::strerror(error)));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) throw SystemError(fmt::format("{}: its end cannot be waited for: {}", program, std::strerror(errno)));
  ScriptResult result{WIFEXITED(status) ? WEXITSTATUS(status) : 0, out.text(), err.text()};
  if (WIFSIGNALED(status)) throw SystemError(fmt::format("{} was ended by signal {}", program, WTERMSIG(status)));
  return result;
}

[[noreturn]] void throw_lacking_package(const ScriptResult& result) {
  const std::vector<std::string> tried = pythons();
  throw SystemError(
      fmt::format("{} {} a package that plots need ({}): install it (Debian, Ubuntu: apt-get install "
                  "python3-matplotlib), or name a Python that has it in the environment variable GROVE_PYTHON",
                  fmt::join(tried, " and "), tried.size() == 1 ? "lacks" : "lack", result.last_error()));
}

}  // namespace

std::string ScriptResult::last_error() const {
  const std::size_t end = errors.find_last_not_of("\n \t");
  if (end == std::string::npos) return "";
  const std::size_t before = errors.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return errors.substr(begin, end + 1 - begin);
}

ScriptResult run_python(std::string_view script, const std::vector<std::string>& arguments) {
  ScriptResult result;
  for (const std::string& program : pythons()) {
    result = run_with(program, script, arguments);
    result.program = program;
    if (result.exit_code != lacks_package) break;
  }
  return result;
}

void require_matplotlib() {
  const ScriptResult result = run_python(picture_start, {});
  if (result.exit_code != 0) throw_lacking_package(result);
}

std::string draw_png(std::string_view script, const std::vector<std::string>& arguments, const std::string& what) {
  constexpr int found_bad_data = 3;
  ScriptResult result = run_python(std::string(picture_start) + std::string(script), arguments);
  if (result.exit_code == found_bad_data) throw DataError(result.last_error());
  if (result.exit_code == lacks_package) throw_lacking_package(result);
  if (result.exit_code != 0 || !result.output.starts_with(png_signature))
    throw SystemError(fmt::format("{} could not draw {} (exit code {}): {}", result.program, what, result.exit_code,
                                  result.errors.empty() ? "it says nothing" : result.last_error()));
  return std::move(result.output);
}

void require_png(const std::string& file, const std::string& option) {
  if (std::filesystem::path(file).extension() != ".png")
    throw ConfigError(fmt::format("{} {}: the name of a picture must end in .png", option, file));
}

}  // namespace grove
