#include "io/hdf5/hdf5_apart.hpp"

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "io/files/file_of_grove.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// The first word of the command line of a process that is started for a task; task, path and argument follow.
constexpr const char* first_word = "--file-task";
constexpr int word_count = 5;
constexpr int interval_ms = 100;

bool has_tasks = false;

/// Most processor time for a file. A slow disk does not count. The file may be one of a set, or refer to others in its directory.
rlim_t longest_s(const std::filesystem::path& path) {
  constexpr std::uintmax_t least_s = 5, most_s = 300, files_in_1_s = 100, bytes_in_1_s = 100'000'000;
  std::error_code ignored;
  std::uintmax_t files = 0, bytes = 0;
  const std::filesystem::path directory = path.parent_path();
  for (std::filesystem::directory_iterator entry(directory.empty() ? "." : directory, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().extension() == path.extension() && entry->is_regular_file(ignored)) {
      const std::uintmax_t size = entry->file_size(ignored);
      bytes += ignored ? 0 : size;
      ++files;
    }
  return static_cast<rlim_t>(std::min(most_s, least_s + files / files_in_1_s + bytes / bytes_in_1_s));
}

/// This process ends when it takes too long, and with the one that has started it.
void limit_own_life(const std::filesystem::path& path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // They are for the one that has started it, and come to all processes of a job.
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}) std::signal(signal, SIG_IGN);
  const rlimit time{longest_s(path), longest_s(path)}, no_core{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &no_core);
  // Threads that wait for work take processor time.
  omp_set_num_threads(1);
}

/// Another process that writes into a pipe. The end of the object ends it.
class Child {
 public:
  explicit Child(std::array<const char*, word_count + 1> command) {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends_[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&id_, "/proc/self/exe", &actions, nullptr, const_cast<char**>(command.data()), environ) != 0) id_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(std::exchange(ends_[1], -1));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ > 0) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
    for (const int end : ends_)
      if (end >= 0) close(end);
  }

  bool has_started() const { return id_ > 0; }

  /// All that it writes. Throws SystemError when it is asked to stop.
  std::string answer(const std::stop_token& stop) const {
    std::string text;
    std::array<char, 65536> some{};
    while (true) {
      if (stop.stop_requested()) throw SystemError("the reading of a file was given up");
      pollfd ready{ends_[0], POLLIN, 0};
      if (poll(&ready, 1, interval_ms) <= 0) continue;
      const ssize_t got = read(ends_[0], some.data(), some.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(some.data(), static_cast<std::size_t>(got));
    }
  }
  /// Waits for its end. Returns false where the system does not tell how it ended.
  bool wait(int& status, rusage& used) {
    pid_t ended = 0;
    while ((ended = wait4(id_, &status, 0, &used)) < 0 && errno == EINTR) {
    }
    return std::exchange(id_, -1) == ended;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  pid_t id_ = -1;
};

[[noreturn]] void throw_failure(const std::filesystem::path& path, int status, const rusage& used, const std::string& answer) {
  const std::string name = path.string(), damaged = " the file, which is probably damaged";
  const bool took_too_long = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 >= static_cast<time_t>(longest_s(path));
  if (WIFSIGNALED(status) && took_too_long) throw DataError(name + ": HDF5 does not come to an end while it reads" + damaged);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw SystemError(name + ": the process that read it was killed, probably for lack of memory");
  if (WIFSIGNALED(status) || answer.empty()) throw DataError(name + ": HDF5 crashed while it read" + damaged);
  if (WEXITSTATUS(status) == exit_code::data) throw DataError(answer);
  throw SystemError(answer);
}

}  // namespace

void carry_out_file_task(int argc, char** argv, std::span<const FileTask> tasks) {
  if (argc != word_count || std::strcmp(argv[1], first_word) != 0) {
    has_tasks = true;
    return;
  }
  limit_own_life(argv[3]);
  const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const FileTask& one) { return std::strcmp(one.name, argv[2]) == 0; });
  std::string answer;
  int code = 0;
  try {
    if (task != tasks.end()) answer = task->work(argv[3], argv[4]);
  } catch (const std::exception& error) {
    answer = sentence_of(error);
    code = exit_code_of(error);
  }
  for (std::size_t done = 0; done < answer.size();) {
    const ssize_t now = write(STDOUT_FILENO, answer.data() + done, answer.size() - done);
    if (now <= 0) break;
    done += static_cast<std::size_t>(now);
  }
  // At a usual end, HDF5 would close what is damaged.
  _exit(code);
}

std::optional<std::string> in_own_process(const char* task, const std::filesystem::path& path, const std::string& argument,
                                          const std::stop_token& stop) {
  if (!has_tasks) return std::nullopt;
  Child child({"grove", first_word, task, path.c_str(), argument.c_str(), nullptr});
  if (!child.has_started()) return std::nullopt;
  std::string answer = child.answer(stop);
  int status = 0;
  rusage used{};
  if (!child.wait(status, used)) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw_failure(path, status, used, answer);
  return answer;
}

void require_harmless(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && !begins_as_hdf5_of_grove(path)) in_own_process(look_task, path);
}

}  // namespace grove
