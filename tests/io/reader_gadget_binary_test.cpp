// Binary files of GADGET-1 and -2 made by the format's own description: formats, byte orders, precisions, several files, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

using Counts = std::array<std::int32_t, 6>;

/// A file in memory. Particle i of it has the number first + i, from which all its values follow.
struct GadgetFile {
  Counts count{2, 3, 0, 1, 0, 2}, total{2, 3, 0, 1, 0, 2};
  std::array<double, 6> mass_of_type{0, 7.5, 0, 0, 0, 0};
  int format = 1, files = 1, first = 0;
  bool big_endian = false, wide = false, wide_ids = false, energies = true;
  double time = 2.5, redshift = 0, omega = 0, hubble = 1, box_size = 100;
  std::vector<std::string> left_out{};
  float bad_value = 0;  // the y of particle bad_row, where that is >= 0
  int bad_row = -1;

  int particles() const {
    int sum = 0;
    for (const std::int32_t n : count) sum += n;
    return sum;
  }
  std::string bytes() const {
    std::string out = block("HEAD", header());
    std::string position, velocity, id, mass, energy;
    int i = 0;
    for (std::size_t type = 0; type < 6; ++type) {
      for (int j = 0; j < count[type]; ++j, ++i) {
        const double n = first + i;
        add_all(position, {n + 0.25, i == bad_row ? bad_value : 2 * n, -n});
        add_all(velocity, {-n - 0.5, n, 0.125});
        if (wide_ids)
          append(id, std::uint64_t{5000000000} + static_cast<std::uint64_t>(n));
        else
          append(id, std::uint32_t{4000000000} + static_cast<std::uint32_t>(n));
        if (mass_of_type[type] == 0) add_all(mass, {n + 1});
        if (type == 0) add_all(energy, {99});
      }
    }
    out += block("POS ", position) + block("VEL ", velocity) + block("ID  ", id);
    if (!mass.empty()) out += block("MASS", mass);
    if (energies && count[0] > 0) out += block("U   ", energy) + block("RHO ", energy);
    return out;
  }
  std::string block(const std::string& name, const std::string& data) const {
    if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) return "";
    if (format == 1) return record(data);
    std::string label = name;
    append(label, static_cast<std::uint32_t>(data.size() + 8));
    return record(label) + record(data);
  }
  template <class T>
  void append(std::string& out, T number) const {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    if (big_endian) std::reverse(raw, raw + sizeof(T));
    out.append(raw, sizeof(T));
  }

 private:
  std::string header() const {
    std::string out;
    for (const std::int32_t n : count) append(out, n);
    for (const double m : mass_of_type) append(out, m);
    for (const double x : {time, redshift}) append(out, x);
    for (const std::int32_t flag : {0, 0}) append(out, flag);
    for (const std::int32_t n : total) append(out, n);
    for (const std::int32_t n : {0, files}) append(out, n);
    for (const double x : {box_size, omega, 0.0, hubble}) append(out, x);
    return out + std::string(256 - out.size(), '\0');
  }
  void add_all(std::string& out, std::initializer_list<double> values) const {
    for (const double value : values) {
      if (wide)
        append(out, value);
      else
        append(out, static_cast<float>(value));
    }
  }
  std::string record(const std::string& data) const {
    std::string length;
    append(length, static_cast<std::uint32_t>(data.size()));
    return length + data + length;
  }
};

class GadgetBinaryReader : public testing::Test {
 protected:
  ParticleSet read(const std::string& name) { return all_particles(read_particles(directory_.file(name), comm_, &info_), comm_); }
  void write(const GadgetFile& file, const std::string& name = "galaxy.dat") { write_file(directory_.file(name), file.bytes(), comm_); }
  std::string error(const std::string& bytes) {
    write_file(directory_.file("galaxy.dat"), bytes, comm_);
    return read_error(directory_.file("galaxy.dat"), comm_);
  }
  std::string error(const GadgetFile& file) { return error(file.bytes()); }

  /// Passes when the particles are those of the files above; `masses` are those of type 1.
  void expect_particles(const ParticleSet& all, const std::vector<int>& numbers, const std::vector<std::uint8_t>& types,
                        std::uint64_t first_id) {
    EXPECT_EQ(all.type, types);
    ASSERT_EQ(all.size(), numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      SCOPED_TRACE("row " + std::to_string(i));
      const double n = numbers[i];
      EXPECT_EQ(all.mass[i], types[i] == 1 ? 7.5 : n + 1);
      EXPECT_EQ(all.id[i], first_id + static_cast<std::uint64_t>(numbers[i]));
      const double position[3] = {n + 0.25, 2 * n, -n}, velocity[3] = {-n - 0.5, n, 0.125};
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(all.position[3 * i + c], position[c]);
        EXPECT_EQ(all.velocity[3 * i + c], velocity[c]);
      }
    }
  }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
  ReadInfo info_;
};

const std::vector<std::uint8_t> usual_types = {0, 0, 1, 1, 1, 3, 5, 5};

TEST_F(GadgetBinaryReader, ReadsBothFormatsByteOrdersPrecisionsAndSizesOfIds) {
  for (int kind = 0; kind < 16; ++kind) {
    GadgetFile file;
    file.format = kind % 2 + 1;
    file.big_endian = (kind & 2) != 0;
    file.wide = (kind & 4) != 0;
    file.wide_ids = (kind & 8) != 0;
    SCOPED_TRACE("kind " + std::to_string(kind));
    write(file);
    const ParticleSet all = read("galaxy.dat");
    expect_particles(all, {0, 1, 2, 3, 4, 5, 6, 7}, usual_types, file.wide_ids ? 5000000000 : 4000000000);
    EXPECT_EQ(info_.format, "GADGET binary");
    EXPECT_EQ(info_.time, 2.5);
    EXPECT_EQ(info_.universe.box_size, 100.0);
    EXPECT_EQ(info_.count_of_type, (std::array<std::uint64_t, 6>{2, 3, 0, 1, 0, 2}));
    EXPECT_EQ(why_not_isolated(info_.universe), "");
    ASSERT_EQ(info_.notes.size(), 2u);
    EXPECT_TRUE(names(info_.notes[0], {file.format == 1 ? "format 1" : "format 2", file.big_endian ? "big-endian" : "little-endian",
                                       file.wide ? "positions in FP64" : "positions in FP32"}));
    EXPECT_TRUE(names(info_.notes[1], {"not used", file.format == 1 ? "2 after the masses" : "RHO, U"}));
    comm_.barrier();
  }
}

TEST_F(GadgetBinaryReader, ReadsAllFilesOfASnapshotWhicheverIsNamed) {
  GadgetFile file;
  file.files = 2;
  file.total = {4, 6, 0, 2, 0, 4};
  const std::filesystem::path directory = directory_.file("snapdir_003");
  if (comm_.is_root()) std::filesystem::create_directory(directory);
  write(file, "snapdir_003/snap_003.0");
  file.first = 8;
  file.wide = file.wide_ids = file.big_endian = true;  // each file says by itself how it is written
  file.format = 2;
  write(file, "snapdir_003/snap_003.1");
  for (const std::string name : {"snapdir_003/snap_003.0", "snapdir_003/snap_003.1", "snapdir_003/snap_003", "snapdir_003"}) {
    SCOPED_TRACE(name);
    const ParticleSet all = read(name);
    EXPECT_EQ(all.type, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 5, 5, 5, 5}));
    EXPECT_EQ(all.mass, (std::vector<double>{1, 2, 9, 10, 7.5, 7.5, 7.5, 7.5, 7.5, 7.5, 6, 14, 7, 8, 15, 16}));
    EXPECT_EQ(all.position[3 * 4], 2.25);
    EXPECT_EQ(all.position[3 * 7], 10.25);
    EXPECT_EQ(all.velocity[3 * 15], -15.5);
    EXPECT_EQ(all.id[4], 4000000002u);
    EXPECT_EQ(all.id[15], 5000000015u);
    EXPECT_TRUE(std::any_of(info_.notes.begin(), info_.notes.end(), [](const auto& note) { return contains(note, "split over 2 files"); }));
  }
}

// The masses of a file are those of its own header.
TEST_F(GadgetBinaryReader, TakesEachFilesOwnTableOfMasses) {
  GadgetFile file;
  file.files = 2;
  file.count = {0, 2, 0, 0, 0, 0};
  file.total = {0, 4, 0, 0, 0, 0};
  write(file, "snap.0");
  file.first = 2;
  file.mass_of_type = {};
  write(file, "snap.1");
  EXPECT_EQ(read("snap").mass, (std::vector<double>{7.5, 7.5, 3, 4}));
  file.mass_of_type[1] = 2;
  write(file, "snap.1");
  EXPECT_TRUE(
      names(read_error(directory_.file("snap"), comm_), {"snap.1", "mass of type 1 is 2", "snap.0 it is 7.5", "not of one snapshot"}));
}

TEST_F(GadgetBinaryReader, RefusesFilesThatAreNotOfOneSnapshot) {
  GadgetFile file;
  file.files = 2;
  file.total = {4, 6, 0, 2, 0, 4};
  write(file, "snap.0");
  EXPECT_TRUE(names(read_error(directory_.file("snap.0"), comm_), {"snap.1: no such file", "one of 2 files"}));
  GadgetFile other = file;
  other.time = 3;
  write(other, "snap.1");
  EXPECT_TRUE(names(read_error(directory_.file("snap.0"), comm_), {"snap.1: the time is 3", "snap.0 it is 2.5"}));
  other = file;
  other.files = 3;
  write(other, "snap.1");
  EXPECT_TRUE(names(read_error(directory_.file("snap.0"), comm_), {"the number of files is 3"}));
  other = file;
  other.count[1] = 2;
  write(other, "snap.1");
  EXPECT_TRUE(names(read_error(directory_.file("snap.0"), comm_), {"2 file(s)", "5 particles of type 1", "announces 6"}));
  write(file, "unnumbered");
  EXPECT_TRUE(names(read_error(directory_.file("unnumbered"), comm_), {"one of 2 files", "no number"}));
}

TEST_F(GadgetBinaryReader, NumbersParticlesWithoutIdsAndTakesBlocksByNameInAnyOrder) {
  GadgetFile file;
  file.format = 2;
  file.left_out = {"ID  "};
  write(file);
  EXPECT_EQ(read("galaxy.dat").id, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  file.left_out = {"VEL "};
  EXPECT_TRUE(names(error(file), {"missing field", "velocities"}));
  file.left_out = {"MASS"};
  EXPECT_TRUE(names(error(file), {"missing field", "masses"}));
}

TEST_F(GadgetBinaryReader, RefusesTruncatedAndDamagedFiles) {
  for (const int format : {1, 2}) {
    GadgetFile file;
    file.format = format;
    const std::string bytes = file.bytes();
    for (std::size_t length = 30; length < bytes.size(); length += 29) EXPECT_TRUE(contains(error(bytes.substr(0, length)), "galaxy.dat"));
    EXPECT_TRUE(names(error(bytes.substr(0, bytes.size() - 5)), {"truncated"}));
    EXPECT_TRUE(names(error(bytes + "x"), {"missing; the file ends"}));
    std::string longer = bytes;
    longer[format == 1 ? 264 : 296] = 100;  // the length of the positions
    EXPECT_TRUE(names(error(longer), {"block POS", "the record has 100 bytes", "need 96 or 192"}));
    longer = bytes;
    longer[(format == 1 ? 264 : 296) + 4 + 96] = 100;
    EXPECT_TRUE(names(error(longer), {"block POS", "does not end with its length of 96"}));
  }
}

TEST_F(GadgetBinaryReader, BelievesNoCountBeforeItHasSeenTheSizeOfTheFile) {
  GadgetFile file;
  std::string bytes = file.bytes();
  std::string many;
  file.append(many, std::numeric_limits<std::int32_t>::max());
  bytes.replace(4 + 4, 4, many);
  EXPECT_TRUE(names(error(bytes), {"block POS", "a record of 96 bytes begins here"}));
  std::string negative;
  file.append(negative, std::int32_t{-1});
  bytes.replace(4 + 4, 4, negative);
  EXPECT_TRUE(names(error(bytes), {"the number of particles of type 1 is 4294967295", "at most 2147483647"}));
}

TEST_F(GadgetBinaryReader, RefusesASecondFileThatDiffersBetweenRanks) {
  const TemporaryDirectory own;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(own.path());
  GadgetFile file;
  file.files = 2;
  for (std::int32_t& total : file.total) total *= 2;
  for (const int i : {0, 1}) {
    file.first = i * (comm_.rank() == 2 ? 9 : 8);
    std::ofstream("set." + std::to_string(i), std::ios::binary) << file.bytes();
  }
  const std::string error = read_error("set.0", comm_);
  std::filesystem::current_path(before);
  if (comm_.size() < 3)
    EXPECT_EQ(error, "no error");
  else
    EXPECT_TRUE(names(error, {"set.1 is not the same file for all ranks"}));
}

TEST_F(GadgetBinaryReader, StopsAtWhatIsNoBlockBehindTheEnd) {
  // 64 MiB of zeros are 8 million empty records.
  GadgetFile file;
  write(file);
  if (comm_.is_root()) std::filesystem::resize_file(directory_.file("galaxy.dat"), std::uint64_t{1} << 26U);
  comm_.barrier();
  EXPECT_TRUE(names(read_error(directory_.file("galaxy.dat"), comm_), {"galaxy.dat", "an empty record after the blocks", "zeros"}));
  for (file.format = 1; file.format <= 2; ++file.format) {
    const std::string block = file.block("XTRA", "1234");
    std::string bytes = file.bytes();
    for (int i = 0; i < 90; ++i) bytes += block;
    EXPECT_EQ(error(bytes), "no error");
    for (int i = 0; i < 20; ++i) bytes += block;
    EXPECT_TRUE(names(error(bytes), {"galaxy.dat", "more than 100 blocks that are not used"}));
  }
}

TEST_F(GadgetBinaryReader, NamesTheFirstBadRow) {
  GadgetFile file;
  file.bad_row = 3;
  file.bad_value = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(names(error(file), {"galaxy.dat: position of type 1, row 1 (row 3 over all types and files)", "y is nan"}));
  file.bad_row = -1;
  file.mass_of_type[1] = -1;
  EXPECT_TRUE(names(error(file), {"header", "the mass of type 1 is -1"}));
  file.mass_of_type[1] = 0;
  file.time = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(names(error(file), {"header", "the time is inf"}));
  file.time = 0;
  file.count = file.total = {};
  EXPECT_TRUE(names(error(file), {"no particles"}));
}

TEST_F(GadgetBinaryReader, SaysThatAFileIsOfACosmologicalSimulation) {
  GadgetFile file;
  file.redshift = 49;
  file.time = 0.02;
  file.omega = 0.3;
  file.hubble = 0.7;
  write(file);
  read("galaxy.dat");
  EXPECT_TRUE(names(why_not_isolated(info_.universe), {"cosmological", "redshift 49", "h = 0.7", "side 100", "gas: 2 of 8"}));
}

TEST_F(GadgetBinaryReader, TakesAnIsolatedGalaxyWhoseHeaderHasDensitiesAndH) {
  GadgetFile file;
  file.time = 1;
  file.redshift = 0;
  file.omega = 0.3;
  file.hubble = 0.7;
  file.box_size = 0;
  write(file);
  read("galaxy.dat");
  EXPECT_EQ(why_not_isolated(info_.universe), "");
  EXPECT_TRUE(names(info_.notes.back(), {"h = 0.7", "G fits, since h cancels"}));
}

TEST_F(GadgetBinaryReader, ChoosesTheSnapshotOfADirectoryOrAsks) {
  const std::filesystem::path directory = directory_.file("snaps");
  if (comm_.is_root()) std::filesystem::create_directory(directory);
  comm_.barrier();
  EXPECT_TRUE(names(read_error(directory.string(), comm_), {"snaps", "directory without files"}));
  write(GadgetFile(), "snaps/ic.gad");
  EXPECT_EQ(read("snaps").size(), 8u);
  write(GadgetFile(), "snaps/other.gad");
  EXPECT_TRUE(names(read_error(directory.string(), comm_), {"2 snapshots", "ic.gad and other.gad", "name the one"}));
}

// The lengths have 4 bytes; of longer blocks they are the remainder. The file is sparse.
TEST_F(GadgetBinaryReader, PassesOverUnusedBlocksOfMoreThanFourGiB) {
  const std::string path = directory_.file("large.gadget");
  GadgetFile file;
  file.format = 2;
  file.energies = false;
  write_file(path, file.bytes(), comm_);
  if (comm_.is_root()) {
    constexpr std::uint64_t bytes = (std::uint64_t{1} << 32) + 24;
    const auto label = [&](const std::string& name) {
      std::string text;
      file.append(text, std::uint32_t{8});
      text += name;
      file.append(text, std::uint32_t{0});
      file.append(text, std::uint32_t{8});
      return text;
    };
    std::string end;
    file.append(end, static_cast<std::uint32_t>(bytes));
    std::ofstream(path, std::ios::binary | std::ios::app) << label("POT ") << end;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + bytes);
    std::ofstream(path, std::ios::binary | std::ios::app) << end << label("U   ") << end.substr(0, 4) << std::string(24, ' ') << end;
  }
  comm_.barrier();
  ReadInfo info;
  EXPECT_EQ(all_particles(read_particles(path, comm_, &info), comm_).size(), 8u);
  EXPECT_TRUE(names(info.notes.back(), {"not used: POT, U"}));
}

}  // namespace
}  // namespace grove
