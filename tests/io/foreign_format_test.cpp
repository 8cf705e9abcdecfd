// Files of other programs that are not read: each is recognised, and the message says how to convert it.
#include <gtest/gtest.h>

#include <hdf5.h>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

class ForeignFile : public testing::Test {
 protected:
  std::string error(const std::string& bytes) {
    write_file(path(), bytes, comm_);
    return read_error(path(), comm_);
  }
  std::string path() const { return directory_.file("stars.dat"); }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(ForeignFile, IsRefusedWithTheLineThatConvertsIt) {
  EXPECT_TRUE(names(error("REBOUND Binary File. Version: 5.2.2" + std::string(40, '\0')),
                    {path() + ": is an archive of REBOUND", "rebound.Simulation('" + path() + "')", "> particles.txt"}));
  EXPECT_TRUE(names(error("(Particle\n  N = 2\n(Log\n)Log\n(Dynamics\n  m  =  3\n"), {"Starlab", "open('" + path() + "')"}));
  EXPECT_TRUE(names(error("\x1f\x8b\x08 some bytes"), {"compressed by gzip", "gunzip --keep " + path()}));
  EXPECT_TRUE(names(error(std::string("\xff\xfe") + std::string("1\0 \0", 4)), {"UTF-16", "iconv"}));
  EXPECT_TRUE(names(error("\x93NUMPY\x01" + std::string(40, '\0')), {"NumPy", "numpy.savetxt"}));
}

// The time of a TIPSY file may be any number, also one that begins like a compressed file.
TEST_F(ForeignFile, IsNoneThatAReaderKnows) {
  std::string bytes("\x1f\x8b\0\0\0\0\0\x40", 8);
  for (const std::int32_t n : {1, 3, 0, 1, 0, 0}) bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
  write_file(path(), bytes + std::string(36, '\0'), comm_);
  ReadInfo info;
  read_particles(path(), comm_, &info);
  EXPECT_EQ(info.format, "TIPSY binary");
}

TEST_F(ForeignFile, OfAmuseIsRefusedWithTheLineThatConvertsIt) {
  if (comm_.is_root()) {
    const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "AMUSE_INF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
  }
  comm_.barrier();
  EXPECT_TRUE(
      names(read_error(path(), comm_), {path() + ": is a set of particles of AMUSE", "read_set_from_file('" + path() + "', 'amuse')"}));
}

}  // namespace
}  // namespace grove
