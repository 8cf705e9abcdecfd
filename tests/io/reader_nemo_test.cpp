// NEMO snapshots made by the format's own description: byte orders, phase space, several snapshots, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

/// A file in memory, item by item. Particle i has mass i + 1, position i + 0.25, 2 i, -i and velocity -i - 0.5, i, 0.125.
class NemoFile {
 public:
  explicit NemoFile(bool swapped = false) : swapped_(swapped) {}

  void begin(const std::string& name) { head(0x0992, "(", name); }
  void end() { head(0x0992, ")", ""); }
  template <class T>
  void number(const std::string& type, const std::string& name, T value) {
    head(0x0992, type, name);
    append(value);
  }
  void numbers(const std::string& name, const std::vector<std::int32_t>& shape, const std::vector<double>& values, bool wide) {
    head(0x0b92, wide ? "d" : "f", name);
    for (const std::int32_t n : shape) append(n);
    append(std::int32_t{0});
    for (const double value : values) {
      if (wide)
        append(value);
      else
        append(static_cast<float>(value));
    }
  }
  /// A whole snapshot of n particles, with PhaseSpace or with Position and Velocity.
  void snapshot(std::int32_t n, bool phase_space, bool wide) {
    std::vector<double> mass, position, velocity, both;
    for (std::int32_t i = 0; i < n; ++i) {
      const std::vector<double> x = {i + 0.25, 2.0 * i, -1.0 * i}, v = {-i - 0.5, 1.0 * i, 0.125};
      mass.push_back(i + 1);
      position.insert(position.end(), x.begin(), x.end());
      velocity.insert(velocity.end(), v.begin(), v.end());
      for (const auto* part : {&x, &v}) both.insert(both.end(), part->begin(), part->end());
    }
    begin("SnapShot");
    begin("Parameters");
    number("i", "Nobj", n);
    number("d", "Time", 2.5);
    end();
    begin("Particles");
    number("i", "CoordSystem", std::int32_t{0x010302});
    numbers("Mass", {n}, mass, wide);
    if (phase_space) numbers("PhaseSpace", {n, 2, 3}, both, wide);
    if (!phase_space) numbers("Position", {n, 3}, position, wide);
    if (!phase_space) numbers("Velocity", {n, 3}, velocity, wide);
    numbers("Potential", {n}, mass, wide);
    end();
    end();
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void head(std::uint16_t magic, const std::string& type, const std::string& name) {
    append(magic);
    bytes_ += type + '\0';
    if (type != ")") bytes_ += name + '\0';
  }
  template <class T>
  void append(T number) {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    if (swapped_) std::reverse(raw, raw + sizeof(T));
    bytes_.append(raw, sizeof(T));
  }

  bool swapped_;
  std::string bytes_;
};

class NemoReader : public testing::Test {
 protected:
  std::string error(const std::string& bytes) {
    write_file(path(), bytes, comm_);
    return read_error(path(), comm_);
  }
  std::string path() const { return directory_.file("galaxy.dat"); }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(NemoReader, ReadsBothByteOrdersPrecisionsAndFormsOfPhaseSpace) {
  for (int kind = 0; kind < 8; ++kind) {
    SCOPED_TRACE("kind " + std::to_string(kind));
    NemoFile file((kind & 1) != 0);
    file.snapshot(5, (kind & 2) != 0, (kind & 4) != 0);
    write_file(path(), file.bytes(), comm_);
    ReadInfo info;
    const ParticleSet all = all_particles(read_particles(path(), comm_, &info), comm_);
    EXPECT_EQ(info.format, "NEMO snapshot");
    EXPECT_EQ(info.time, 2.5);
    ASSERT_EQ(info.notes.size(), 1u);
    EXPECT_TRUE(names(info.notes[0], {"not used", "Potential"}));
    EXPECT_EQ(all.mass, (std::vector<double>{1, 2, 3, 4, 5}));
    EXPECT_EQ(all.id, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(all.type, (std::vector<std::uint8_t>(5, 1)));
    for (std::size_t i = 0; i < 5; ++i) {
      const auto n = static_cast<double>(i);
      const double position[3] = {n + 0.25, 2 * n, -n}, velocity[3] = {-n - 0.5, n, 0.125};
      EXPECT_TRUE(std::equal(position, position + 3, &all.position[3 * i])) << i;
      EXPECT_TRUE(std::equal(velocity, velocity + 3, &all.velocity[3 * i])) << i;
    }
    comm_.barrier();
  }
}

TEST_F(NemoReader, AsksForOneSnapshotWhereThereAreSeveral) {
  NemoFile file;
  file.snapshot(5, true, false);
  file.snapshot(5, true, false);
  EXPECT_TRUE(names(error(file.bytes()), {path(), "holds 2 snapshots", "snaptrim"}));
}

TEST_F(NemoReader, RefusesTruncatedAndDamagedFiles) {
  NemoFile file;
  file.snapshot(5, false, false);
  const std::string& bytes = file.bytes();
  for (std::size_t length = 4; length < bytes.size(); length += 7)
    EXPECT_TRUE(names(error(bytes.substr(0, length)), {path(), "truncated"}));
  EXPECT_TRUE(names(error(bytes + "xyz"), {"damaged", "there is no item"}));
  NemoFile without;
  without.begin("SnapShot");
  without.end();
  EXPECT_TRUE(names(error(without.bytes()), {"missing field", "SnapShot with Particles"}));
  NemoFile wrong;
  wrong.begin("SnapShot");
  wrong.begin("Parameters");
  wrong.number("i", "Nobj", std::int32_t{2000000000});
  wrong.end();
  wrong.begin("Particles");
  wrong.numbers("Mass", {5}, {1, 2, 3, 4, 5}, false);
  EXPECT_TRUE(names(error(wrong.bytes()), {"Mass has the type f and the shape [5]", "[2000000000] are needed"}));
}

}  // namespace
}  // namespace grove
