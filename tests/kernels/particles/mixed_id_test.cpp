// Ids are mixed as SplitMix64 does.
#include "kernels/particles/mixed_id.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/support/mixed_bits.hpp"

namespace grove {
namespace {

TEST(MixedId, GivesTheOutputsOfSplitMix64) {
  // The first outputs of the authors' program from the state 1234567.
  constexpr std::array<std::uint64_t, 5> outputs{6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
                                                 16408922859458223821U};
  for (std::uint64_t stream = 0; stream < outputs.size(); ++stream) EXPECT_EQ(mixed_id(1234567, stream), outputs[stream]);
}

TEST(MixedId, OfTheFirstStreamIsThatOfTheTests) {
  std::set<std::uint64_t> found;
  for (std::uint64_t i = 0; i < 1000; ++i)
    for (const std::uint64_t id : {i, i << 32U, ~i}) {
      EXPECT_EQ(mixed_id(id), tests::mixed(id));
      found.insert(mixed_id(id));
    }
  EXPECT_EQ(found.size(), 2999U) << "one to one; 0 was there twice";
}

}  // namespace
}  // namespace grove
