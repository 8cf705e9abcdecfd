// Files that lack a field of the table, or have a bad one.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include "io/formats/reader.hpp"
#include "tests/support/field_tables.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove::tests {
namespace {

class FieldOfAFile : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("input.hdf5");
  FieldTablePtr fields = fields_with({spin, tag});

  /// A file with 40 halo and 30 disc particles and whatever `add` puts into it. Collective.
  void write(const std::function<void(const Hdf5Handle& file)>& add) const {
    GadgetFile content;
    content.types.resize(2);
    content.types[0].count = 40;
    content.types[1].type = 2;
    content.types[1].count = 30;
    if (comm.is_root()) {
      Hdf5Image image(path);
      const Hdf5Handle& file = image.file();
      write_gadget_header(file, content);
      for (const GadgetType& type : content.types) write_type(file, type);
      add(file);
      std::ofstream(path, std::ios::binary) << image.close();
    }
    comm.barrier();
  }
  static void add_spin(const Hdf5Handle& file, const std::string& group, std::size_t count, double third = 0.5) {
    std::vector<double> numbers(3 * count, 0.25);
    numbers[3 * 17 + 2] = third;
    write_numbers(open_group(file, group), "Spin", H5T_IEEE_F32LE, {count, 3}, numbers);
  }
  std::string error() const {
    return data_error_of([&] { read_particles(path, comm, nullptr, fields); });
  }
};

TEST_F(FieldOfAFile, IsNotKnownWhenNoGroupHasIt) {
  write([](const Hdf5Handle&) {});
  const ParticleSet particles = read_particles(path, comm, nullptr, fields);
  EXPECT_EQ(comm.sum(std::uint64_t{particles.size()}), 70U);
  EXPECT_TRUE(particles.bytes(*fields->find("spin")).empty());
  EXPECT_TRUE(particles.bytes(*fields->find("tag")).empty());
}

TEST_F(FieldOfAFile, IsReadWhenAllGroupsHaveIt) {
  write([](const Hdf5Handle& file) {
    add_spin(file, "PartType1", 40);
    add_spin(file, "PartType2", 30);
  });
  const ParticleSet particles = read_particles(path, comm, nullptr, fields);
  std::vector<float> values(3 * particles.size());
  ASSERT_EQ(particles.bytes(*fields->find("spin")).size(), values.size() * sizeof(float));
  std::memcpy(values.data(), particles.bytes(*fields->find("spin")).data(), values.size() * sizeof(float));
  const std::vector<float> all = comm.all_gather_vectors<float>(values);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i == 3 * 17 + 2 || i == 3 * 57 + 2 ? 0.5F : 0.25F);
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesTheGroupWhenOneLacksItThatAnotherHas) {
  write([](const Hdf5Handle& file) { add_spin(file, "PartType1", 40); });
  EXPECT_TRUE(names(error(), {path, "PartType2/Spin", "missing"}));
  write([](const Hdf5Handle& file) { add_spin(file, "PartType2", 30); });
  EXPECT_TRUE(names(error(), {path, "PartType1/Spin", "missing"}));
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesFieldAndRowWhenAValueIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    write([&](const Hdf5Handle& file) {
      add_spin(file, "PartType1", 40);
      add_spin(file, "PartType2", 30, bad);
    });
    EXPECT_TRUE(names(error(), {path, "PartType2/Spin", "row 17", "the z component of the spin", "finite"})) << bad;
  }
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesItWhenItsShapeOrTypeIsWrong) {
  write([](const Hdf5Handle& file) {
    for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)})
      write_numbers(open_group(file, group), "Spin", H5T_IEEE_F32LE, {count}, std::vector<double>(count));
  });
  EXPECT_TRUE(names(error(), {path, "PartType1/Spin", "wrong shape"}));
  write([](const Hdf5Handle& file) {
    for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)})
      write_numbers(open_group(file, group), "Tag", H5T_IEEE_F32LE, {count}, std::vector<double>(count));
  });
  EXPECT_TRUE(names(error(), {path, "PartType1/Tag", "wrong type"}));
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesItWhenAValueDoesNotFitItsElements) {
  for (const double bad : {-1.0, 256.0}) {
    write([&](const Hdf5Handle& file) {
      for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)}) {
        std::vector<double> numbers(count, 255);
        numbers[11] = group == std::string("PartType2") ? bad : 0;
        write_numbers(open_group(file, group), "Tag", H5T_STD_I32LE, {count}, numbers);
      }
    });
    EXPECT_TRUE(names(error(), {path, "PartType2/Tag", "rows ", "unsigned integers of 1 byte"})) << bad;
  }
}

}  // namespace
}  // namespace grove::tests
