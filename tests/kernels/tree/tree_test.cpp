// Sorting, the tree, its moments and the target groups, on systems that break trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "kernels/walks/tree_walk.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using tests::BuiltTree;
using tests::HostTree;

double norm(const Double3& d) { return std::sqrt(dot(d, d)); }

class TreeTest : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();

  /// Calls check(tree) for the tree over each hard system.
  void for_each_system(const std::function<void(const HostTree&)>& check, ExpansionForm form = {}) {
    for (const auto& [name, particles] : tests::hard_systems()) {
      SCOPED_TRACE(name + ", order " + std::to_string(form.order) + (form.harmonic ? ", harmonic" : ""));
      check(HostTree(space, BuiltTree(space, particles, nullptr, form)));
    }
  }
};

using ParticleSort = TreeTest;
using TreeBuild = TreeTest;
using Moments = TreeTest;

TEST_F(ParticleSort, KeepsEachParticlesFieldsAndTheMagnitudeOfItsAccelerationTogether) {
  const auto system = tests::plummer_sphere(3000, 1);
  const BuiltTree built(space, system);
  const auto position = tests::download(space, built.particles.position);
  const auto magnitude = tests::download(space, built.last_acceleration);
  const auto velocity = tests::download(space, built.particles.velocity);
  const auto id = tests::download(space, built.particles.id), key = tests::download(space, built.key);
  const auto work = tests::download(space, built.particles.work);
  const auto type = tests::download(space, built.particles.type);
  EXPECT_TRUE(std::is_sorted(key.begin(), key.end()));
  std::vector<bool> seen(system.size(), false);
  for (std::size_t i = 0; i < system.size(); ++i) {
    ASSERT_LT(id[i], system.size());
    ASSERT_FALSE(seen[id[i]]);
    seen[id[i]] = true;
    const tests::TestParticle r = tests::record_of(id[i], system[id[i]]);
    ASSERT_EQ(key[i], morton_key(r.position, built.frame.cube));
    ASSERT_EQ(position[i].x, r.position.x);
    ASSERT_EQ(position[i].w, r.position.w);
    ASSERT_FLOAT_EQ(magnitude[i], static_cast<float>(norm(position_of(r.acceleration))));
    ASSERT_EQ(velocity[i].z, r.velocity.z);
    ASSERT_EQ(work[i], r.work);
    ASSERT_EQ(type[i], r.type);
  }
}

TEST_F(ParticleSort, KeepsTheOrderOfEqualKeys) {
  const HostTree tree(space, BuiltTree(space, std::vector<Double4>(5000, Double4{1, 1, 1, 1})));
  EXPECT_TRUE(std::is_sorted(tree.id.begin(), tree.id.end()));
}

TEST_F(TreeBuild, OfNoParticlesHasNoCells) {
  const BuiltTree built(space, {});
  EXPECT_EQ(built.tree.cell_count(), 0u);
  EXPECT_EQ(built.view().root_count, 0u);
  EXPECT_EQ(built.group_start.size(), 0u);
}

TEST_F(TreeBuild, EveryParticleIsInExactlyOneLeaf) {
  for_each_system([](const HostTree& t) {
    std::vector<int> leaves(t.position.size(), 0);
    for (const CellLinks& cell : t.links)
      if (cell.child_count == 0)
        for (std::uint32_t i = 0; i < cell.particle_count; ++i) ++leaves.at(cell.first_particle + i);
    EXPECT_EQ(std::count(leaves.begin(), leaves.end(), 1), static_cast<std::ptrdiff_t>(leaves.size()));
  });
}

TEST_F(TreeBuild, EveryCellButTheRootIsTheChildOfOneCellOfTheLevelAbove) {
  for_each_system([](const HostTree& t) {
    EXPECT_EQ(t.level_offset[0], 0u);
    EXPECT_EQ(t.level_offset[1], 1u);
    EXPECT_TRUE(std::is_sorted(t.level_offset.begin(), t.level_offset.end()));
    EXPECT_EQ(t.level_offset.back(), t.links.size());
    EXPECT_EQ(t.links[0].particle_count, t.position.size());
    std::uint32_t next = 1;  // in order, each cell's children follow those of the cell before
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      if (t.links[c].child_count == 0) continue;
      ASSERT_EQ(t.links[c].first_child, next);
      next += t.links[c].child_count;
      ASSERT_EQ(t.level_of(t.links[c].first_child), t.level_of(c) + 1);
      ASSERT_EQ(t.level_of(next - 1), t.level_of(c) + 1);
    }
    EXPECT_EQ(next, t.links.size());
  });
}

TEST_F(TreeBuild, TellsHowManyLevelsAWalkCanMeet) {
  const auto levels_of = [&](const std::vector<Double4>& position) {
    const BuiltTree built(space, position);
    const std::vector<CellLinks> links = tests::download(space, built.tree.links);
    std::vector<std::uint32_t> level(links.size(), 1);  // children come after their parents
    for (std::size_t c = 0; c < links.size(); ++c)
      for (std::uint32_t k = 0; k < links[c].child_count; ++k) level[links[c].first_child + k] = level[c] + 1;
    EXPECT_EQ(built.view().levels, links.empty() ? 0 : *std::max_element(level.begin(), level.end()));
    return built.view().levels;
  };
  EXPECT_EQ(levels_of({}), 0u);
  EXPECT_EQ(levels_of({{1, 2, 3, 1}}), 1u);
  EXPECT_GT(levels_of(tests::plummer_sphere(5000, 1)), 4u);
  // More particles in one place than a leaf may have: down to the deepest level.
  std::vector<Double4> heap(largest_leaf + 1, Double4{0.3, 0.3, 0.3, 1});
  heap.push_back({-1, -1, -1, 1});
  EXPECT_EQ(levels_of(heap), static_cast<std::uint32_t>(deepest_level) + 1);
}

TEST_F(TreeBuild, ChildrenDivideTheirParentsParticlesInMortonOrder) {
  for_each_system([](const HostTree& t) {
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      const CellLinks& cell = t.links[c];
      const int level = t.level_of(c);
      ASSERT_GT(cell.particle_count, 0u);
      ASSERT_EQ(t.key[cell.first_particle] >> bits_below(level), t.key[cell.first_particle + cell.particle_count - 1] >> bits_below(level));
      std::uint32_t particle = cell.first_particle;
      for (std::uint32_t k = 0; k < cell.child_count; ++k) {
        const CellLinks& child = t.links[cell.first_child + k];
        ASSERT_EQ(child.first_particle, particle);
        if (k > 0) {
          ASSERT_LT(t.key[particle - 1] >> bits_below(level + 1), t.key[particle] >> bits_below(level + 1));
        }
        particle += child.particle_count;
      }
      if (cell.child_count > 0) {
        ASSERT_EQ(particle, cell.first_particle + cell.particle_count);
      }
    }
  });
}

TEST_F(TreeBuild, DividesACellExactlyWhenItHoldsMoreThanALeafMay) {
  for_each_system([](const HostTree& t) {
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      const bool too_large = t.links[c].particle_count > largest_leaf, deepest = t.level_of(c) == deepest_level;
      ASSERT_EQ(t.links[c].child_count > 0, too_large && !deepest) << "cell " << c;
    }
  });
}

/// The octree of sorted keys, divided cell by cell from the root.
std::vector<CellLinks> divide_from_root(const std::vector<std::uint64_t>& keys, bool root_is_divided) {
  std::vector<CellLinks> cells{{0, 0, 0, static_cast<std::uint32_t>(keys.size())}};
  std::vector<int> level{0};
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if ((cells[c].particle_count <= largest_leaf && !(c == 0 && root_is_divided)) || level[c] == deepest_level) continue;
    cells[c].first_child = static_cast<std::uint32_t>(cells.size());
    const std::uint32_t end = cells[c].first_particle + cells[c].particle_count;
    const int bits = bits_below(level[c] + 1);
    for (std::uint32_t i = cells[c].first_particle; i < end; ++i) {
      if (i == cells[c].first_particle || keys[i] >> bits != keys[i - 1] >> bits) {
        cells.push_back({0, 0, i, 0});
        level.push_back(level[c] + 1);
        ++cells[c].child_count;
      }
      ++cells.back().particle_count;
    }
  }
  return cells;
}

TEST_F(TreeBuild, IsWhatDivisionFromTheRootGives) {
  const auto check = [this](const std::vector<std::uint64_t>& keys, int classes) {
    Tree<BackEnd> tree(space, {});
    tree.class_count = classes;
    Buffer<BackEnd, std::uint8_t> first_level(space);
    first_level.resize_discard(keys.size());
    build_tree<BackEnd>(space, tests::upload(space, keys).view(), tree, first_level.view());
    const auto expected = divide_from_root(keys, classes > 1);
    const auto check_links = [&] {
      const auto built = tests::download(space, tree.links);
      ASSERT_EQ(built.size(), expected.size());
      for (std::size_t c = 0; c < built.size(); ++c) {
        ASSERT_EQ(built[c].first_child, expected[c].first_child) << "cell " << c;
        ASSERT_EQ(built[c].child_count, expected[c].child_count) << "cell " << c;
        ASSERT_EQ(built[c].first_particle, expected[c].first_particle) << "cell " << c;
        ASSERT_EQ(built[c].particle_count, expected[c].particle_count) << "cell " << c;
      }
    };
    check_links();
    // Once more, from what the build has left.
    const LevelOffsets offsets = tree.level_offset;
    const auto class_begin = tree.class_begin;
    space.arena().begin_step();
    rebuild_tree<BackEnd>(space, first_level.view(), tree);
    check_links();
    EXPECT_EQ(tree.level_offset, offsets);
    EXPECT_EQ(tree.class_begin, class_begin);
  };
  // Around multiples of the particles whose cells are found together.
  for (const std::size_t n : {1U, 16U, 17U, 63U, 64U, 65U, 127U, 128U, 129U, 640U, 20000U}) {
    SCOPED_TRACE(n);
    std::vector<std::uint64_t> keys = tests::download(space, BuiltTree(space, tests::plummer_sphere(n, 6)).key);
    check(keys, 1);
    for (std::size_t i = 0; i < n; i += 3) keys[i] = keys[n / 2];  // a heap, down to the deepest level
    std::sort(keys.begin(), keys.end());
    check(keys, 1);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_in_class(keys[i], i % 50 == 1 ? 5 : i % 2);
    std::sort(keys.begin(), keys.end());
    check(keys, 6);
  }
}

/// Moments of a range of particles, by direct FP64 sums.
struct ExactMoments {
  double mass = 0, count = 0, largest = 0;
  Double3 mean{}, centre{};

  ExactMoments(const HostTree& t, const CellLinks& cell) {
    const Double3 origin = position_of(t.position[cell.first_particle]);
    Double3 weighted{}, plain{};
    for (std::uint32_t i = cell.first_particle; i < cell.first_particle + cell.particle_count; ++i) {
      const Double4& p = t.position[i];
      mass += p.w;
      count += 1;
      weighted = weighted + p.w * (position_of(p) - origin);
      plain = plain + (position_of(p) - origin);
      largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    }
    centre = origin + (mass > 0 ? (1 / mass) * weighted : (1 / count) * plain);
  }
};

void expect_mass_and_centre(const HostTree& t, std::uint32_t c) {
  const ExactMoments exact(t, t.links[c]);
  const CellGeometry& g = t.geometry[c];
  ASSERT_NEAR(g.mass, exact.mass / t.frame.scale.mass, 1e-6 * g.mass) << "cell " << c;
  const double rounding = 1e-15 * exact.largest;
  ASSERT_LE(norm(g.centre_of_mass - exact.centre), 1e-6 * g.radius * t.frame.scale.length + rounding) << "cell " << c;
}

TEST_F(Moments, HaveMassAndCentreOfTheirParticles) {
  for_each_system([](const HostTree& t) {
    for (std::uint32_t c = 0; c < t.links.size(); ++c) ASSERT_NO_FATAL_FAILURE(expect_mass_and_centre(t, c));
  });
}

TEST_F(Moments, BoundTheirParticlesByBoxAndRadius) {
  for_each_system([](const HostTree& t) {
    const double L = t.frame.scale.length;
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      const CellGeometry& g = t.geometry[c];
      const double rounding = 1e-15 * ExactMoments(t, t.links[c]).largest / L;
      double farthest = 0, side = 0;
      Double3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
      for (std::uint32_t i = t.links[c].first_particle; i < t.links[c].first_particle + t.links[c].particle_count; ++i) {
        const Double3 d = (1 / L) * (position_of(t.position[i]) - g.centre_of_mass);
        farthest = std::max(farthest, norm(d));
        low = {std::min(low.x, d.x), std::min(low.y, d.y), std::min(low.z, d.z)};
        high = {std::max(high.x, d.x), std::max(high.y, d.y), std::max(high.z, d.z)};
        ASSERT_LE(std::abs(d.x - g.offset[0]), g.half_size[0] + rounding) << "cell " << c;
        ASSERT_LE(std::abs(d.y - g.offset[1]), g.half_size[1] + rounding) << "cell " << c;
        ASSERT_LE(std::abs(d.z - g.offset[2]), g.half_size[2] + rounding) << "cell " << c;
      }
      side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
      ASSERT_LE(farthest, g.radius + rounding) << "cell " << c;
      // Tight, too: a bound that is too wide costs interactions.
      ASSERT_LE(g.radius, std::sqrt(3.0) * side * (1 + 1e-5) + rounding) << "cell " << c;
      ASSERT_NEAR(g.longest_side, side, 3e-5 * side + 4 * rounding) << "cell " << c;
    }
  });
}

/// Terms by direct FP64 sums over a cell's particles, about its centre of mass, in its expansion unit.
template <class Terms>
struct ExactMultipole {
  std::vector<double> term, scale;  ///< by Terms::index_of; scale: sum m |d|^n / k!, what errors are relative to

  ExactMultipole(const HostTree& t, std::uint32_t c) : term(Terms::count), scale(Terms::count) {
    const CellLinks& cell = t.links[c];
    const double per_unit = 1 / (t.frame.scale.length * expansion_unit(t.geometry[c].radius));
    for (std::uint32_t i = cell.first_particle; i < cell.first_particle + cell.particle_count; ++i) {
      const double m = t.position[i].w / t.frame.scale.mass;
      const Double3 d = per_unit * (position_of(t.position[i]) - t.geometry[c].centre_of_mass);
      using All = AllTerms<Terms::order>;
      for (int k = 0; k < All::count; ++k) {
        const Term e = All::term_of(k);
        add(e, m * std::pow(d.x, e.a) * std::pow(d.y, e.b) * std::pow(d.z, e.c) / factorial(e));
        if (Terms::holds(e)) scale[at(e)] += m * std::pow(norm(d), e.order()) / factorial(e);
      }
    }
  }

 private:
  static std::size_t at(Term e) { return static_cast<std::size_t>(Terms::index_of(e)); }
  void add(Term e, double value) {
    if (Terms::holds(e)) {
      term[at(e)] += value;
    } else {
      add({e.a + 2, e.b, e.c - 2}, -value);
      add({e.a, e.b + 2, e.c - 2}, -value);
    }
  }
};

template <class Terms>
void expect_terms(const HostTree& t, std::uint32_t c) {
  const auto stride = static_cast<std::size_t>(multipole_stride(Terms::form));
  const ExactMultipole<Terms> exact(t, c);
  for (std::size_t k = implied_terms; k < exact.term.size(); ++k)
    ASSERT_NEAR(t.multipole[c * stride + k - implied_terms], exact.term[k], 3e-6 * exact.scale[k] + 1e-30)
        << "cell " << c << ", term " << k;
}

/// Calls f with all sets of terms that trees are built with.
template <class F>
void for_each_form(F f) {
  f(AllTerms<2>{});
  f(AllTerms<4>{});
  f(AllTerms<5>{});
  f(HarmonicTerms<4>{});
  f(HarmonicTerms<5>{});
}

TEST_F(Moments, HaveTheTermsOfTheirParticlesInEveryForm) {
  for_each_form([&](auto terms) {
    using Terms = decltype(terms);
    for_each_system(
        [](const HostTree& t) {
          ASSERT_EQ(t.multipole.size(), t.links.size() * static_cast<std::size_t>(multipole_stride(Terms::form)));
          for (std::uint32_t c = 0; c < t.links.size(); ++c) ASSERT_NO_FATAL_FAILURE(expect_terms<Terms>(t, c));
        },
        Terms::form);
  });
}

std::vector<Double4> uniform_cube(std::size_t n) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<Double4> particles;
  for (std::size_t i = 0; i < n; ++i) particles.push_back({place(random), place(random), place(random), 1});
  return particles;
}

/// So many particles, and one leaf with more than others may have.
constexpr std::uint32_t heap = 100;
std::vector<Double4> cube_with_heap(std::size_t n) {
  std::vector<Double4> particles = uniform_cube(n);
  std::fill_n(particles.begin() + 7, heap, particles[0]);
  return particles;
}

TEST_F(Moments, AreRightInTreesWithLargeLevelsAndHeaps) {
  // Levels of 4,096 cells and more, and of 65,536, are summed in other ways.
  for (const std::size_t n : {50000U, 900000U}) {
    SCOPED_TRACE(n);
    const std::vector<Double4> particles = cube_with_heap(n);
    const HostTree t(space, BuiltTree(space, particles, nullptr, {4, true}));
    std::size_t largest_level = 0, heaps = 0;
    for (int l = 0; l <= deepest_level; ++l)
      largest_level = std::max<std::size_t>(largest_level, t.level_offset[l + 1] - t.level_offset[l]);
    EXPECT_GE(largest_level, n < 900000 ? 4096U : 65536U);
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      ASSERT_NO_FATAL_FAILURE(expect_mass_and_centre(t, c));
      const CellLinks& cell = t.links[c];
      const bool has_heap = cell.particle_count > heap && cell.particle_count < 2 * heap;
      heaps += cell.child_count == 0 && cell.particle_count > largest_leaf ? 1 : 0;
      if (c % 501 != 0 && !has_heap) continue;
      ASSERT_NO_FATAL_FAILURE(expect_terms<HarmonicTerms<4>>(t, c));
    }
    EXPECT_EQ(heaps, 1U);
  }
}

TEST_F(Moments, TellTheSpreadOfTheMassWhereTheyReachToFourthOrder) {
  for_each_form([&](auto terms) {
    for_each_system(
        [](const HostTree& t) {
          for (std::uint32_t c = 0; c < t.links.size(); ++c) {
            const CellLinks& cell = t.links[c];
            double mass = 0, fourth = 0;
            for (std::uint32_t i = cell.first_particle; i < cell.first_particle + cell.particle_count; ++i) {
              const Double3 d = (1 / t.frame.scale.length) * (position_of(t.position[i]) - t.geometry[c].centre_of_mass);
              mass += t.position[i].w;
              fourth += t.position[i].w * dot(d, d) * dot(d, d);
            }
            const CellGeometry& g = t.geometry[c];
            ASSERT_LE(g.spread, g.radius);
            const double expected = t.form.order == 2 || mass == 0 ? g.radius : std::pow(fourth / mass, 0.25);
            ASSERT_NEAR(g.spread, expected, 1e-3 * g.radius) << "cell " << c;
          }
        },
        terms.form);
  });
}

TEST_F(Moments, HaveTheLeastAccelerationOfTheirParticles) {
  for (const auto& [name, particles] : tests::hard_systems()) {
    SCOPED_TRACE(name);
    BuiltTree built(space, particles);
    std::vector<Double4> acceleration;
    for (std::size_t i = 0; i < particles.size(); ++i) acceleration.push_back({-1.0 - static_cast<double>(i * 7919 % 1009), 2, -3, 1e-9});
    const double G = 3 / built.frame.scale.mass * built.frame.scale.length * built.frame.scale.length;
    built.set_last_acceleration(space, G, acceleration);
    const HostTree t(space, built);
    ASSERT_EQ(t.least_acceleration.size(), t.links.size());
    for (std::uint32_t c = 0; c < t.links.size(); ++c) {
      double least = 1e300;
      for (std::uint32_t i = t.links[c].first_particle; i < t.links[c].first_particle + t.links[c].particle_count; ++i)
        least = std::min(least, norm(position_of(acceleration[t.id[i]])) / 3);
      ASSERT_NEAR(t.least_acceleration[c], least, 1e-6 * least) << "cell " << c;
    }
  }
}

TEST_F(Moments, HaveTheSameBitsEveryTime) {
  // Small trees and those with large levels are summed in different ways.
  for (const auto& particles : {tests::plummer_sphere(20000, 8), cube_with_heap(50000)}) {
    SCOPED_TRACE(particles.size());
    BuiltTree built(space, particles, nullptr, {4, true});
    const HostTree once(space, built);
    for (int i = 0; i < 5; ++i) {
      space.fill_bytes(built.tree.geometry.data(), 0xff, built.tree.cell_count() * sizeof(CellGeometry));
      space.fill_bytes(built.tree.multipole.data(), 0xff, once.multipole.size() * sizeof(float));
      space.fill_bytes(built.tree.least_acceleration.data(), 0xff, built.tree.cell_count() * sizeof(float));
      compute_moments<BackEnd>(space, built.particles.position.view(), built.last_acceleration.view(), built.frame.scale, built.tree);
      const HostTree again(space, built);
      ASSERT_EQ(again.multipole, once.multipole);
      ASSERT_EQ(again.least_acceleration, once.least_acceleration);
      for (std::size_t c = 0; c < once.geometry.size(); ++c) {
        const CellGeometry &is = again.geometry[c], &was = once.geometry[c];
        ASSERT_EQ(is.centre_of_mass.x, was.centre_of_mass.x) << "cell " << c;
        ASSERT_EQ(is.mass, was.mass) << "cell " << c;
        ASSERT_EQ(is.radius, was.radius) << "cell " << c;
        ASSERT_EQ(is.spread, was.spread) << "cell " << c;
        for (int k = 0; k < 3; ++k) {
          ASSERT_EQ(is.half_size[k], was.half_size[k]) << "cell " << c;
          ASSERT_EQ(is.offset[k], was.offset[k]) << "cell " << c;
        }
      }
    }
  }
}

TEST_F(TreeBuild, IsTheSameWithMemoryOfALargerTreeBefore) {
  for (const auto& [count, count_before] : {std::pair{300U, 9000U}, {50000U, 60000U}}) {
    BuiltTree fresh(space, uniform_cube(count)), used(space, uniform_cube(count_before));
    build_tree<BackEnd>(space, fresh.key.view(), used.tree);
    compute_moments<BackEnd>(space, fresh.particles.position.view(), fresh.last_acceleration.view(), fresh.frame.scale, used.tree);
    const auto a = tests::download(space, fresh.tree.geometry), b = tests::download(space, used.tree.geometry);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t c = 0; c < a.size(); ++c) ASSERT_EQ(a[c].radius, b[c].radius);
    EXPECT_EQ(fresh.tree.level_offset, used.tree.level_offset);
  }
}

}  // namespace
}  // namespace grove
