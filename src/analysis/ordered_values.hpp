// Exact medians, percentiles and radii that hold a share of the mass, over all ranks, without gathering the values.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// A number >= 0 and what it weighs.
struct WeightedValue {
  double value = 0, weight = 0;
};

/// Numbers >= 0 of all ranks. Each rank sorts its own. Queries bisect the bit patterns of doubles, which have the order of the doubles,
/// with one sum over the ranks for each of at most 63 bits. Results are the same bits on every rank, on any number of ranks and for any
/// order of the numbers.
class OrderedValues {
 public:
  /// Takes this rank's numbers: finite, >= 0; weights finite, >= 0. Collective, as all functions. `comm` must outlive the object.
  OrderedValues(std::vector<WeightedValue> own, const Communicator& comm);

  /// How many there are over all ranks, and their total weight.
  std::uint64_t count() const { return count_; }
  double weight() const { return weight_; }
  /// The n-th smallest, n from 1 to count().
  double nth(std::uint64_t n) const;
  /// The smallest one that at least `share`, from 0 to 1, of the numbers do not exceed. 0 where there are none.
  double percentile(double share) const;
  /// The smallest one such that all up to it weigh at least `share`, from 0 to 1, of the total; with a total of 0 as if all weighed the
  /// same. 0 where there are none.
  double weighted_percentile(double share) const;
  /// How many are at most `limit`, and how many are below it.
  std::uint64_t count_up_to(double limit) const;
  std::uint64_t count_below(double limit) const;
  /// The smallest that is > `limit`; 0 where there is none.
  double next_above(double limit) const;
  double largest() const { return largest_; }

 private:
  const Communicator& comm_;
  std::vector<WeightedValue> own_;
  std::uint64_t count_ = 0;
  double weight_ = 0, smallest_ = 0, largest_ = 0;
};

/// The median of each of several sets of numbers >= 0, of which each rank has a part, as many sets on all: the smallest number that at
/// least half of its set do not exceed; NaN of an empty set and of one with NaN. All are found with one sum over the ranks for each of 64
/// bits. Collective.
std::vector<double> medians_of(std::vector<std::vector<double>> own, const Communicator& comm);

}  // namespace grove
