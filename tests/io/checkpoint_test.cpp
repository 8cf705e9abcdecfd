// Checkpoints: what is written is what is read, on any number of ranks; a damaged file is found; an older one stays until a new one is
// whole.
#include "io/snapshots/checkpoint.hpp"
#include "io/hdf5/hdf5_image.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files/checksum.hpp"
#include "io/files/partial_file.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// The standard fields and three of an integrator: one of single bytes with three components, one that is no part of a restart.
FieldTablePtr table_of_test() {
  return fields_with({{.name = "spin", .type = ElementType::f4, .components = 3},
                      {.name = "flags", .type = ElementType::u1, .components = 3},
                      {.name = "scratch", .type = ElementType::f8, .restart = false}});
}

constexpr std::uint64_t share(int rank) { return rank == 1 ? 0 : static_cast<std::uint64_t>(rank) * 37 + 11; }

/// Byte `k` of a field of particle `i`, counted over all ranks. Doubles come out as any bits, NaN among them.
std::byte byte_of(const ParticleField& field, std::uint64_t i, std::size_t k) {
  return static_cast<std::byte>((i * 131 + k * 17 + field.name.size() * 7 + field.components) % 251);
}

class CheckpointTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  FieldTablePtr table = table_of_test();
  SavedState state;

  CheckpointTest() {
    state.put("a.numbers", SavedState::Numbers{0.1, -0.0, std::numeric_limits<double>::infinity(), 5e-324});
    state.put("a.counts", SavedState::Counts{0, std::numeric_limits<std::uint64_t>::max()});
    state.put("nothing", SavedState::Counts{});
    state.put("text", std::string("[time]\nend = 1\0x", 17));
    state.put("empty_text", std::string());
  }

  std::string path() const { return directory.file("checkpoint_0.hdf5"); }

  /// Of this rank's `count` particles, which begin at particle `first` over all ranks.
  ParticleSet particles(std::uint64_t first, std::uint64_t count) const {
    ParticleSet set;
    set.fields = table;
    for (const ParticleField& field : table->rows()) {
      const std::span<std::byte> values = set.resize(field, count);
      for (std::size_t b = 0; b < values.size(); ++b) values[b] = byte_of(field, first + b / field.row_bytes(), b % field.row_bytes());
    }
    return set;
  }
  void write(const SavedState& with) {
    const ParticleSet set = particles(comm.prefix_sum(share(comm.rank())), share(comm.rank()));
    ColumnsOfSet columns(set);
    write_checkpoint(path(), columns, with, comm, Hdf5Turn());
  }
  void expect_particles(const ParticleSet& read, std::uint64_t first, std::uint64_t count) const {
    const ParticleSet expected = particles(first, count);
    ASSERT_EQ(read.size(), count);
    for (const ParticleField& field : table->rows()) {
      const auto want = expected.bytes(field), got = read.bytes(field);
      if (!field.restart)
        EXPECT_TRUE(got.empty()) << field.name;
      else
        EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin(), got.end())) << field.name;
    }
  }
  std::string error_of(const std::function<void()>& work) const {
    std::string message = "no error";
    try {
      work();
    } catch (const AgreedError& error) {
      message = error.what();
    } catch (const DataError& error) {
      message = error.what();
    }
    comm.barrier();
    return message;
  }
};

TEST_F(CheckpointTest, HasAllBitsOfTheStateAndTheParticles) {
  write(state);
  const SavedState read = read_checkpoint_state(path());
  for (const auto& [name, value] : state.values()) {
    ASSERT_TRUE(read.has(name)) << name;
    if (const auto* numbers = std::get_if<SavedState::Numbers>(&value)) {
      const auto& got = read.numbers(name, numbers->size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], (*numbers)[i]) << name;
        EXPECT_EQ(std::signbit(got[i]), std::signbit((*numbers)[i])) << name;
      }
    } else {
      EXPECT_TRUE(read.values().at(name) == value) << name;
    }
  }
  const std::uint64_t count = share(comm.rank());
  expect_particles(read_checkpoint_particles(path(), read, comm, table), comm.prefix_sum(count), count);
  EXPECT_FALSE(std::filesystem::exists(partial_name(path())));
}

TEST_F(CheckpointTest, GivesAnotherNumberOfRanksEqualShares) {
  write(state);
  const std::uint64_t all = comm.sum(share(comm.rank()));
  // The last rank, and all others.
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm.raw(), comm.rank() == comm.size() - 1 ? 1 : 0, comm.rank(), &part);
  {
    const Communicator fewer(part);
    const SavedState read = read_checkpoint_state(path());
    const std::uint64_t first = first_of_rank(all, fewer.rank(), fewer.size()), end = first_of_rank(all, fewer.rank() + 1, fewer.size());
    if (fewer.size() != comm.size()) expect_particles(read_checkpoint_particles(path(), read, fewer, table), first, end - first);
  }
  MPI_Comm_free(&part);
  comm.barrier();
}

TEST_F(CheckpointTest, LeavesFieldsThatItLacksUnknown) {
  write(state);
  const FieldTablePtr larger = fields_with({{.name = "age", .type = ElementType::f8}});
  const ParticleSet read = read_checkpoint_particles(path(), read_checkpoint_state(path()), comm, larger);
  EXPECT_EQ(read.size(), share(comm.rank()));
  EXPECT_TRUE(read.bytes(*larger->find("age")).empty());
}

/// Changes one bit of a file.
void flip_bit(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 4));
}

/// Where the values of a dataset begin in the file.
std::uint64_t place_of(const std::string& path, const std::string& group, const std::string& name) {
  const Hdf5Handle file = open_hdf5_file(path);
  return H5Dget_offset((group.empty() ? open_dataset(file, name) : open_dataset(open_group(file, group), name)).id());
}

TEST_F(CheckpointTest, FindsOneWrongBitInAnyDataset) {
  std::vector<std::pair<std::string, std::string>> datasets{
      {"", "Checksums"}, {"State", "a.numbers"}, {"State", "a.counts"}, {"State", "text"}};
  for (const ParticleField& field : table->rows())
    if (field.restart) datasets.emplace_back("Particles", field.name);
  for (const auto& [group, name] : datasets) {
    write(state);
    if (comm.is_root()) flip_bit(path(), place_of(path(), group, name));
    comm.barrier();
    const std::string message = error_of([&] { read_checkpoint_particles(path(), read_checkpoint_state(path()), comm, table); });
    EXPECT_NE(message.find("damaged"), std::string::npos) << group << '/' << name << ": " << message;
    EXPECT_NE(message.find(path()), std::string::npos) << message;
    if (group == "Particles") {
      EXPECT_NE(message.find(name), std::string::npos) << message;
    }
  }
}

TEST_F(CheckpointTest, FindsATruncatedFileAndOneOfAnotherKind) {
  write(state);
  if (comm.is_root()) std::filesystem::resize_file(path(), std::filesystem::file_size(path()) / 2);
  comm.barrier();
  EXPECT_NE(error_of([&] { read_checkpoint_state(path()); }).find("damaged"), std::string::npos);
  if (comm.is_root()) {
    Hdf5Image other("other");
    std::ofstream(path(), std::ios::binary) << other.close();
  }
  comm.barrier();
  EXPECT_NE(error_of([&] { read_checkpoint_state(path()); }).find("no checkpoint of Grove"), std::string::npos);
}

TEST_F(CheckpointTest, ThatCannotBeWrittenLeavesTheOlderOne) {
  write(state);
  comm.barrier();
  const std::string before = text_of_file(path());
  rlimit former{};
  getrlimit(RLIMIT_FSIZE, &former);
  for (const rlim_t bytes : {rlim_t{3000}, rlim_t{before.size() / 2}}) {
    const rlimit now{bytes, former.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    SavedState other = state;
    other.put_count("other", 1);
    const std::string message = error_of([&] { write(other); });
    setrlimit(RLIMIT_FSIZE, &former);
    EXPECT_NE(message.find("checkpoint_0.hdf5.partial"), std::string::npos) << message;
    EXPECT_TRUE(text_of_file(path()) == before);
    EXPECT_FALSE(std::filesystem::exists(partial_name(path())));
    comm.barrier();
  }
}

TEST_F(CheckpointTest, ThatOneRankCannotOpenIsAnErrorOfAllRanks) {
  // On several ranks, the last one has no descriptors left for it: the others must not wait inside MPI.
  rlimit former{};
  getrlimit(RLIMIT_NOFILE, &former);
  if (comm.rank() == comm.size() - 1) {
    const int next = dup(0);
    close(next);
    const rlimit now{static_cast<rlim_t>(next + 2), former.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  const std::string message = error_of([&] { write(state); });
  setrlimit(RLIMIT_NOFILE, &former);
  EXPECT_NE(message.find("ulimit -n"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(path()));
  write(state);
  EXPECT_TRUE(std::filesystem::exists(path()));
  comm.barrier();
}

TEST(SavedStateTest, SaysWhatIsMissingOrOfAnotherForm) {
  SavedState state;
  state.put_number("x", 2);
  EXPECT_EQ(state.number("x"), 2);
  EXPECT_THROW(state.count("x"), DataError);
  EXPECT_THROW(state.numbers("x", 3), DataError);
  EXPECT_THROW(state.text("y"), DataError);
}

TEST(ChecksumTest, IsThatOfZlibHoweverTheBytesAreCut) {
  // The check value of CRC-32 (ISO 3309): that of the digits 1 to 9.
  const std::string digits = "123456789";
  const auto bytes = std::as_bytes(std::span(digits));
  EXPECT_EQ(Checksum(bytes).value(), 0xcbf43926U);
  for (std::size_t cut = 0; cut <= digits.size(); ++cut) {
    Checksum parts(bytes.first(cut));
    parts.append(Checksum(bytes.subspan(cut)));
    EXPECT_EQ(parts.value(), 0xcbf43926U) << cut;
  }
  // Longer than the pieces that threads share.
  const std::vector<std::byte> many(std::size_t{9} << 20, std::byte{7});
  Checksum one_by_one;
  for (std::size_t at = 0; at < many.size(); at += 1 << 18) one_by_one.append(Checksum(std::span(many).subspan(at, 1 << 18)));
  EXPECT_EQ(Checksum(many).value(), one_by_one.value());
  const Communicator comm(MPI_COMM_WORLD);
  const std::size_t first = first_of_rank(many.size(), comm.rank(), comm.size()),
                    end = first_of_rank(many.size(), comm.rank() + 1, comm.size());
  EXPECT_EQ(Checksum(std::span(many).subspan(first, end - first)).over_ranks(comm).value(), one_by_one.value());
}

}  // namespace
}  // namespace grove
