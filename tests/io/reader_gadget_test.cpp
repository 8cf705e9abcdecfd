// HDF5 snapshots of GADGET, SWIFT and the like: what is read, and how damaged ones are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "io/formats/reader.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

class GadgetReader : public testing::Test {
 protected:
  void write(const GadgetFile& content, const std::string& name = "in.hdf5") {
    if (comm_.is_root()) write_gadget_file(directory_.file(name), content);
    comm_.barrier();
  }
  ParticleSet read(const std::string& name = "in.hdf5", ReadInfo* info = nullptr) {
    const ParticleSet local = read_particles(directory_.file(name), comm_, info);
    return all_particles(local, comm_);
  }
  std::string error(const GadgetFile& content) {
    write(content);
    return read_error(directory_.file("in.hdf5"), comm_);
  }
  /// Row i of the snapshot has the numbers that gadget_file.hpp says.
  void expect_rows(const ParticleSet& all, std::uint64_t count) {
    ASSERT_EQ(all.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(i);
      EXPECT_EQ(all.mass[i], x + 1);
      EXPECT_EQ(all.id[i], i + 100);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(all.position[3 * i + c], x + 0.25);
        EXPECT_EQ(all.velocity[3 * i + c], -x - 0.25);
      }
    }
  }
  static GadgetType rows(int type, std::uint64_t count, double first) {
    GadgetType t;
    t.type = type;
    t.count = count;
    t.first = first;
    return t;
  }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(GadgetReader, ReadsAllTypesInOrder) {
  write({.types = {rows(0, 2, 0), rows(1, 5, 2), rows(3, 1, 7), rows(5, 3, 8)}});
  ReadInfo info;
  const ParticleSet all = read("in.hdf5", &info);
  expect_rows(all, 11);
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1, 1, 3, 5, 5, 5}));
  EXPECT_EQ(info.format, "GADGET/SWIFT HDF5");
  EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{2, 5, 0, 1, 0, 3}));
  EXPECT_EQ(info.time, 0.75);
  EXPECT_EQ(info.universe.box_size, 64);
  ASSERT_TRUE(info.units);
  EXPECT_EQ(info.units->length_in_cm, 3);
  EXPECT_EQ(info.units->mass_in_g, 5);
  EXPECT_EQ(info.units->velocity_in_cm_per_s, 7);
}

TEST_F(GadgetReader, ConvertsSinglePrecisionAndShortIds) {
  GadgetType type = rows(1, 9, 0);
  type.real = H5T_IEEE_F32LE;
  for (const hid_t integer : {H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_I32BE}) {
    type.integer = integer;
    write({.types = {type}});
    expect_rows(read(), 9);
    comm_.barrier();
  }
}

TEST_F(GadgetReader, TakesMassesFromTheTableOfTheHeader) {
  GadgetType type = rows(2, 4, 0);
  type.masses = false;
  write({.types = {type}, .mass_table = {0, 0, 0.125, 0, 0, 0}});
  EXPECT_EQ(read().mass, (std::vector<double>{0.125, 0.125, 0.125, 0.125}));
}

TEST_F(GadgetReader, ReadsSwiftsArraysAndUnits) {
  write({.types = {rows(1, 3, 0), rows(4, 2, 3)}, .swift = true});
  ReadInfo info;
  expect_rows(read("in.hdf5", &info), 5);
  EXPECT_EQ(info.time, 0.75);
  EXPECT_EQ(info.universe.box_size, 64);
  ASSERT_TRUE(info.units);
  EXPECT_EQ(info.units->velocity_in_cm_per_s, 6);
}

TEST_F(GadgetReader, ReadsSnapshotsOfSeveralFilesByAnyOfTheirNames) {
  const std::array<std::uint64_t, 6> total{0, 7, 4, 0, 0, 0};
  write({.types = {rows(1, 3, 0), rows(2, 1, 7)}, .total = total, .files = 3}, "snap.0.hdf5");
  write({.types = {rows(2, 3, 8)}, .total = total, .files = 3}, "snap.1.hdf5");
  write({.types = {rows(1, 4, 3)}, .total = total, .files = 3}, "snap.2.hdf5");
  for (const std::string name : {"snap.0.hdf5", "snap.2.hdf5", "snap", "snap.hdf5"}) {
    SCOPED_TRACE(name);
    ReadInfo info;
    const ParticleSet all = read(name, &info);
    expect_rows(all, 11);
    EXPECT_EQ(info.count_of_type, total);
    EXPECT_TRUE(contains(info.notes.at(0), "3 files"));
  }
}

TEST_F(GadgetReader, RefusesIncompleteSnapshotsOfSeveralFiles) {
  write({.types = {rows(1, 3, 0)}, .total = {0, 5, 0, 0, 0, 0}, .files = 2}, "snap.0.hdf5");
  EXPECT_TRUE(names(read_error(directory_.file("snap.0.hdf5"), comm_), {"snap.1.hdf5: no such file"}));
  EXPECT_TRUE(names(error({.types = {rows(1, 3, 0)}, .files = 2}), {"in.hdf5", "NumFilesPerSnapshot is 2"}));
}

TEST_F(GadgetReader, NumbersParticlesWithoutIdsAndSaysSo) {
  GadgetType halo = rows(1, 3, 0), stars = rows(4, 2, 3);
  halo.ids = stars.ids = false;
  write({.types = {halo, stars}});
  ReadInfo info;
  EXPECT_EQ(read("in.hdf5", &info).id, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(info.notes.size(), 1u);
  EXPECT_TRUE(contains(info.notes[0], "no ParticleIDs"));
  stars.ids = true;
  EXPECT_TRUE(names(error({.types = {halo, stars}}), {"in.hdf5: PartType1/ParticleIDs: missing field"}));
}

TEST_F(GadgetReader, NamesMissingFields) {
  GadgetType type = rows(1, 3, 0);
  type.velocities = false;
  EXPECT_TRUE(names(error({.types = {type}}), {"in.hdf5: PartType1/Velocities: missing field"}));
  type = rows(1, 3, 0);
  type.masses = false;
  EXPECT_TRUE(names(error({.types = {type}}), {"in.hdf5: PartType1/Masses: missing field", "MassTable"}));
  EXPECT_TRUE(names(error({.types = {rows(1, 3, 0)}, .header = false}), {"in.hdf5", "no group /Header"}));
}

TEST_F(GadgetReader, NamesWrongShapesAndCounts) {
  GadgetType type = rows(1, 3, 0);
  type.coordinate_columns = 2;
  EXPECT_TRUE(names(error({.types = {type}}), {"PartType1/Coordinates: wrong shape [3 x 2]", "[3 x 3] is needed"}));
  type = rows(1, 3, 0);
  type.missing_rows = 1;
  EXPECT_TRUE(names(error({.types = {type}}), {"PartType1/Coordinates: wrong shape [2 x 3]", "announces 3 particles"}));
  type = rows(1, 3, 0);
  type.integer = H5T_IEEE_F64LE;
  EXPECT_TRUE(names(error({.types = {type}}), {"PartType1/ParticleIDs: wrong type", "integers"}));
  EXPECT_TRUE(names(error({.types = {rows(1, 3, 0)}, .total = {0, 4, 0, 0, 0, 0}}), {"hold 3 particles of type 1", "announces 4"}));
}

TEST_F(GadgetReader, NamesTheFirstBadRowInItsDatasetAndOverAll) {
  GadgetType disc = rows(2, 40, 5);
  disc.bad_field = "Coordinates";
  disc.bad_row = 21;
  disc.bad_value = std::nan("");
  EXPECT_TRUE(names(error({.types = {rows(1, 5, 0), disc}}),
                    {"in.hdf5: PartType2/Coordinates, row 21 (row 26 over all types and files)", "x is nan", "must be finite"}));
  disc.bad_field = "Velocities";
  disc.bad_value = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(names(error({.types = {disc}}), {"PartType2/Velocities, row 21", "vx is inf"}));
  disc.bad_field = "Masses";
  disc.bad_value = -0.5;
  EXPECT_TRUE(names(error({.types = {disc}}), {"PartType2/Masses, row 21", "-0.5", "not negative"}));
  disc.bad_field = "ParticleIDs";
  disc.bad_value = -3;
  disc.integer = H5T_STD_I64LE;
  EXPECT_TRUE(names(error({.types = {disc}}), {"PartType2/ParticleIDs, row 21", "-3", "not be negative"}));
}

TEST_F(GadgetReader, NamesTheLowestOfSeveralBadRows) {
  GadgetType halo = rows(1, 40, 0), disc = rows(2, 40, 40);
  halo.bad_field = disc.bad_field = "Masses";
  halo.bad_value = disc.bad_value = -1;
  halo.bad_row = 39;
  disc.bad_row = 0;
  EXPECT_TRUE(names(error({.types = {halo, disc}}), {"PartType1/Masses, row 39"}));
}

TEST_F(GadgetReader, RefusesTruncatedEmptyAndForeignFiles) {
  write({.types = {rows(1, 1000, 0)}});
  const std::string path = directory_.file("in.hdf5");
  if (comm_.is_root()) std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  comm_.barrier();
  EXPECT_TRUE(names(read_error(path, comm_), {path, "truncated"}));
  EXPECT_TRUE(names(error({.types = {}}), {path, "no particles"}));
  const std::string foreign = directory_.file("foreign.hdf5");
  write_file(foreign, std::string("\0\0\0", 3), comm_);
  EXPECT_TRUE(names(read_error(foreign, comm_), {foreign, "is no HDF5 file"}));
}

TEST(FirstRowOfRank, SplitsEvenlyWithoutOverflow) {
  for (const std::uint64_t total : {0ull, 1ull, 7ull, 1000003ull}) {
    for (int size = 1; size < 9; ++size) {
      for (int rank = 0; rank <= size; ++rank) {
        EXPECT_EQ(first_of_rank(total, rank, size), total * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(size));
      }
    }
  }
  EXPECT_EQ(first_of_rank(~0ull, 3, 3), ~0ull);
}

}  // namespace
}  // namespace grove
