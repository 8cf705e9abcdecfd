// Opening criteria: the conformance suite of the table OpeningCriteria.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "kernels/gravity/cell_lanes.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_names.hpp"

#include "kernels/base/error.hpp"

namespace grove {
namespace {

/// A criterion, and which of its names chooses it.
template <class Type, std::size_t which>
struct Named {
  using Criterion = Type;
  static std::string name() { return Type::names[which]; }
};

template <class Row>
class Opening : public ::testing::Test {
 protected:
  std::mt19937_64 random{1};

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  float single(double low, double high) { return static_cast<float>(uniform(low, high)); }

  static constexpr bool needs_acceleration = Row::Criterion::needs_acceleration;

  typename Row::Criterion criterion(double theta) {
    GravityParameters gravity;
    gravity.opening = Row::name();
    gravity.theta = theta;
    gravity.tolerance = 0.02 * theta * theta * theta;
    return typename Row::Criterion(gravity);
  }

  /// A cell about the origin whose box is up to 4 wide; its centre of mass lies inside the box.
  CellGeometry random_cell() {
    CellGeometry cell;
    cell.mass = 1;
    const double size = std::pow(10, uniform(-1.5, 0.3));
    float longest = 0;
    for (int k = 0; k < 3; ++k) {
      cell.half_size[k] = single(0, size);
      cell.offset[k] = single(-1, 1) * cell.half_size[k];
      longest = std::max(longest, 2 * cell.half_size[k]);
    }
    cell.longest_side = longest;
    cell.radius = cell.spread = 2 * longest;
    return cell;
  }
  TargetBox random_box() { return {{uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)}, {single(0, 1), single(0, 1), single(0, 1)}, 0, 1}; }
  /// A box inside `outer`, sometimes a point and sometimes in its corner.
  TargetBox box_inside(const TargetBox& outer) {
    TargetBox inner = outer;
    double* const centre[3] = {&inner.centre.x, &inner.centre.y, &inner.centre.z};
    for (int k = 0; k < 3; ++k) {
      inner.half_size[k] = random() % 4 ? single(0, 0.99) * outer.half_size[k] : 0;
      *centre[k] += (random() % 4 ? uniform(-1, 1) : 1) * (outer.half_size[k] * (1 - 1e-6) - inner.half_size[k]);
    }
    return inner;
  }
};

template <class Criterion, std::size_t... which>
std::tuple<Named<Criterion, which>...> all_names_of(std::index_sequence<which...>);
template <class... Criteria>
auto all_names(const std::tuple<Criteria...>&)
    -> decltype(std::tuple_cat(all_names_of<Criteria>(std::make_index_sequence<Criteria::names.size()>())...));
template <class... Rows>
::testing::Types<Rows...> as_test_types(const std::tuple<Rows...>&);
TYPED_TEST_SUITE(Opening, decltype(as_test_types(all_names(std::declval<OpeningCriteria>()))));

TYPED_TEST(Opening, JudgesAVectorOfCellsAsEachOfThem) {
  constexpr int width = FloatVector::width;
  int accepted = 0, local = 0, forbidden = 0, differences = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto criterion = this->criterion(this->uniform(0.2, 1.2));
    CellGeometry cell[2 * width];
    std::uint32_t chosen[width];
    for (CellGeometry& c : cell) {
      c = this->random_cell();
      c.centre_of_mass = {this->uniform(-3, 3), this->uniform(-3, 3), this->uniform(-3, 3)};
    }
    for (std::uint32_t& c : chosen) c = static_cast<std::uint32_t>(this->random() % (2 * width));
    TargetBox box = this->random_box();
    box.radius = this->single(0, 1);
    const double per_length = this->uniform(0.5, 2);
    const float support = this->single(0, 0.5);
    const CellLanes lanes(cell, chosen, box.centre, per_length);
    const unsigned accepts = FloatVector::bits_of(accept(criterion, lanes, lanes.place(), box, support * support));
    const auto verdict = judge_local<4>(criterion, lanes, lanes.place(), box, support);
    const unsigned accepts_local = FloatVector::bits_of(verdict.accepted), forbids = FloatVector::bits_of(verdict.forbidden);
    for (int l = 0; l < width; ++l) {
      const auto bit = [l](unsigned bits) { return (bits >> l & 1U) != 0; };
      const bool alone = accept(criterion, cell[chosen[l]], box, per_length, support * support);
      const LocalVerdict<bool> local_alone = judge_local<4>(criterion, cell[chosen[l]], box, per_length, support);
      accepted += alone;
      local += local_alone.accepted;
      forbidden += local_alone.forbidden;
      differences += (bit(accepts) != alone) + (bit(accepts_local) != local_alone.accepted) + (bit(forbids) != local_alone.forbidden);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(local, 1000);
  EXPECT_EQ(forbidden > 1000, TestFixture::needs_acceleration);
  // The estimated root of `relative` may decide otherwise where both sides are equal to 2^-22.
  EXPECT_LE(differences, TestFixture::needs_acceleration ? 5 : 0);
}

TYPED_TEST(Opening, AcceptsForABoxInsideWhatItAcceptsForTheBox) {
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto criterion = this->criterion(this->uniform(0.2, 1.2));
    const CellGeometry cell = this->random_cell();
    const TargetBox outer = this->random_box(), inner = this->box_inside(outer);
    const float support2 = i % 2 ? 0.25F : 0;
    if (!accept(criterion, cell, outer, 1, support2)) continue;
    ++accepted;
    ASSERT_TRUE(accept(criterion, cell, inner, 1, support2));
  }
  EXPECT_GT(accepted, 20000) << "the trials must try something";
  EXPECT_LT(accepted, 180000);
}

TYPED_TEST(Opening, AcceptsAtALargerThetaWhatItAcceptsAtASmallerOne) {
  int more = 0;
  for (int i = 0; i < 20000; ++i) {
    const CellGeometry cell = this->random_cell();
    const TargetBox box = this->random_box();
    const bool strict = accept(this->criterion(0.4), cell, box, 1, 0), loose = accept(this->criterion(0.8), cell, box, 1, 0);
    ASSERT_TRUE(loose || !strict);
    more += loose && !strict;
  }
  EXPECT_GT(more, 100);
}

TYPED_TEST(Opening, AcceptsNoCellThatTouchesItsTargetsNorOneWithinTheSupport) {
  const auto generous = this->criterion(1e6);
  for (int i = 0; i < 20000; ++i) {
    const CellGeometry cell = this->random_cell();
    TargetBox box = this->random_box();
    double gap2 = 0;
    const double centre[3] = {box.centre.x, box.centre.y, box.centre.z};
    for (int k = 0; k < 3; ++k) {
      const double gap = std::max(0.0, std::abs(centre[k] - cell.offset[k]) - box.half_size[k] - cell.half_size[k]);
      gap2 += gap * gap;
    }
    if (gap2 == 0) {
      ASSERT_FALSE(accept(generous, cell, box, 1, 0));
    }
    if (gap2 < 0.9999) {
      ASSERT_FALSE(accept(generous, cell, box, 1, 1));
    }
  }
}

TYPED_TEST(Opening, NeverAcceptsACellOfNoSizeAtTheTarget) {
  CellGeometry cell;
  cell.mass = 1;
  cell.centre_of_mass = {1e5, 1.0 / 3, -7};
  EXPECT_FALSE(accept(this->criterion(1), cell, {{1e5, 1.0 / 3, -7}, {0, 0, 0}}, 1, 0));
  EXPECT_FALSE(accept(this->criterion(1), cell, {{1e5, 1, -7}, {0, 1, 0}}, 1, 0));
  EXPECT_TRUE(accept(this->criterion(1), cell, {{1e5, 1, -7}, {0, 0.5F, 0}}, 1, 0));
}

// However small the cell is: offsets of targets from the centre of a large box are rounded.
TYPED_TEST(Opening, AcceptsNoCellThatIsTooNearToALargeTargetBoxForFp32) {
  CellGeometry cell;
  cell.mass = 1;
  const TargetBox box{{0, 0, 0}, {1, 8, 0.5F}, 0, 1};
  const double nearest = 8.0 / 64;
  cell.centre_of_mass = {1 + 0.9 * nearest, 0, 0};
  EXPECT_FALSE(accept(this->criterion(1), cell, box, 1, 0));
  cell.centre_of_mass = {1 + 1.1 * nearest, 0, 0};
  EXPECT_TRUE(accept(this->criterion(1), cell, box, 1, 0));
}

// A cube of side 1 with its mass in the middle: the distance where each criterion switches is theta's.
TYPED_TEST(Opening, OpensACubeAtItsSideOverTheta) {
  if (TestFixture::needs_acceleration) GTEST_SKIP() << TypeParam::name() << " looks at accelerations, not at theta";
  CellGeometry cell;
  for (int k = 0; k < 3; ++k) cell.half_size[k] = 0.5F;
  cell.longest_side = 1;
  cell.mass = 1;
  const auto half = this->criterion(0.5);
  EXPECT_FALSE(accept(half, cell, {{1.9, 0, 0}, {0, 0, 0}}, 1, 0));
  EXPECT_TRUE(accept(half, cell, {{2.6, 0, 0}, {0, 0, 0}}, 1, 0));
  EXPECT_FALSE(accept(half, cell, {{2.6, 0, 0}, {0.8F, 0, 0}}, 1, 0)) << "the nearest target counts";
  EXPECT_TRUE(accept(half, cell, {{26, 0, 0}, {0, 0, 0}}, 0.1, 0)) << "lengths in units of 10";
  EXPECT_FALSE(accept(half, cell, {{19, 0, 0}, {0, 0, 0}}, 0.1, 0));
}

TEST(GravityLaw, FindsEveryOpeningCriterionByItsName) {
  GravityParameters gravity;
  for (const std::string& name : opening_names()) {
    gravity.opening = name;
    std::visit([&](const auto& criterion) { EXPECT_GT(std::count(criterion.names.begin(), criterion.names.end(), name), 0); },
               GravityLaw(gravity).unscaled().opening);
    EXPECT_FALSE(GravityLaw(gravity).without_acceleration().needs_acceleration());
  }
  gravity.opening = "no such criterion";
  EXPECT_THROW(GravityLaw{gravity}, ConfigError);
}

TEST(Barnes, AddsTheDistanceOfTheCentreOfMassFromTheMiddleOfTheBox) {
  GravityParameters gravity;
  gravity.theta = 0.5;
  CellGeometry cell;
  for (int k = 0; k < 3; ++k) cell.half_size[k] = 0.5F;
  cell.longest_side = 1;
  cell.offset[1] = 0.4F;
  const TargetBox at_2_2{{2.2, 0, 0}, {0, 0, 0}}, at_2_5{{2.5, 0, 0}, {0, 0, 0}};
  const auto accepts = [&](const char* name, const TargetBox& target) {
    gravity.opening = name;
    return accept(AngleOpening(gravity), cell, target, 1, 0);
  };
  EXPECT_TRUE(accepts(AngleOpening::geometric, at_2_2));
  EXPECT_FALSE(accepts(AngleOpening::barnes, at_2_2));
  EXPECT_TRUE(accepts(AngleOpening::barnes, at_2_5));
  EXPECT_FALSE(accepts(AngleOpening::minimal_distance, at_2_2));
  // From there the centre of mass is at 2.48, and the edge of the box at 1.95.
  const TargetBox at_2_45{{2.45, 0, 0}, {0, 0, 0}};
  EXPECT_TRUE(accepts(AngleOpening::barnes, at_2_45));
  EXPECT_FALSE(accepts(AngleOpening::minimal_distance, at_2_45));
}

// Targets of radius 0.5 and a cell of radius 0.5, of mass 1.
TYPED_TEST(Opening, TakesIntoALocalExpansionOnlyWhatIsFarEnoughForItAndForTheSoftening) {
  CellGeometry cell;
  cell.mass = 1;
  cell.radius = 0.5F;
  const auto generous = this->criterion(1e6);
  const auto at = [](double x) { return TargetBox{{x, 0, 0}, {}, 0.5F, 1}; };
  EXPECT_FALSE(judge_local<4>(generous, cell, at(0), 1, 0).accepted);
  EXPECT_FALSE(judge_local<4>(generous, cell, at(1.1), 1, 0).accepted) << "too close for the expansion to converge";
  EXPECT_TRUE(judge_local<4>(generous, cell, at(1.2), 1, 0).accepted);
  EXPECT_FALSE(judge_local<4>(generous, cell, at(1.9), 1, 1).accepted) << "within the support of the softening";
  EXPECT_TRUE(judge_local<4>(generous, cell, at(2.1), 1, 1).accepted);
  EXPECT_FALSE(judge_local<4>(generous, cell, at(1e4), 1, 0).accepted) << "beyond the range of FP32";
  EXPECT_TRUE(judge_local<4>(generous, cell, at(12), 0.1, 0).accepted) << "lengths in units of 10";
  EXPECT_FALSE(judge_local<4>(generous, cell, at(11), 0.1, 0).accepted);
}

TYPED_TEST(Opening, TakesIntoALocalExpansionMoreAtALargerThetaAndForSmallerTargets) {
  int more = 0, smaller = 0;
  for (int i = 0; i < 20000; ++i) {
    const CellGeometry cell = this->random_cell();
    TargetBox box = this->random_box();
    box.radius = this->single(0.01, 1);
    const bool strict = judge_local<4>(this->criterion(0.4), cell, box, 1, 0).accepted;
    const bool loose = judge_local<4>(this->criterion(0.8), cell, box, 1, 0).accepted;
    ASSERT_TRUE(loose || !strict);
    more += loose && !strict;
    box.radius *= 0.5F;
    const bool halved = judge_local<4>(this->criterion(0.4), cell, box, 1, 0).accepted;
    ASSERT_TRUE(halved || !strict);
    smaller += halved && !strict;
  }
  EXPECT_GT(more, 100);
  EXPECT_GT(smaller, 20);
}

// theta / 2 of the distance leaves the errors of a single mass at 5 / 16 theta^4, as large as those of multipoles.
TYPED_TEST(Opening, LeavesTargetsHalfOfTheAngleInALocalExpansion) {
  if (TestFixture::needs_acceleration) GTEST_SKIP() << TypeParam::name() << " looks at accelerations, not at theta";
  CellGeometry point;
  point.mass = 1;
  const auto half = this->criterion(0.5);
  const auto accepted = [&](double distance) { return judge_local<4>(half, point, {{distance, 0, 0}, {}, 1, 1}, 1, 0).accepted; };
  EXPECT_FALSE(accepted(3.9));
  EXPECT_TRUE(accepted(4.1));
}

// M / d^2 (b / d)^3 / (1 - b / d) = 1 / 16 at distance 2, for mass and spread 1.
TEST(Relative, ComparesTheErrorOfACellToTheSmallestAcceleration) {
  GravityParameters gravity;
  gravity.tolerance = 0.01;
  const RelativeOpening opening(gravity);
  CellGeometry cell;
  cell.mass = cell.radius = cell.spread = 1;
  TargetBox box{{2, 0, 0}, {}, 0, 6.3F};
  EXPECT_TRUE(accept(opening, cell, box, 1, 0));
  box.least_acceleration = 6.2F;
  EXPECT_FALSE(accept(opening, cell, box, 1, 0));
  cell.mass = 0.9F;
  EXPECT_TRUE(accept(opening, cell, box, 1, 0));
  box.least_acceleration = 0;
  EXPECT_FALSE(accept(opening, cell, box, 1, 0)) << "nothing is known of the targets' accelerations";
}

// As above, and M / d^2 (b / d) (trace / d^2) / (1 - b / d), also 1 / 16.
TEST(Relative, CountsWhatExpansionsWithoutATraceLack) {
  GravityParameters gravity;
  gravity.tolerance = 0.01;
  RelativeOpening opening(gravity);
  opening.trace = 1;
  CellGeometry cell;
  cell.mass = cell.radius = cell.spread = 1;
  TargetBox box{{2, 0, 0}, {}, 0, 12.6F};
  EXPECT_TRUE(accept(opening, cell, box, 1, 0));
  box.least_acceleration = 12.4F;
  EXPECT_FALSE(accept(opening, cell, box, 1, 0));
}

// The targets' part of the error, M / d^2 (radius / d)^4 / (1 - radius / d) = 1 / 32 at distance 2; the cell's as well: 0.0508.
TEST(Relative, KeepsAllOfASmallCellOutOfALocalExpansionThatItWouldSpoil) {
  GravityParameters gravity;
  gravity.tolerance = 0.01;
  const RelativeOpening opening(gravity);
  CellGeometry cell;
  cell.mass = 1;
  cell.radius = cell.spread = 0.1F;
  TargetBox box{{2, 0, 0}, {}, 1, 3};
  EXPECT_TRUE(judge_local<4>(opening, cell, box, 1, 0).forbidden);
  box.least_acceleration = 3.2F;
  EXPECT_FALSE(judge_local<4>(opening, cell, box, 1, 0).forbidden);
  EXPECT_FALSE(judge_local<4>(opening, cell, box, 1, 0).accepted) << "the cell's own part is still too large";
  box.least_acceleration = 5.1F;
  EXPECT_TRUE(judge_local<4>(opening, cell, box, 1, 0).accepted);
}

}  // namespace
}  // namespace grove
