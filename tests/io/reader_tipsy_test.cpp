// TIPSY files: both byte orders, both headers, and damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

/// A TIPSY file in memory. Particle i of all has mass i + 1, position i + 0.25 and velocity -i - 0.5 in all components.
struct TipsyFile {
  std::int32_t gas = 2, dark = 3, star = 1;
  bool big_endian = false;
  bool padding = true;
  bool wide = false;  // all numbers in FP64
  double time = 2.5;
  int bad_row = -1, bad_column = 0;  // the number that `bad_value` replaces
  float bad_value = 0;

  std::string bytes() const {
    std::string out;
    append(out, time);
    for (const std::int32_t n : {gas + dark + star, std::int32_t{3}, gas, dark, star}) append(out, n);
    if (padding) append(out, std::int32_t{12345});
    for (int row = 0; row < gas + dark + star; ++row) {
      const int floats = row < gas ? 12 : row < gas + dark ? 9 : 11;
      for (int column = 0; column < floats; ++column) {
        if (wide)
          append(out, static_cast<double>(value(row, column)));
        else
          append(out, value(row, column));
      }
    }
    return out;
  }

 private:
  float value(int row, int column) const {
    if (row == bad_row && column == bad_column) return bad_value;
    const auto r = static_cast<float>(row);
    return column == 0 ? r + 1 : column < 4 ? r + 0.25f : column < 7 ? -r - 0.5f : 99.0f;
  }
  template <class T>
  void append(std::string& out, T number) const {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    if (big_endian) std::reverse(raw, raw + sizeof(T));
    out.append(raw, sizeof(T));
  }
};

/// A file of Bonsai: two of the halo, two of the disc, one of the bulge, with these ids; `version` 1 or 2. As above otherwise.
std::string bonsai_file(int version, const std::vector<std::uint64_t>& ids, bool big_endian = false) {
  TipsyFile file;
  file.gas = 0;
  file.dark = 2;
  file.star = 3;
  file.big_endian = big_endian;
  std::string bytes = file.bytes();
  const auto put = [&](std::size_t end, auto number) {
    char* const raw = &bytes[end - sizeof(number)];
    std::memcpy(raw, &number, sizeof(number));
    if (big_endian) std::reverse(raw, raw + sizeof(number));
  };
  put(32, std::int32_t{version == 2 ? 2 : 32550});  // version 1 leaves anything there
  std::size_t end = 32;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    end += i < 2 ? 36 : 44;
    if (version == 2)
      put(end, ids[i]);
    else
      put(end, static_cast<std::uint32_t>(ids[i]));
  }
  return bytes;
}

class TipsyReader : public testing::Test {
 protected:
  std::string error(const std::string& bytes) {
    write_file(path(), bytes, comm_);
    return read_error(path(), comm_);
  }
  std::string path() const { return directory_.file("galaxy.dat"); }  // an extension that says nothing

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(TipsyReader, ReadsBothByteOrdersHeadersAndPrecisions) {
  for (const bool big_endian : {false, true}) {
    for (const int kind : {0, 1, 2, 3}) {
      SCOPED_TRACE(std::string(big_endian ? "big" : "little") + ", kind " + std::to_string(kind));
      TipsyFile file;
      file.big_endian = big_endian;
      file.padding = (kind & 1) != 0;
      file.wide = (kind & 2) != 0;
      write_file(path(), file.bytes(), comm_);
      ReadInfo info;
      const ParticleSet all = all_particles(read_particles(path(), comm_, &info), comm_);
      EXPECT_EQ(info.format, "TIPSY binary");
      EXPECT_EQ(info.time, 2.5);
      ASSERT_EQ(info.notes.size(), 3u);
      EXPECT_TRUE(names(info.notes[0], {file.wide ? "all numbers in FP64" : "all numbers in FP32"}));
      const std::vector<FileSoftening> softenings = {{"eps of dark particles", 99, 99, 1}, {"eps of star particles", 99, 99, 4}};
      EXPECT_EQ(info.softenings, softenings);
      EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{2, 3, 0, 0, 1, 0}));
      EXPECT_EQ(all.type, (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 4}));
      EXPECT_EQ(all.mass, (std::vector<double>{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ(all.id, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
      ASSERT_EQ(all.position.size(), 18u);
      for (std::size_t j = 0; j < 18; ++j) {
        EXPECT_EQ(all.position[j], static_cast<double>(j / 3) + 0.25);
        EXPECT_EQ(all.velocity[j], -static_cast<double>(j / 3) - 0.5);
      }
      comm_.barrier();
    }
  }
}

const std::vector<std::uint64_t> ids_of_version_1 = {200000000, 200000001, 7, 8, 100000000};
const std::vector<std::uint64_t> ids_of_version_2 = {3000000000000000000, 3000000000000000001, 7, 5000000000, 2000000000000000000};

TEST_F(TipsyReader, ReadsTheIdsOfBonsaiWhichSayDiscAndBulge) {
  for (const bool big_endian : {false, true}) {
    for (const int version : {1, 2}) {
      SCOPED_TRACE(std::to_string(version) + (big_endian ? ", big" : ", little"));
      const std::vector<std::uint64_t>& ids = version == 1 ? ids_of_version_1 : ids_of_version_2;
      write_file(path(), bonsai_file(version, ids, big_endian), comm_);
      ReadInfo info;
      const ParticleSet all = all_particles(read_particles(path(), comm_, &info), comm_);
      EXPECT_EQ(all.id, ids);
      EXPECT_EQ(all.type, (std::vector<std::uint8_t>{1, 1, 2, 2, 3}));
      EXPECT_EQ(all.mass, (std::vector<double>{1, 2, 3, 4, 5}));
      EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{0, 2, 2, 1, 0, 0}));
      // In version 2 the ids have the places of the softenings.
      EXPECT_EQ(info.softenings.size(), version == 1 ? 3U : 0U);
      EXPECT_TRUE(names(info.notes[1], {"Bonsai", version == 1 ? "ids of 4 bytes" : "ids of 8 bytes", "the disc"}));
      comm_.barrier();
    }
  }
}

TEST_F(TipsyReader, TakesNoPotentialsForIds) {
  const auto ids_in = [&](const std::string& bytes) {
    write_file(path(), bytes, comm_);
    const std::vector<std::uint64_t> ids = all_particles(read_particles(path(), comm_), comm_).id;
    comm_.barrier();
    return ids;
  };
  const std::vector<std::uint64_t> rows = {0, 1, 2, 3, 4};
  EXPECT_EQ(ids_in(bonsai_file(1, {0, 0, 0, 0, 0})), rows) << "potentials that were not computed";
  EXPECT_EQ(ids_in(bonsai_file(1, {0xbf800000, 0xbf900000, 0xbfa00000, 0xbfb00000, 0xbfc00000})), rows) << "-1 and below";
  EXPECT_EQ(ids_in(bonsai_file(1, {0x33800000, 0x33900000, 0x33a00000, 0x33b00000, 0x33c00000})), rows) << "6e-8 and above";
  EXPECT_EQ(ids_in(bonsai_file(2, {0, 0, 0, 0, 0})), rows) << "a 2 in the padding by chance";
  // A softening of 0.125 or 0, and potentials of -1 and below.
  for (const std::uint64_t softening : {0x3e000000ULL << 32, 0ULL}) {
    std::vector<std::uint64_t> pairs = {0xbf800000, 0xbf900000, 0xbfa00000, 0xbfb00000, 0xbfc00000};
    for (std::uint64_t& pair : pairs) pair += softening;
    EXPECT_EQ(ids_in(bonsai_file(2, pairs, true)), rows) << softening;
  }
}

TEST_F(TipsyReader, RefusesAnIdUnlikeTheOthers) {
  TipsyFile file;
  file.gas = file.star = 0;
  file.dark = 1000;
  std::string bytes = file.bytes();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t id = i == 5 ? 0xbf800000U : i;  // the sample does not have row 5
    std::memcpy(&bytes[32 + 36 * (i + 1) - 4], &id, sizeof(id));
  }
  EXPECT_TRUE(names(error(bytes), {"galaxy.dat: row 5: the id is 3212836864", "below 536870912"}));
}

TEST_F(TipsyReader, ReadsMoreRowsThanOneReadHolds) {
  TipsyFile file;
  file.gas = file.star = 1;
  file.dark = 140000;
  write_file(path(), file.bytes(), comm_);
  const ParticleSet all = all_particles(read_particles(path(), comm_), comm_);
  ASSERT_EQ(all.size(), 140002u);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all.mass[i], static_cast<double>(i + 1));
}

TEST_F(TipsyReader, RefusesTruncatedAndOverlongFiles) {
  const std::string bytes = TipsyFile().bytes();
  EXPECT_TRUE(names(error(bytes.substr(0, bytes.size() - 1)), {path(), "truncated", "6 particles", std::to_string(bytes.size())}));
  EXPECT_TRUE(names(error(bytes.substr(0, 40)), {"truncated", "40 bytes"}));
  EXPECT_TRUE(names(error(bytes + "x"), {"longer than it must be"}));
}

TEST_F(TipsyReader, BelievesNoCountBeforeItHasSeenTheSizeOfTheFile) {
  TipsyFile file;
  std::string bytes = file.bytes();
  for (const std::size_t at : {8, 20}) {  // of all particles, of dark ones
    const std::int32_t n = 2000000000 + (at == 8 ? 3 : 0);
    std::memcpy(&bytes[at], &n, sizeof(n));
  }
  EXPECT_TRUE(names(error(bytes), {"2000000003 particles", "truncated"}));
  file.time = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(names(error(file.bytes()), {"the time is nan"}));
}

TEST_F(TipsyReader, RefusesAFileThatOnlyIsNamedTipsy) {
  const std::string named = directory_.file("galaxy.tipsy");
  write_file(named, std::string(100, '\0'), comm_);
  EXPECT_TRUE(names(read_error(named, comm_), {named, "header is not TIPSY's"}));
}

TEST_F(TipsyReader, RefusesFilesWithoutParticles) {
  TipsyFile file;
  file.gas = file.dark = file.star = 0;
  EXPECT_TRUE(names(error(file.bytes()), {path(), "no particles"}));
}

TEST_F(TipsyReader, NamesTheFirstBadRow) {
  TipsyFile file;
  file.bad_row = 3;
  file.bad_column = 2;
  file.bad_value = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(names(error(file.bytes()), {path(), "position of dark particle 1, row 3", "y is nan"}));
  file.bad_column = 6;
  file.bad_value = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(names(error(file.bytes()), {"velocity of dark particle 1, row 3", "vz is inf"}));
  file.bad_row = 5;
  file.bad_column = 0;
  file.bad_value = -2;
  EXPECT_TRUE(names(error(file.bytes()), {"mass of star particle 0, row 5", "-2", "not negative"}));
}

TEST_F(TipsyReader, ReadsARealGalaxy) {
  const std::string real = std::string(GROVE_TEST_DATA) + "/model3_child_compact.tipsy";
  if (!std::filesystem::exists(real)) GTEST_SKIP() << "no real input data in " << GROVE_TEST_DATA;
  ReadInfo info;
  const ParticleSet all = all_particles(read_particles(real, comm_, &info), comm_);
  ASSERT_EQ(all.size(), 22000u);
  EXPECT_EQ(info.count_of_type, (std::array<std::uint64_t, 6>{0, 20000, 0, 2000, 0, 0})) << "Bonsai's bulge";
  EXPECT_NEAR(std::accumulate(all.mass.begin(), all.mass.end(), 0.0), 97.278090, 1e-6);
  EXPECT_NEAR(all.position[0], -0.0120859, 1e-7);
  EXPECT_EQ(all.id.front(), 200000000u);
  EXPECT_EQ(all.id.back(), 100001999u);
  EXPECT_EQ(all.type.back(), 3);
}

}  // namespace
}  // namespace grove
