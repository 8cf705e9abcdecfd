// Columns of text tables: named by the file or by the user, in any order; CSV; what is refused.
#include <gtest/gtest.h>

#include "io/formats/text_columns.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

class TextColumnsOf : public testing::Test {
 protected:
  ParticleSet read(const std::string& text, const std::string& columns = "") {
    write_file(path(), text, comm_);
    return all_particles(read_particles(path(), comm_, &info_, standard_fields(), columns), comm_);
  }
  std::string error(const std::string& text, const std::string& columns = "") {
    write_file(path(), text, comm_);
    return data_error_of([&] { read_particles(path(), comm_, nullptr, standard_fields(), columns); });
  }
  /// Passes when the table, with these columns, holds two particles: ids 7 and 9, masses 0.5 and 1.5, positions 1 2 3 and -1 -2 -3,
  /// velocities 4 5 6 and -4 -5 -6, types 2 and 3.
  void expect_both(const std::string& text, const std::string& columns = "") {
    SCOPED_TRACE(text + " as " + columns);
    const ParticleSet all = read(text, columns);
    EXPECT_EQ(all.id, (std::vector<std::uint64_t>{7, 9}));
    EXPECT_EQ(all.mass, (std::vector<double>{0.5, 1.5}));
    EXPECT_EQ(all.position, (std::vector<double>{1, 2, 3, -1, -2, -3}));
    EXPECT_EQ(all.velocity, (std::vector<double>{4, 5, 6, -4, -5, -6}));
    EXPECT_EQ(all.type, (std::vector<std::uint8_t>{2, 3}));
  }
  std::string path() const { return directory_.file("table.csv"); }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
  ReadInfo info_;
};

const std::string rows = "7 0.5 1 2 3 4 5 6 2\n9 1.5 -1 -2 -3 -4 -5 -6 3\n";
const std::string csv_rows = "7,0.5,1,2,3,4,5,6,2\n9, 1.5, -1, -2, -3, -4, -5, -6, 3\r\n";

TEST_F(TextColumnsOf, AreNamedByAFirstLineOrACommentOrTheUser) {
  expect_both("id m x y z vx vy vz type\n" + rows);
  expect_both("id,m,x,y,z,vx,vy,vz,type\n" + csv_rows);
  expect_both("\"ID\", \"Mass\", \"X [kpc]\", \"Y [kpc]\", \"Z [kpc]\", \"VX\", \"VY\", \"VZ\", \"Type\"\n" + csv_rows);
  expect_both("# made by hand\n# id m x y z vx vy vz type\n#\n" + rows);
  expect_both("# columns are: id, mass, x, y, z, vx, vy, vz, type\n" + csv_rows);
  expect_both(rows, "id m x y z vx vy vz type");
  expect_both("a b c d e f g h i\n" + rows, "id, mass, x, y, z, v_x, v_y, v_z, type");
  expect_both("\xef\xbb\xbfid m x y z vx vy vz type\n" + rows);
}

TEST_F(TextColumnsOf, StandInAnyOrder) {
  expect_both("vx vy vz type x y z id m\n4 5 6 2 1 2 3 7 0.5\n-4 -5 -6 3 -1 -2 -3 9 1.5\n");
  // A table without ids or types whose comment says that masses come last.
  const ParticleSet all = read("# x y z vx vy vz m\n1 2 3 4 5 6 0.5\n");
  EXPECT_EQ(all.mass, (std::vector<double>{0.5}));
  EXPECT_EQ(all.position, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(all.velocity, (std::vector<double>{4, 5, 6}));
}

TEST_F(TextColumnsOf, AreUnderstoodInCommentsOfManyStyles) {
  for (const std::string comment : {
           "# x [AU],y [AU],z [AU],vx [AU/yr],vy [AU/yr],vz [AU/yr],m [Msun]",
           "# x [kpc] y [kpc] z [kpc] vx [km/s] vy [km/s] vz [km/s] m [1e10 Msun]",
           "# 1:x 2:y 3:z 4:vx 5:vy 6:vz 7:m",
           "# 0.x 1.y 2.z 3.vx 4.vy 5.vz 6.m",
           "# (1)x (2)y (3)z (4)vx (5)vy (6)vz (7)mass",
           "# 1) x 2) y 3) z 4) vx 5) vy 6) vz 7) mass",
           "# col1=x col2=y col3=z col4=vx col5=vy col6=vz col7=m",
           "# x/kpc y/kpc z/kpc vx/(km/s) vy/(km/s) vz/(km/s) m/Msun",
           "# pos(x,y,z) vel(vx,vy,vz) mass",
           "# Position [kpc], Velocity [km/s], Mass [Msun]",
           "# x\n# y\n# z\n# vx\n# vy\n# vz\n# m",
           "# Columns:\n# 1: x [kpc]\n# 2: y [kpc]\n# 3: z [kpc]\n# 4: vx\n# 5: vy\n# 6: vz\n# 7: m\n# ---",
           "# x y z [kpc]\n# vx vy vz [km/s]\n# m [Msun]",
           "# x y z vx vy vz m\n# x [kpc] y [kpc] z [kpc] vx [km/s] vy [km/s] vz [km/s] m [Msun]",
       }) {
    SCOPED_TRACE(comment);
    const ParticleSet all = read(comment + "\n1 2 3 4 5 6 0.5\n");
    EXPECT_EQ(all.mass, (std::vector<double>{0.5}));
    EXPECT_EQ(all.position, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(all.velocity, (std::vector<double>{4, 5, 6}));
    EXPECT_TRUE(info_.notes.empty());
  }
}

TEST_F(TextColumnsOf, AreAskedForWhereACommentSeemsToNameThemAndIsNotUnderstood) {
  for (const std::string comment : {
           "# x_kpc y_kpc z_kpc vx_kms vy_kms vz_kms m",
           "# 4:m 1:x 2:y 3:z 5:vx 6:vy 7:vz",
           "# r v m",
           "# position velocity",
           "# posx posy posz velx vely velz m0",
           "# 1 x position\n# 2 y position\n# 3 z position\n# 4 x velocity\n# 5 y velocity\n# 6 z velocity\n# 7 mass",
           "# x_kpc\n# y_kpc\n# z_kpc\n# vx_kms\n# vy_kms\n# vz_kms\n# m",
       })
    EXPECT_TRUE(names(error(comment + "\n1 2 3 4 5 6 0.5\n"), {path(), "line", "not understood", "initial_conditions.columns"})) << comment;
  // Only the last comments stand next to the data.
  std::string many;
  for (int i = 0; i < 150; ++i) many += "# line of a log\n";
  EXPECT_EQ(read(many + "# x y z vx vy vz m\n1 2 3 4 5 6 0.5\n").mass, (std::vector<double>{0.5}));
}

TEST_F(TextColumnsOf, AreNotChosenWhereTwoCommentsContradictEachOther) {
  EXPECT_TRUE(names(error("# x y z vx vy vz m\n# and now\n# m x y z vx vy vz\n1 2 3 4 5 6 0.5\n"),
                    {"lines 1 and 3 contradict each other", "x y z vx vy vz m and m x y z vx vy vz", "initial_conditions.columns"}));
  EXPECT_EQ(read("# x y z vx vy vz m\n# m x y z vx vy vz\n1 2 3 4 5 6 0.5\n", "m x y z vx vy vz").mass, (std::vector<double>{1}));
}

TEST_F(TextColumnsOf, CanBeLeftOut) {
  expect_both("7 0.5 text 1 2 3 4 5 6 2 0\n9 1.5 x -1 -2 -3 -4 -5 -6 3 nan\n", "id m - x y z vx vy vz type -");
  EXPECT_TRUE(info_.notes.empty());
  expect_both("id,m,x,y,z,vx,vy,vz,type,density,name\n7,0.5,1,2,3,4,5,6,2,,sun\n9,1.5,-1,-2,-3,-4,-5,-6,3,1e-9,\n");
  ASSERT_EQ(info_.notes.size(), 1u);
  EXPECT_TRUE(names(info_.notes[0], {"not used", "density", "name"}));
}

TEST_F(TextColumnsOf, TakeNumbersAsFortranAndSpreadsheetsWriteThem) {
  expect_both("7.000e+00 0.5D0 1d0 2.D0 +3 4E0 50D-1 6 2.0e0\n9.0 .15D+1 -1d0 -2 -3 -4 -5 -6 3\n", "id m x y z vx vy vz type");
  EXPECT_TRUE(names(error("1 2 3D 4 5 6 7\n"), {"'3D' is not a number"}));
  EXPECT_TRUE(names(error("1 2 3D1D1 4 5 6 7\n"), {"'3D1D1' is not a number"}));
}

TEST_F(TextColumnsOf, KeepIdsExactAndRefuseWhatIsNone) {
  const std::string columns = "id m x y z vx vy vz";
  EXPECT_EQ(read("18446744073709551615 1 0 0 0 0 0 0\n9007199254740993 1 1 0 0 0 0 0\n", columns).id,
            (std::vector<std::uint64_t>{18446744073709551615u, 9007199254740993u}));
  for (const std::string id : {"-1", "1.5", "1e17", "18446744073709551616", "x"})
    EXPECT_TRUE(names(error(id + " 1 0 0 0 0 0 0\n", columns), {"column 1 (id), row 0 (line 1)", id}));
}

TEST_F(TextColumnsOf, MakeAComponentOfEachGalaxy) {
  const ParticleSet all = read("1 0 0 0 0 0 0 0\n1 1 0 0 0 0 0 4\n", "m x y z vx vy vz galaxy");
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{1, 5}));
  EXPECT_EQ(info_.count_of_type, (std::array<std::uint64_t, 6>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(info_.components[1], "galaxy 0");
  EXPECT_EQ(info_.components[5], "galaxy 4");
  EXPECT_EQ(info_.components[2], "disc");
  for (const std::string value : {"5", "-1", "0.5"})
    EXPECT_TRUE(names(error("1 0 0 0 0 0 0 " + value, "m x y z vx vy vz component"), {"column 8 (component)", value, "an integer 0 to 4"}));
}

TEST_F(TextColumnsOf, HoldTypesFromZeroToFiveWhenTheyAreNamedSo) {
  EXPECT_EQ(read("# mass x y z vx vy vz type\n1 0 0 0 0 0 0 0\n1 1 0 0 0 0 0 5\n").type, (std::vector<std::uint8_t>{0, 5}));
  for (const std::string type : {"6", "-1", "1.5"})
    EXPECT_TRUE(
        names(error("m x y z vx vy vz type\n1 2 3 4 5 6 7 " + type), {"column 8 (type), row 0 (line 2)", type, "an integer 0 to 5"}));
}

TEST_F(TextColumnsOf, AreRefusedWhereNamesContradictTheTable) {
  // Without a look at the comment, x would be taken as the mass.
  EXPECT_TRUE(names(error("# x y z vx vy vz\n1 2 3 4 5 6 7\n"), {"comment in line 1", "x y z vx vy vz", "initial_conditions.columns"}));
  EXPECT_TRUE(names(error("m x y vx vy vz\n1 2 3 4 5 6\n"), {"line 1", "z is missing", "initial_conditions.columns"}));
  EXPECT_TRUE(names(error("m m x y z vx vy vz\n1 2 3 4 5 6 7 8\n"), {"line 1", "m stands there 2 times"}));
  EXPECT_TRUE(names(error("m x y z vx vy vz type galaxy\n"), {"type and component cannot both"}));
  EXPECT_TRUE(names(error("id m x y z vx vy vz\n1 2 3 4 5 6 7\n"), {"row 0 (line 2) has 7 columns; 8 are named"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 7\n", "id m x y z vx vy vz"), {"row 0 (line 1) has 7 columns; 8 are named"}));
  EXPECT_TRUE(names(error("m,x,y,z,vx,vy,vz\n1,2,,4,5,6,7\n"), {"column 3 (y), row 0 (line 2)", "''"}));
}

TEST_F(TextColumnsOf, MayBeDescribedByOtherComments) {
  for (const char* comment :
       {"# mass x y z", "# mass x y z vx vy vz [type]", "# the axis z is up, x and y in the plane", "# 1 2 3",
        "# Plummer sphere, N = 1000, mass 1, positions in kpc and velocities in km/s",
        "# masses [Msun]\n# positions [kpc]\n# velocities [km/s]", "# mass in Msun\n# positions in kpc\n# velocities in km/s"})
    EXPECT_EQ(read(comment + std::string("\n0.5 1 2 3 4 5 6\n")).mass, (std::vector<double>{0.5})) << comment;
}

TEST_F(TextColumnsOf, HaveNoEffectOnOtherFormatsAndAreRefused) {
  const std::string tipsy = directory_.file("galaxy.tipsy");
  std::string bytes(8, '\0');
  for (const std::int32_t n : {1, 3, 0, 1, 0, 0}) bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
  write_file(tipsy, bytes + std::string(36, '\0'), comm_);
  EXPECT_EQ(read_particles(tipsy, comm_).size(), comm_.is_root() && comm_.size() == 1 ? 1u : comm_.rank() == comm_.size() - 1 ? 1u : 0u);
  try {
    read_particles(tipsy, comm_, nullptr, standard_fields(), "m x y z vx vy vz");
    ADD_FAILURE() << "accepted";
  } catch (const AgreedError& caught) {
    EXPECT_EQ(caught.exit_code(), 2);
    EXPECT_TRUE(names(caught.what(), {"initial_conditions.columns", "TIPSY", "no effect"}));
  }
}

TEST(ListOfColumns, IsCheckedWhereItIsWritten) {
  EXPECT_EQ(complaint_about_columns("id m x y z vx vy vz type"), "");
  EXPECT_EQ(complaint_about_columns("m,x,y,z,vx,vy,vz,-,-"), "");
  EXPECT_TRUE(names(complaint_about_columns("m x y z vx vy"), {"vz is missing"}));
  EXPECT_TRUE(names(complaint_about_columns("m x y z vx vy vz phi"), {"'phi' is no column", "known are"}));
  EXPECT_TRUE(names(complaint_about_columns("m x y z vx vy vz x"), {"x stands there 2 times"}));
}

TEST_F(TextColumnsOf, FollowALineThatCountsTheRows) {
  const std::string seven = "0.5 1 2 3 4 5 6\n1.5 -1 -2 -3 -4 -5 -6\n";
  EXPECT_EQ(read("2\n" + seven).mass, (std::vector<double>{0.5, 1.5}));
  EXPECT_FALSE(info_.time);
  EXPECT_TRUE(names(info_.notes[0], {"line 1 (2)", "number of rows"}));
  EXPECT_EQ(read("# GalactICS\n  2   2.5000000e-01\n" + seven).mass, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(info_.time, 0.25);
  EXPECT_TRUE(names(info_.notes[0], {"number of rows and the time"}));
  read("# time: 1.5\n2\n" + seven);
  EXPECT_EQ(info_.time, 1.5);
  EXPECT_EQ(info_.notes[0].find("and the time"), std::string::npos) << info_.notes[0];
  expect_both("2 0.25\n" + rows, "id m x y z vx vy vz type");
  expect_both("2\n# id m x y z vx vy vz type\n" + rows);
  expect_both("2\nid m x y z vx vy vz type\n" + rows);
  expect_both("2,0.25\n" + csv_rows, "id m x y z vx vy vz type");
}

TEST_F(TextColumnsOf, DoNotFollowACountThatDoesNotFit) {
  for (const char* columns : {"", "m x y z vx vy vz"}) {
    EXPECT_TRUE(
        names(error("# a\n3 0.5\n0.5 1 2 3 4 5 6\n1.5 -1 -2 -3 -4 -5 -6\n", columns), {"line 2 (3 0.5)", "number of rows", "2 follow"}));
    EXPECT_TRUE(names(error("2\n", columns), {"line 1 (2)", "0 follow"}));
    EXPECT_FALSE(error("2.5\n0.5 1 2 3 4 5 6\n", columns).empty()) << "no count";
  }
}

TEST_F(TextColumnsOf, StandBesideATimeInAComment) {
  for (const char* comment : {"#time: 1.5", "# Time = 1.5", "# t=1.5", "# time 1.5e0"}) {
    read(std::string(comment) + "\n0.5 1 2 3 4 5 6\n");
    EXPECT_EQ(info_.time, 1.5) << comment;
  }
  for (const char* comment : {"# time of day", "# T = 1.5", "# time: 1.5 Gyr", "# 1.5"}) {
    read(std::string(comment) + "\n0.5 1 2 3 4 5 6\n");
    EXPECT_FALSE(info_.time) << comment;
  }
  for (const char* comment : {"# t = 1.5 Gyr", "# time: 1.5 [Gyr]", "# Time [Gyr] = 1.5", "# time[Gyr]: 1.5"}) {
    read(std::string(comment) + "\n0.5 1 2 3 4 5 6\n");
    EXPECT_FALSE(info_.time) << comment;
    EXPECT_TRUE(names(info_.notes[0], {"line 1", "not read", "time.begin = \"1.5 Gyr\""})) << comment;
  }
  EXPECT_TRUE(names(error("# time: 1.5\n# t = 2\n0.5 1 2 3 4 5 6\n"), {"line 2", "the time is 2, and 1.5 before", "take one of both out"}));
  EXPECT_TRUE(names(error("# time: 1.5\n1 2\n0.5 1 2 3 4 5 6\n"), {"line 2", "the time is 2, and 1.5 before"}));
}

TEST_F(TextColumnsOf, AreAskedForByTheKeyAndTheOption) {
  EXPECT_TRUE(names(error("1 2 3 4 5 6\n"), {"initial_conditions.columns of a run", "--columns of grove info"}));
  EXPECT_TRUE(names(error("1 2 3 4 5 6 7 0\n"), {"initial_conditions.columns of a run", "--columns of grove info", "columns = \"m x y"}));
}

}  // namespace
}  // namespace grove
