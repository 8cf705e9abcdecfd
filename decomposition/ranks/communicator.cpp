#include "decomposition/ranks/communicator.hpp"

#include <algorithm>
#include <climits>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {
// Larger messages are split: the counts of MPI are ints.
constexpr std::size_t largest_message = std::size_t{1} << 30;

MPI_Comm split_by_node(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  return node;
}
}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw CommunicationError(std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

int mpi_count(std::size_t count) {
  if (count > static_cast<std::size_t>(INT_MAX))
    throw SystemError("a message of " + std::to_string(count) + " items is too long for one MPI call");
  return static_cast<int>(count);
}

Requests::~Requests() {
  const bool in_flight = std::any_of(requests_.begin(), requests_.end(), [](MPI_Request r) { return r != MPI_REQUEST_NULL; });
  // MPI may still write to buffers that are about to be freed.
  if (in_flight && !std::uncaught_exceptions()) std::terminate();
}

void Requests::wait_all() {
  const WaitForRanks waits;
  check_mpi(MPI_Waitall(mpi_count(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests_.clear();
}

Communicator::Communicator(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  MPI_Comm node = split_by_node(comm_, rank_);
  check_mpi(MPI_Comm_rank(node, &local_rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node, &local_size_), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(other.comm_), rank_(other.rank_), size_(other.size_), local_rank_(other.local_rank_), local_size_(other.local_size_) {
  other.comm_ = MPI_COMM_NULL;
}

Communicator Communicator::node() const {
  MPI_Comm node = split_by_node(comm_, rank_);
  Communicator result(node);
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return result;
}

Communicator::~Communicator() {
  // A program that uses the library may have ended MPI before.
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (comm_ != MPI_COMM_NULL && !is_over) MPI_Comm_free(&comm_);
}

void Communicator::barrier() const {
  const WaitForRanks waits;
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
}

void Communicator::broadcast(std::string& text, int root) const {
  std::uint64_t length = text.size();
  broadcast(std::span<std::uint64_t>(&length, 1), root);
  text.resize(length);
  broadcast(std::span<char>(text), root);
}

std::uint64_t Communicator::prefix_sum(std::uint64_t value) const {
  std::uint64_t before = 0;
  const WaitForRanks waits;
  check_mpi(MPI_Exscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Exscan");
  return rank_ == 0 ? 0 : before;
}

std::vector<std::uint64_t> Communicator::all_to_all(std::span<const std::uint64_t> to) const {
  std::vector<std::uint64_t> from(to.size());
  const int each = mpi_count(to.size() / static_cast<std::size_t>(size_));
  const WaitForRanks waits;
  check_mpi(MPI_Alltoall(to.data(), each, MPI_UINT64_T, from.data(), each, MPI_UINT64_T, comm_), "MPI_Alltoall");
  return from;
}

void Communicator::send_bytes(std::span<const std::byte> data, int to, Tag tag, Requests& requests) const {
  for (std::size_t at = 0; at < data.size(); at += largest_message) {
    const std::size_t length = std::min(largest_message, data.size() - at);
    check_mpi(MPI_Isend(data.data() + at, mpi_count(length), MPI_BYTE, to, static_cast<int>(tag), comm_, requests.add()), "MPI_Isend");
  }
}

void Communicator::receive_bytes(std::span<std::byte> data, int from, Tag tag, Requests& requests) const {
  for (std::size_t at = 0; at < data.size(); at += largest_message) {
    const std::size_t length = std::min(largest_message, data.size() - at);
    check_mpi(MPI_Irecv(data.data() + at, mpi_count(length), MPI_BYTE, from, static_cast<int>(tag), comm_, requests.add()), "MPI_Irecv");
  }
}

void Communicator::agree(const std::function<void()>& work) const {
  std::string message;
  int code = 0;
  try {
    work();
  } catch (const std::exception& error) {
    code = exit_code_of(error);
    message = failure_message(error);
  }
  const int failing_rank = min(code == 0 ? size_ : rank_);
  if (failing_rank == size_) return;
  broadcast(message, failing_rank);
  broadcast(std::span<int>(&code, 1), failing_rank);
  throw AgreedError(message, code);
}

}  // namespace grove
