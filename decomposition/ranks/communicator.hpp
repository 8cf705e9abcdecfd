// A communicator of MPI with typed calls. It checks every return code and the range of every count.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/activity.hpp"

namespace grove {

/// Tags of point-to-point messages, one for each kind.
enum class Tag : int { particles = 1, tree_data, ring_block, scatter, target_boxes, peer_announcement, peer_ack };

/// Throws CommunicationError with MPI's own text when `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// `count` as an int for MPI. Throws SystemError when it does not fit.
int mpi_count(std::size_t count);

/// total * part / parts, rounded down, without a product that could overflow.
inline std::uint64_t fraction_of(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
  return total / parts * part + total % parts * part / parts;
}

/// The first item of rank `rank` when `total` items are distributed evenly over `size` ranks, in order. The value for `rank + 1` is its
/// end.
inline std::uint64_t first_of_rank(std::uint64_t total, int rank, int size) {
  return fraction_of(total, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(size));
}

/// The MPI datatype of T, for reductions.
template <class T>
MPI_Datatype mpi_type() {
  if constexpr (std::is_same_v<T, int>)
    return MPI_INT;
  else if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return MPI_UINT64_T;
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "no MPI datatype");
    return MPI_INT64_T;
  }
}

/// Pending non-blocking messages. Owns the requests; their buffers must stay valid until wait_all(). The destructor ends the program if
/// messages are still in flight, unless an exception is being thrown.
class Requests {
 public:
  Requests() = default;
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&&) noexcept = default;
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests();

  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  /// Blocks until all messages are complete.
  void wait_all();

 private:
  std::vector<MPI_Request> requests_;
};

/// A group of ranks. Owns a duplicate of the MPI communicator it was made from, so that its messages are separate from all others. MPI must
/// stay initialised as long as it exists. Move-only. All calls are collective unless stated otherwise; they throw CommunicationError.
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

  /// The ranks on this rank's node, in the same order.
  Communicator node() const;
  /// Rank within the node, and number of ranks on the node. Not collective.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  void barrier() const;

  template <class T>
  void broadcast(std::span<T> data, int root = 0) const;
  void broadcast(std::string& text, int root = 0) const;

  template <class T>
  T sum(T value) const {
    return all_reduce_one(value, MPI_SUM);
  }
  template <class T>
  T min(T value) const {
    return all_reduce_one(value, MPI_MIN);
  }
  template <class T>
  T max(T value) const {
    return all_reduce_one(value, MPI_MAX);
  }
  /// In place, element by element.
  template <class T>
  void sum(std::span<T> values) const {
    all_reduce(values, MPI_SUM);
  }
  template <class T>
  void min(std::span<T> values) const {
    all_reduce(values, MPI_MIN);
  }
  template <class T>
  void max(std::span<T> values) const {
    all_reduce(values, MPI_MAX);
  }
  /// In place on the root, element by element. The values on other ranks do not change.
  template <class T>
  void sum_on_root(std::span<T> values) const;

  /// Sum of `value` over all lower ranks; 0 on rank 0.
  std::uint64_t prefix_sum(std::uint64_t value) const;

  /// The values of all ranks, in rank order, on every rank.
  template <class T>
  std::vector<T> all_gather(const T& value) const {
    return all_gather_rows(std::span<const T>(&value, 1));
  }
  /// The same for several values, as many on every rank.
  template <class T>
  std::vector<T> all_gather_rows(std::span<const T> values) const;
  /// The same for any number of values on each rank.
  template <class T>
  std::vector<T> all_gather_vectors(std::span<const T> local) const;
  /// The same into memory of the caller: room(n) returns it for the n items of all ranks.
  template <class T, class Room>
  void all_gather_vectors(std::span<const T> local, Room room) const;
  /// `to` has the same number of entries for each rank, in rank order. The result has the entries from each rank in the same layout.
  std::vector<std::uint64_t> all_to_all(std::span<const std::uint64_t> to) const;

  /// Point to point, non-blocking, not collective. Both sides must give the same number of bytes. Messages over 1 GiB are split.
  void send_bytes(std::span<const std::byte> data, int to, Tag tag, Requests& requests) const;
  void receive_bytes(std::span<std::byte> data, int from, Tag tag, Requests& requests) const;

  /// Runs `work`, which must not communicate, on every rank. If it throws on any rank, every rank throws AgreedError with the
  /// failure_message() of the lowest rank that failed.
  void agree(const std::function<void()>& work) const;

 private:
  template <class T>
  void all_reduce(std::span<T> values, MPI_Op op) const;
  template <class T>
  T all_reduce_one(T value, MPI_Op op) const {
    all_reduce(std::span<T>(&value, 1), op);
    return value;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
};

template <class T>
void Communicator::broadcast(std::span<T> data, int root) const {
  static_assert(std::is_trivially_copyable_v<T>);
  const WaitForRanks waits;
  check_mpi(MPI_Bcast(data.data(), mpi_count(data.size_bytes()), MPI_BYTE, root, comm_), "MPI_Bcast");
}

template <class T>
void Communicator::all_reduce(std::span<T> values, MPI_Op op) const {
  const WaitForRanks waits;
  const auto reduce = [&](MPI_Datatype type) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), type, op, comm_), "MPI_Allreduce");
  };
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (op != MPI_SUM) {
      // MPICH 4.0 compares unsigned numbers as signed ones: with the other highest bit these have the same order.
      const auto change_highest_bit = [&] {
        for (T& value : values) value ^= T{1} << 63;
      };
      change_highest_bit();
      reduce(MPI_INT64_T);
      change_highest_bit();
      return;
    }
  }
  reduce(mpi_type<T>());
}
template <class T>
void Communicator::sum_on_root(std::span<T> values) const {
  const WaitForRanks waits;
  const void* const from = is_root() ? MPI_IN_PLACE : values.data();
  T* const to = is_root() ? values.data() : nullptr;
  check_mpi(MPI_Reduce(from, to, mpi_count(values.size()), mpi_type<T>(), MPI_SUM, 0, comm_), "MPI_Reduce");
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
  std::vector<T> all;
  all_gather_vectors(local, [&](std::size_t n) {
    all.resize(n);
    return all.data();
  });
  return all;
}

template <class T, class Room>
void Communicator::all_gather_vectors(std::span<const T> local, Room room) const {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<int> bytes = all_gather(mpi_count(local.size_bytes()));
  std::vector<int> offset(bytes.size(), 0);
  std::size_t total = 0;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    offset[r] = mpi_count(total);
    total += static_cast<std::size_t>(bytes[r]);
  }
  T* const all = room(total / sizeof(T));
  const WaitForRanks waits;
  check_mpi(MPI_Allgatherv(local.data(), mpi_count(local.size_bytes()), MPI_BYTE, all, bytes.data(), offset.data(), MPI_BYTE, comm_),
            "MPI_Allgatherv");
}

}  // namespace grove
