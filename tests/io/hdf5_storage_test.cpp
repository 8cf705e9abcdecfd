// HDF5 files whose datasets hold no numbers, or hold them elsewhere: HDF5 reads zeros or waits for ever; Grove refuses them in words.
#include "io/hdf5/hdf5_storage.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "io/formats/reader.hpp"
#include "io/snapshots/info.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

constexpr std::uint64_t particles = 6;

/// A file of 6 particles of type 1 whose positions the test makes.
class Hdf5Storage : public testing::Test {
 protected:
  /// Writes the file on the root: `make_positions` gets the group PartType1.
  void write(const std::function<void(const Hdf5Handle& group)>& make_positions, std::uint64_t count = particles) {
    if (comm.is_root()) {
      const Hdf5Handle file = new_file(path);
      write_gadget_header(file, {.types = {{.type = 1, .count = count}}});
      const Hdf5Handle group = create_group(file, "PartType1");
      make_positions(group);
      write_numbers(group, "Velocities", H5T_IEEE_F64LE, {particles, 3}, std::vector<double>(3 * particles, 1));
      write_numbers(group, "Masses", H5T_IEEE_F64LE, {particles}, std::vector<double>(particles, 1));
    }
    comm.barrier();
  }
  std::string error() { return read_error(path, comm); }
  std::string error(const std::function<void(const Hdf5Handle& group)>& make_positions) {
    write(make_positions);
    return error();
  }
  /// A dataset made with a list of creation properties.
  static Hdf5Handle make(const Hdf5Handle& group, const std::string& name, const std::vector<hsize_t>& shape,
                         const std::function<void(hid_t creation)>& set) {
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    set(creation.id());
    return {check_hdf5(H5Dcreate2(group.id(), name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), name),
            H5Dclose};
  }
  /// Rows [first, first + count) of a dataset of 6 x 3, as a selection.
  static Hdf5Handle rows(hsize_t first, hsize_t count, hsize_t of = particles) {
    const hsize_t shape[] = {of, 3}, start[] = {first, 0}, size[] = {count, 3};
    Hdf5Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, size, nullptr);
    return space;
  }
  /// Positions that are those of two other files, of three rows each.
  static void make_virtual(const Hdf5Handle& group, const std::string& first, const std::string& second, hsize_t rows_of_second = 3) {
    make(group, "Coordinates", {particles, 3}, [&](hid_t creation) {
      H5Pset_virtual(creation, rows(0, 3).id(), first.c_str(), "/x", rows(0, 3, 3).id());
      H5Pset_virtual(creation, rows(3, rows_of_second).id(), second.c_str(), "/x", rows(0, rows_of_second, 3).id());
    });
  }
  void write_source(const std::string& name, std::uint64_t count, bool is_written = true) const {
    if (!comm.is_root()) return;
    const Hdf5Handle source = new_file(file(name));
    if (is_written)
      write_numbers(source, "x", H5T_IEEE_F64LE, {count, 3}, numbers_from(count));
    else
      create_dataset(source, "x", H5T_IEEE_F64LE, {count, 3});
  }
  /// Of `count` rows: 0.5, 1.5, ...
  static std::vector<double> numbers_from(std::uint64_t count) {
    std::vector<double> all(3 * count, 0.5);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += static_cast<double>(i);
    return all;
  }
  static Hdf5Handle new_file(const std::string& name) {
    return {check_hdf5(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), name), H5Fclose};
  }
  void make_pipe(const std::string& name) const {
    if (comm.is_root()) {
      ASSERT_EQ(mkfifo(file(name).c_str(), 0600), 0);
    }
    comm.barrier();
  }
  std::string file(const std::string& name) const { return directory.file(name); }

  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("in.hdf5");
  std::vector<double> numbers = numbers_from(particles);
};

TEST_F(Hdf5Storage, RefusesDatasetsThatWereNeverWritten) {
  EXPECT_TRUE(names(error([](const Hdf5Handle& group) {
                      create_dataset(group, "Coordinates", H5T_IEEE_F64LE, {particles, 3});
                    }),
                    {path, "/PartType1/Coordinates", "never written"}));
  const auto chunked = [](hid_t creation) {
    const hsize_t chunk[] = {2, 3};
    H5Pset_chunk(creation, 2, chunk);
  };
  EXPECT_TRUE(names(error([&](const Hdf5Handle& group) {
                      make(group, "Coordinates", {particles, 3}, chunked);
                    }),
                    {path, "/PartType1/Coordinates", "never written"}));
  EXPECT_TRUE(names(error([&](const Hdf5Handle& group) {
                      const Hdf5Handle dataset = make(group, "Coordinates", {particles, 3}, chunked);
                      Hdf5Handle memory;
                      const Hdf5Handle space = select_rows(dataset, 0, 4, memory);
                      H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, numbers.data());
                    }),
                    {path, "/PartType1/Coordinates", "1 of its 3 pieces"}));
}

TEST_F(Hdf5Storage, RefusesPositionsThatAreAllZero) {
  // Its place in the file was made, and nothing written there.
  EXPECT_TRUE(names(error([](const Hdf5Handle& group) {
                      make(group, "Coordinates", {particles, 3}, [](hid_t creation) { H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY); });
                    }),
                    {path, "PartType1/Coordinates", "all 6 positions are 0"}));
  // What was not written to its end is told.
  write([&](const Hdf5Handle& group) {
    const Hdf5Handle dataset = make(group, "Coordinates", {particles, 3}, [](hid_t) {});
    Hdf5Handle memory;
    const Hdf5Handle space = select_rows(dataset, 0, 4, memory);
    H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, numbers.data());
  });
  ReadInfo info;
  read_particles(path, comm, &info);
  ASSERT_FALSE(info.notes.empty());
  EXPECT_TRUE(names(info.notes.back(), {"PartType1/Coordinates", "2 of 6 positions are 0"}));
}

TEST_F(Hdf5Storage, ReadsVirtualDatasetsThatAreWhole) {
  write_source("a.hdf5", 3);
  write_source("b.hdf5", 3);
  write([](const Hdf5Handle& group) { make_virtual(group, "a.hdf5", "b.hdf5"); });
  std::vector<double> both = numbers_from(3);
  both.insert(both.end(), both.begin(), both.begin() + 9);
  EXPECT_EQ(all_particles(read_particles(path, comm), comm).position, both);
}

/// h5py selects all of a source; the file then does not say its shape.
TEST_F(Hdf5Storage, ReadsVirtualDatasetsOfWholeSources) {
  write_source("a.hdf5", particles);
  write_source("short.hdf5", particles - 1);
  if (comm.is_root()) {
    const Hdf5Handle source = new_file(file("rows.hdf5"));
    for (hsize_t i = 0; i < particles; ++i)
      write_numbers(source, std::to_string(i), H5T_IEEE_F64LE, {3}, std::vector<double>(3, static_cast<double>(i + 1)));
  }
  const hsize_t shape[] = {particles, 3}, three[] = {3};
  const Hdf5Handle all(H5Screate_simple(2, shape, nullptr), H5Sclose), row(H5Screate_simple(1, three, nullptr), H5Sclose);
  const auto of_all = [&](hid_t here, const char* source) {
    return [&, here, source](const Hdf5Handle& group) {
      make(group, "Coordinates", {particles, 3},
           [&](hid_t creation) { ASSERT_GE(H5Pset_virtual(creation, here, source, "/x", all.id()), 0); });
    };
  };
  const Hdf5Handle six_rows = rows(0, particles);
  std::vector<double> expected(3 * particles);
  std::iota(expected.begin(), expected.end(), 0.5);
  for (const Hdf5Handle* here : {&six_rows, &all}) {
    write(of_all(here->id(), "a.hdf5"));
    EXPECT_EQ(all_particles(read_particles(path, comm), comm).position, expected);
  }
  EXPECT_TRUE(
      names(error(of_all(six_rows.id(), "short.hdf5")), {path, "18 of its numbers are all those of", "short.hdf5", "which has 15"}));
  const auto of_rows = [&](hsize_t count) {
    return [&, count](const Hdf5Handle& group) {
      make(group, "Coordinates", {particles, 3}, [&](hid_t creation) {
        for (hsize_t i = 0; i < count; ++i) H5Pset_virtual(creation, rows(i, 1).id(), "rows.hdf5", std::to_string(i).c_str(), row.id());
      });
    };
  };
  write(of_rows(particles));
  const std::vector<double> read = all_particles(read_particles(path, comm), comm).position;
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], static_cast<double>(i / 3 + 1));
  EXPECT_TRUE(names(error(of_rows(particles - 1)), {path, "3 of its 18 numbers come from no file"}));
}

TEST_F(Hdf5Storage, RefusesVirtualDatasetsWithoutTheirNumbers) {
  write_source("a.hdf5", 3);
  write_source("short.hdf5", 2);
  write_source("empty.hdf5", 3, false);
  make_pipe("pipe.hdf5");
  const auto with = [&](const std::string& second, hsize_t rows_of_second = 3) {
    return error([&](const Hdf5Handle& group) { make_virtual(group, "a.hdf5", second, rows_of_second); });
  };
  const std::string dataset = "/PartType1/Coordinates";
  EXPECT_TRUE(names(with("absent.hdf5"), {path, dataset, "absent.hdf5", "no such file"}));
  EXPECT_TRUE(names(with("pipe.hdf5"), {path, dataset, "pipe.hdf5", "no such file"}));
  EXPECT_TRUE(names(with("short.hdf5"), {path, dataset, "short.hdf5", "fewer numbers"}));
  EXPECT_TRUE(names(with("empty.hdf5"), {"empty.hdf5", "/x", "never written"}));
  EXPECT_TRUE(names(with("a.hdf5", 2), {path, dataset, "3 of its 18 numbers come from no file"}));
}

TEST_F(Hdf5Storage, RefusesNumbersInOtherFilesWithoutWaitingForThem) {
  make_pipe("pipe.raw");
  EXPECT_TRUE(names(
      error([&](const Hdf5Handle& group) {
        make(group, "Coordinates", {particles, 3}, [&](hid_t creation) { H5Pset_external(creation, file("pipe.raw").c_str(), 0, 144); });
      }),
      {path, "/PartType1/Coordinates", "beside this one"}));
  EXPECT_TRUE(names(error([&](const Hdf5Handle& group) {
                      H5Lcreate_external(file("pipe.raw").c_str(), "/x", group.id(), "Coordinates", H5P_DEFAULT, H5P_DEFAULT);
                    }),
                    {path, "/PartType1/Coordinates", "into another file"}));
  EXPECT_TRUE(
      names(error([&](const Hdf5Handle& group) { H5Lcreate_soft("/nothing", group.id(), "Coordinates", H5P_DEFAULT, H5P_DEFAULT); }),
            {path, "/PartType1/Coordinates", "not there"}));
  EXPECT_TRUE(names(read_error(file("pipe.raw"), comm), {"pipe.raw", "regular file"}));
  std::filesystem::path second = file("set.1.hdf5");
  if (comm.is_root()) {
    ASSERT_EQ(mkfifo(second.c_str(), 0600), 0);
    write_gadget_file(file("set.0.hdf5"), {.types = {{.type = 1, .count = 2}}, .total = {0, 4, 0, 0, 0, 0}, .files = 2});
  }
  comm.barrier();
  EXPECT_TRUE(names(read_error(file("set.0.hdf5"), comm), {"set.1.hdf5", "regular file"}));
}

TEST_F(Hdf5Storage, FollowsLinksWithinTheFile) {
  write([&](const Hdf5Handle& group) {
    write_numbers(group, "x", H5T_IEEE_F64LE, {particles, 3}, numbers);
    H5Lcreate_soft("x", group.id(), "Coordinates", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nothing", group.id(), "unused", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(all_particles(read_particles(path, comm), comm).position, numbers);
  // A link that leads nowhere does no harm where nobody needs it.
  EXPECT_TRUE(names(full_description(summarise_file(path)),
                    {"PartType1/Coordinates        link   to x", "PartType1/unused             link   to /nothing"}));
  comm.barrier();
}

TEST_F(Hdf5Storage, ComparesSizesWithTheFileBeforeItTakesMemory) {
  constexpr std::uint64_t many = std::uint64_t{1} << 31U;
  const auto sparse = [&](const std::function<void(hid_t creation)>& set) {
    write([&](const Hdf5Handle& group) { make(group, "Coordinates", {many, 3}, set); }, many);
    return error();
  };
  EXPECT_TRUE(names(sparse([](hid_t) {}), {path, "/PartType1/Coordinates", "never written"}));
  EXPECT_TRUE(names(sparse([](hid_t creation) {
                      const hsize_t chunk[] = {1 << 16, 3};
                      H5Pset_chunk(creation, 2, chunk);
                      H5Pset_deflate(creation, 1);
                    }),
                    {path, "/PartType1/Coordinates", "never written"}));
}

// HDF5 itself may crash on damaged metadata. In a process of its own, which does nothing of MPI.
TEST_F(Hdf5Storage, ACrashWhileAFileIsReadIsPutDownToTheFile) {
  write([](const Hdf5Handle& group) { write_numbers(group, "Coordinates", H5T_IEEE_F64LE, {particles, 3}, std::vector<double>(18, 1)); });
  struct sigaction before = {}, during = {}, after = {};
  sigaction(SIGSEGV, nullptr, &before);
  for (const int kind : {SIGSEGV, SIGBUS, SIGABRT}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      const Hdf5Handle file = open_hdf5_file(path);
      std::raise(kind);
      _exit(0);
    }
    close(ends[1]);
    std::string said(1000, ' ');
    said.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], said.data(), said.size()), 0)));
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == exit_code::data) << status;
    EXPECT_NE(said.find(std::string(path) + ": HDF5 crashed while it read the file"), std::string::npos) << said;
  }
  {
    const Hdf5Handle file = open_hdf5_file(path), again = open_hdf5_file(path);
    sigaction(SIGSEGV, nullptr, &during);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_NE(during.sa_handler, before.sa_handler);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  comm.barrier();  // the root removes the file
}

TEST_F(Hdf5Storage, TooLittleMemoryToOpenAFileIsNoDamage) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer ends a process that gets no memory";
#endif
  write([](const Hdf5Handle& group) { write_numbers(group, "Coordinates", H5T_IEEE_F64LE, {particles, 3}, std::vector<double>(18, 1)); });
  // What this process has, and a little.
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit small{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (4 << 20), before.rlim_max};
  setrlimit(RLIMIT_AS, &small);
  EXPECT_THROW(open_hdf5_file(path), std::bad_alloc);
  setrlimit(RLIMIT_AS, &before);
  comm.barrier();
}

}  // namespace
}  // namespace grove
