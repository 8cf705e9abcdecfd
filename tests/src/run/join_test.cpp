// Particles of several files in one: places, ids, components, units. On any number of ranks.
#include "src/run/start/join.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "decomposition/domain/sort_by_id.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/base/error.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

struct Component {
  std::uint8_t type;
  std::string name;
  std::uint64_t count;
};

class JoinTest : public testing::Test {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
  const TemporaryDirectory directory_{comm_};

  // The root removes the files, which others may still read.
  void TearDown() override { comm_.barrier(); }

  std::string file(const std::string& name) const { return directory_.file(name.c_str()); }

  /// A snapshot of random particles with these components and ids from `first_id` on.
  std::string write(const std::string& name, const std::vector<Component>& components, std::uint64_t first_id = 0,
                    const UnitSystem& units = {}, double G = 1, const std::vector<double>& softening_of_type = {}) const {
    std::uint64_t n = 0;
    for (const Component& c : components) n += c.count;
    ParticleSet all = plummer(n, 7 + n);
    SnapshotHeader header;
    header.units = units;
    header.G = G;
    header.softening_of_type = softening_of_type;
    std::size_t i = 0;
    for (const Component& c : components) {
      header.components[c.type] = c.name;
      for (std::uint64_t k = 0; k < c.count; ++k) all.type[i++] = c.type;
    }
    for (std::uint64_t& id : all.id) id += first_id;
    write_snapshot(file(name), share_of(all, comm_), header, comm_);
    return file(name);
  }

  ParticleSet read(const std::string& path) const { return everywhere(read_particles(path, comm_)); }

  /// The particles of all ranks by id.
  ParticleSet everywhere(const ParticleSet& local) const {
    const auto join = [&](const auto& values) {
      return comm_.all_gather_vectors(std::span<const typename std::decay_t<decltype(values)>::value_type>(values));
    };
    const ParticleSet all{join(local.position), join(local.velocity), join(local.mass), join(local.id), join(local.type), {}, {}};
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all.id[a] < all.id[b]; });
    return picked(all, order);
  }

  /// A table of particles of mass 1 on the x axis.
  std::string table(const std::string& name, int count) const {
    comm_.agree([&] {
      if (!comm_.is_root()) return;
      std::ofstream out(file(name));
      for (int i = 0; i < count; ++i) out << "1 " << i << " 0 0 0 0 0\n";
    });
    return file(name);
  }

  TypeCounts counts_of(const InitialState& joined) const { return count_of_types(joined.particles, comm_); }

  void expect_error(const std::vector<JoinPart>& parts, const std::string& text, const JoinChoice& choice = {}) const {
    try {
      join_files(parts, choice, comm_);
      ADD_FAILURE() << "no error with " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
};

TEST_F(JoinTest, TurnsShiftsAndBoostsTheSecondFileAndRaisesItsIds) {
  const std::string a = write("a.hdf5", {{1, "halo", 40}}, 5), b = write("b.hdf5", {{1, "halo", 30}}, 2);
  const InitialState joined = join_files({{a}, {b, {90, 0, 90}, {10, -20, 30}, {1, 2, 3}}}, {}, comm_);
  EXPECT_EQ(joined.count, 70u);
  const ParticleSet of_a = read(a), of_b = read(b), all = everywhere(joined.particles);
  ASSERT_EQ(all.size(), 70u);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(all.id[i], of_a.id[i]);
    EXPECT_EQ(distance(all.position, of_a.position, i), 0);
    EXPECT_EQ(distance(all.velocity, of_a.velocity, i), 0);
  }
  // About x by 90 degrees: (x, -z, y); then about z: (z, x, y).
  for (std::size_t i = 0; i < 30; ++i) {
    const std::size_t k = 40 + i;
    EXPECT_EQ(all.id[k], of_b.id[i] + 45) << "the largest of the first file is 44";
    EXPECT_EQ(all.mass[k], of_b.mass[i]);
    const double *x = &of_b.position[3 * i], *v = &of_b.velocity[3 * i];
    const double place[3] = {x[2] + 10, x[0] - 20, x[1] + 30}, speed[3] = {v[2] + 1, v[0] + 2, v[1] + 3};
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(all.position[3 * k + d], place[d], 1e-14 * 50);
      EXPECT_NEAR(all.velocity[3 * k + d], speed[d], 1e-14 * 5);
    }
  }
}

TEST_F(JoinTest, RenumbersFilesWhoseIdsOccurTwice) {
  const std::string twice = file("twice.tab"), a = write("a.hdf5", {{1, "halo", 4}}, 5);
  if (comm_.is_root()) std::ofstream(twice) << "id m x y z vx vy vz\n0 1 0 0 0 0 0 0\n0 2 1 0 0 0 0 0\n0 3 2 0 0 0 0 0\n";
  comm_.barrier();
  expect_error({{a}, {twice}}, "id 0 occurs more than once; ids must be unique. --renumber replaces them");
  const ParticleSet all = everywhere(join_files({{.file = a, .renumber = true}, {.file = twice, .renumber = true}}, {}, comm_).particles);
  EXPECT_EQ(all.id, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(all.mass[6], 3);
}

TEST_F(JoinTest, RecentresAllOnTheSameBitsForAnyNumberOfRanks) {
  const std::string a = write("a.hdf5", {{1, "halo", 400}}), b = write("b.hdf5", {{1, "halo", 301}});
  const std::vector<JoinPart> parts{{a}, {b, {}, {7, 0, 1}, {0, 0.5, 0}}};
  const Communicator self(MPI_COMM_SELF);
  const ParticleSet all = everywhere(join_files(parts, {.recentre = true}, comm_).particles);
  const ParticleSet alone = sort_by_id(join_files(parts, {.recentre = true}, self).particles, self);
  EXPECT_EQ(all.position, alone.position);
  EXPECT_EQ(all.velocity, alone.velocity);
  for (const auto* field : {&all.position, &all.velocity})
    for (std::size_t d = 0; d < 3; ++d) {
      long double sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i) sum += static_cast<long double>(all.mass[i]) * (*field)[3 * i + d];
      EXPECT_NEAR(static_cast<double>(sum) / 2, 0, 1e-15);
    }
}

TEST_F(JoinTest, KeepsComponentsOfOneNameApart) {
  const std::string a = write("a.hdf5", {{1, "halo", 10}, {2, "disc", 10}});
  const std::string b = write("b.hdf5", {{2, "disc", 6}, {3, "bulge", 7}});
  const InitialState joined = join_files({{a}, {b}}, {}, comm_);
  EXPECT_EQ(joined.components[1], "halo");
  EXPECT_EQ(joined.components[2], "disc");
  EXPECT_EQ(joined.components[3], "bulge");
  EXPECT_EQ(joined.components[4], "disc 2") << "the first that is free, and not gas";
  EXPECT_EQ(counts_of(joined), (TypeCounts{0, 10, 10, 7, 6, 0}));
  EXPECT_EQ(joined.description, "halo of " + a + " is \"halo\", type 1\ndisc of " + a + " is \"disc\", type 2\ndisc of " + b +
                                    " is now \"disc 2\", type 4\nbulge of " + b + " is \"bulge\", type 3\n");
}

TEST_F(JoinTest, NumbersNamesThatAreTaken) {
  const std::string a = write("a.hdf5", {{1, "disc", 1}, {2, "galaxy 1", 2}}), b = write("b.hdf5", {{1, "disc", 3}, {4, "disc 2", 4}});
  const InitialState joined = join_files({{a}, {b}, {write("c.hdf5", {{1, "galaxy 1", 5}})}}, {}, comm_);
  EXPECT_EQ(joined.components[4], "disc 2") << "a name of its own stays where it can";
  EXPECT_EQ(joined.components[3], "disc 3");
  EXPECT_EQ(joined.components[5], "galaxy 2");
  EXPECT_EQ(counts_of(joined), (TypeCounts{0, 1, 2, 3, 4, 5}));
}

TEST_F(JoinTest, MergesComponentsOfOneNameWhereAsked) {
  const std::string a = write("a.hdf5", {{1, "halo", 10}, {2, "disc", 10}});
  const std::string b = write("b.hdf5", {{1, "halo", 5}, {2, "galaxy 2", 6}, {3, "bulge", 7}, {4, "disc", 8}});
  const InitialState joined = join_files({{a}, {b}}, {.merge = true}, comm_);
  EXPECT_EQ(joined.components[4], "galaxy 2");
  EXPECT_EQ(counts_of(joined), (TypeCounts{0, 15, 18, 7, 6, 0}));
  for (const std::string& line :
       {"disc of " + b + " is now part of \"disc\", type 2\n", "galaxy 2 of " + b + " is now \"galaxy 2\", type 4\n"})
    EXPECT_NE(joined.description.find(line), std::string::npos) << joined.description;
}

/// The softening lengths by type; 0 without one.
std::vector<double> softenings_of(const InitialState& joined) {
  std::vector<double> of_type(particle_type_count, 0);
  for (const FileSoftening& s : joined.info.softenings) of_type.at(static_cast<std::size_t>(s.type)) = s.highest;
  return of_type;
}

TEST_F(JoinTest, KeepsTheSofteningOfEachComponent) {
  const std::string a = write("a.hdf5", {{1, "halo", 10}, {2, "disc", 10}}, 0, {}, 1, {0, 0.5, 0.1, 0, 0, 0});
  const std::string b = write("b.hdf5", {{2, "disc", 6}, {3, "bulge", 7}}, 0, {}, 1, {0, 0, 0.2, 0.05, 0, 0});
  EXPECT_EQ(softenings_of(join_files({{a}, {b}}, {}, comm_)), (std::vector<double>{0, 0.5, 0.1, 0.05, 0.2, 0}));
  EXPECT_EQ(softenings_of(join_files({{a}, {a}}, {.merge = true}, comm_)), (std::vector<double>{0, 0.5, 0.1, 0, 0, 0}));
}

TEST_F(JoinTest, SaysWhySofteningsAreNotKept) {
  const std::string a = write("a.hdf5", {{1, "halo", 10}, {2, "disc", 10}}, 0, {}, 1, {0, 0.5, 0.1, 0, 0, 0});
  const std::string b = write("b.hdf5", {{2, "disc", 6}}, 0, {}, 1, {0, 0, 0.2, 0, 0, 0}), none = table("none.tab", 2);
  const auto note_of = [&](const InitialState& joined) {
    EXPECT_EQ(softenings_of(joined), std::vector<double>(particle_type_count, 0));
    for (const std::string& note : joined.info.notes)
      if (note.find("no softening") != std::string::npos) return note;
    return std::string();
  };
  EXPECT_NE(note_of(join_files({{a}, {b}}, {.merge = true}, comm_)).find("0.2 where the files before it have 0.1"), std::string::npos);
  EXPECT_NE(note_of(join_files({{a}, {none}}, {}, comm_)).find(none + " has none"), std::string::npos);
  EXPECT_EQ(note_of(join_files({{none}, {none}}, {}, comm_)), "") << "nobody expects one";
}

// A table says nothing of its particles: they are taken to be of type 1.
TEST_F(JoinTest, NeverMergesNamesThatAreOnlyAssumed) {
  const std::string a = table("a.tab", 2), b = write("b.hdf5", {{1, "halo", 3}}), c = write("c.hdf5", {{1, "halo", 4}});
  const InitialState joined = join_files({{b}, {a}, {a}, {c}}, {.merge = true}, comm_);
  EXPECT_EQ(counts_of(joined), (TypeCounts{0, 7, 2, 2, 0, 0}));
  EXPECT_EQ(joined.components[1], "halo");
  EXPECT_EQ(joined.components[2], "halo 2");
  EXPECT_EQ(joined.components[3], "halo 3");
  EXPECT_NE(joined.description.find("type 1 of " + a + ", which has no name there, is now \"halo 2\", type 2\n"), std::string::npos)
      << joined.description;
}

TEST_F(JoinTest, GivesTheNamesAndTypesThatAreAskedFor) {
  const std::string a = table("a.tab", 2), b = write("b.hdf5", {{1, "halo", 3}, {2, "disc", 4}});
  const InitialState joined =
      join_files({{.file = b, .names = {"", "thin disc"}}, {.file = a, .names = {"bulge"}, .types = {3}}}, {}, comm_);
  EXPECT_EQ(joined.components[1], "halo");
  EXPECT_EQ(joined.components[2], "thin disc");
  EXPECT_EQ(joined.components[3], "bulge");
  EXPECT_EQ(counts_of(joined), (TypeCounts{0, 3, 4, 2, 0, 0}));
  const JoinPart stars{.file = a, .names = {"stars"}};
  EXPECT_EQ(counts_of(join_files({stars, stars}, {.merge = true}, comm_)), (TypeCounts{0, 4, 0, 0, 0, 0}))
      << "a name that is given can merge";
}

TEST_F(JoinTest, RefusesNamesAndTypesThatDoNotFit) {
  const std::string a = write("a.hdf5", {{1, "halo", 3}, {2, "disc", 4}});
  expect_error({{.file = a, .names = {"bulge"}}}, "--name has 1 for " + a + ", whose components are 2 (halo, disc)");
  expect_error({{a}, {.file = a, .types = {2, std::nullopt}}}, "--type 2: \"disc\" of " + a + " has this type, so \"halo 2\"");
  expect_error({{a}, {.file = a, .types = {std::nullopt, 5}}}, "--type 5: --merge puts \"disc\" together", {.merge = true});
}

TEST_F(JoinTest, RefusesMoreComponentsThanTypes) {
  const std::string a = write("a.hdf5", {{1, "one", 2}, {2, "two", 2}, {3, "three", 2}});
  const std::string b = write("b.hdf5", {{1, "four", 2}, {2, "five", 2}});
  const std::string c = write("c.hdf5", {{1, "one", 2}});
  EXPECT_EQ(join_files({{a}, {b}}, {}, comm_).components[5], "five");
  expect_error({{a}, {b}, {c}}, "no particle type left for its component \"one 2\"");
  expect_error({{a}, {b}, {c}}, "--merge makes one component of those that have one name");
  EXPECT_EQ(join_files({{a}, {b}, {c}}, {.merge = true}, comm_).count, 12u);
}

TEST_F(JoinTest, RefusesOtherUnitsAndAnotherG) {
  const UnitSystem kpc{3.0857e21, 1.98841e43, 1e5}, pc{3.0857e18, 1.98841e33, 1e5};
  const std::string a = write("a.hdf5", {{1, "halo", 2}}, 0, kpc, 43007), b = write("b.hdf5", {{1, "halo", 2}}, 0, pc, 0.0043007);
  const std::string c = write("c.hdf5", {{1, "halo", 2}}, 0, kpc, 1);
  expect_error({{a}, {b}}, "unit of length in cm of 3.0857e+18");
  expect_error({{a}, {c}}, "G = 1");
  EXPECT_EQ(join_files({{a}, {a}}, {}, comm_).info.units->length_in_cm, 3.0857e21);
  const std::string n_body = write("n.hdf5", {{1, "halo", 2}});
  expect_error({{a}, {n_body}}, "n.hdf5 has N-body units, ");
  expect_error({{n_body}, {a}}, "a.hdf5 has units of 1.000007 kpc");
}

TEST_F(JoinTest, SaysWhereAFileNamesNoUnits) {
  const std::string a = write("a.hdf5", {{1, "halo", 2}}), b = table("b.tab", 2);
  const InitialState joined = join_files({{a}, {b}}, {}, comm_);
  bool is_said = false;
  for (const std::string& note : joined.info.notes) is_said = is_said || note.find("names no units") != std::string::npos;
  EXPECT_TRUE(is_said);
  expect_error({{b}, {a}}, "a.hdf5 has N-body units, ");
  expect_error({{b}, {a}}, "begin with");
}

// GADGET-4 and SWIFT name units and no G.
TEST_F(JoinTest, TakesGFromTheFirstFileThatNamesIt) {
  const std::string without = write("a.hdf5", {{1, "halo", 2}}, 0, {3.0857e21, 1.98841e43, 1e5}, 7);
  const std::string with = write("b.hdf5", {{1, "halo", 2}}, 0, {3.0857e21, 1.98841e43, 1e5}, 43007);
  const std::string other = write("c.hdf5", {{1, "halo", 2}}, 0, {3.0857e21, 1.98841e43, 1e5}, 1);
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    const Hdf5Handle file(check_hdf5(H5Fopen(without.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), without), H5Fclose);
    check_hdf5(H5Adelete_by_name(file.id(), "/Units", "G", H5P_DEFAULT), "G");
  });
  EXPECT_FALSE(join_files({{without}, {without}}, {}, comm_).info.G);
  EXPECT_EQ(join_files({{without}, {with}}, {}, comm_).info.G, 43007);
  expect_error({{without}, {with}, {other}}, "c.hdf5 has G = 1, ");
  expect_error({{without}, {with}, {other}}, "b.hdf5 has 43007");
}

TEST_F(JoinTest, RefusesIdsThatWouldOverflow) {
  const std::string a = write("a.hdf5", {{1, "halo", 2}}),
                    b = write("b.hdf5", {{1, "halo", 2}}, std::numeric_limits<std::uint64_t>::max() - 1);
  expect_error({{a}, {b}}, "overflow");
  expect_error({{b}, {a}}, "overflow");
}

}  // namespace
}  // namespace grove::tests
