// A thin checked communicator: typed calls on its own duplicate, every return code looked at, every count range-checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/space/activity.hpp"

namespace grove {

/// Message tags of point-to-point traffic; one per kind of message.
enum class Tag : int { particles = 1, tree_data, ring_block, scatter, target_boxes, peer_announcement, peer_ack };

/// Throws CommunicationError with MPI's own text when `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// `count` as an MPI int; throws SystemError when it does not fit.
int mpi_count(std::size_t count);

/// round_down(total * part / parts) without a product that could overflow.
inline std::uint64_t fraction_of(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
  return total / parts * part + total % parts * part / parts;
}

/// First item of rank `rank` of `size` when `total` items are dealt out evenly in order; that of `rank + 1` is its end.
inline std::uint64_t first_of_rank(std::uint64_t total, int rank, int size) {
  return fraction_of(total, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(size));
}

template <class T>
MPI_Datatype mpi_type();

/// Pending non-blocking messages. Owns the requests; the buffers must outlive wait_all(). Destroying it with messages in flight aborts.
class Requests {
 public:
  Requests() = default;
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&&) noexcept = default;
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests();

  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  /// Completes all messages. Blocks.
  void wait_all();

 private:
  std::vector<MPI_Request> requests_;
};

/// A group of ranks with a private message space. Owns a duplicate of the MPI communicator it was made from, freed on
/// destruction; MPI must be initialised for its whole life. Move-only. All calls are collective unless said otherwise.
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&&) = delete;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  MPI_Comm raw() const { return comm_; }

  /// The ranks of this rank's node, in the order of their ranks here.
  Communicator node() const;
  /// Index of this rank among the ranks of its node, and their number.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  void barrier() const;

  template <class T>
  void broadcast(std::span<T> data, int root = 0) const;
  void broadcast(std::string& text, int root = 0) const;

  template <class T>
  T sum(T value) const;
  template <class T>
  T min(T value) const;
  template <class T>
  T max(T value) const;
  /// Element by element over the ranks, in place.
  template <class T>
  void sum(std::span<T> values) const;
  template <class T>
  void min(std::span<T> values) const;
  template <class T>
  void max(std::span<T> values) const;
  /// Element by element over the ranks, in place on the root; the values of the other ranks stay as they are.
  template <class T>
  void sum_on_root(std::span<T> values) const;

  /// Sum of `value` over the ranks before this one; 0 on rank 0.
  std::uint64_t prefix_sum(std::uint64_t value) const;

  /// One value of each rank, in rank order, on every rank.
  template <class T>
  std::vector<T> all_gather(const T& value) const;
  /// The values of each rank, the same number on all, in rank order, on every rank.
  template <class T>
  std::vector<T> all_gather_rows(std::span<const T> values) const;
  /// The vectors of all ranks one after the other in rank order, on every rank.
  template <class T>
  std::vector<T> all_gather_vectors(std::span<const T> local) const;
  /// `to` has the same number of entries for each rank, on all ranks: first those that go to rank 0. The result has, in the same way, those
  /// that came from each rank.
  std::vector<std::uint64_t> all_to_all(std::span<const std::uint64_t> to) const;

  /// Point to point, not collective, non-blocking. Messages over 1 GiB are split; both sides must give the same byte count.
  void send_bytes(std::span<const std::byte> data, int to, Tag tag, Requests& requests) const;
  void receive_bytes(std::span<std::byte> data, int from, Tag tag, Requests& requests) const;

  /// Runs `work` on this rank, then lets all ranks agree: if it threw anywhere, every rank throws AgreedError with the
  /// failure_message() of the lowest failing rank. `work` must not communicate.
  void agree(const std::function<void()>& work) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
};

template <>
inline MPI_Datatype mpi_type<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype mpi_type<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype mpi_type<std::uint64_t>() {
  return MPI_UINT64_T;
}
template <>
inline MPI_Datatype mpi_type<std::int64_t>() {
  return MPI_INT64_T;
}

template <class T>
void Communicator::broadcast(std::span<T> data, int root) const {
  static_assert(std::is_trivially_copyable_v<T>);
  const WaitForRanks waits;
  check_mpi(MPI_Bcast(data.data(), mpi_count(data.size_bytes()), MPI_BYTE, root, comm_), "MPI_Bcast");
}

template <class T>
void Communicator::sum(std::span<T> values) const {
  const WaitForRanks waits;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), mpi_type<T>(), MPI_SUM, comm_), "MPI_Allreduce");
}
template <class T>
void Communicator::min(std::span<T> values) const {
  const WaitForRanks waits;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), mpi_type<T>(), MPI_MIN, comm_), "MPI_Allreduce");
}
template <class T>
void Communicator::max(std::span<T> values) const {
  const WaitForRanks waits;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), mpi_type<T>(), MPI_MAX, comm_), "MPI_Allreduce");
}
template <class T>
void Communicator::sum_on_root(std::span<T> values) const {
  const WaitForRanks waits;
  const void* const from = is_root() ? MPI_IN_PLACE : values.data();
  T* const to = is_root() ? values.data() : nullptr;
  check_mpi(MPI_Reduce(from, to, mpi_count(values.size()), mpi_type<T>(), MPI_SUM, 0, comm_), "MPI_Reduce");
}
template <class T>
T Communicator::sum(T value) const {
  sum(std::span<T>(&value, 1));
  return value;
}
template <class T>
T Communicator::min(T value) const {
  min(std::span<T>(&value, 1));
  return value;
}
template <class T>
T Communicator::max(T value) const {
  max(std::span<T>(&value, 1));
  return value;
}

template <class T>
std::vector<T> Communicator::all_gather(const T& value) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(size_));
  const WaitForRanks waits;
  check_mpi(MPI_Allgather(&value, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, comm_), "MPI_Allgather");
  return all;
}

template <class T>
std::vector<T> Communicator::all_gather_rows(std::span<const T> values) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(size_) * values.size());
  const WaitForRanks waits;
  const int bytes = mpi_count(values.size_bytes());
  check_mpi(MPI_Allgather(values.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_), "MPI_Allgather");
  return all;
}

template <class T>
std::vector<T> Communicator::all_gather_vectors(std::span<const T> local) const {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<int> bytes = all_gather(mpi_count(local.size_bytes()));
  std::vector<int> offset(bytes.size(), 0);
  std::size_t total = 0;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    offset[r] = mpi_count(total);
    total += static_cast<std::size_t>(bytes[r]);
  }
  std::vector<T> all(total / sizeof(T));
  const WaitForRanks waits;
  check_mpi(MPI_Allgatherv(local.data(), mpi_count(local.size_bytes()), MPI_BYTE, all.data(), bytes.data(), offset.data(), MPI_BYTE, comm_),
            "MPI_Allgatherv");
  return all;
}

}  // namespace grove
