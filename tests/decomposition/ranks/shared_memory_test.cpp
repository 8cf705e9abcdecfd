// Host memory that ranks of a node share.
#include "decomposition/ranks/shared_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "tests/support/file_size_limit.hpp"

namespace grove {
namespace {

constexpr std::size_t some_bytes = 3 * 1000 * 1000;

TEST(SharedMemoryTest, IsReadByTheOtherRanksOfTheNode) {
  const Communicator comm(MPI_COMM_WORLD);
  SharedMemory own(some_bytes);
  ASSERT_EQ(own.bytes(), some_bytes);
  EXPECT_TRUE(std::all_of(own.data(), own.data() + some_bytes, [](std::byte b) { return b == std::byte{0}; }));
  own.data()[0] = own.data()[some_bytes - 1] = static_cast<std::byte>(comm.rank() + 1);
  const Communicator node = comm.node();
  const std::vector<SharedMemory::Name> names = node.all_gather(own.name());
  const std::vector<int> ranks = node.all_gather(comm.rank());
  std::vector<SharedMemory> opened;
  for (std::size_t r = 0; r < names.size(); ++r) {
    std::optional<SharedMemory> block = SharedMemory::open(names[r]);
    EXPECT_TRUE(block) << "of rank " << ranks[r];
    if (!block) continue;  // the other ranks wait at a barrier
    EXPECT_EQ(block->bytes(), some_bytes);
    EXPECT_EQ(block->data()[0], static_cast<std::byte>(ranks[r] + 1));
    EXPECT_EQ(block->data()[some_bytes - 1], static_cast<std::byte>(ranks[r] + 1));
    opened.push_back(std::move(*block));
  }
  // What is written later is seen, too, and lasts as long as it is open anywhere.
  comm.barrier();
  own.data()[1] = std::byte{77};
  comm.barrier();
  own = {};
  comm.barrier();
  for (const SharedMemory& block : opened) EXPECT_EQ(block.data()[1], std::byte{77});
}

TEST(SharedMemoryTest, IsNotOpenedByAWrongName) {
  const SharedMemory own(some_bytes);
  const SharedMemory::Name name = own.name();
  ASSERT_TRUE(SharedMemory::open(name));
  SharedMemory::Name wrong = name;
  wrong.inode += 1;
  EXPECT_FALSE(SharedMemory::open(wrong)) << "another file";
  wrong = name;
  wrong.bytes += 1;
  EXPECT_FALSE(SharedMemory::open(wrong)) << "another length";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  wrong = name;
  wrong.file = ends[1];
  EXPECT_FALSE(SharedMemory::open(wrong)) << "a pipe";
  close(ends[0]);
  close(ends[1]);
  wrong.file = 1 << 20;
  EXPECT_FALSE(SharedMemory::open(wrong)) << "no file";
}

TEST(SharedMemoryTest, SaysWhatIsNotToBeHad) {
  const auto said = [](std::size_t bytes) -> std::string {
    try {
      const SharedMemory block(bytes);
      return "there is such a block";
    } catch (const SystemError& error) {
      return error.what();
    }
  };
  // More than a file can have: refused at once.
  EXPECT_NE(said(std::size_t{1} << 63).find("the host is out of memory that ranks share"), std::string::npos) << said(std::size_t{1} << 63);
  const FileSizeLimit limit(1 << 20);
  EXPECT_NE(said(some_bytes).find("ulimit -f"), std::string::npos) << said(some_bytes);
  EXPECT_EQ(said(1 << 19), "there is such a block");
}

}  // namespace
}  // namespace grove
