// Essential trees, and the forces of all methods over ranks. Every rank makes the same system and takes its share.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "decomposition/domain/essential_tree.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "kernels/walks/tree_walk.hpp"
#include "src/solver/force_method.hpp"
#include "tests/support/built_tree.hpp"
#include "tests/support/force_comparison.hpp"
#include "tests/support/shared_system.hpp"

namespace grove {
namespace {

class EssentialTreeTest : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();
  GravityParameters gravity{.method = "tree", .opening = "barnes"};
  Frame frame;

  bool accepted_for_all(const CellGeometry& cell, std::span<const TargetBox> boxes) const {
    bool all = true;
    const ScaledLaw law = GravityLaw(gravity).at(frame.scale);
    law.visit([&](const auto& opening, const auto& softening) {
      const double support = softening.support();
      for (const TargetBox& box : boxes)
        all = all && accept(opening, cell, box, 1 / frame.scale.length, static_cast<float>(support * support));
    });
    return all;
  }

  TargetBox box_at(double x, double y, double z, double half) const {
    const auto h = static_cast<float>(half / frame.scale.length);
    return {{x, y, z}, {h, h, h}, 0, 1};
  }

  /// Boxes of six ranks: this one (1) and one without particles (3), which have none, near and far ones, and one with two boxes.
  BoxesOfRanks boxes_of_six_ranks() const {
    BoxesOfRanks boxes;
    boxes.add(std::vector{box_at(0, 0, 0, 0.1)});
    boxes.add({});
    boxes.add(std::vector{box_at(3, 1, 0, 0.5)});
    boxes.add({});
    boxes.add(std::vector{box_at(1000, 0, 0, 1)});
    boxes.add(std::vector{box_at(2, 2, 2, 0.3), box_at(-9, 0, 0, 3)});
    return boxes;
  }

  DomainDescription describe(const tests::BuiltTree& built, const BoxMargin& margin = {}) {
    Buffer<BackEnd, std::uint64_t> ends(space);
    const std::vector<std::uint64_t> key = tests::download(space, built.key);
    if (!key.empty()) ends = tests::upload(space, std::vector<std::uint64_t>{key.front(), key.back()});
    const DomainDescription domain =
        describe_domain<BackEnd>(space, built.tree, ends.view(),
                                 {built.particles.position.view(), built.particles.velocity.data(), built.particles.tree_level.data()},
                                 built.frame.cube, built.frame.scale, margin);
    EXPECT_EQ(domain.keys.count, key.size());
    if (!key.empty()) {
      EXPECT_EQ(domain.keys.first, key.front());
      EXPECT_EQ(domain.keys.last, key.back());
    }
    return domain;
  }

  /// The boxes for which `cell` is not accepted.
  std::vector<TargetBox> still_open(const CellGeometry& cell, std::span<const TargetBox> boxes) const {
    std::vector<TargetBox> open;
    for (const TargetBox& box : boxes)
      if (!accepted_for_all(cell, std::span(&box, 1))) open.push_back(box);
    return open;
  }

  /// Walks the tree cut for one rank: links and particles are used once each, and what is closed may be closed. Returns its mass.
  double check_tree(const std::vector<CellLinks>& links, const std::vector<CellGeometry>& geometry, const std::vector<Double4>& particles,
                    std::span<const TargetBox> boxes) const {
    std::vector<int> cell_used(links.size(), 0), particle_used(particles.size(), 0);
    double mass = 0;
    std::vector<std::pair<std::uint32_t, std::vector<TargetBox>>> stack{{0, {boxes.begin(), boxes.end()}}};
    while (!stack.empty()) {
      const auto [c, above] = stack.back();
      stack.pop_back();
      ++cell_used.at(c);
      const CellLinks& cell = links[c];
      const std::vector<TargetBox> open = still_open(geometry[c], above);
      if (cell.particle_count == 0) {
        EXPECT_TRUE(open.empty()) << "a target may need the contents of a closed cell";
      } else {
        // Boxes that lie, in the order of a rank, between two open ones are tested again at the children.
        EXPECT_TRUE(!open.empty() || boxes.size() > 2) << "no target may open this cell";
      }
      if (cell.particle_count == 0) mass += geometry[c].mass * frame.scale.mass;
      for (std::uint32_t k = 0; k < cell.child_count; ++k) stack.emplace_back(cell.first_child + k, open);
      if (cell.child_count > 0 || cell.particle_count == 0) continue;
      double leaf = 0;
      for (std::uint32_t i = cell.first_particle; i < cell.first_particle + cell.particle_count; ++i) {
        ++particle_used.at(i);
        leaf += particles[i].w;
      }
      EXPECT_NEAR(leaf, geometry[c].mass * frame.scale.mass, 1e-6 * leaf) << "a leaf comes with its own particles";
      mass += leaf;
    }
    EXPECT_EQ(std::count(cell_used.begin(), cell_used.end(), 1), static_cast<std::ptrdiff_t>(links.size()));
    EXPECT_EQ(std::count(particle_used.begin(), particle_used.end(), 1), static_cast<std::ptrdiff_t>(particles.size()));
    return mass;
  }
};

/// The trees as they are written, one after the other.
struct Written {
  std::vector<CellLinks> links;
  std::vector<CellGeometry> geometry;
  std::vector<Double4> particles;

  Written(BackEnd& space, const EssentialTrees<BackEnd>& trees, const tests::BuiltTree& built) {
    Buffer<BackEnd, std::byte> messages(space);
    messages.resize_discard(trees.bytes());
    trees.write(space, built.tree, built.particles.position.view(), messages.view());
    const std::vector<std::byte> bytes = tests::download(space, messages);
    for (std::size_t t = 0; t < trees.layout.size(); ++t) {
      if (trees.cell_counts[t] == 0) continue;
      append(links, trees.layout[t].links_in(bytes.data()), trees.cell_counts[t]);
      append(geometry, trees.layout[t].geometry_in(bytes.data()), trees.cell_counts[t]);
      append(particles, trees.layout[t].particles_in(bytes.data()), trees.particle_counts[t]);
    }
  }

 private:
  template <class T>
  static void append(std::vector<T>& to, const T* from, std::uint64_t count) {
    const std::size_t before = to.size();
    to.resize(before + count);
    std::memcpy(static_cast<void*>(to.data() + before), from, count * sizeof(T));
  }
};

TEST_F(EssentialTreeTest, TreesOfAllReceiversAreCompleteAndClosedWhereTheyMayBe) {
  const tests::BuiltTree built(space, tests::plummer_sphere(4000, 1));
  frame = built.frame;
  const auto boxes = boxes_of_six_ranks();
  EssentialTrees<BackEnd> trees(space);
  for (const std::string& opening : opening_names())
    for (const double softening : {0.0, 0.2}) {
      gravity.opening = opening;
      gravity.softening = softening;
      gravity.softening_kernel = "wendland_c2";
      trees.select(space, GravityLaw(gravity).at(frame.scale), built.tree, boxes);
      const auto [links, geometry, particles] = Written(space, trees, built);
      std::size_t cell = 0, particle = 0;
      for (std::size_t r = 0; r < boxes.rank_count(); ++r) {
        SCOPED_TRACE(opening + ", softening " + std::to_string(softening) + ", rank " + std::to_string(r));
        const auto cells = static_cast<std::ptrdiff_t>(trees.cell_counts[r]), count = static_cast<std::ptrdiff_t>(trees.particle_counts[r]);
        const auto l = links.begin() + static_cast<std::ptrdiff_t>(cell);
        const auto g = geometry.begin() + static_cast<std::ptrdiff_t>(cell);
        const auto p = particles.begin() + static_cast<std::ptrdiff_t>(particle);
        if (r == 1 || r == 3) {
          EXPECT_EQ(cells, 0);
          EXPECT_EQ(count, 0);
        } else {
          ASSERT_GT(cells, 0);
          EXPECT_NEAR(check_tree({l, l + cells}, {g, g + cells}, {p, p + count}, boxes.of(r)), 1, 1e-6);
        }
        cell += trees.cell_counts[r];
        particle += trees.particle_counts[r];
      }
      EXPECT_EQ(cell, links.size());
      EXPECT_EQ(particle, particles.size());
      EXPECT_EQ(trees.cell_counts[4], 1u) << "a rank far away gets the root alone";
      EXPECT_EQ(trees.particle_counts[4], 0u);
      EXPECT_LT(trees.cell_counts[5], links.size() / 2);
    }
}

// The positions have changed, the cells and what is selected of them have not.
TEST_F(EssentialTreeTest, AreWrittenAgainAsTheCellsNowAre) {
  tests::BuiltTree built(space, tests::plummer_sphere(4000, 1));
  frame = built.frame;
  EssentialTrees<BackEnd> trees(space);
  trees.select(space, GravityLaw(gravity).at(frame.scale), built.tree, boxes_of_six_ranks());
  const Written before(space, trees, built);
  const Double3 shift{0.125, -0.25, 0.5};
  std::vector<Double4> position = tests::download(space, built.particles.position);
  for (Double4& p : position) p = {p.x + shift.x, p.y + shift.y, p.z + shift.z, p.w};
  copy_from_host<BackEnd, Double4>(space, position, built.particles.position.view());
  built.find_moments(space);
  const Written after(space, trees, built);
  ASSERT_EQ(after.geometry.size(), before.geometry.size());
  ASSERT_EQ(after.particles.size(), before.particles.size());
  ASSERT_GT(after.particles.size(), 100U);
  for (std::size_t c = 0; c < after.geometry.size(); ++c) {
    const Double3 moved = after.geometry[c].centre_of_mass - before.geometry[c].centre_of_mass;
    ASSERT_LT(std::abs(moved.x - shift.x) + std::abs(moved.y - shift.y) + std::abs(moved.z - shift.z), 1e-6) << c;
  }
  for (std::size_t i = 0; i < after.particles.size(); ++i) ASSERT_EQ(after.particles[i].y, before.particles[i].y + shift.y) << i;
}

TEST_F(EssentialTreeTest, AreSelectedAsSaved) {
  const tests::BuiltTree built(space, tests::plummer_sphere(4000, 1));
  frame = built.frame;
  const BoxesOfRanks boxes = boxes_of_six_ranks();
  EssentialTrees<BackEnd> trees(space), restored(space);
  trees.select(space, GravityLaw(gravity).at(frame.scale), built.tree, boxes);
  std::vector<std::uint64_t> closed = trees.closed_cells(space);
  restored.select(space, built.tree, boxes, closed);
  EXPECT_EQ(restored.cell_counts, trees.cell_counts);
  EXPECT_EQ(restored.particle_counts, trees.particle_counts);
  EXPECT_EQ(restored.closed_cells(space), closed);
  const Written a(space, trees, built), b(space, restored, built);
  ASSERT_EQ(a.links.size(), b.links.size());
  EXPECT_EQ(std::memcmp(a.links.data(), b.links.data(), a.links.size() * sizeof(CellLinks)), 0);
  EXPECT_TRUE(tests::same_bits(a.particles, b.particles));
  closed.pop_back();
  EXPECT_THROW(restored.select(space, built.tree, boxes, closed), DataError);
}

// The velocities of particle i are i times (-1, 0.5, 7).
TEST_F(EssentialTreeTest, AMarginEnlargesBoxesByTheRangeOfVelocities) {
  const tests::BuiltTree built(space, tests::plummer_sphere(4000, 1));
  frame = built.frame;
  const double time = 0x1p-20;
  const DomainDescription exact = describe(built), wide = describe(built, {time, 0.25F});
  ASSERT_EQ(exact.fine.size(), wide.fine.size());
  for (std::size_t b = 0; b < exact.fine.size(); ++b) {
    const TargetBox &one = exact.fine[b], &other = wide.fine[b];
    EXPECT_EQ(other.least_acceleration, 0.25F * one.least_acceleration);
    double range[3];
    for (int k = 0; k < 3; ++k) range[k] = (other.half_size[k] - one.half_size[k]) * frame.scale.length / time;
    const double rounding = 1e-6 * one.half_size[2] * frame.scale.length / time;
    EXPECT_LE(range[0], 4000);
    EXPECT_NEAR(range[1], 0.5 * range[0], rounding);
    EXPECT_NEAR(range[2], 7 * range[0], 14 * rounding + 1);
    // Ids of neighbours have nothing to do with each other.
    if (one.half_size[0] > 0) {
      EXPECT_GT(range[0], 0);
    }
  }
}

TEST_F(EssentialTreeTest, DomainBoxesHoldAllTargets) {
  for (const auto& [name, system] : tests::hard_systems()) {
    SCOPED_TRACE(name);
    const tests::BuiltTree built(space, system);
    const DomainDescription boxes = describe(built);
    ASSERT_GT(boxes.coarse.size(), 0U);
    ASSERT_LE(boxes.coarse.size(), coarse_box_capacity);
    ASSERT_GE(boxes.fine.size(), boxes.coarse.size());
    if (system.size() > 1000 && built.tree.cell_count() > 1000) {
      EXPECT_GT(boxes.fine.size(), 150U);
    }
    for (const std::vector<TargetBox>* set : {&boxes.coarse, &boxes.fine})
      for (const Double4& p : system) {
        bool inside = false;
        for (const TargetBox& box : *set) {
          const Double3 d = position_of(p) - box.centre;
          const double rounding = 1e-15 * std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), L = built.frame.scale.length;
          inside |= std::abs(d.x) <= box.half_size[0] * L + rounding && std::abs(d.y) <= box.half_size[1] * L + rounding &&
                    std::abs(d.z) <= box.half_size[2] * L + rounding;
        }
        ASSERT_TRUE(inside);
      }
  }
  const DomainDescription none = describe(tests::BuiltTree(space, {}));
  EXPECT_TRUE(none.coarse.empty());
  EXPECT_TRUE(none.fine.empty());
}

class ForceOverRanks : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();
  GravityParameters gravity{.method = "tree", .opening = "barnes"};
  std::unique_ptr<tests::SharedSystem> shared;  ///< that of the last forces

  std::vector<Double4> forces_of(const std::vector<Double4>& system) {
    shared = std::make_unique<tests::SharedSystem>(space, comm, gravity, system);
    shared->compute_forces();
    return shared->forces_by_id();
  }
  tests::ForceErrors errors(const std::vector<Double4>& system) {
    return {forces_of(system), tests::reference_forces(space, gravity, system)};
  }
};

TEST_F(ForceOverRanks, OfTheTreeAgreeWithDirectSummationUnderEveryCriterionAndSoftening) {
  const auto system = tests::plummer_sphere(2000, 2);
  tests::set_accuracy(gravity, 0.5);
  gravity.G = 3;
  tests::for_every_law(gravity, {0.0, 0.1}, [&] {
    const tests::ForceErrors e = errors(system);
    EXPECT_LT(e.acceleration(0.99), 5e-3);
    EXPECT_LT(e.potential(0.99), 1e-3);
  });
}

TEST_F(ForceOverRanks, OfTheTreeBecomeThoseOfDirectSummationWithTheta) {
  const auto system = tests::plummer_sphere(1500, 3);
  gravity.theta = 1e-3;
  const tests::ForceErrors e = errors(system);
  EXPECT_LT(e.acceleration(0.99), 1e-5);
  EXPECT_LT(e.potential(1), 5e-6);
}

TEST_F(ForceOverRanks, OfHardSystemsAgreeWithDirectSummation) {
  for (const std::string& name : method_names()) {
    gravity.method = name;
    // For the same accuracy: a softened line is what is hardest. Its errors change by a factor of two with the place of the key cube, which
    // is another one on several ranks.
    gravity.theta = name == "fmm" ? 0.2 : 0.35;
    for (const double softening : {0.0, 0.05})
      for (const auto& [system_name, system] : tests::hard_systems()) {
        SCOPED_TRACE(name + ", " + system_name);
        double extent = 0;
        for (const Double4& p : system) extent = std::max(extent, std::abs(p.x));
        gravity.softening = softening * std::min(extent, 10.0);
        if (extent > 1e15) gravity.softening = softening * extent;
        const tests::ForceErrors e = errors(system);
        EXPECT_TRUE(e.all_finite());
        EXPECT_LT(e.acceleration(0.99), name == "direct" ? 1e-11 : 5e-3);
        EXPECT_LT(e.potential(0.99), name == "direct" ? 1e-11 : 1e-3);
      }
  }
}

TEST_F(ForceOverRanks, AreThereForAllParticlesOnOneRankFewerThanRanksOneAndNone) {
  for (const std::string& name : method_names()) {
    gravity.method = name;
    gravity.theta = name == "fmm" ? 0.5 : 0.6;  // for the same accuracy
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{600}}) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      const auto system = tests::plummer_sphere(n, 4);
      tests::SharedSystem on_last(space, comm, gravity, system);
      const auto last = static_cast<std::size_t>(comm.size() - 1);
      tests::take_share(space, comm, system, on_last.particles(), [=](std::size_t) { return last; });
      // Twice: the second time from the domains of the first, with measured work.
      for (int round = 0; round < 2; ++round) {
        on_last.compute_forces();
        const tests::ForceErrors e(on_last.forces_by_id(), tests::reference_forces(space, gravity, system));
        EXPECT_LT(e.acceleration(0.99), 5e-3);
        EXPECT_LT(e.potential(1), 5e-3);
      }
    }
  }
}

TEST_F(ForceOverRanks, SoftenAPointOfManyParticlesInAnyUnits) {
  for (const std::string& kernel : softening_names())
    for (const auto& [at, softening] :
         {std::pair{0.0, 1e-3}, std::pair{0.0, 1.0}, std::pair{0.0, 1e21}, std::pair{1e21, 1e19}, std::pair{1e-25, 1e-26}}) {
      SCOPED_TRACE(kernel + " at " + std::to_string(std::log10(at)) + ", softening 10^" + std::to_string(std::log10(softening)));
      gravity.softening_kernel = kernel;
      gravity.softening = softening;
      for (const Double4& a : forces_of(std::vector<Double4>(70, Double4{at, 0, 0, 0.5}))) {
        ASSERT_NEAR(a.w * softening, -0.5 * 69, 1e-4);
        ASSERT_EQ(a.x, 0);
        ASSERT_EQ(a.y, 0);
      }
    }
}

TEST_F(ForceOverRanks, HaveTheSameBitsTwice) {
  const auto system = tests::plummer_sphere(3000, 5);
  gravity.softening = 0.01;
  for (const std::string& name : method_names())
    for (const std::string opening : {"barnes", "relative"}) {
      gravity.method = name;
      gravity.opening = opening;
      const auto once = forces_of(system);
      EXPECT_TRUE(tests::same_bits(once, forces_of(system))) << name << ", " << opening;
    }
}

TEST_F(ForceOverRanks, ImportTheLessTheLargerTheta) {
  const auto system = tests::plummer_sphere(6000, 6);
  std::uint64_t last = ~std::uint64_t{0};
  for (const double theta : {0.3, 0.6, 1.2}) {
    gravity.theta = theta;
    forces_of(system);
    const WorkCounts counts = shared->solver().work_counts();
    const std::uint64_t imported = comm.sum(counts.imported_cells + counts.imported_particles);
    EXPECT_LT(counts.imported_particles, 6000u - shared->particles().size() + 1);
    if (comm.size() == 1) {
      EXPECT_EQ(imported, 0u);
    } else {
      EXPECT_GT(imported, 0u);
      EXPECT_LT(imported, last);
    }
    last = imported;
  }
}

TEST_F(ForceOverRanks, MeasureWorkThatTheNextExchangeBalances) {
  auto system = tests::plummer_sphere(3000, 7);
  for (std::size_t i = 0; i < 6000; ++i)
    system.push_back(
        {40 + 0.01 * static_cast<double>(i % 97), 0.013 * static_cast<double>(i % 89), 0.01 * static_cast<double>(i / 89), 1e-5});
  forces_of(system);
  shared->compute_forces();
  double work = 0;
  for (const std::uint32_t w : tests::download(space, shared->particles().work)) {
    ASSERT_GT(w, 0u);
    work += w;
  }
  EXPECT_LT(comm.max(work) * comm.size() / comm.sum(work), 1.25);
  const WorkCounts counts = shared->solver().work_counts();
  const double slots = static_cast<double>(slots_particle_particle * counts.particle_particle + slots_cell_particle * counts.cell_particle +
                                           slots_opening_test * counts.opening_tests);
  EXPECT_NEAR(work, slots, 0.01 * slots);
}

TEST_F(ForceOverRanks, AnUnknownMethodIsAnError) {
  gravity.method = "guess";
  EXPECT_THROW(make_force_solver(space, comm, gravity, TransportWay::automatic), ConfigError);
}

}  // namespace
}  // namespace grove
