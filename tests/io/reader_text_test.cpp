// Text tables: what is read, how it is dealt out to the ranks, what is refused.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

class TextReader : public testing::Test {
 protected:
  ParticleSet read(const std::string& text, ReadInfo* info = nullptr) {
    write_file(path(), text, comm_);
    return all_particles(read_particles(path(), comm_, info), comm_);
  }
  std::string error(const std::string& text) {
    write_file(path(), text, comm_);
    return read_error(path(), comm_);
  }
  std::string path() const { return directory_.file("table.tab"); }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

const std::string good_row = "1 2 3 4 5 6 7\n";

TEST_F(TextReader, ReadsSevenColumnsAsTypeOne) {
  ReadInfo info;
  const ParticleSet all = read("0.5 1 2 3 4 5 6\n1.5 -1 -2 -3 -4 -5 -6\n", &info);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.mass, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(all.position, (std::vector<double>{1, 2, 3, -1, -2, -3}));
  EXPECT_EQ(all.velocity, (std::vector<double>{4, 5, 6, -4, -5, -6}));
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(all.id, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(info.format, "text table");
  EXPECT_EQ(info.count_of_type[1], 2u);
  EXPECT_FALSE(info.time || info.units || info.universe.box_size);
  EXPECT_EQ(info.notes, (std::vector<std::string>{"no names of columns found: taken as m x y z vx vy vz"}));
}

TEST_F(TextReader, TakesTypesInAColumnEightWithoutName) {
  ReadInfo info;
  const ParticleSet all = read("1 0 0 0 0 0 0 5\n1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 2", &info);
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{5, 1, 2}));
  EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{0, 1, 1, 0, 0, 1}));
  ASSERT_EQ(info.notes.size(), 1u);
  EXPECT_TRUE(contains(info.notes[0], "column 8"));
}

// It may be the number of a galaxy, and then galaxy 0 would become gas.
TEST_F(TextReader, RefusesAColumnEightWithoutNameThatIsNoType) {
  for (const std::string value : {"0", "6", "-1", "1.5"}) {
    EXPECT_TRUE(names(error("1 2 3 4 5 6 7 1\n1 2 3 4 5 6 7 " + value),
                      {"column 8 has no name and holds " + value + " in row 1 (line 2)", "columns = \"m x y z vx vy vz galaxy\""}));
  }
}

TEST_F(TextReader, AcceptsCommentsBlankLinesTabsDosEndsPlusSignsAndNoFinalNewline) {
  const ParticleSet all = read("# mass x y z\r\n\r\n  1\t+2 3 4 5 6 7   # the first\r\n   \n\t\n1e-3 .5 3. -4E2 5 6 7");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.position, (std::vector<double>{2, 3, 4, 0.5, 3, -400}));
  EXPECT_EQ(all.mass[1], 1e-3);
}

TEST_F(TextReader, DealsOutEvenContiguousSharesOverSeveralPieces) {
  constexpr std::uint64_t rows = 150001;  // more than two pieces of the scatter
  std::string text;
  for (std::uint64_t i = 0; i < rows; ++i) text += "1 " + std::to_string(i) + " 0 0 0 0 0\n";
  write_file(path(), text, comm_);
  const ParticleSet local = read_particles(path(), comm_);
  const std::uint64_t first = rows * static_cast<std::uint64_t>(comm_.rank()) / static_cast<std::uint64_t>(comm_.size());
  const std::uint64_t end = rows * static_cast<std::uint64_t>(comm_.rank() + 1) / static_cast<std::uint64_t>(comm_.size());
  ASSERT_EQ(local.size(), end - first);
  for (std::size_t i = 0; i < local.size(); ++i) {
    ASSERT_EQ(local.id[i], first + i);
    ASSERT_EQ(local.position[3 * i], static_cast<double>(first + i));
  }
}

TEST_F(TextReader, LeavesRanksEmptyWhenThereAreFewerRows) { EXPECT_EQ(read("1 2 3 4 5 6 7").size(), 1u); }

TEST_F(TextReader, ReadsLongLinesAndRefusesOnesWithoutEnd) {
  EXPECT_EQ(read(good_row + "1 2 3 4 5 6 7" + std::string(1000000, ' ') + "\n2 1 4 8 4 4 4\n").size(), 3u);
  EXPECT_TRUE(names(error(good_row + "1 2 3 4 5 6 7" + std::string(9 << 20, ' ')), {path(), "line 2 is longer than 1048576 bytes"}));
}

TEST_F(TextReader, KeepsMessagesShortAndHarmlessToTerminals) {
  const std::string message = error("1 2 3 4 5 6 \x1b[31m\xc2\x9b" + std::string(10000, 'x') + "\n");
  EXPECT_TRUE(names(message, {"column 7 (vz)", "\\x1b[31m\\xc2\\x9bxxx", "...' is not a number"}));
  EXPECT_LT(message.size(), 300u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST_F(TextReader, RefusesBytesOfZero) {
  const std::string zeros(8, '\0');
  EXPECT_TRUE(names(error(zeros + good_row), {path(), "line 1 holds a byte 0"})) << "binary data under the name of a table";
  std::string long_table;
  for (int i = 0; i < 1000; ++i) long_table += good_row;
  EXPECT_TRUE(names(error(long_table + "# " + zeros + "\n" + good_row), {path(), "line 1001 holds a byte 0"}));
}

TEST_F(TextReader, NamesColumnAndRowOfWhatIsNotANumber) {
  EXPECT_TRUE(names(error(good_row + "\n1 2 3.0x 4 5 6 7\n"), {path(), "column 3 (y), row 1 (line 3)", "'3.0x' is not a number"}));
  EXPECT_TRUE(names(error("1;2;3;4;5;6;7\n1 2 3 4 5 6 7"), {"line 1", "separated by blanks, tabs or commas, not by semicolons"}));
  EXPECT_TRUE(names(error("x;y;z;vx;vy;vz;m\n1;2;3;4;5;6;7\n"), {"line 1", "not by semicolons"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 7\n1,2,3,4,5,6,7\n"), {"row 1 (line 2) has 1 columns"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 --7\n"), {"column 7 (vz)", "'--7' is not a number"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 +-7\n"), {"'+-7' is not a number"}));
  EXPECT_TRUE(names(error("1 2 3 4 1e999 6 7\n"), {"column 5 (vx)", "out of the range"}));
}

TEST_F(TextReader, NamesTheFirstNonFiniteValueAndNegativeMass) {
  EXPECT_TRUE(names(error(good_row + good_row + "1 nan 3 4 5 6 7\n1 2 inf 4 5 6 7\n"), {"column 2 (x), row 2", "must be finite"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 -inf 7\n"), {"column 6 (vy), row 0", "must be finite"}));
  EXPECT_TRUE(names(error(good_row + "-1e-9 2 3 4 5 6 7\n"), {"column 1 (mass), row 1", "must not be negative", "no names of columns found",
                                                              "taken as m x y z vx vy vz", "initial_conditions.columns"}));
  EXPECT_FALSE(contains(error("m x y z vx vy vz\n-1e-9 2 3 4 5 6 7\n"), "no names of columns found"));
}

TEST_F(TextReader, RefusesTooFewTooManyAndVaryingColumns) {
  EXPECT_TRUE(names(error("1 2 3 4 5 6\n"), {"row 0 (line 1) has 6 columns", "7 or 8 are needed"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 7 1 9\n"), {"row 0 (line 1) has 9 columns", "7 or 8 are needed"}));
  EXPECT_TRUE(names(error(good_row + "1 2 3 4 5 6 7 1\n"), {"row 1 (line 2) has 8 columns", "the rows before have 7"}));
  EXPECT_TRUE(names(error(good_row + "1 2 3 4"), {"row 1 (line 2) has 4 columns"})) << "a truncated file";
}

TEST_F(TextReader, RefusesFilesWithoutParticles) {
  EXPECT_TRUE(names(error("# nothing\n\n"), {path(), "no particles"}));
  EXPECT_TRUE(names(error(""), {path(), "no particles"}));
}

TEST_F(TextReader, NotesMassesAndVelocitiesOfZeroAndRefusesOnePlaceForAll) {
  ReadInfo info;
  read("m x y z vx vy vz type\n0 1 2 3 0 0 0 2\n0 1 2 4 0 0 0 2\n1 1 2 4 0 0 0 1\n", &info);
  EXPECT_EQ(info.notes, (std::vector<std::string>{path() + ": all 2 masses of type 2 (disc) are 0",
                                                  path() + ": all 2 velocities of type 2 (disc) are 0"}));
  read("m x y z vx vy vz type\n0 1 2 3 0 0 0 2\n1 1 2 4 0 0 1 2\n", &info);
  EXPECT_TRUE(info.notes.empty());
  EXPECT_TRUE(names(error("1 5 -2 3 4 5 6\n1 5 -2 3 6 7 8\n"), {path(), "all 2 positions of type 1 (halo) are the same, 5 -2 3"}));
  // The same for any other format: two particles of TIPSY.
  std::string bytes(8, '\0');
  for (const std::int32_t n : {2, 3, 0, 2, 0, 0}) bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
  const auto tipsy = [&](float x) {
    std::string rows(72, '\0');
    rows.replace(4, sizeof(x), reinterpret_cast<const char*>(&x), sizeof(x));
    write_file(directory_.file("two.tipsy"), bytes + rows, comm_);
    return directory_.file("two.tipsy");
  };
  EXPECT_TRUE(names(read_error(tipsy(0), comm_), {"all 2 positions of type 1 (halo) are the same"}));
  read_particles(tipsy(1), comm_, &info);
  ASSERT_GE(info.notes.size(), 2u);
  EXPECT_TRUE(names(info.notes[info.notes.size() - 2], {"all 2 masses of type 1 (halo) are 0"}));
}

TEST_F(TextReader, FindsAnErrorFarIntoTheFile) {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += good_row;
  EXPECT_TRUE(names(error(text + "1 2 3 4 5 6 x\n"), {"column 7 (vz), row 70000 (line 70001)"}));
}

TEST_F(TextReader, RefusesMissingFilesDirectoriesAndUnknownFormats) {
  EXPECT_TRUE(names(read_error(directory_.file("absent.tab"), comm_), {"absent.tab: no such file"}));
  EXPECT_TRUE(names(read_error(directory_.path(), comm_), {"is a directory"}));
  write_file(directory_.file("strange.xyz"), std::string("\0\1\2\3", 4), comm_);
  EXPECT_TRUE(names(read_error(directory_.file("strange.xyz"), comm_), {"no known format", "GADGET/SWIFT HDF5", "TIPSY", "text table"}));
}

class RealTables : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(file("dubinski_disks_bulges.tab"))) GTEST_SKIP() << "no real input data in " << GROVE_TEST_DATA;
  }
  std::string file(const std::string& name) const { return std::string(GROVE_TEST_DATA) + "/" + name; }
  Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(RealTables, DisksAndBulgesLoad) {
  ReadInfo info;
  const std::string path = file("dubinski_disks_bulges.tab");
  EXPECT_TRUE(names(read_error(path, comm_), {"column 8 has no name and holds 0 in row 0"})) << "galaxy 0 would become gas";
  const ParticleSet all = all_particles(read_particles(path, comm_, &info, standard_fields(), "m x y z vx vy vz galaxy"), comm_);
  ASSERT_EQ(all.size(), 49152u);
  EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{0, 24576, 24576, 0, 0, 0}));
  EXPECT_EQ(info.components[1], "galaxy 0");
  EXPECT_EQ(info.components[2], "galaxy 1");
  EXPECT_EQ(all.mass.front(), 4.98914e-05);
  EXPECT_EQ(all.position[2], 6.79166);
  EXPECT_EQ(all.velocity.back(), -0.125152);
  EXPECT_EQ(all.position[3 * 49151], -1.03055);
  EXPECT_EQ(all.type.front(), 1);
  EXPECT_EQ(all.type.back(), 2);
  EXPECT_EQ(all.id.back(), 49151u);
}

TEST_F(RealTables, SampleHasItsTotalMass) {
  const ParticleSet all = all_particles(read_particles(file("dubinski_sample10240_mass8.tab"), comm_), comm_);
  ASSERT_EQ(all.size(), 10240u);
  EXPECT_NEAR(std::accumulate(all.mass.begin(), all.mass.end(), 0.0), 35.479014, 1e-6);
  EXPECT_EQ(all.position[0], 1.70056);
  EXPECT_EQ(all.velocity.back(), 0.179515);
}

}  // namespace
}  // namespace grove
