#include "src/process/last_words.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "decomposition/ranks/node_flag.hpp"
#include "decomposition/ranks/rank_place.hpp"
#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace fs = std::filesystem;

namespace {

/// Then the process ends, even if it still waits, usually in MPI_Abort.
constexpr unsigned longest_end_s = 8;
/// An error of MPI is printed after this time.
constexpr double echo_wait_s = 3;
/// Nodes whose ranks fail at once print one after the other; the first ends the rest.
constexpr double node_wait_s = 0.2, longest_node_wait_s = 2;
/// The launcher passes the message on within this time, before its own messages.
constexpr double passing_on_s = 0.2;
/// Freed at the failure, whose handling needs some memory.
constexpr std::size_t reserve_bytes = std::size_t{1} << 24;

struct PartialFiles {
  fs::path directory;
  std::function<bool(const std::string&)> is_own;
};

/// What handling a failure needs, made while there is memory.
struct Prepared {
  explicit Prepared(const Communicator& world) : comm(world), node_flag(world), reserve(new char[reserve_bytes]) {}

  const Communicator& comm;
  NodeFlag node_flag;
  std::unique_ptr<char[]> reserve;
  std::vector<PartialFiles> partial_files;
  std::terminate_handler former_handler = nullptr;
};

std::optional<Prepared> prepared;

void wait_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Restores the default action of signals: the launcher can end this process at once. SIGALRM ends it in any case.
void end_by_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGALRM, SIGTERM, SIGINT}) {
    std::signal(signal, SIG_DFL);
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  alarm(longest_end_s);
}

void write_all(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = ::write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

/// Allocates no memory.
void say(const char* sentence) {
  static char text[8192];
  const bool several = prepared->comm.size() > 1;
  const char* const place = several ? place_of_this_rank().c_str() : "";
  std::snprintf(text, sizeof text, "\ngrove: error: %s%s%s\n%s", place, *place ? ": " : "", sentence,
                several ? "grove: this ends all ranks. What MPI says below only follows from it.\n" : "");
  write_all(text);
}

void remove_partial_files() noexcept {
  for (const PartialFiles& files : prepared->partial_files) {
    try {
      for (const fs::directory_entry& entry : fs::directory_iterator(files.directory)) {
        const fs::path final_name = entry.path().filename().stem();
        if (entry.path().filename() == partial_name(final_name) && files.is_own(final_name.string())) ::unlink(entry.path().c_str());
      }
    } catch (const std::exception&) {
      // The files stay where they are; their names say that they are not complete.
      continue;
    }
  }
}

/// Returns on one rank of each node, on one node after the other.
void wait_for_turn(double before_s) {
  const Communicator& comm = prepared->comm;
  if (comm.size() == 1) return;
  wait_s(before_s);
  while (!prepared->node_flag.raise()) pause();  // the other rank ends this process, or the alarm does
  const int node = comm.rank() / comm.local_size();
  wait_s(std::min(node_wait_s * node, longest_node_wait_s));
}

[[noreturn]] void end_all_ranks(const char* sentence, int code, double before_s) {
  wait_for_turn(before_s);
  say(sentence);
  wait_s(passing_on_s);
  remove_partial_files();
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

[[noreturn]] void end_with_present_exception() {
  const std::exception_ptr present = std::current_exception();
  try {
    if (present) std::rethrow_exception(present);
  } catch (const std::exception& error) {
    const double before_s = dynamic_cast<const CommunicationError*>(&error) ? echo_wait_s : 0;
    try {
      end_all_ranks(sentence_of(error).c_str(), exit_code_of(error), before_s);
    } catch (const std::bad_alloc&) {
      end_all_ranks(error.what(), exit_code_of(error), before_s);
    }
  } catch (...) {
    end_all_ranks("a defect of Grove: an exception of an unknown type; please report it, with the configuration", exit_code::defect, 0);
  }
  end_all_ranks("a defect of Grove: std::terminate was called; please report it, with the configuration", exit_code::defect, 0);
}

[[noreturn]] void terminate_handler() {
  static std::atomic<bool> is_ending{false};
  // A second thread that fails, or a failure of the end itself.
  static thread_local bool is_mine = false;
  if (is_ending.exchange(true)) {
    if (is_mine) _exit(exit_code::defect);
    while (true) pause();
  }
  is_mine = true;
  end_by_signals();
  prepared->reserve.reset();
  end_with_present_exception();
}

}  // namespace

LastWords::LastWords(const Communicator& world) {
  prepared.emplace(world);
  prepared->former_handler = std::set_terminate(terminate_handler);
}

LastWords::~LastWords() {
  std::set_terminate(prepared->former_handler);
  prepared.reset();
}

void remove_partial_files_on_failure(const fs::path& directory, std::function<bool(const std::string&)> is_own) {
  if (prepared) prepared->partial_files.push_back({directory.empty() ? "." : directory, std::move(is_own)});
}

}  // namespace grove
