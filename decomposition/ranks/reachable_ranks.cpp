#include "decomposition/ranks/reachable_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::chrono::microseconds pause_between_looks{100};
constexpr std::size_t most_named = 8;
/// None of Tag: the communicator may be that of the program that uses the library.
constexpr int greeting_tag = 0x6772;

/// An empty message to a partner and one from it. They have no memory that could be freed too early.
struct Greeting {
  int partner;
  MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;

  Greeting(int with, MPI_Comm comm) : partner(with) {
    check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, partner, greeting_tag, comm, &received), "MPI_Irecv");
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, partner, greeting_tag, comm, &sent), "MPI_Isend");
  }
  bool is_over() {
    int is_sent = 0, is_received = 0;
    check_mpi(MPI_Test(&sent, &is_sent, MPI_STATUS_IGNORE), "MPI_Test");
    check_mpi(MPI_Test(&received, &is_received, MPI_STATUS_IGNORE), "MPI_Test");
    return is_sent && is_received;
  }
};

std::string unreachable_text(int rank, const std::vector<Greeting>& open, double waited_s) {
  std::string ranks = open.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(open.size(), most_named); ++i) ranks += (i > 0 ? ", " : "") + std::to_string(open[i].partner);
  if (open.size() > most_named) ranks += " and " + std::to_string(open.size() - most_named) + " more";
  std::string seconds = std::to_string(waited_s);
  seconds.resize(seconds.find('.') + 2);
  return "rank " + std::to_string(rank) + " on " + host_name() + " cannot exchange messages with " + ranks + " (waited " + seconds +
         " s); look for a firewall between their nodes, and at the network that MPI uses (Open MPI over TCP: --mca btl_tcp_if_include)";
}

}  // namespace

std::vector<int> greeting_partners(int rank, int size) {
  const int stride = (size + most_partners - 1) / most_partners;
  std::vector<int> partners;
  for (int other = 0; other < size; ++other)
    if (other != rank && ((other - rank + size) % size % stride == 0 || (rank - other + size) % size % stride == 0))
      partners.push_back(other);
  return partners;
}

bool all_share_this_node(int size) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const value = std::getenv(name)) return std::atoi(value) == size;
  return size == 1;
}

void require_reachable_ranks(MPI_Comm world, const std::function<void(const std::string&)>& note, const GreetingLimits& limits) {
  using Clock = std::chrono::steady_clock;
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(world, &size), "MPI_Comm_size");
  std::vector<Greeting> open;
  for (const int partner : greeting_partners(rank, size)) open.emplace_back(partner, world);
  const auto begin = Clock::now();
  bool is_noted = false;
  while (true) {
    std::erase_if(open, [](Greeting& greeting) { return greeting.is_over(); });
    if (open.empty()) return;
    const double waited_s = std::chrono::duration<double>(Clock::now() - begin).count();
    if (waited_s > limits.end_s) throw CommunicationError(unreachable_text(rank, open, limits.end_s));
    if (waited_s > limits.note_s && !std::exchange(is_noted, true)) note(unreachable_text(rank, open, limits.note_s));
    std::this_thread::sleep_for(pause_between_looks);
  }
}

}  // namespace grove
