// Positions in 32 bits that are too coarse for a run.
#include "src/run/start/rounded_positions.hpp"

#include <gtest/gtest.h>

#include "tests/support/dealt_particles.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

class RoundedPositions : public testing::Test {
 protected:
  ParticleSet all = generate_all(conditions_of("plummer", 200));
  Config config;
  Communicator comm{MPI_COMM_WORLD};

  RoundedPositions() {
    config.gravity.softening = 0.02;
    config.initial_conditions.file = "in.hdf5";
  }
  void move(double by) {
    for (double& x : all.position) x += by;
  }
  void round() {
    for (double& x : all.position) x = static_cast<double>(static_cast<float>(x));
  }
  std::vector<std::string> notes(bool is_read = true) const { return notes_on_rounded_positions(dealt(all, comm), config, is_read, comm); }
};

TEST_F(RoundedPositions, AreToldWhereTheyAreReadFarFromTheOrigin) {
  move(1e5);
  EXPECT_TRUE(notes().empty()) << "in 64 bits";
  round();
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_NE(notes()[0].find("in.hdf5 has positions in numbers of 32 bits, which are 0.00781 apart"), std::string::npos) << notes()[0];
  EXPECT_NE(notes()[0].find("0.39 softening lengths"), std::string::npos) << notes()[0];
  EXPECT_TRUE(notes(false).empty()) << "of a generator";
  config.gravity.softening = 0.2;
  EXPECT_TRUE(notes().empty());
  config.gravity.softening = 0;
  EXPECT_TRUE(notes().empty()) << "the particles are farther apart than that";
  move(1e8);
  round();
  EXPECT_NE(notes().at(0).find("mean distances"), std::string::npos);
}

TEST_F(RoundedPositions, NearTheOriginOrOfWholeNumbersAreFine) {
  round();
  EXPECT_TRUE(notes().empty());
  for (std::size_t i = 0; i < all.position.size(); ++i) all.position[i] = 1e5 + static_cast<double>(i % 17);
  EXPECT_TRUE(notes().empty());
}

TEST_F(RoundedPositions, AreToldWhereTheyWillBeWritten) {
  move(1e5);
  config.output.single_precision = "mass, position";
  ASSERT_EQ(notes(false).size(), 1U);
  EXPECT_NE(notes(false)[0].find("Take position out of it"), std::string::npos);
  config.output.single_precision = "mass";
  EXPECT_TRUE(notes(false).empty());
}

}  // namespace
}  // namespace grove::tests
