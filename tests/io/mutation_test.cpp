// Damaged input of all kinds: whatever is in a file, it is read or refused with a message. No crash, no other exception, no particles that
// are not finite, and not much more memory than the file has bytes.
//
// GROVE_MUTATIONS in the environment: how many inputs of each kind [250]; GROVE_MUTATION_SEED: of the random numbers [1].
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "io/formats/reader.hpp"
#include "io/snapshots/checkpoint.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "io/snapshots/info.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/config/config_print.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool limits_memory = false;  // its shadow takes terabytes of addresses
#else
constexpr bool limits_memory = true;
#endif

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// While an object lives, the process may take so many bytes more than it has.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t more) {
    getrlimit(RLIMIT_AS, &former_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlimit now{pages * 4096 + more, former_.rlim_max};
    if (limits_memory) setrlimit(RLIMIT_AS, &now);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &former_); }

 private:
  rlimit former_{};
};

/// Changes a text or a file in one to four places.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

  std::string mutated(std::string bytes) {
    for (std::uint64_t n = below(4) + 1; n > 0; --n) change(bytes);
    return bytes;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_); }

  void change(std::string& bytes) {
    if (bytes.empty()) bytes = "x";
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min<std::size_t>(below(32) + 1, bytes.size() - at);
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 5: {
        const std::string& piece = pieces_[below(pieces_.size())];
        bytes.insert(at, piece);
        break;
      }
      default: {
        const std::string& piece = pieces_[below(pieces_.size())];
        bytes.replace(at, std::min(piece.size(), bytes.size() - at), piece);
      }
    }
  }

  std::vector<std::string> pieces_;
  std::mt19937_64 random_{number_from_environment("GROVE_MUTATION_SEED", 1)};
};

/// Numbers that are at the limits of what they stand for.
std::vector<std::string> binary_pieces() {
  return {std::string(4, '\0'),
          std::string(8, '\0'),
          std::string(4, '\xff'),
          std::string(8, '\xff'),
          std::string("\x7f\xff\xff\xff", 4),
          std::string("\xff\xff\xff\x7f", 4),
          std::string("\0\0\xc0\x7f", 4),
          std::string("\0\0\0\0\0\0\xf0\x7f", 8),
          std::string("\1\0\0\0\0\0\0\x80", 8)};
}
std::vector<std::string> text_pieces() {
  return {"nan", "-inf", "1e999", "-1",      "0", "99999999999999999999", "\"", "[", "]", "=", "\n", "\0", "#", " ", ",",
          "e",   ".",    "'",     "\\u0000", "{"};
}

class Mutations : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory;
  std::uint64_t count = number_from_environment("GROVE_MUTATIONS", 250);
  std::uint64_t read = 0, refused = 0;

  /// Calls `use` for mutations of `original`. It may throw Grove's exceptions, with a message.
  void try_all(const std::string& original, Mutator mutator, const std::function<void(const std::string& bytes)>& use) {
    read = refused = 0;
    ASSERT_NO_THROW(use(original));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string bytes = mutator.mutated(original);
      const MemoryLimit limit(std::max<std::size_t>(std::size_t{256} << 20, 100 * bytes.size()));
      try {
        use(bytes);
        ++read;
      } catch (const Error& error) {
        ++refused;
        EXPECT_GT(std::string(error.what()).size(), 10U);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "mutation " << i << ": " << error.what();
      }
    }
    EXPECT_GT(refused, 0U);
    EXPECT_EQ(read + refused, count);
    RecordProperty("read", std::to_string(read));
  }
  /// A configuration.
  void try_configurations(const std::string& text) {
    try_all(text, Mutator(text_pieces()), [&](const std::string& bytes) {
      const Config config = parse_config(bytes, "run.toml", {});
      EXPECT_TRUE(std::isfinite(config.time.dt) && config.time.dt > 0);
      EXPECT_TRUE(std::isfinite(config.gravity.softening) && config.gravity.softening >= 0);
      EXPECT_GE(config.time.end, config.time.begin);
      EXPECT_EQ(print_config(parse_config(print_config(config), "again.toml", {})), print_config(config));
    });
  }
  std::string path_with(const std::string& bytes, const std::string& name) const {
    std::ofstream(directory.file(name), std::ios::binary) << bytes;
    return directory.file(name);
  }
  void read_file(const std::string& bytes, const std::string& name) {
    const std::string path = path_with(bytes, name);
    ParticleSet particles;
    try {
      particles = read_particles(path, comm);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      throw;
    }
    EXPECT_GT(particles.size(), 0U);
    EXPECT_LE(particles.size(), bytes.size());
    for (const std::vector<double>& values : {particles.position, particles.velocity, particles.mass})
      EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
    EXPECT_TRUE(std::all_of(particles.mass.begin(), particles.mass.end(), [](double m) { return m >= 0; }));
  }
};

ParticleSet some_particles() {
  ParticleSet set;
  for (const ParticleField& field : set.fields->rows()) set.resize(field, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    set.mass[i] = 1 + static_cast<double>(i);
    set.id[i] = i;
    set.type[i] = static_cast<std::uint8_t>(1 + i % 2);
    for (std::size_t k = 0; k < 3; ++k) set.position[3 * i + k] = 0.37 * static_cast<double>(3 * i + k) - 17;
  }
  return set;
}

TEST_F(Mutations, OfTextTablesAreReadOrRefused) {
  std::string table = "# mass x y z vx vy vz\n";
  for (int i = 0; i < 30; ++i) table += "1.5 " + std::to_string(0.25 * i) + " -3e-2 4 0.5 6 7.25\n";
  try_all(table, Mutator(text_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.tab"); });
}

TEST_F(Mutations, OfTextTablesWithACountAndATimeAreReadOrRefused) {
  std::string table = "# t = 0.5\n30 0.5\n";
  for (int i = 0; i < 30; ++i) table += "1.5 " + std::to_string(0.25 * i) + " -3e-2 4 0.5 6 7.25\n";
  try_all(table, Mutator(text_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.tab"); });
}

TEST_F(Mutations, OfCsvTablesAreReadOrRefused) {
  std::string table = "id,m,x,y,z,vx,vy,vz,type,name\n";
  for (int i = 0; i < 30; ++i) table += std::to_string(i) + ",1.5D0," + std::to_string(0.25 * i) + ",-3e-2,4,0.5,6,7.25,2,star\n";
  try_all(table, Mutator(text_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.csv"); });
}

/// A binary file, number by number, in one byte order.
class BinaryFile {
 public:
  explicit BinaryFile(bool big_endian) : big_endian_(big_endian) {}
  template <class T>
  BinaryFile& add(T number) {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    if (big_endian_) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
    return *this;
  }
  template <class T>
  BinaryFile& add_many(int count) {
    for (int i = 0; i < count; ++i) add(static_cast<T>(1 + i));
    return *this;
  }
  BinaryFile& add_record(const BinaryFile& data) {
    const auto size = static_cast<std::uint32_t>(data.bytes.size());
    add(size).bytes += data.bytes;
    return add(size);
  }

  std::string bytes;

 private:
  bool big_endian_;
};

/// With `wide`, all numbers of the particles are in FP64.
std::string tipsy_file(bool big_endian, bool wide) {
  BinaryFile file(big_endian);
  file.add(2.5);
  for (const std::int32_t n : {20, 3, 5, 10, 5, 0}) file.add(n);
  constexpr int numbers = 5 * 12 + 10 * 9 + 5 * 11;
  return (wide ? file.add_many<double>(numbers) : file.add_many<float>(numbers)).bytes;
}

TEST_F(Mutations, OfTipsyFilesAreReadOrRefused) {
  for (const bool other : {false, true})
    try_all(tipsy_file(other, other), Mutator(binary_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.tipsy"); });
}

/// With ids in the places of softening and potential.
std::string bonsai_file() {
  BinaryFile file(false);
  file.add(2.5);
  for (const std::int32_t n : {20, 3, 0, 10, 10, 2}) file.add(n);
  for (std::uint64_t i = 0; i < 20; ++i)
    file.add(1.5F).add(static_cast<float>(i)).add_many<float>(i < 10 ? 5 : 7).add(i < 10 ? 3000000000000000000 + i : i);
  return file.bytes;
}

TEST_F(Mutations, OfFilesOfBonsaiAreReadOrRefused) {
  try_all(bonsai_file(), Mutator(binary_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.tipsy"); });
}

/// 30 particles of types 1 and 2; those of type 1 have one mass.
std::string gadget_file(int format, bool big_endian) {
  BinaryFile file(big_endian), header(big_endian);
  for (const std::int32_t n : {0, 10, 20, 0, 0, 0}) header.add(n);
  for (const double mass : {0.0, 1.5, 0.0, 0.0, 0.0, 0.0}) header.add(mass);
  header.add(2.5).add(0.0).add(std::int32_t{0}).add(std::int32_t{0});
  for (const std::int32_t n : {0, 10, 20, 0, 0, 0}) header.add(n);
  header.add(std::int32_t{0}).add(std::int32_t{1}).bytes.resize(256);
  const auto add_block = [&](const char* name, const BinaryFile& data) {
    BinaryFile label(big_endian);
    label.bytes = name;
    if (format == 2) file.add_record(label.add(static_cast<std::uint32_t>(data.bytes.size() + 8)));
    file.add_record(data);
  };
  const BinaryFile empty(big_endian);
  add_block("HEAD", header);
  for (const char* name : {"POS ", "VEL "}) add_block(name, BinaryFile(empty).add_many<float>(90));
  add_block("ID  ", BinaryFile(empty).add_many<std::uint64_t>(30));
  add_block("MASS", BinaryFile(empty).add_many<double>(20));
  add_block("POT ", BinaryFile(empty).add_many<float>(30));
  return file.bytes;
}

TEST_F(Mutations, OfGadgetBinaryFilesAreReadOrRefused) {
  for (const int format : {1, 2})
    try_all(gadget_file(format, format == 2), Mutator(binary_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.gad"); });
}

TEST_F(Mutations, OfNemoSnapshotsAreReadOrRefused) {
  BinaryFile file(false);
  const auto item = [&](std::uint16_t magic, const std::string& type, const std::string& name) -> BinaryFile& {
    file.add(magic).bytes += type + '\0' + (type == ")" ? "" : name + '\0');
    return file;
  };
  item(0x0992, "(", "SnapShot");
  item(0x0992, "(", "Parameters");
  item(0x0992, "i", "Nobj").add(std::int32_t{20});
  item(0x0992, "d", "Time").add(2.5);
  item(0x0992, ")", "");
  item(0x0992, "(", "Particles");
  item(0x0b92, "f", "Mass").add(std::int32_t{20}).add(std::int32_t{0}).add_many<float>(20);
  item(0x0b92, "d", "PhaseSpace")
      .add(std::int32_t{20})
      .add(std::int32_t{2})
      .add(std::int32_t{3})
      .add(std::int32_t{0})
      .add_many<double>(120);
  item(0x0992, ")", "");
  item(0x0992, ")", "");
  try_all(file.bytes, Mutator(binary_pieces()), [&](const std::string& bytes) { read_file(bytes, "stars.nemo"); });
}

TEST_F(Mutations, OfSnapshotsAreReadOrRefused) {
  write_snapshot(directory.file("whole.hdf5"), some_particles(), {}, comm);
  try_all(text_of_file(directory.file("whole.hdf5")), Mutator(binary_pieces()),
          [&](const std::string& bytes) { read_file(bytes, "stars.hdf5"); });
}

/// Compressed datasets, cosmologies, softenings, links: what Grove's own snapshots lack. Not texts of variable length: HDF5 1.10 itself
/// goes round for ever in a damaged heap of them.
class MutationsOfHdf5 : public Mutations, public testing::WithParamInterface<const char*> {};

TEST_P(MutationsOfHdf5, AreReadAndDescribedOrRefused) {
  try_all(text_of_file(std::string(GROVE_HDF5_FILES) + '/' + GetParam()), Mutator(binary_pieces()), [&](const std::string& bytes) {
    read_file(bytes, "stars.hdf5");
    const std::string text = full_description(summarise_file(directory.file("stars.hdf5")));
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }));
  });
}
INSTANTIATE_TEST_SUITE_P(Files, MutationsOfHdf5, testing::Values("swift_ics.hdf5", "swift_snapshot.hdf5"));

TEST_F(Mutations, OfCheckpointsAreAsWrittenOrRefused) {
  const ParticleSet particles = some_particles();
  ColumnsOfSet columns(particles);
  SavedState state;
  state.put("text", std::string("end = 1"));
  state.put("numbers", SavedState::Numbers{1, 2, 3});
  write_checkpoint(directory.file("whole.hdf5"), columns, state, comm, Hdf5Turn());
  try_all(text_of_file(directory.file("whole.hdf5")), Mutator(binary_pieces()), [&](const std::string& bytes) {
    const std::string path = path_with(bytes, "checkpoint.hdf5");
    const SavedState seen = read_checkpoint_state(path);
    const ParticleSet again = read_checkpoint_particles(path, seen, comm, particles.fields);
    // What passes all checksums is what was written.
    EXPECT_EQ(seen.text("text"), "end = 1");
    EXPECT_EQ(seen.numbers("numbers", 3), (SavedState::Numbers{1, 2, 3}));
    for (const ParticleField& field : particles.fields->rows()) {
      const auto want = particles.bytes(field), got = again.bytes(field);
      EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin(), got.end())) << field.name;
    }
  });
}

TEST_F(Mutations, OfConfigurationsAreReadOrRefused) {
  const Config config;
  try_configurations(print_config(config));
}

TEST_F(Mutations, OfGalaxiesAreReadOrRefused) {
  try_configurations(R"([initial_conditions]
generator = "galaxy"
[galaxies.mine]
preset = "milky_way"
x = "3 kpc"
[galaxies.mine.bulge]
kind = "sersic"
mass = 0.9
softening = "30 pc"
[galaxies.lmc.halo]
circular_velocity = "90 km/s"
[galaxies.lmc."stars 2"]
kind = "dehnen"
density = "0.01 Msun/pc^3"
[gravity]
softening = 0.1
)");
}

}  // namespace
}  // namespace grove
