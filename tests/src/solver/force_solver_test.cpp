// The force solver in its two calls: what depends on where the sources are, and the forces on all particles or on an active part of them.
#include "src/solver/force_solver.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <ostream>
#include <random>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/force_comparison.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove {

void PrintTo(const GravityParameters& gravity, std::ostream* stream) {
  *stream << gravity.method << ", " << gravity.opening << ", softening " << gravity.softening;
}

}  // namespace grove

namespace grove::tests {
namespace {

/// What forces() sets, in the particles' present order.
struct Results {
  std::vector<std::uint64_t> id;
  std::vector<Double4> acceleration;
  std::vector<std::uint32_t> work;
};

using Mask = std::vector<std::uint8_t>;

bool same_bits(const void* a, const void* b, std::size_t bytes) { return std::memcmp(a, b, bytes) == 0; }
bool same_bits(const Double4& a, const Double4& b) { return same_bits(&a, &b, sizeof a); }

std::uint64_t bits_of(std::uint64_t id, std::uint64_t seed) { return std::mt19937_64(id * 0x9e3779b97f4a7c15ULL + seed)(); }

/// A solver and particles of its own, on this rank.
class Solved {
 public:
  Solved(const GravityParameters& gravity, const ParticleSet& all, const Communicator& comm)
      : solver_(make_force_solver(space_, comm, gravity, TransportWay::automatic)) {
    upload(space_, share_of(all, comm), particles_);
    clock_.restart();
  }

  void prepare() { solver_->prepare(particles_, clock_); }
  /// Multiplies all coordinates.
  void expand(double factor) {
    std::vector<Double4> position = download(space_, particles_.position);
    for (Double4& p : position) p = {factor * p.x, factor * p.y, factor * p.z, p.w};
    copy_from_host<BackEnd, Double4>(space_, position, particles_.position.view());
  }
  void all_forces() { solver_->forces(particles_, nullptr, clock_); }
  void forces(const Mask& mask) {
    const Buffer<BackEnd, std::uint8_t> active = upload(space_, mask);
    solver_->forces(particles_, active.data(), clock_);
    space_.synchronize();
  }
  Results results() {
    return {download(space_, particles_.id), download(space_, particles_.acceleration), download(space_, particles_.work)};
  }
  WorkCounts work_counts() { return solver_->work_counts(); }
  bool has_acceleration() const { return particles_.has_acceleration; }

  /// Fills what forces() sets with bytes that no force has.
  void spoil() {
    space_.fill_bytes(particles_.acceleration.data(), spoilt_byte, particles_.size() * sizeof(Double4));
    space_.fill_bytes(particles_.work.data(), spoilt_byte, particles_.size() * sizeof(std::uint32_t));
  }
  static bool is_spoilt(const Double4& acceleration) {
    const Mask spoilt(sizeof acceleration, spoilt_byte);
    return same_bits(&acceleration, spoilt.data(), sizeof acceleration);
  }
  static constexpr std::uint8_t spoilt_byte = 0xab;
  static constexpr std::uint32_t spoilt_work = 0xabababab;

  /// The particles whose ids `wanted` wants.
  Mask mask(const std::function<bool(std::uint64_t)>& wanted) {
    Mask mask;
    for (const std::uint64_t id : download(space_, particles_.id)) mask.push_back(wanted(id) ? 1 : 0);
    return mask;
  }
  /// The first or the second half of this rank's particles, in their present order.
  Mask mask_of_half(bool first) {
    Mask mask(particles_.size());
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = first == (i < mask.size() / 2) ? 1 : 0;
    return mask;
  }

 private:
  BackEnd space_ = make_space();
  Particles<BackEnd> particles_{space_};
  PhaseClock<BackEnd> clock_{space_};
  std::unique_ptr<ForceSolver<BackEnd>> solver_;
};

struct Subset {
  std::string name;
  std::function<bool(std::uint64_t)> wanted;
};
std::vector<Subset> subsets() {
  return {{"one particle", [](std::uint64_t id) { return id == 17; }},
          {"none", [](std::uint64_t) { return false; }},
          {"a half at random", [](std::uint64_t id) { return bits_of(id, 1) % 2 == 0; }},
          {"one of a hundred at random", [](std::uint64_t id) { return bits_of(id, 2) % 100 == 0; }},
          {"all but one", [](std::uint64_t id) { return id != 3; }},
          {"all", [](std::uint64_t) { return true; }}};
}

std::vector<GravityParameters> methods() {
  std::vector<GravityParameters> all;
  for (const double softening : {0.0, 0.05}) {
    all.push_back(tree_gravity("barnes", 0.7, softening, "wendland_c2"));
    all.push_back({.method = "tree", .opening = "relative", .softening = softening, .softening_kernel = "wendland_c2"});
    for (const std::uint64_t order : {4, 5})
      all.push_back({.method = "fmm", .opening = "relative", .softening = softening, .softening_kernel = "wendland_c2", .order = order});
    all.push_back({.method = "fmm", .opening = "geometric", .softening = softening, .softening_kernel = "wendland_c2"});
    all.push_back(direct_gravity(softening, "wendland_c2"));
  }
  for (const char* method : {"tree", "fmm", "direct"})
    all.push_back({.method = method, .softening = 0.1, .softening_of_type = {0.05, 0.1, 0.02, 0.1, 0.05, 0.05}});
  return all;
}

/// Three components, by id.
ParticleSet with_types(ParticleSet particles) {
  for (std::size_t i = 0; i < particles.size(); ++i) particles.type[i] = static_cast<std::uint8_t>(1 + bits_of(particles.id[i], 5) % 3);
  return particles;
}

std::string name_of(const testing::TestParamInfo<GravityParameters>& test) {
  const GravityParameters& g = test.param;
  const std::string order = g.method == "fmm" ? std::to_string(g.order) : "", opening = g.method == "direct" ? "" : "_" + g.opening;
  const char* const softening = !g.softening_of_type.empty() ? "_softened_by_component" : g.softening > 0 ? "_softened" : "";
  return g.method + order + opening + softening;
}

class Solver : public testing::TestWithParam<GravityParameters> {
 protected:
  /// On a GPU, lanes share the sources of a few active targets, and warps those of a few cells: the same terms are summed in another order.
  static bool same_force(const Double4& found, const Double4& expected, double mean) {
    if (!BackEnd::on_gpu) return same_bits(found, expected);
    constexpr double rounding = 1e-5;
    const Double3 difference = position_of(found) - position_of(expected);
    return length(difference) <= rounding * (length(position_of(expected)) + mean) &&
           std::abs(found.w - expected.w) <= rounding * std::abs(expected.w);
  }
  static double length(const Double3& v) { return std::sqrt(dot(v, v)); }

  /// Checks what one call for `mask` has set, where everything was spoilt before, against the forces on all.
  void expect_set_where_active(const Mask& mask, const Results& found, const Results& expected) const {
    ASSERT_EQ(found.id, expected.id);
    double mean = 0;
    for (const Double4& a : expected.acceleration) mean += length(position_of(a)) / static_cast<double>(expected.acceleration.size());
    std::size_t wrong = 0, touched = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      // All pairs cost the same: `direct` leaves the work as it is.
      const std::uint32_t work = is_direct() ? Solved::spoilt_work : expected.work[i];
      if (mask[i] && !(same_force(found.acceleration[i], expected.acceleration[i], mean) && found.work[i] == work)) ++wrong;
      if (!mask[i] && !(Solved::is_spoilt(found.acceleration[i]) && found.work[i] == Solved::spoilt_work)) ++touched;
    }
    EXPECT_EQ(wrong, 0U) << "active particles with other forces or work";
    EXPECT_EQ(touched, 0U) << "particles that were not active and have changed";
  }
  static void expect_same(const Results& found, const Results& expected) {
    ASSERT_EQ(found.id, expected.id);
    std::size_t different = 0;
    for (std::size_t i = 0; i < found.id.size(); ++i)
      if (!same_bits(found.acceleration[i], expected.acceleration[i]) || found.work[i] != expected.work[i]) ++different;
    EXPECT_EQ(different, 0U);
  }
  Results forces_on_all(const ParticleSet& all) const {
    Solved solved(GetParam(), all, comm_);
    solved.prepare();
    solved.all_forces();
    return solved.results();
  }
  bool is_direct() const { return GetParam().method == "direct"; }
  /// Sums over the ranks.
  std::uint64_t pairs(const WorkCounts& counts) const { return comm_.sum(counts.particle_particle); }
  std::uint64_t cells(const WorkCounts& counts) const { return comm_.sum(counts.cell_particle + counts.cell_cell); }
  std::uint64_t tests(const WorkCounts& counts) const { return comm_.sum(counts.opening_tests); }

  const Communicator comm_{MPI_COMM_WORLD};
  const ParticleSet all_ = with_types(plummer(2000, 8));
};

TEST_P(Solver, GivesInTwoCallsWhatASimulationGives) {
  const auto sim = make_simulation(BackEnd::on_gpu ? "gpu" : "cpu", GetParam(), comm_);
  sim->start(share_of(all_, comm_), 0);
  const ParticleSet whole = sim->particles();
  const Results found = forces_on_all(all_);
  ASSERT_EQ(found.id, whole.id);
  EXPECT_EQ(found.work, whole.work);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double* const a = &whole.acceleration[3 * i];
    ASSERT_TRUE(same_bits(found.acceleration[i], Double4{a[0], a[1], a[2], whole.potential[i]})) << "id " << whole.id[i];
  }
}

TEST_P(Solver, AnActivePartHasTheForcesOfAllAndLeavesTheOthersUntouched) {
  const Results expected = forces_on_all(all_);
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  for (const Subset& subset : subsets()) {
    SCOPED_TRACE(subset.name);
    const Mask mask = solved.mask(subset.wanted);
    solved.spoil();
    solved.forces(mask);
    expect_set_where_active(mask, solved.results(), expected);
  }
  SCOPED_TRACE("all of them, after the parts");
  solved.all_forces();
  expect_same(is_direct() ? Results{expected.id, solved.results().acceleration, expected.work} : solved.results(), expected);
}

TEST_P(Solver, FollowsPartsAfterForcesOnAll) {
  const Results expected = forces_on_all(all_);
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  solved.all_forces();
  const Mask mask = solved.mask_of_half(true);
  solved.spoil();
  solved.forces(mask);
  expect_set_where_active(mask, solved.results(), expected);
}

TEST_P(Solver, SaysWhetherAllParticlesHaveAnAcceleration) {
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  EXPECT_FALSE(solved.has_acceleration());
  solved.forces(solved.mask_of_half(true));
  EXPECT_FALSE(solved.has_acceleration());
  solved.all_forces();
  EXPECT_TRUE(solved.has_acceleration());
  solved.prepare();
  EXPECT_FALSE(solved.has_acceleration());
  solved.all_forces();  // what prepare() sent must arrive
}

TEST_P(Solver, ASecondCallWithoutNewPreparationGivesTheSameBits) {
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  solved.all_forces();
  const Results first = solved.results();
  const std::uint64_t first_pairs = pairs(solved.work_counts()), first_cells = cells(solved.work_counts());
  for (int repeat = 0; repeat < 2; ++repeat) {
    if (!is_direct()) solved.spoil();
    solved.all_forces();
    expect_same(solved.results(), first);
    EXPECT_EQ(pairs(solved.work_counts()), first_pairs);
    EXPECT_EQ(cells(solved.work_counts()), first_cells);
  }
}

// Criteria of relative error take the accelerations of the last forces, which are a million times those to come.
TEST_P(Solver, IsAsExactAfterTheSystemHasGrown) {
  constexpr double factor = 1000;
  ParticleSet grown = all_;
  for (double& x : grown.position) x *= factor;
  GravityParameters exact = GetParam();
  exact.method = "direct";
  const Communicator alone(MPI_COMM_SELF);
  Solved direct(exact, grown, alone);
  direct.prepare();
  direct.all_forces();
  std::vector<Double4> by_id(grown.size());
  {
    const Results of_all = direct.results();
    for (std::size_t i = 0; i < of_all.id.size(); ++i) by_id[of_all.id[i]] = of_all.acceleration[i];
  }
  const auto error_of = [&](const Results& found) {
    std::vector<Double4> expected;
    for (const std::uint64_t id : comm_.all_gather_vectors<std::uint64_t>(found.id)) expected.push_back(by_id[id]);
    return ForceErrors(comm_.all_gather_vectors<Double4>(found.acceleration), expected).acceleration(0.99);
  };
  const double fresh = error_of(forces_on_all(grown));
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  solved.all_forces();
  solved.expand(factor);
  solved.prepare();
  solved.all_forces();
  EXPECT_LE(error_of(solved.results()), 1.2 * fresh + 1e-12);
}

// A whole group is walked for where one of its particles is active. The halves of a rank's particles share one group and the target cells
// above it, which count twice.
TEST_P(Solver, CountsTheWorkOfThePartAlone) {
  Solved solved(GetParam(), all_, comm_);
  solved.prepare();
  solved.all_forces();
  const WorkCounts all = solved.work_counts();
  solved.forces(solved.mask_of_half(true));
  const WorkCounts of_first = solved.work_counts();
  solved.forces(solved.mask_of_half(false));
  const WorkCounts of_second = solved.work_counts();
  const auto expect_parts = [](std::uint64_t whole, std::uint64_t first, std::uint64_t second, double shared) {
    EXPECT_LT(first, whole);
    EXPECT_LT(second, whole);
    EXPECT_GE(first + second, whole);
    EXPECT_LE(static_cast<double>(first + second), (1 + shared) * static_cast<double>(whole));
  };
  {
    SCOPED_TRACE("pairs");
    expect_parts(pairs(all), pairs(of_first), pairs(of_second), is_direct() ? 0 : 0.2);
  }
  if (!is_direct()) {
    {
      SCOPED_TRACE("opening tests");
      expect_parts(tests(all), tests(of_first), tests(of_second), 0.2);
    }
    SCOPED_TRACE("cells");
    expect_parts(cells(all), cells(of_first), cells(of_second), 0.2);
  }

  solved.forces(solved.mask([](std::uint64_t id) { return id == 17; }));
  const WorkCounts of_one = solved.work_counts();
  EXPECT_GT(pairs(of_one), 0U);
  EXPECT_LT(pairs(of_one), pairs(all) / 10);
  EXPECT_LT(tests(of_one), std::max<std::uint64_t>(tests(all) / 10, 1));
  EXPECT_LT(cells(of_one), std::max<std::uint64_t>(cells(all) / 10, 1));
  solved.forces(solved.mask([](std::uint64_t) { return false; }));
  const WorkCounts of_none = solved.work_counts();
  EXPECT_EQ(pairs(of_none) + tests(of_none) + cells(of_none), 0U);
}

TEST_P(Solver, ServesPartsOfFewerParticlesThanRanks) {
  const ParticleSet two = picked(all_, {17, 5});
  const Results expected = forces_on_all(two);
  Solved solved(GetParam(), two, comm_);
  solved.prepare();
  for (const Subset& subset : subsets()) {
    SCOPED_TRACE(subset.name);
    const Mask mask = solved.mask(subset.wanted);
    solved.spoil();
    solved.forces(mask);
    expect_set_where_active(mask, solved.results(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Solver, testing::ValuesIn(methods()), name_of);

TEST(MakeForceSolver, RefusesAnUnknownMethod) {
  BackEnd space = make_space();
  const Communicator comm(MPI_COMM_SELF);
  EXPECT_THROW(make_force_solver(space, comm, {.method = "tre"}, TransportWay::automatic), ConfigError);
  EXPECT_THROW(make_force_solver(space, comm, {.method = "fmm", .opening = "barns"}, TransportWay::automatic), ConfigError);
  EXPECT_THROW(make_force_solver(space, comm, {.method = "fmm", .softening = 1, .softening_kernel = "splin"}, TransportWay::automatic),
               ConfigError);
}

}  // namespace
}  // namespace grove::tests
