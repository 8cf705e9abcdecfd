// Random numbers that depend on a seed and a particle's id alone.
#pragma once

#include <Random123/threefry.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace grove {

/// A rejection loop that takes so many trials has nothing that it can take.
inline constexpr int most_trials = 100000;

/// The stream of random numbers of one particle: Threefry4x64 (Salmon et al. 2011) with key {seed} and counter {id, block}. Cheap
/// to make; any particle can be drawn by any rank or thread, in any order, with the same result.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t id) : key_{{seed, 0, 0, 0}}, counter_{{id, 0, 0, 0}} {}

  /// Uniform in the open interval (0, 1), 53 bits.
  double uniform() {
    if (used_ == 4) next_block();
    return (static_cast<double>(block_[used_++] >> 11) + 0.5) * 0x1p-53;
  }

  /// Normal deviate of mean 0 and variance 1 (Box & Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// A vector of the given length with isotropic direction.
  void isotropic(double length, double (&vector)[3]) {
    const double z = 2.0 * uniform() - 1.0;
    const double phi = 2.0 * std::numbers::pi * uniform();
    const double across = length * std::sqrt(1.0 - z * z);
    vector[0] = across * std::cos(phi);
    vector[1] = across * std::sin(phi);
    vector[2] = length * z;
  }

 private:
  void next_block() {
    block_ = generator_(counter_, key_);
    ++counter_[1];
    used_ = 0;
  }

  using Generator = r123::Threefry4x64;
  Generator generator_;
  Generator::key_type key_;
  Generator::ctr_type counter_;
  Generator::ctr_type block_ = {};
  unsigned used_ = 4;
};

}  // namespace grove
