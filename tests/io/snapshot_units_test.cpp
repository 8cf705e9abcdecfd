// The units that a snapshot names, for itself and for other programs.
#include <gtest/gtest.h>

#include <cmath>

#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/snapshots/snapshot.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

constexpr double kpc = 3.0856775814913673e21, gyr = 3.15576e16, G_cgs = 6.67430e-8;

class SnapshotUnits : public testing::Test {
 protected:
  std::string path() const { return directory_.file("snapshot_0000.hdf5"); }

  void write(const UnitSystem& units, double G, double time = 2) const {
    ParticleSet particles;
    particles.resize(comm_.is_root() ? 3 : 0);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      particles.id[i] = i;
      particles.mass[i] = 1;
      particles.type[i] = 1;
      particles.position[3 * i] = static_cast<double>(i);
    }
    SnapshotHeader header;
    header.units = units;
    header.G = G;
    header.time = time;
    write_snapshot(path(), particles, header, comm_);
  }
  double number(const std::string& group, const std::string& name) const {
    return read_number(open_group(open_hdf5_file(path()), group), name).value_or(NAN);
  }
  double to_cgs(const std::string& field) const {
    return read_number(open_dataset(open_group(open_hdf5_file(path()), "PartType1"), field), "to_cgs").value_or(NAN);
  }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(SnapshotUnits, OfAnNBodyRunHaveItsGInTheEyesOfOtherPrograms) {
  for (const double G : {1.0, 3.0}) {
    write(UnitSystem{}, G);
    for (const char* group : {"Units", "Parameters"}) {
      const double length = number(group, "UnitLength_in_cm"), mass = number(group, "UnitMass_in_g"),
                   velocity = number(group, "UnitVelocity_in_cm_per_s");
      EXPECT_NEAR(G_cgs * mass / (length * velocity * velocity) / G, 1, 1e-12) << group;
      EXPECT_NEAR(length / kpc, 1, 1e-12);
      EXPECT_NEAR(velocity / 207.387e5, 1 / std::sqrt(G), 1e-5);
    }
    EXPECT_NEAR(number("Units", "UnitTime_in_s") * number("Units", "UnitVelocity_in_cm_per_s"), kpc, 1e-9 * kpc);
    EXPECT_NEAR(number("Parameters", "Time_GYR"), 2 * number("Units", "UnitTime_in_s") / gyr, 1e-12);
    EXPECT_EQ(to_cgs("Coordinates"), number("Units", "UnitLength_in_cm"));
    EXPECT_EQ(to_cgs("Velocities"), number("Units", "UnitVelocity_in_cm_per_s"));
    EXPECT_EQ(number("Units", "G"), G);
    comm_.barrier();
  }
}

TEST_F(SnapshotUnits, OfAnNBodyRunAreReadBackAsNBodyUnits) {
  write(UnitSystem{}, 3);
  ReadInfo of_particles;
  read_particles(path(), comm_, &of_particles);
  for (const ReadInfo& info : {of_particles, read_info(path(), comm_)}) {
    ASSERT_TRUE(info.units);
    EXPECT_FALSE(is_physical(*info.units));
    EXPECT_TRUE(info.has_n_body_units);
    EXPECT_EQ(info.G, 3);
    EXPECT_EQ(info.time, 2);
  }
}

TEST_F(SnapshotUnits, OfAPhysicalRunAreItsOwn) {
  write({3, 5, 7}, 2);
  EXPECT_TRUE(std::isnan(number("Units", "NBodyUnits")));
  EXPECT_EQ(number("Parameters", "UnitMass_in_g"), 5);
  comm_.barrier();
  const ReadInfo info = read_info(path(), comm_);
  ASSERT_TRUE(info.units);
  EXPECT_EQ(info.units->length_in_cm, 3);
  EXPECT_FALSE(info.has_n_body_units);
}

}  // namespace
}  // namespace grove
