// Cells that domain borders cut. Every rank makes the same system and takes its domain.
#include <gtest/gtest.h>

#include "decomposition/domain/cut_cells.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

class CutCells : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();

  /// Cuts `system` at the given particles in key order, rank r taking [cuts[r], cuts[r + 1]), and compares every cell of this rank with
  /// all keys of the others. Returns the number of cut cells on all ranks.
  std::uint64_t check(const std::vector<Double4>& system, const std::vector<std::size_t>& cuts, ExpansionForm form = {}) {
    const float side_factor = form.order == 2 ? cut_cell_factor : 1;
    const BuiltTree whole(space, system);
    const std::vector<Double4> sorted = tests::download(space, whole.particles.position);
    const std::vector<std::uint64_t> key = tests::download(space, whole.key);
    const std::size_t first = cuts[static_cast<std::size_t>(comm.rank())], last = cuts[static_cast<std::size_t>(comm.rank()) + 1];
    BuiltTree mine(space, {sorted.begin() + static_cast<std::ptrdiff_t>(first), sorted.begin() + static_cast<std::ptrdiff_t>(last)},
                   &whole.frame, form);
    const tests::HostTree before(space, mine);
    const std::vector<KeyRange> ranges = comm.all_gather(last > first ? KeyRange{key[first], key[last - 1], last - first} : KeyRange{});
    enlarge_cut_cells<BackEnd>(space, ranges, static_cast<std::size_t>(comm.rank()), mine.tree);
    const tests::HostTree after(space, mine);
    std::uint64_t cut = 0;
    for (std::uint32_t c = 0; c < before.links.size(); ++c) {
      const int below = bits_below(before.level_of(c));
      const std::uint64_t name = before.key[before.links[c].first_particle] >> below;
      const auto in_cell = [&](std::uint64_t k) { return k >> below == name; };
      const bool shared = std::any_of(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(first), in_cell) ||
                          std::any_of(key.begin() + static_cast<std::ptrdiff_t>(last), key.end(), in_cell);
      EXPECT_EQ(after.geometry[c].longest_side, before.geometry[c].longest_side * (shared ? side_factor : 1)) << "cell " << c;
      EXPECT_EQ(after.geometry[c].spread, before.geometry[c].spread * (shared ? cut_cell_factor : 1)) << "cell " << c;
      EXPECT_EQ(after.geometry[c].radius, before.geometry[c].radius);
      cut += shared;
    }
    return comm.sum(cut);
  }

  std::vector<std::size_t> even_cuts(std::size_t n) const {
    std::vector<std::size_t> cuts;
    for (int r = 0; r <= comm.size(); ++r) cuts.push_back(n * static_cast<std::size_t>(r) / static_cast<std::size_t>(comm.size()));
    return cuts;
  }

  using BuiltTree = tests::BuiltTree;
};

TEST_F(CutCells, AreThoseWithParticlesOnOtherRanks) {
  const std::uint64_t cut = check(tests::plummer_sphere(2000, 1), even_cuts(2000));
  if (comm.size() == 1) {
    EXPECT_EQ(cut, 0U);
  } else {
    EXPECT_GT(cut, static_cast<std::uint64_t>(2 * comm.size()));
  }
}

TEST_F(CutCells, KeepTheirLongestSideUnderLocalExpansions) {
  check(tests::plummer_sphere(2000, 1), even_cuts(2000), ExpansionForm{4, true});
  check(tests::plummer_sphere(2000, 1), even_cuts(2000), ExpansionForm{5, false});
}

TEST_F(CutCells, AreFoundPastEmptyRanks) {
  std::vector<std::size_t> cuts(static_cast<std::size_t>(comm.size()) + 1, 700);
  cuts.front() = 0;
  cuts.back() = 1500;
  const std::uint64_t cut = check(tests::plummer_sphere(1500, 2), cuts);
  EXPECT_EQ(cut > 0, comm.size() > 1);
}

TEST_F(CutCells, AreNoneWithoutParticles) { EXPECT_EQ(check(tests::plummer_sphere(1, 3), even_cuts(1)), 0U); }

// Both ends of a small domain lie in the same cells, which must be enlarged once.
TEST_F(CutCells, AreEnlargedOnceWhereBothEndsAreInOneCell) {
  std::vector<std::size_t> cuts{0};
  for (int r = 1; r < comm.size(); ++r) cuts.push_back(500 + 20 * static_cast<std::size_t>(r));
  cuts.push_back(1000);
  check(tests::plummer_sphere(1000, 4), cuts);
}

}  // namespace
}  // namespace grove
