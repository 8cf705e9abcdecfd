// Snapshots: what is written is what is read, the same bytes every time, and nothing half-written ever bears the final name.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <thread>

#include "io/files/partial_file.hpp"
#include "io/formats/gadget_info.hpp"
#include "io/formats/reader.hpp"
#include "io/formats/validate.hpp"
#include "io/hdf5/hdf5_attributes.hpp"
#include "io/hdf5/hdf5_checksum.hpp"
#include "io/snapshots/info.hpp"
#include "io/snapshots/snapshot.hpp"
#include "io/snapshots/snapshot_layout.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

/// Rank r's share of a set in which particle i has type i % 4 + 1 and numbers that follow from i. Shares are uneven: rank r has
/// r * 37 + 11 particles, but rank 1 has none.
ParticleSet uneven_share(const Communicator& comm) {
  const std::uint64_t mine = comm.rank() == 1 ? 0 : static_cast<std::uint64_t>(comm.rank()) * 37 + 11;
  const std::uint64_t first = comm.prefix_sum(mine);
  ParticleSet particles;
  particles.resize(mine);
  for (std::uint64_t i = 0; i < mine; ++i) {
    const auto x = static_cast<double>(first + i);
    particles.mass[i] = x + 1;
    particles.id[i] = (1ull << 40) + 1000 - (first + i);
    particles.type[i] = static_cast<std::uint8_t>((first + i) % 4 + 1);
    for (const double f : {0.5, -1.0 / 3, 0.1}) particles.acceleration.push_back(f * x);
    for (std::size_t c = 0; c < 3; ++c) {
      particles.position[3 * i + c] = 0.1 * x + static_cast<double>(c);
      particles.velocity[3 * i + c] = -0.3 * x - static_cast<double>(c);
    }
    particles.potential.push_back(-1 / (x + 1));
  }
  return particles;
}

SnapshotHeader example_header() {
  SnapshotHeader header;
  header.time = 1.25;
  header.units = {3.0, 5.0, 7.0};
  header.G = 43007.1;
  header.softening = 0.025;
  header.provenance = {"1.2.3", "0123abc", "2030-01-02", "[gravity]\ntheta = 0.6\n", "CPU, 8 threads", {{"Host", "node7"}}};
  return header;
}

class Snapshot : public testing::Test {
 protected:
  std::string path() const { return directory_.file("snapshot_0000.hdf5"); }
  bool partial_exists() const { return std::filesystem::exists(partial_name(path())); }
  /// One number of each particle of all ranks, of one column of a field, by type and then by rank: the order in the file.
  std::vector<double> read_field(int type, const std::string& name, std::size_t columns) const {
    const Hdf5Handle file = open_hdf5_file(path());
    const Hdf5Handle dataset = open_dataset(open_group(file, gadget_group(type)), name);
    std::vector<double> numbers(describe_dataset(dataset).shape.at(0) * columns);
    check_hdf5(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), name);
    return numbers;
  }

  Communicator comm_{MPI_COMM_WORLD};
  TemporaryDirectory directory_{comm_};
};

TEST_F(Snapshot, ReturnsWhatWasWrittenByTypeInRankOrder) {
  const ParticleSet local = uneven_share(comm_);
  write_snapshot(path(), local, example_header(), comm_);
  EXPECT_FALSE(partial_exists());
  ReadInfo info;
  const ParticleSet all = all_particles(read_particles(path(), comm_, &info), comm_);
  const ParticleSet written = all_particles(local, comm_);
  ASSERT_EQ(all.size(), written.size());
  std::vector<std::size_t> order(written.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return written.type[a] < written.type[b]; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t w = order[i];
    ASSERT_EQ(all.id[i], written.id[w]);
    ASSERT_EQ(all.type[i], written.type[w]);
    ASSERT_EQ(all.mass[i], written.mass[w]);
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(all.position[3 * i + c], written.position[3 * w + c]);
      ASSERT_EQ(all.velocity[3 * i + c], written.velocity[3 * w + c]);
    }
  }
  EXPECT_EQ(info.time, 1.25);
  EXPECT_EQ(info.G, 43007.1);
  ASSERT_TRUE(info.units);
  EXPECT_EQ(info.units->velocity_in_cm_per_s, 7);
  EXPECT_EQ(std::count(info.provenance.begin(), info.provenance.end(), std::pair<std::string, std::string>("Version", "1.2.3")), 1);
}

TEST_F(Snapshot, HoldsPotentialAndAccelerationOfEveryParticle) {
  const ParticleSet local = uneven_share(comm_);
  write_snapshot(path(), local, example_header(), comm_);
  const ParticleSet written = all_particles(local, comm_);
  for (int type = 1; type <= 4; ++type) {
    std::vector<double> potential, acceleration;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written.type[i] != type) continue;
      potential.push_back(written.potential[i]);
      for (std::size_t c = 0; c < 3; ++c) acceleration.push_back(written.acceleration[3 * i + c]);
    }
    EXPECT_EQ(read_field(type, "Potential", 1), potential);
    EXPECT_EQ(read_field(type, "Acceleration", 3), acceleration);
  }
  comm_.barrier();
}

TEST_F(Snapshot, LeavesOutFieldsThatAreNotKnownAndTypesThatAreAbsent) {
  ParticleSet local = uneven_share(comm_);
  local.potential.clear();
  local.acceleration.clear();
  write_snapshot(path(), local, example_header(), comm_);
  {
    const Hdf5Handle file = open_hdf5_file(path());
    EXPECT_FALSE(has_link(file, "PartType0") || has_link(file, "PartType5"));
    EXPECT_EQ(link_names(open_group(file, "PartType1")), (std::vector<std::string>{"Coordinates", "Masses", "ParticleIDs", "Velocities"}));
  }
  comm_.barrier();
}

TEST_F(Snapshot, HasEveryAttributeThatReadersLookFor) {
  write_snapshot(path(), uneven_share(comm_), example_header(), comm_);
  const Hdf5Handle file = open_hdf5_file(path());
  const std::vector<std::string> wanted{"BoxSize",
                                        "Code",
                                        "Flag_Cooling",
                                        "Flag_DoublePrecision",
                                        "Flag_Entropy_ICs",
                                        "Flag_Feedback",
                                        "Flag_IC_Info",
                                        "Flag_Metals",
                                        "Flag_Sfr",
                                        "Flag_StellarAge",
                                        "Git_commit",
                                        "Git_date",
                                        "HubbleParam",
                                        "MassTable",
                                        "NumFilesPerSnapshot",
                                        "NumPart_ThisFile",
                                        "NumPart_Total",
                                        "NumPart_Total_HighWord",
                                        "Omega0",
                                        "OmegaLambda",
                                        "Redshift",
                                        "Time"};
  const Hdf5Handle header = open_group(file, "Header"), parameters = open_group(file, "Parameters"), units = open_group(file, "Units");
  EXPECT_EQ(attribute_names(header), wanted);
  EXPECT_EQ(read_text(header, "Code"), "Grove");
  EXPECT_EQ(read_counts(header, "NumPart_Total_HighWord"), (std::vector<std::uint64_t>(6, 0)));
  EXPECT_EQ(read_number(header, "BoxSize"), read_number(parameters, "BoxSize"));
  EXPECT_EQ(read_number(parameters, "HubbleParam"), 1);
  EXPECT_EQ(read_number(parameters, "ComovingIntegrationOn"), 0);
  EXPECT_EQ(read_number(parameters, "SofteningComovingClass0"), 0.025);
  EXPECT_EQ(read_number(units, "UnitTime_in_s"), 3.0 / 7.0);
  EXPECT_EQ(read_number(units, "G"), 43007.1);
  const Hdf5Handle disc = open_group(file, "PartType2"), provenance = open_group(file, "Provenance");
  EXPECT_EQ(read_text(disc, "ComponentName"), "disc");
  EXPECT_EQ(read_text(provenance, "Host"), "node7");
  EXPECT_EQ(read_number(provenance, "Ranks"), comm_.size());
  for (const auto& [name, to_cgs] : {std::pair("Coordinates", 3.0),
                                     {"Velocities", 7.0},
                                     {"Masses", 5.0},
                                     {"ParticleIDs", 1.0},
                                     {"Potential", 49.0},
                                     {"Acceleration", 49.0 / 3}}) {
    const Hdf5Handle dataset = open_dataset(disc, name);
    EXPECT_NEAR(read_number(dataset, "to_cgs").value(), to_cgs, 1e-14 * to_cgs) << name;
    for (const char* scaling : {"a_scaling", "h_scaling", "length_scaling", "mass_scaling", "velocity_scaling"}) {
      EXPECT_TRUE(read_number(dataset, scaling)) << name << ' ' << scaling;
    }
    EXPECT_EQ(read_number(dataset, "CGSConversionFactor"), read_number(dataset, "to_cgs")) << name;
    for (const char* exponent : {"aexp-scale-exponent", "h-scale-exponent"}) EXPECT_EQ(read_number(dataset, exponent), 0) << name;
  }
  comm_.barrier();
}

TEST_F(Snapshot, IsTheSameBytesEveryTimeAndForAnySizeOfTransfer) {
  const ParticleSet local = uneven_share(comm_);
  SnapshotHeader header = example_header();
  write_snapshot(path(), local, header, comm_);
  const std::string first = text_of_file(path());
  // A time stamp anywhere in the file would have changed after a second.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  comm_.barrier();
  for (const std::size_t bytes : {header.transfer_bytes, std::size_t{100}, std::size_t{1}}) {
    header.transfer_bytes = bytes;
    write_snapshot(path(), local, header, comm_);
    EXPECT_TRUE(text_of_file(path()) == first) << bytes;
    comm_.barrier();
  }
}

TEST_F(Snapshot, AlignsLargeDatasetsAndKeepsTheirNumbers) {
  ParticleSet local;
  local.resize(100000);
  for (std::size_t i = 0; i < local.size(); ++i) {
    local.id[i] = i * static_cast<std::size_t>(comm_.size()) + static_cast<std::size_t>(comm_.rank());
    local.mass[i] = static_cast<double>(local.id[i]);
    local.type[i] = 1;
  }
  write_snapshot(path(), local, example_header(), comm_);
  const std::vector<double> mass = read_field(1, "Masses", 1);
  const ParticleSet written = all_particles(local, comm_);
  EXPECT_TRUE(mass == written.mass);
  EXPECT_EQ(read_field(1, "ParticleIDs", 1), mass);
  comm_.barrier();
}

/// 60,000 particles of rank 0, none of rank 1, 60,002 of rank 2 and so on, of types 1 and 2 by turns of 1000.
ParticleSet large_share(const Communicator& comm) {
  ParticleSet local;
  local.resize(comm.rank() == 1 ? 0 : 60000 + static_cast<std::size_t>(comm.rank()));
  const std::uint64_t first = comm.prefix_sum(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    local.id[i] = first + i;
    local.mass[i] = 1.0 / static_cast<double>(local.id[i] + 1);
    local.type[i] = static_cast<std::uint8_t>(1 + i / 1000 % 2);
    for (std::size_t c = 0; c < 3; ++c) local.position[3 * i + c] = std::sin(static_cast<double>(local.id[i] + c));
  }
  return local;
}

TEST_F(Snapshot, WhatIsPackedIsReadBackBitForBitForAnySizeOfTransfer) {
  const ParticleSet local = large_share(comm_);
  SnapshotHeader header = example_header();
  write_snapshot(path(), local, header, comm_);
  const ParticleSet plain = all_particles(read_particles(path(), comm_), comm_);
  const auto plain_bytes = std::filesystem::file_size(path());
  comm_.barrier();
  header.compression = 6;
  std::string first;
  for (const std::size_t bytes : {header.transfer_bytes, header.transfer_bytes, std::size_t{1}}) {
    header.transfer_bytes = bytes;
    write_snapshot(path(), local, header, comm_);
    const ParticleSet packed = all_particles(read_particles(path(), comm_), comm_);
    EXPECT_TRUE(packed.position == plain.position && packed.mass == plain.mass && packed.id == plain.id && packed.type == plain.type);
    EXPECT_LT(std::filesystem::file_size(path()), plain_bytes);
    if (first.empty()) first = text_of_file(path());
    EXPECT_TRUE(bytes != example_header().transfer_bytes || text_of_file(path()) == first);
    comm_.barrier();
  }
}

TEST_F(Snapshot, FieldsAreWrittenInSinglePrecisionOrLeftOutAsTheUserChooses) {
  const ParticleSet local = uneven_share(comm_), written = all_particles(local, comm_);
  SnapshotHeader header = example_header();
  header.fields.single_precision = {"position", "potential"};
  header.fields.left_out = {"acceleration"};
  for (const unsigned level : {0U, 3U}) {
    header.compression = level;
    write_snapshot(path(), local, header, comm_);
    {
      const Hdf5Handle file = open_hdf5_file(path()), group = open_group(file, "PartType2");
      EXPECT_EQ(link_names(group), (std::vector<std::string>{"Coordinates", "Masses", "ParticleIDs", "Potential", "Velocities"}));
      EXPECT_EQ(describe_dataset(open_dataset(group, "Coordinates")).type_name, "f4");
      EXPECT_EQ(describe_dataset(open_dataset(group, "Potential")).type_name, "f4");
      EXPECT_EQ(describe_dataset(open_dataset(group, "Velocities")).type_name, "f8");
      EXPECT_EQ(read_number(open_group(file, "Header"), "Flag_DoublePrecision"), 0);
    }
    std::vector<double> nearest;
    for (std::size_t i = 0; i < written.size(); ++i)
      for (std::size_t c = 0; c < 3 && written.type[i] == 2; ++c) nearest.push_back(static_cast<float>(written.position[3 * i + c]));
    EXPECT_EQ(read_field(2, "Coordinates", 3), nearest);
    comm_.barrier();
  }
}

TEST_F(Snapshot, RecordsTheChecksumOfTheNumbersInEachDataset) {
  SnapshotHeader header = example_header();
  header.fields.single_precision = {"position"};
  for (const unsigned level : {0U, 3U}) {
    header.compression = level;
    header.transfer_bytes = 1000;  // some rows at a time
    write_snapshot(path(), uneven_share(comm_), header, comm_);
    {
      const Hdf5Handle file = open_hdf5_file(path());
      for (int type = 1; type <= 4; ++type) {
        const Hdf5Handle group = open_group(file, gadget_group(type));
        for (const std::string& name : link_names(group)) {
          const Hdf5Handle dataset = open_dataset(group, name), own(H5Dget_type(dataset.id()), H5Tclose);
          const DatasetInfo info = describe_dataset(dataset);
          std::vector<std::byte> bytes(info.shape[0] * (info.shape.size() > 1 ? info.shape[1] : 1) * H5Tget_size(own.id()));
          check_hdf5(H5Dread(dataset.id(), own.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
          EXPECT_EQ(recorded_checksum(dataset), Checksum(bytes).value()) << type << ' ' << name;
        }
      }
    }
    comm_.barrier();
  }
}

TEST_F(Snapshot, IsRefusedWithTheNameOfTheFieldIfANumberHasChanged) {
  SnapshotHeader header = example_header();
  header.fields.single_precision = {"velocity"};
  for (const std::string name : {"Coordinates", "Velocities", "Masses", "ParticleIDs"}) {
    write_snapshot(path(), uneven_share(comm_), header, comm_);
    const auto change = [&](const std::function<void(const Hdf5Handle& dataset)>& work) {
      if (comm_.is_root()) {
        const Hdf5Handle file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        work(open_dataset(open_group(file, "PartType3"), name));
      }
      comm_.barrier();
    };
    std::vector<double> numbers(3 * comm_.sum(uneven_share(comm_).size()));
    change([&](const Hdf5Handle& dataset) {
      ASSERT_GE(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
      numbers[1] += 1;
      ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    });
    EXPECT_TRUE(names(read_error(path(), comm_), {path(), "PartType3/" + name, "is damaged", checksum_attribute}));
    // As in files of others, and in those of someone who has changed a number on purpose.
    change([](const Hdf5Handle& dataset) { H5Adelete(dataset.id(), checksum_attribute); });
    EXPECT_EQ(comm_.sum(read_particles(path(), comm_).size()), comm_.sum(uneven_share(comm_).size()));
    comm_.barrier();
  }
}

TEST_F(Snapshot, RefusesNumbersThatSinglePrecisionCannotHold) {
  SnapshotHeader header = example_header();
  header.fields.single_precision = {"mass"};
  for (const double mass : {1e39, 1e-46}) {
    ParticleSet local = uneven_share(comm_);
    if (comm_.is_root()) local.mass[5] = mass;
    std::string message;
    try {
      write_snapshot(path(), local, header, comm_);
    } catch (const AgreedError& error) {
      message = error.what();
    }
    EXPECT_TRUE(names(message, {"mass", "output.single_precision"}));
    comm_.barrier();
    EXPECT_FALSE(std::filesystem::exists(path()) || partial_exists());
  }
}

TEST(SnapshotHeaderGroup, HasCountsIn32BitsUnlessOneNeedsMore) {
  for (const std::uint64_t count : {std::uint64_t{7}, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32}) {
    SnapshotContents contents;
    contents.count_of_type[2] = count;
    const std::string image = make_snapshot_image("image", example_header(), contents);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id(), 1 << 16, false);
    H5Pset_file_image(access.id(), const_cast<char*>(image.data()), image.size());
    const Hdf5Handle file(H5Fopen("image", H5F_ACC_RDONLY, access.id()), H5Fclose), header = open_group(file, "Header");
    for (const char* name : {"NumPart_ThisFile", "NumPart_Total"}) {
      EXPECT_EQ(read_counts(header, name)->at(2), count);
      const Hdf5Handle attribute(H5Aopen(header.id(), name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute.id()), H5Tclose);
      EXPECT_EQ(H5Tget_size(type.id()), count >> 32 == 0 ? 4U : 8U) << count;
    }
    EXPECT_EQ(read_counts(header, "NumPart_Total_HighWord"), (std::vector<std::uint64_t>(6, 0)));
  }
}

TEST_F(Snapshot, KeepsALongConfiguration) {
  SnapshotHeader header = example_header();
  header.provenance.configuration = std::string(200000, 'c');
  write_snapshot(path(), uneven_share(comm_), header, comm_);
  const Hdf5Handle file = open_hdf5_file(path());
  const Hdf5Handle dataset = open_dataset(open_group(file, "Provenance"), "Configuration");
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  EXPECT_EQ(H5Tget_size(type.id()), 200000u);
  comm_.barrier();
}

TEST_F(Snapshot, LeavesTheOldFileAndNoPartialOneWhenThereIsNoRoom) {
  ParticleSet local = uneven_share(comm_);
  write_snapshot(path(), local, example_header(), comm_);
  const std::string before = text_of_file(path());
  comm_.barrier();
  // In the midst of the metadata, of the numbers, and just before the end.
  for (const rlim_t limit : {rlim_t{100}, rlim_t{9000}, static_cast<rlim_t>(before.size() - 100)}) {
    const FileSizeLimit no_room(limit);
    std::string message;
    try {
      write_snapshot(path(), local, example_header(), comm_);
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.exit_code(), 4);
      message = error.what();
    }
    EXPECT_TRUE(names(message, {path()}));
    comm_.barrier();
    EXPECT_FALSE(partial_exists());
    EXPECT_TRUE(text_of_file(path()) == before);
  }
  comm_.barrier();
}

TEST_F(Snapshot, NamesTheFileThatCannotBeCreated) {
  const std::string absent = directory_.file("absent/snapshot_0000.hdf5");
  try {
    write_snapshot(absent, uneven_share(comm_), example_header(), comm_);
    FAIL() << "no error";
  } catch (const AgreedError& error) {
    EXPECT_TRUE(names(error.what(), {absent, "cannot be created"}));
  }
}

TEST_F(Snapshot, RefusesParticleSetsThatContradictThemselves) {
  ParticleSet local = uneven_share(comm_);
  if (comm_.is_root()) local.velocity.pop_back();
  EXPECT_THROW(write_snapshot(path(), local, example_header(), comm_), AgreedError);
  local = uneven_share(comm_);
  if (comm_.is_root()) local.type[0] = 6;
  EXPECT_THROW(write_snapshot(path(), local, example_header(), comm_), AgreedError);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Snapshot, BoxEnclosesAllParticles) {
  ParticleSet local;
  const auto box_size = [&] {
    write_snapshot(path(), local, example_header(), comm_);
    const auto size = read_number(open_group(open_hdf5_file(path()), "Header"), "BoxSize");
    comm_.barrier();
    return size;
  };
  EXPECT_EQ(box_size(), 1);
  local.resize(1);
  EXPECT_EQ(box_size(), 1);
  if (comm_.rank() == comm_.size() - 1) local.position = {0, -5, 3};
  EXPECT_EQ(box_size(), 16);
  if (comm_.rank() == comm_.size() - 1) local.position = {0, -4, std::nan("")};
  EXPECT_EQ(box_size(), 16) << "8 is twice the coordinate: the particle would lie on the face";
  if (comm_.rank() == comm_.size() - 1) local.position = {1e-3, 0, 0};
  EXPECT_EQ(box_size(), std::ldexp(1, -8));
}

TEST_F(Snapshot, IsDescribedWithItsTypesFieldsAndOrigin) {
  ParticleSet local = uneven_share(comm_);
  write_snapshot(path(), local, example_header(), comm_);
  const std::string text = full_description(summarise_file(path()));
  EXPECT_TRUE(
      names(text, {"GADGET/SWIFT HDF5", "1.25", "disc", "bulge", "PartType1/Coordinates", "f8", "theta = 0.6", "CPU, 8 threads", "node7"}));
  comm_.barrier();
}

TEST_F(Snapshot, DescriptionCoversTextTables) {
  write_file(directory_.file("a.tab"), "1 2 3 4 5 6 7\n3 2 3 5 5 6 7\n", comm_);
  EXPECT_TRUE(names(full_description(summarise_file(directory_.file("a.tab"))),
                    {"text table", "column 1 (mass)", "total mass", "halo", "not in the file"}));
  EXPECT_THROW(full_description(summarise_file(directory_.file("b.tab"))), DataError);
  comm_.barrier();
}

TEST_F(Snapshot, ValidationNamesSourceFieldAndLowestRow) {
  ParticleSet local;
  local.resize(4);
  const auto first = static_cast<std::uint64_t>(4 * comm_.rank());
  validate_particles(local, "the generator", first, comm_);
  local.velocity[3 * 2 + 1] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(names(data_error_of([&] { validate_particles(local, "the generator", first, comm_); }),
                    {"the generator: velocity, row 2", "vy is inf"}));
  EXPECT_TRUE(names(data_error_of([&] { validate_particles({}, "the generator", 0, comm_); }), {"the generator", "no particles"}));
}

}  // namespace
}  // namespace grove
