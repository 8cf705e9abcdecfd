#include "decomposition/id_merge.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "decomposition/key_splits.hpp"
#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// Ids in runs, each of them sorted, with the run that each id came from.
struct TaggedIds {
  std::unique_ptr<std::uint64_t[]> id;
  std::vector<std::uint16_t> source;
};

/// Merges the runs [begin, middle) and [middle, end). Without a branch on the ids, which nobody can predict. Of equal ids the one of the
/// first run comes first.
void merge_two(const TaggedIds& from, std::size_t begin, std::size_t middle, std::size_t end, TaggedIds& to) {
  std::size_t a = begin, b = middle, at = begin;
  while (a < middle && b < end) {
    const bool second = from.id[b] < from.id[a];
    const std::size_t next = second ? b : a;
    to.id[at] = from.id[next];
    to.source[at++] = from.source[next];
    a += second ? 0 : 1;
    b += second ? 1 : 0;
  }
  const std::size_t rest = a < middle ? a : b, count = end - at;
  std::copy_n(from.id.get() + rest, count, to.id.get() + at);
  std::copy_n(from.source.begin() + static_cast<std::ptrdiff_t>(rest), count, to.source.begin() + static_cast<std::ptrdiff_t>(at));
}

template <std::size_t row_bytes>
void interleave_rows(const std::vector<std::uint16_t>& source, const std::byte** next, std::byte* to) {
  for (const std::uint16_t run : source) {
    std::memcpy(to, next[run], row_bytes);
    next[run] += row_bytes;
    to += row_bytes;
  }
}

void interleave_any(const std::vector<std::uint16_t>& source, std::size_t row_bytes, const std::byte** next, std::byte* to) {
  for (const std::uint16_t run : source) {
    std::memcpy(to, next[run], row_bytes);
    next[run] += row_bytes;
    to += row_bytes;
  }
}

/// Puts rows one after the other: each time the next one of the run that `source` names.
void interleave(const std::vector<std::uint16_t>& source, std::size_t row_bytes, const std::byte** next, std::byte* to) {
  switch (row_bytes) {
    case 1:
      return interleave_rows<1>(source, next, to);
    case 4:
      return interleave_rows<4>(source, next, to);
    case 8:
      return interleave_rows<8>(source, next, to);
    case 24:
      return interleave_rows<24>(source, next, to);
    default:
      return interleave_any(source, row_bytes, next, to);
  }
}

}  // namespace

std::vector<std::uint64_t> splits_of_sorted_ids(std::span<const std::uint64_t> sorted, const Communicator& comm) {
  const auto count_below = [&](std::span<const std::uint64_t> candidates, std::span<std::uint64_t> below) {
    auto at = sorted.begin();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      at = std::lower_bound(at, sorted.end(), candidates[i]);
      below[i] = static_cast<std::uint64_t>(at - sorted.begin());
    }
  };
  return find_key_splits(comm, static_cast<std::uint64_t>(comm.size()), count_below, sorted.size(), 0.0);
}

std::byte* IdMerge::Bytes::with_room_for(std::size_t bytes) {
  if (bytes > capacity_) {
    capacity_ = 0;
    memory_.reset();
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    capacity_ = bytes;
  }
  return memory_.get();
}

std::uint64_t IdMerge::bytes_of(std::uint64_t count, std::size_t longest_row) {
  constexpr std::size_t merging_ids = 3 * sizeof(std::uint64_t) + sizeof(std::uint16_t) * 2;
  return count * (sizeof(std::uint16_t) + std::max(merging_ids, 3 * longest_row));
}

IdMerge::IdMerge(std::span<const std::uint64_t> ids, const Communicator& comm)
    : comm_(&comm), send_counts_(counts_per_owner(ids, splits_of_sorted_ids(ids, comm))), receive_counts_(comm.all_to_all(send_counts_)) {
  size_ = std::accumulate(receive_counts_.begin(), receive_counts_.end(), std::size_t{0});
  const Runs runs = exchange(std::as_bytes(ids), sizeof(std::uint64_t));
  comm.agree([&] { merge_ids(runs); });
}

IdMerge::Runs IdMerge::exchange(std::span<const std::byte> rows, std::size_t row_bytes) {
  const auto self = static_cast<std::size_t>(comm_->rank());
  std::byte* into = nullptr;
  comm_->agree([&] { into = received_.with_room_for((size_ - receive_counts_[self]) * row_bytes); });
  Requests requests;
  Runs runs;
  std::span<const std::byte> own;
  for (std::size_t r = 0; r < send_counts_.size(); ++r) {
    const std::span<const std::byte> piece = rows.first(send_counts_[r] * row_bytes);
    rows = rows.subspan(piece.size());
    if (r == self)
      own = piece;
    else
      comm_->send_bytes(piece, static_cast<int>(r), Tag::particles, requests);
  }
  for (std::size_t r = 0; r < receive_counts_.size(); ++r) {
    const std::size_t bytes = receive_counts_[r] * row_bytes;
    if (bytes == 0) continue;
    if (r == self) {
      runs.push_back(own);
      continue;
    }
    comm_->receive_bytes({into, bytes}, static_cast<int>(r), Tag::particles, requests);
    runs.emplace_back(into, bytes);
    into += bytes;
  }
  requests.wait_all();
  return runs;
}

void IdMerge::merge_ids(const Runs& runs) {
  if (runs.size() < 2) return;
  if (runs.size() > std::numeric_limits<std::uint16_t>::max())
    throw SystemError("the order by id takes particles of " + std::to_string(runs.size()) + " ranks on one; 65,535 are possible");
  const auto make = [&] { return TaggedIds{std::make_unique_for_overwrite<std::uint64_t[]>(size_), std::vector<std::uint16_t>(size_)}; };
  TaggedIds ids = make(), merged = make();
  std::vector<std::size_t> begin{0};
  for (const std::span<const std::byte> run : runs) {
    std::memcpy(ids.id.get() + begin.back(), run.data(), run.size());
    const auto first = ids.source.begin() + static_cast<std::ptrdiff_t>(begin.back());
    const std::size_t count = run.size() / sizeof(std::uint64_t);
    std::fill_n(first, count, static_cast<std::uint16_t>(begin.size() - 1));
    begin.push_back(begin.back() + count);
  }
  // Neighbours two by two, until there is one run.
  while (begin.size() > 2) {
    std::vector<std::size_t> fewer{0};
    for (std::size_t r = 0; r + 1 < begin.size(); r += 2) {
      const std::size_t middle = begin[r + 1], end = begin[std::min(r + 2, begin.size() - 1)];
      merge_two(ids, begin[r], middle, end, merged);
      fewer.push_back(end);
    }
    std::swap(ids, merged);
    begin = std::move(fewer);
  }
  source_ = std::move(ids.source);
}

std::span<const std::byte> IdMerge::merge(std::span<const std::byte> rows, std::size_t row_bytes) {
  const Runs runs = exchange(rows, row_bytes);
  Bytes& merged = merged_[turn_];
  turn_ = 1 - turn_;
  std::byte* into = nullptr;
  comm_->agree([&] { into = merged.with_room_for(runs.size() < 2 ? 0 : size_ * row_bytes); });
  if (runs.size() < 2) {
    // One run is the result as it is. It must stay while the next field is received.
    std::swap(received_, merged);
    return runs.empty() ? std::span<const std::byte>() : runs.front();
  }
  std::vector<const std::byte*> next;
  for (const std::span<const std::byte> run : runs) next.push_back(run.data());
  interleave(source_, row_bytes, next.data(), into);
  return {into, size_ * row_bytes};
}

ColumnsById::ColumnsById(ParticleColumns& sorted, const Communicator& comm)
    : sorted_(sorted),
      merge_(
          [&] {
            const std::span<const std::byte> ids = sorted.values(*sorted.table()->find("id"));
            return std::span(reinterpret_cast<const std::uint64_t*>(ids.data()), ids.size() / sizeof(std::uint64_t));
          }(),
          comm) {}

std::span<const std::byte> ColumnsById::values(const ParticleField& field) {
  if (present_ != &field) {
    present_ = nullptr;
    values_ = merge_.merge(sorted_.values(field), field.row_bytes());
    present_ = &field;
  }
  return values_;
}

}  // namespace grove
