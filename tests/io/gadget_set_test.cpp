// Headers of GADGET-like files that cannot be right: sets of files that contradict each other, counts that are none, numbers that are none.
#include "io/formats/gadget_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/formats/reader.hpp"
#include "io/snapshots/info.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"

namespace grove {
namespace {

class GadgetSet : public testing::Test {
 protected:
  /// Particles of a type without masses of their own.
  static GadgetType massless(int type, std::uint64_t count, double first) {
    return {.type = type, .count = count, .first = first, .masses = false};
  }
  /// Writes snap.0.hdf5 and snap.1.hdf5 on the root, and changes the second one.
  void write(GadgetFile first, GadgetFile second, const std::function<void(const Hdf5Handle& file)>& change = {}) {
    if (comm.is_root()) {
      std::array<std::uint64_t, 6> total{};
      for (const GadgetFile* file : {&first, &second})
        for (const GadgetType& type : file->types) total[static_cast<std::size_t>(type.type)] += type.count;
      for (GadgetFile* file : {&first, &second}) {
        file->files = 2;
        file->total = total;
      }
      write_gadget_file(directory.file("snap.0.hdf5"), first);
      write_gadget_file(directory.file("snap.1.hdf5"), second);
      if (change) change_file("snap.1.hdf5", change);
    }
    comm.barrier();
  }
  void change_file(const std::string& name, const std::function<void(const Hdf5Handle& file)>& change) const {
    const Hdf5Handle file(check_hdf5(H5Fopen(directory.file(name).c_str(), H5F_ACC_RDWR, H5P_DEFAULT), name), H5Fclose);
    change(file);
  }
  static void set(const Hdf5Handle& file, const std::string& group, const std::string& name, double value) {
    const Hdf5Handle at = open_group(file, group);
    if (has_attribute(at, name)) H5Adelete(at.id(), name.c_str());
    write_attribute(at, name, value);
  }
  std::string error() { return read_error(directory.file("snap.0.hdf5"), comm); }
  /// The error for a file of its own that has been changed.
  std::string error_of_changed(const GadgetFile& content, const std::function<void(const Hdf5Handle& file)>& change) {
    if (comm.is_root()) {
      write_gadget_file(directory.file("in.hdf5"), content);
      change_file("in.hdf5", change);
    }
    comm.barrier();
    return read_error(directory.file("in.hdf5"), comm);
  }
  /// The same with one number of a group changed.
  std::string error_with(const std::string& group, const std::string& name, double value) {
    return error_of_changed({.types = {{.type = 1, .count = 4}}}, [&](const Hdf5Handle& file) { set(file, group, name, value); });
  }

  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
};

TEST_F(GadgetSet, TakesTheMassTableOfEachFile) {
  // The last file has no particles of type 2, and no mass for them.
  write({.types = {massless(2, 4, 0)}, .mass_table = {0, 0, 0.5, 0, 0, 0}},
        {.types = {massless(1, 3, 4)}, .mass_table = {0, 2, 0, 0, 0, 0}});
  const ParticleSet all = all_particles(read_particles(directory.file("snap.0.hdf5"), comm), comm);
  EXPECT_EQ(all.mass, (std::vector<double>{2, 2, 2, 0.5, 0.5, 0.5, 0.5}));
}

TEST_F(GadgetSet, RefusesMassesThatDifferOrAreNone) {
  write({.types = {massless(1, 4, 0)}, .mass_table = {0, 1, 0, 0, 0, 0}}, {.types = {massless(1, 3, 4)}, .mass_table = {0, 2, 0, 0, 0, 0}});
  EXPECT_TRUE(names(error(), {"snap.1.hdf5: /Header MassTable gives 2 for type 1", "1 in", "snap.0.hdf5"}));
  for (const double mass : {0.0, -1.0, std::nan("")}) {
    write({.types = {massless(1, 4, 0)}, .mass_table = {0, 1, 0, 0, 0, 0}},
          {.types = {massless(1, 3, 4)}, .mass_table = {0, mass, 0, 0, 0, 0}});
    EXPECT_TRUE(names(error(), {"snap.1.hdf5: PartType1/Masses: missing field", "MassTable gives"}));
  }
}

TEST_F(GadgetSet, RefusesFilesOfDifferentSnapshots) {
  const GadgetFile first{.types = {{.type = 1, .count = 3}}}, second{.types = {{.type = 1, .count = 2, .first = 3}}};
  write(first, second);
  EXPECT_EQ(error(), "no error");
  write(first, second, [](const Hdf5Handle& file) { set(file, "Header", "Time", 0.5); });
  EXPECT_TRUE(names(error(), {"snap.1.hdf5: /Header Time is 0.5, but 0.75 in", "snap.0.hdf5"}));
  write(first, second, [](const Hdf5Handle& file) { set(file, "Parameters", "UnitMass_in_g", 6); });
  EXPECT_TRUE(names(error(), {"snap.1.hdf5: /Parameters UnitMass_in_g is 6, but 5"}));
  const auto name = [](const char* text) {
    return [=](const Hdf5Handle& file) { write_attribute(open_group(file, "PartType1"), "ComponentName", std::string(text)); };
  };
  write(first, second, name("bulge"));
  EXPECT_EQ(error(), "no error") << "the other file has none";
  if (comm.is_root()) change_file("snap.0.hdf5", name("halo"));
  comm.barrier();
  EXPECT_TRUE(names(error(), {"snap.1.hdf5: /PartType1 ComponentName is \"bulge\", but \"halo\""}));
}

TEST_F(GadgetSet, RefusesCountsThatAreNone) {
  for (const double count : {40.5, -1.0, std::nan(""), 1e300}) {
    if (comm.is_root()) {
      write_gadget_file(directory.file("in.hdf5"), {.types = {{.type = 1, .count = 4}}});
      change_file("in.hdf5", [&](const Hdf5Handle& file) {
        const Hdf5Handle header = open_group(file, "Header");
        H5Adelete(header.id(), "NumPart_ThisFile");
        const std::vector<double> counts{0, count, 0, 0, 0, 0};
        write_attribute(header, "NumPart_ThisFile", std::span<const double>(counts));
      });
    }
    comm.barrier();
    EXPECT_TRUE(
        names(read_error(directory.file("in.hdf5"), comm), {"in.hdf5", "/Header, attribute NumPart_ThisFile", "a count is needed"}));
    EXPECT_TRUE(names(error_with("Header", "NumFilesPerSnapshot", count), {"NumFilesPerSnapshot", "a count is needed"}));
  }
}

TEST_F(GadgetSet, RefusesNumbersThatAreNotFinite) {
  for (const char* name : {"Time", "BoxSize", "Redshift", "HubbleParam"})
    EXPECT_TRUE(names(error_with("Header", name, std::nan("")), {"in.hdf5", std::string("/Header, attribute ") + name, "finite"}));
  EXPECT_TRUE(names(error_with("Parameters", "UnitLength_in_cm", -3), {"in.hdf5: /Parameters: the units are -3 cm", "larger than 0"}));
}

TEST_F(GadgetSet, IsDescribedOnlyIfARunWouldTakeItsIds) {
  if (comm.is_root())
    write_gadget_file(directory.file("in.hdf5"), {.types = {{.type = 1, .count = 4}, {.type = 2, .count = 4, .first = 3}}});
  comm.barrier();
  std::string message;
  try {
    full_description(summarise_file(directory.file("in.hdf5")));
  } catch (const DataError& error) {
    message = error.what();
  }
  EXPECT_TRUE(names(message, {"in.hdf5", "the id 103 occurs twice"}));
  const ParticleSet local = read_particles(directory.file("in.hdf5"), comm);
  EXPECT_TRUE(names(data_error_of([&] { require_unique_ids(local.id, "in.hdf5", comm); }), {"103"}));
}

TEST_F(GadgetSet, RefusesParticlesThatTheHeaderDoesNotAnnounce) {
  const auto counts = [](std::vector<std::uint64_t> numbers) {
    return [numbers](const Hdf5Handle& file) {
      const Hdf5Handle header = open_group(file, "Header");
      for (const char* name : {"NumPart_ThisFile", "NumPart_Total"}) {
        H5Adelete(header.id(), name);
        write_attribute(header, name, std::span<const std::uint64_t>(numbers));
      }
    };
  };
  const auto error_with_types = [&](const std::function<void(const Hdf5Handle&)>& change) {
    return error_of_changed({.types = {{.type = 1, .count = 4}, {.type = 2, .count = 3, .first = 4}}}, change);
  };
  EXPECT_EQ(error_with_types(counts({0, 4, 3})), "no error");
  for (const auto& numbers : {std::vector<std::uint64_t>{0, 4}, {0, 4, 0, 0, 0, 0}})
    EXPECT_TRUE(names(error_with_types(counts(numbers)), {"in.hdf5: PartType2 has 3 particles", "NumPart_ThisFile announces none"}));
  for (const char* other : {"PartType6", "PartType17"})
    EXPECT_TRUE(names(error_with_types([&](const Hdf5Handle& file) {
                        counts({0, 4})(file);
                        H5Lmove(file.id(), "PartType2", H5L_SAME_LOC, other, H5P_DEFAULT, H5P_DEFAULT);
                      }),
                      {other, "has 3 particles; types 0 to 5 can be read"}));
}

TEST_F(GadgetSet, NamesWhatIsOfAnotherKind) {
  for (const char* name : {"Header", "PartType1"})
    EXPECT_TRUE(names(error_of_changed({.types = {{.type = 1, .count = 4}}},
                                       [&](const Hdf5Handle& file) {
                                         H5Ldelete(file.id(), name, H5P_DEFAULT);
                                         create_dataset(file, name, H5T_IEEE_F64LE, {4});
                                       }),
                      {"in.hdf5", name, "is no group"}));
  EXPECT_TRUE(names(error_of_changed({.types = {{.type = 1, .count = 4, .masses = false}}},
                                     [](const Hdf5Handle& file) { create_group(open_group(file, "PartType1"), "Masses"); }),
                    {"in.hdf5", "/PartType1/Masses", "is no dataset"}));
}

TEST_F(GadgetSet, KeepsNamesOfComponentsAsTheyAre) {
  const auto named = [&](const std::string& first, const std::string& second) {
    return error_of_changed({.types = {{.type = 1, .count = 4}, {.type = 2, .count = 3, .first = 4}}}, [&](const Hdf5Handle& file) {
      write_attribute(open_group(file, "PartType1"), "ComponentName", first);
      write_attribute(open_group(file, "PartType2"), "ComponentName", second);
    });
  };
  const std::string a = std::string(250, 'x') + "a", b = std::string(250, 'x') + "b";
  EXPECT_EQ(named(a, b + "  "), "no error");
  ReadInfo info;
  read_particles(directory.file("in.hdf5"), comm, &info);
  EXPECT_EQ(info.components[1], a);
  EXPECT_EQ(info.components[2], b) << "blanks may fill a text of fixed length";
  EXPECT_TRUE(names(named("halo", std::string(256, 'x')), {"in.hdf5", "/PartType2: ComponentName is", "at most 255"}));
}

TEST_F(GadgetSet, TellsOfNumbersThatAreNotUsed) {
  const auto notes_with = [&](const GadgetFile& content, const std::function<void(const Hdf5Handle&)>& change) {
    EXPECT_EQ(error_of_changed(content, change), "no error");
    ReadInfo info;
    read_particles(directory.file("in.hdf5"), comm, &info);
    std::string text;
    for (const std::string& note : info.notes) text += note + '\n';
    for (const FileSoftening& softening : info.softenings) text += softening.what + '\n';
    return text;
  };
  const GadgetFile plain{.types = {{.type = 1, .count = 4}}};
  EXPECT_EQ(notes_with(plain, [](const Hdf5Handle&) {}), "");
  // The masses are 1 to 4.
  const GadgetFile with_table{.types = {{.type = 1, .count = 4}}, .mass_table = {0, 2, 0, 0, 0, 0}};
  EXPECT_TRUE(
      names(notes_with(with_table, [](const Hdf5Handle&) {}), {"in.hdf5: PartType1: 3 of 4 masses are not the 2 of /Header MassTable"}));
  EXPECT_TRUE(names(notes_with(plain,
                               [](const Hdf5Handle& file) {
                                 set(file, "Parameters", "SofteningClassOfPartType1", 0);
                                 set(file, "Parameters", "SofteningComovingClass0", -3);
                               }),
                    {"SofteningComovingClass0 is -3, which is no length: it is left out\n"}));
  for (const auto& [bad, text] : {std::pair(std::nan(""), "is nan"), {-2.0, "is -2"}, {1.0 / 0.0, "is inf"}})
    EXPECT_TRUE(names(notes_with(plain,
                                 [value = bad](const Hdf5Handle& file) {
                                   write_numbers(open_group(file, "PartType1"), "Softenings", H5T_IEEE_F64LE, {4}, {1, 2, value, 3});
                                 }),
                      {std::string("PartType1/Softenings ") + text + ", which is no length: it is left out\n"}));
}

TEST_F(GadgetSet, BelievesComovingIntegrationOnMoreThanDensitiesAndH) {
  for (const double flag : {0.0, 1.0}) {
    const std::string message = error_of_changed({.types = {{.type = 1, .count = 4}}}, [&](const Hdf5Handle& file) {
      for (const auto& [name, value] :
           {std::pair("HubbleParam", 0.7), {"Omega0", 0.3}, {"OmegaLambda", 0.7}, {"ComovingIntegrationOn", flag}})
        set(file, "Parameters", name, value);
    });
    EXPECT_EQ(message, "no error");
    ReadInfo info;
    read_particles(directory.file("in.hdf5"), comm, &info);
    EXPECT_EQ(why_not_isolated(info.universe).empty(), flag == 0);
    EXPECT_EQ(info.notes.empty() ? "" : info.notes.back(), note_on_h(info.universe));
  }
}

TEST_F(GadgetSet, ComparesUnitsWhereverTheyAreNamed) {
  const auto units = [](double length, double mass) {
    return [=](const Hdf5Handle& file) {
      create_group(file, "Units");
      set(file, "Units", "UnitLength_in_cm", length);
      if (mass == 0) return;
      set(file, "Units", "UnitMass_in_g", mass);
      set(file, "Units", "UnitVelocity_in_cm_per_s", 7);
    };
  };
  const GadgetFile plain{.types = {{.type = 1, .count = 4}}};  // its /Parameters has 3 cm, 5 g, 7 cm/s
  EXPECT_EQ(error_of_changed(plain, units(3.0001, 5)), "no error");
  EXPECT_TRUE(names(error_of_changed(plain, units(3000, 5)), {"/Parameters: the units are 3 cm", "but 3000 cm", "in.hdf5: /Units"}));
  EXPECT_EQ(error_of_changed(plain, units(3000, 0)), "no error");
  ReadInfo info;
  read_particles(directory.file("in.hdf5"), comm, &info);
  ASSERT_EQ(info.notes.size(), 1U);
  EXPECT_TRUE(names(info.notes[0], {"in.hdf5: /Units names some of the units", "left out"}));
  EXPECT_EQ(info.units->length_in_cm, 3);

  write({.types = {{.type = 1, .count = 3}}}, {.types = {{.type = 1, .count = 2, .first = 3}}},
        [](const Hdf5Handle& file) { H5Ldelete(file.id(), "Parameters", H5P_DEFAULT); });
  for (const bool first : {true, false}) {
    info = {};
    read_particles(directory.file(first ? "snap.0.hdf5" : "snap.1.hdf5"), comm, &info);
    EXPECT_EQ(info.units.has_value(), first);
    ASSERT_FALSE(info.notes.empty());
    EXPECT_TRUE(names(info.notes[0], first ? std::vector<std::string>{"snap.0.hdf5 names units, ", "snap.1.hdf5 does not: "}
                                           : std::vector<std::string>{"snap.1.hdf5 does not name units, ", "snap.0.hdf5 does: "}));
  }
}

TEST_F(GadgetSet, TellsOfFilesThatAreNoneOfTheSnapshot) {
  const GadgetFile first{.types = {{.type = 1, .count = 3}}}, second{.types = {{.type = 1, .count = 2, .first = 3}}};
  write(first, second);
  EXPECT_EQ(read_error(directory.path(), comm), "no error");
  if (comm.is_root()) write_gadget_file(directory.file("snap.2.hdf5"), second);
  comm.barrier();
  for (const char* name : {"snap.1.hdf5", ""}) {
    ReadInfo info;
    read_particles(directory.path() + "/" + name, comm, &info);
    ASSERT_FALSE(info.notes.empty());
    EXPECT_TRUE(names(info.notes.back(), {"snap.2.hdf5 is not read", "has 2 file(s)"}));
  }
  if (comm.is_root()) {
    std::filesystem::remove(directory.file("snap.2.hdf5"));
    write_gadget_file(directory.file("snap.hdf5"), first);
  }
  comm.barrier();
  EXPECT_TRUE(names(read_error(directory.path(), comm), {"2 snapshots", "snap.0.hdf5", "snap.hdf5", "name the one"}));
  if (comm.is_root()) {
    std::filesystem::remove(directory.file("snap.1.hdf5"));
    std::filesystem::create_symlink("snap.1.hdf5", directory.file("snap.1.hdf5"));
  }
  comm.barrier();
  EXPECT_TRUE(names(error(), {"snap.1.hdf5: no such file"}));
}

/// Each rank in a directory of its own, as after 'mpirun -n 1 --wdir a ... : -n 1 --wdir b ...'.
class OwnDirectories : public testing::Test {
 protected:
  OwnDirectories() { std::filesystem::current_path(own.path()); }
  ~OwnDirectories() override { std::filesystem::current_path(before); }
  bool is_last_of_several() const { return comm.size() > 1 && comm.rank() == comm.size() - 1; }
  void expect_refused(const std::string& path, const std::string& other) const {
    const std::string error = read_error(path, comm);
    if (comm.size() == 1)
      EXPECT_EQ(error, "no error");
    else
      EXPECT_TRUE(names(error, {other, "is not the same file for all ranks"}));
  }

  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory own;
  std::filesystem::path before = std::filesystem::current_path();
};

TEST_F(OwnDirectories, WithAnotherSecondFileOfASetAreRefused) {
  const auto write = [&](double mass) {
    for (int i = 0; i < 2; ++i)
      write_gadget_file("snap." + std::to_string(i) + ".hdf5",
                        {.types = {{.type = 1, .count = 2, .first = i * mass}}, .total = {0, 4, 0, 0, 0, 0}, .files = 2});
  };
  write(2);
  EXPECT_EQ(read_error("snap.0.hdf5", comm), "no error");
  if (is_last_of_several()) write(3);
  expect_refused("snap.0.hdf5", "snap.1.hdf5");
}

TEST_F(OwnDirectories, WithAnotherSourceOfAVirtualDatasetAreRefused) {
  const auto write_source = [](double first) { write_gadget_file("source.hdf5", {.types = {{.type = 1, .count = 4, .first = first}}}); };
  write_source(0);
  write_gadget_file("in.hdf5", {.types = {{.type = 1, .count = 4}}});
  {
    const Hdf5Handle file(check_hdf5(H5Fopen("in.hdf5", H5F_ACC_RDWR, H5P_DEFAULT), "in.hdf5"), H5Fclose);
    const Hdf5Handle group = open_group(file, "PartType1");
    const hsize_t shape[] = {4, 3};
    const Hdf5Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    // The ranks' files are the same also where a second begins between them.
    H5Pset_obj_track_times(creation.id(), false);
    H5Pset_virtual(creation.id(), space.id(), "source.hdf5", "/PartType1/Coordinates", space.id());
    H5Ldelete(group.id(), "Coordinates", H5P_DEFAULT);
    const Hdf5Handle made(
        check_hdf5(H5Dcreate2(group.id(), "Coordinates", H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                   "Coordinates"),
        H5Dclose);
  }
  EXPECT_EQ(read_error("in.hdf5", comm), "no error");
  if (is_last_of_several()) write_source(1);
  expect_refused("in.hdf5", "source.hdf5");
}

TEST_F(GadgetSet, RefusesNeutrinosInWords) {
  if (comm.is_root())
    write_gadget_file(directory.file("in.hdf5"), {.types = {{.type = 1, .count = 4}, {.type = 6, .count = 2}}, .swift = true});
  comm.barrier();
  EXPECT_TRUE(names(read_error(directory.file("in.hdf5"), comm), {"in.hdf5", "2 particles of type 6", "neutrinos"}));
}

}  // namespace
}  // namespace grove
