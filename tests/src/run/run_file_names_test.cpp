// The names of a run's files are read as they are made, and no other names are taken for them.
#include "src/run/files/run_file_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "src/pictures/png_file.hpp"
#include "src/run/files/log_kinds.hpp"
#include "src/run/files/output_directory.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

TEST(RunFileNames, AreReadAsTheyAreMade) {
  for (const std::uint64_t number : {0ULL, 7ULL, 9999ULL, 10000ULL, 123456789ULL, 999999999999999ULL}) {
    EXPECT_EQ(snapshot_number(snapshot_file(number)), number);
    for (const char* quantity : {"density", "speed", "speed_of_sound"})
      for (const char* axis : {"x", "z"}) {
        const std::string file = picture_file({quantity, axis, number});
        const auto name = picture_name(file);
        ASSERT_TRUE(name) << file;
        EXPECT_EQ(name->quantity, quantity);
        EXPECT_EQ(name->axis, axis);
        EXPECT_EQ(name->number, number);
      }
  }
  EXPECT_EQ(checkpoint_number(checkpoint_file(1)), 1U);
}

TEST(RunFileNames, AreThoseOfTheDocumentation) {
  EXPECT_EQ(snapshot_file(7), "snapshot_0007.hdf5");
  EXPECT_EQ(snapshot_file(12345), "snapshot_12345.hdf5");
  EXPECT_EQ(checkpoint_file(0), "checkpoint_0.hdf5");
  EXPECT_EQ(picture_file({"density", "z", 12}), "picture_density_z_0012.png");
  EXPECT_EQ(not_finite_file(12, 0), "not_finite_step_12.csv");
  EXPECT_EQ(not_finite_file(12, 3), "not_finite_step_12_3.csv");
}

TEST(RunFileNames, OfOtherFormsAreNoneOfARun) {
  const std::string digits(5000, '9'), letters(5000, 'a');
  for (const std::string& part : {std::string(), std::string("x"), std::string("-1"), std::string("+1"), std::string(" 1"),
                                  std::string("1 "), std::string("1\n"), std::string("0x1"), std::string("1000000000000000"),
                                  std::string("18446744073709551615"), std::string("99999999999999999999"), digits, std::string("1.0")}) {
    EXPECT_FALSE(snapshot_number("snapshot_" + part + ".hdf5")) << part;
    EXPECT_FALSE(checkpoint_number("checkpoint_" + part + ".hdf5")) << part;
    EXPECT_FALSE(picture_name("picture_density_z_" + part + ".png")) << part;
  }
  for (const char* file : {"", "snapshot_.hdf5", "snapshot_1", "snapshot_1.hdf5.partial", "my_snapshot_1.hdf5", "Snapshot_1.hdf5",
                           "checkpoint_1.hdf5", "snapshot_1.hdf5\n", ".hdf5", "snapshot_hdf5"})
    EXPECT_FALSE(snapshot_number(file)) << file;
  for (const std::string& file :
       {std::string("picture_.png"), std::string("picture_1.png"), std::string("picture_z_1.png"), std::string("picture__z_1.png"),
        std::string("picture_density__1.png"), std::string("picture_density_z.png"), std::string("picture_den/sity_z_1.png"),
        std::string("picture_density_\xc3\xa4_1.png"), std::string("picture_d e_z_1.png"), std::string("picture_.._z_1.png"),
        "picture_" + letters + "_z_1.png", "picture_density_" + letters + "_1.png", std::string("picture_density_z_1.png.partial")})
    EXPECT_FALSE(picture_name(file)) << file;
}

TEST(RunFileNames, OfListsAreKnownByTheirPattern) {
  const auto& kinds = log_kinds();
  const auto is_of = [](const char* file) { return [file](const LogKind& kind) { return std::string(kind.file) == file; }; };
  for (const char* file : {energy_log_file, timings_log_file, not_finite_files})
    EXPECT_EQ(std::count_if(kinds.begin(), kinds.end(), is_of(file)), 1) << file;
}

class PicturesInADirectory : public testing::Test {
 protected:
  void put(const std::string& name) const { write_png(directory.file(name), Image(2, 2)); }
  bool has(const std::string& name) const { return std::filesystem::exists(directory.file(name)); }
  TemporaryDirectory directory;
  OutputDirectory output{directory.path()};
};

TEST_F(PicturesInADirectory, AreCountedByNamesThatARunGives) {
  EXPECT_EQ(output.pictures(), 0U);
  put("picture_density_z_0003.png");
  std::ofstream(directory.file("picture_density_z_0008.png")) << "drawn by another program";
  put("picture_density_z_18446744073709551614.png");
  EXPECT_EQ(output.pictures(), 4U);
}

TEST_F(PicturesInADirectory, AreResultsUnderNamesThatARunGives) {
  for (const char* name : {"picture_density_z_0003.png", "picture_of_me.png"}) put(name);
  EXPECT_TRUE(is_result(directory.file("picture_density_z_0003.png")));
  EXPECT_FALSE(is_result(directory.file("picture_of_me.png")));
}

TEST_F(PicturesInADirectory, AreRemovedWhereTheyAreUnfinishedUnderNamesThatARunGives) {
  for (const char* name : {"picture_density_z_0001.png.partial", "picture_of_me.png.partial"}) std::ofstream(directory.file(name)).flush();
  EXPECT_EQ(output.prepare(EarlierResults::refuse).size(), 1U);
  EXPECT_FALSE(has("picture_density_z_0001.png.partial"));
  EXPECT_TRUE(has("picture_of_me.png.partial"));
}

}  // namespace
}  // namespace grove
