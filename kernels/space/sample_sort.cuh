// A stable sort of up to about a million pairs on the GPU in three launches, by regular sampling (Shi & Schaeffer 1992). A radix sort or a
// merge sort has at least one launch for each digit or merge, which takes longer than the work itself for so few pairs.
//
// Each block sorts one tile of pairs. Some pairs of every tile at equal distances are samples; some of the sorted samples at equal
// distances are the borders of about as many buckets as there are tiles. Then each block collects one bucket from all tiles and sorts it. A
// pair is identified by its key and its place in the sorted tiles, so that equal keys can be in different buckets. Buckets are about as
// large as tiles if keys were nearly sorted before, as those of particles are from step to step. The sort is correct for all keys, but slow
// where a bucket is larger than the room of its block, as happens with random keys. The host learns of this (Slowness) and uses another
// sort for a while.
#pragma once

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/space/space.hpp"

namespace grove::sample_sort {

/// Samples of a tile, and the largest number of tiles.
inline constexpr unsigned samples_of_tile = 16, most_tiles = 256;

/// Order by the bits in `mask`.
struct LessInBits {
  std::uint64_t mask;
  __device__ bool operator()(std::uint64_t a, std::uint64_t b) const { return (a & mask) < (b & mask); }
};

/// Keys and values in GPU memory.
struct Pairs {
  std::uint64_t* keys;
  std::uint32_t* values;
};

/// Sorted tiles one after the other, of `tile` pairs each, except the last one.
struct Tiles {
  Pairs pairs;
  std::uint64_t* sample;  ///< [samples()] keys; null for one tile
  unsigned count, tile;

  __host__ __device__ unsigned tiles() const { return (count - 1) / tile + 1; }
  __host__ __device__ unsigned between_samples() const { return tile / samples_of_tile; }
  /// The first sample of tile t. It is at a different place in each tile: otherwise similar tiles would have the same samples.
  __host__ __device__ unsigned first_sample(unsigned t) const { return t * tile + t * between_samples() / tiles(); }
  /// The place of sample i.
  __host__ __device__ unsigned place_of(unsigned i) const {
    return first_sample(i / samples_of_tile) + i % samples_of_tile * between_samples();
  }
  __host__ __device__ unsigned samples() const {
    const unsigned last = tiles() - 1, first = first_sample(last);
    return last * samples_of_tile + (count > first ? (count - first - 1) / between_samples() + 1 : 0);
  }
  __host__ __device__ unsigned buckets() const { return (samples() - 1) / samples_of_tile + 1; }
  /// One past the last pair of tile t.
  __device__ unsigned end(unsigned t) const { return min((t + 1) * tile, count); }
  /// Searches the first pair of a tile that does not come before another pair in the total order.
  struct Search {
    unsigned low, high;
    std::uint64_t key;  ///< of the other pair
    bool equal_comes_first;

    __device__ bool is_open() const { return low < high; }
    __device__ unsigned middle() const { return (low + high) / 2; }
    /// `other` is the key in the middle.
    __device__ void step(std::uint64_t other, LessInBits less) {
      if (!is_open()) return;
      const bool before = equal_comes_first ? !less(key, other) : less(other, key);
      (before ? low : high) = middle() + before;
    }
  };
  /// In tile t, for pair `at`.
  __device__ Search search(unsigned t, unsigned at) const {
    if (at / tile == t) return {at, at, 0, false};
    return {t * tile, end(t), pairs.keys[at], t < at / tile};
  }
  /// The results of two searches, interleaved since each waits for memory.
  __device__ uint2 find(Search a, Search b, LessInBits less) const {
    while (a.is_open() || b.is_open()) {
      const std::uint64_t of_a = pairs.keys[min(a.middle(), count - 1)], of_b = pairs.keys[min(b.middle(), count - 1)];
      a.step(of_a, less);
      b.step(of_b, less);
    }
    return make_uint2(a.low, b.low);
  }
};

/// Each block sorts one tile of `from` into `to`; both may be the same if there is only one tile.
template <int threads, int items>
__global__ void __launch_bounds__(threads) sort_tiles_kernel(Pairs from, Tiles to, LessInBits less) {
  static_assert(threads * items % samples_of_tile == 0);
  using Sort = cub::BlockMergeSort<std::uint64_t, threads, items, std::uint32_t>;
  __shared__ typename Sort::TempStorage memory;
  await_previous_launch();
  const unsigned begin = blockIdx.x * threads * items, end = to.end(blockIdx.x);
  std::uint64_t keys[items];
  std::uint32_t values[items];
  const unsigned first = begin + threadIdx.x * items;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    keys[k] = first + k < end ? from.keys[first + k] : ~std::uint64_t{0};
    values[k] = first + k < end ? from.values[first + k] : 0;
  }
  // A stable sort keeps the padding behind all pairs, even those with the largest key.
  Sort(memory).StableSort(keys, values, less);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (first + k >= end) continue;
    to.pairs.keys[first + k] = keys[k];
    to.pairs.values[first + k] = values[k];
    const unsigned from_sample = first + k - to.first_sample(blockIdx.x);  // a large number before the first
    if (to.sample && from_sample < to.tile && from_sample % to.between_samples() == 0)
      to.sample[blockIdx.x * samples_of_tile + from_sample / to.between_samples()] = keys[k];
  }
}

inline constexpr unsigned borders_threads = 256;

/// A warp for each sample finds its rank among all. border[b] is the first pair of bucket b.
inline __global__ void __launch_bounds__(borders_threads) find_borders_kernel(Tiles tiles, std::uint32_t* border, LessInBits less) {
  constexpr unsigned lanes = 32;
  await_previous_launch();
  const unsigned i = (blockIdx.x * borders_threads + threadIdx.x) / lanes, samples = tiles.samples();
  if (i >= samples) return;
  const std::uint64_t key = tiles.sample[i];
  unsigned before = 0;
#pragma unroll 4
  for (unsigned j = threadIdx.x % lanes; j < samples; j += lanes) {
    const std::uint64_t other = tiles.sample[j];
    before += less(other, key) || (j < i && !less(key, other));
  }
  const unsigned rank = __reduce_add_sync(~0U, before);
  if (threadIdx.x % lanes == 0 && rank % samples_of_tile == 0) border[rank / samples_of_tile] = tiles.place_of(i);
}

/// The pairs of one bucket: a piece of every tile.
template <int threads>
struct Bucket {
  static_assert(most_tiles % 2 == 0);
  unsigned begin[most_tiles];       ///< of the piece of each tile; 0 without a tile
  unsigned before[most_tiles + 1];  ///< pairs in the pieces before it

  /// Finds the pieces, one for each thread. Returns the number of pairs before the bucket.
  __device__ unsigned find(const Tiles& tiles, const std::uint32_t* border, unsigned bucket, LessInBits less) {
    static_assert(threads >= most_tiles);
    using Scan = cub::BlockScan<uint2, threads>;
    __shared__ typename Scan::TempStorage memory;
    const unsigned t = threadIdx.x, count = tiles.tiles();
    uint2 sizes = {0, 0};  // pairs before the bucket in this tile, and in the piece
    if (t < count) {
      const unsigned first = t * tiles.tile, last = tiles.end(t);
      const uint2 piece =
          tiles.find(bucket == 0 ? Tiles::Search{first, first, 0, false} : tiles.search(t, border[bucket]),
                     bucket + 1 == tiles.buckets() ? Tiles::Search{last, last, 0, false} : tiles.search(t, border[bucket + 1]), less);
      begin[t] = piece.x;
      sizes = {piece.x - first, piece.y - piece.x};
    }
    const auto add = [](uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); };
    uint2 sum, all;
    Scan(memory).ExclusiveScan(sizes, sum, uint2{0, 0}, add, all);
    if (t < most_tiles) before[t] = sum.y;
    if (count <= t && t < most_tiles) begin[t] = 0;
    if (t == 0) before[most_tiles] = all.y;
    __syncthreads();
    return all.x;
  }
  __device__ unsigned size() const { return before[most_tiles]; }
  /// The tile in whose piece pair i of the bucket is.
  __device__ unsigned tile_of(unsigned i) const {
    unsigned low = 0, high = most_tiles;  // the last one that begins at i or before
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (before[middle] <= i ? low : high) = middle;
    }
    return low;
  }
  __device__ unsigned place(unsigned i, unsigned t) const { return begin[t] + (i - before[t]); }
  /// Number of pairs of the bucket before the one at place `at`, by searches in two pieces at a time.
  __device__ unsigned rank(const Tiles& tiles, unsigned at, LessInBits less) const {
    unsigned found = 0;
    for (unsigned t = 0; t < tiles.tiles(); t += 2) {
      if (before[t] == before[t + 2]) continue;
      const uint2 in_pieces = tiles.find(search(tiles, t, at), search(tiles, t + 1, at), less);
      found += in_pieces.x - begin[t] + in_pieces.y - begin[t + 1];
    }
    return found;
  }

 private:
  /// Searches in the piece of tile t for the pair at place `at`.
  __device__ typename Tiles::Search search(const Tiles& tiles, unsigned t, unsigned at) const {
    const unsigned low = begin[t], high = low + (before[t + 1] - before[t]);
    if (at / tiles.tile == t) return {at, at, 0, false};
    return {low, high, tiles.pairs.keys[at], t < at / tiles.tile};
  }
};

/// Tells the host of a slow sort: sets `*last_slow`, on the host, to `number` if a bucket is larger than the room of its block.
struct Slowness {
  unsigned* last_slow;
  unsigned number;
};

/// Each block sorts one bucket into its place in `to`.
template <int threads, int items>
__global__ void __launch_bounds__(threads)
    sort_buckets_kernel(Tiles tiles, const std::uint32_t* border, Pairs to, LessInBits less, Slowness slowness) {
  using Sort = cub::BlockMergeSort<std::uint64_t, threads, items, std::uint32_t>;
  __shared__ typename Sort::TempStorage memory;
  __shared__ Bucket<threads> bucket;
  await_previous_launch();
  const unsigned offset = bucket.find(tiles, border, blockIdx.x, less), size = bucket.size();
  if (size > threads * items) {
    if (threadIdx.x == 0) *static_cast<volatile unsigned*>(slowness.last_slow) = slowness.number;
    for (unsigned i = threadIdx.x; i < size; i += threads) {
      const unsigned at = bucket.place(i, bucket.tile_of(i));
      const unsigned rank = offset + bucket.rank(tiles, at, less);
      to.keys[rank] = tiles.pairs.keys[at];
      to.values[rank] = tiles.pairs.values[at];
    }
    return;
  }
  std::uint64_t keys[items];
  std::uint32_t values[items];
  const unsigned first = threadIdx.x * items;
  unsigned t = bucket.tile_of(min(first, size));
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const bool is_there = first + k < size;
    while (is_there && t + 1 < most_tiles && bucket.before[t + 1] <= first + k) ++t;
    const unsigned at = is_there ? bucket.place(first + k, t) : 0;
    keys[k] = is_there ? tiles.pairs.keys[at] : ~std::uint64_t{0};
    values[k] = is_there ? tiles.pairs.values[at] : 0;
  }
  Sort(memory).StableSort(keys, values, less);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (first + k >= size) continue;
    to.keys[offset + first + k] = keys[k];
    to.values[offset + first + k] = values[k];
  }
}

}  // namespace grove::sample_sort
