// Multipole and local expansions, against direct summation in FP64.
#include "kernels/gravity/multipole.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/gravity/softening.hpp"

namespace grove {
namespace {

struct Point {
  Double3 at;
  double mass;
};

/// Points within 0.5 of `centre` along each axis, about their centre of mass.
std::vector<Point> points_about(const Double3& centre, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.4, 0.4), mass(0.5, 2);
  std::vector<Point> points(20);
  Double3 mean{};
  double total = 0;
  for (Point& p : points) {
    p = {{uniform(random), uniform(random), uniform(random)}, mass(random)};
    mean = mean + p.mass * p.at;
    total += p.mass;
  }
  for (Point& p : points) p.at = p.at - (1 / total) * mean + centre;
  return points;
}

/// U and its gradient.
struct Value {
  double u = 0;
  Double3 g{};
};

double length(const Double3& d) { return std::sqrt(dot(d, d)); }

template <class Softening>
Value direct(const std::vector<Point>& points, const Double3& at, const Softening& softening) {
  Value v;
  for (const Point& p : points) {
    const Double3 d = p.at - at;
    const double inverse = 1 / std::sqrt(softening.squared(d.x, d.y, d.z));
    v.u += p.mass * inverse;
    v.g = v.g + p.mass * inverse * inverse * inverse * d;
  }
  return v;
}

/// All operations with one set of terms.
template <class Terms>
class Expansions : public ::testing::Test {
 public:
  static constexpr int order = Terms::order;
  struct Values {
    double of[Terms::count] = {};
  };

  static Values multipole(const std::vector<Point>& points, const Double3& centre) {
    Values m;
    for (const Point& p : points) {
      const Double3 d = p.at - centre;
      add_point<Terms>(p.mass, d.x, d.y, d.z, m.of);
    }
    return m;
  }
  template <class Softening>
  static Values local(const Values& m, const Double3& d, const Softening& softening) {
    double radial[order + 1], derivative[Terms::count];
    radial[0] = 1 / std::sqrt(softening.squared(d.x, d.y, d.z));
    for (int i = 0; i < order; ++i) radial[i + 1] = -(2 * i + 1) * radial[0] * radial[0] * radial[i];
    derivatives<Terms>(d.x, d.y, d.z, radial, derivative);
    Values l;
    add_multipole_to_local<Terms>(
        m.of[0], [&](auto k) { return m.of[k]; }, derivative, l.of);
    return l;
  }
  static Values shifted(const Values& l, const Double3& d) {
    Values to;
    add_shifted_local<Terms>([&](auto i) { return l.of[i]; }, d.x, d.y, d.z, to.of);
    return to;
  }
  static Value value(const Values& l, const Double3& d) {
    Value v;
    evaluate_local<Terms>([&](auto i) { return l.of[i]; }, d.x, d.y, d.z, v.u, v.g.x, v.g.y, v.g.z);
    return v;
  }
};

using Forms = ::testing::Types<AllTerms<1>, AllTerms<2>, AllTerms<3>, AllTerms<4>, AllTerms<5>, AllTerms<6>, HarmonicTerms<1>,
                               HarmonicTerms<2>, HarmonicTerms<3>, HarmonicTerms<4>, HarmonicTerms<5>, HarmonicTerms<6>>;
TYPED_TEST_SUITE(Expansions, Forms);

TYPED_TEST(Expansions, NumberTheirTermsByOrderAndBackAgain) {
  int last = 0;
  for (int i = 0; i < TypeParam::count; ++i) {
    const Term t = TypeParam::term_of(i);
    ASSERT_TRUE(TypeParam::holds(t));
    ASSERT_EQ(TypeParam::index_of(t), i);
    ASSERT_GE(t.order(), last);
    last = t.order();
  }
  EXPECT_EQ(last, this->order);
}

TYPED_TEST(Expansions, OfPointsHoldTheSumsOfTheirPowersOrOfThoseTheyStandFor) {
  const auto points = points_about({0.1, 0.2, -0.3}, 1);
  const auto m = this->multipole(points, {});
  const auto sum_of_powers = [&](int a, int b, int c) {
    double sum = 0;
    for (const Point& p : points) sum += p.mass * std::pow(p.at.x, a) * std::pow(p.at.y, b) * std::pow(p.at.z, c);
    return sum / (std::tgamma(a + 1) * std::tgamma(b + 1) * std::tgamma(c + 1));
  };
  for (int i = 0; i < TypeParam::count; ++i) {
    const Term t = TypeParam::term_of(i);
    // By the binomial theorem: z^2j stands for (-1)^j (x^2 + y^2)^j.
    double exact = 0;
    for (int j = 0; j == 0 || (TypeParam::form.harmonic && 2 * j <= t.order()); ++j)
      for (int k = 0; k <= j; ++k)
        if (t.a >= 2 * k && t.b >= 2 * (j - k))
          exact += (j % 2 == 0 ? 1 : -1) * std::tgamma(j + 1) / (std::tgamma(k + 1) * std::tgamma(j - k + 1)) *
                   sum_of_powers(t.a - 2 * k, t.b - 2 * (j - k), t.c + 2 * j);
    ASSERT_NEAR(m.of[i], exact, 1e-13) << "term " << i;
  }
}

TYPED_TEST(Expansions, ShiftedToAnotherCentreAreThoseAboutIt) {
  const Double3 first{0.3, -0.2, 0.5}, second{-0.4, 0.6, 0.1};
  auto points = points_about(first, 2);
  const auto others = points_about(second, 3);
  auto sum = this->multipole({}, {});
  add_shifted_multipole<TypeParam>(this->multipole(points, first).of, first.x, first.y, first.z, sum.of);
  add_shifted_multipole<TypeParam>(this->multipole(others, second).of, second.x, second.y, second.z, sum.of);
  points.insert(points.end(), others.begin(), others.end());
  const auto whole = this->multipole(points, {});
  for (int i = 0; i < TypeParam::count; ++i) ASSERT_NEAR(sum.of[i], whole.of[i], 1e-12) << "term " << i;
}

TYPED_TEST(Expansions, OfTheFieldShiftedToAnotherCentreAreTheSamePolynomial) {
  const NewtonKernel newton(0);
  const auto l = this->local(this->multipole(points_about({}, 4), {}), {2, -3, 1}, newton);
  const Double3 shift{0.3, 0.1, -0.2}, at{-0.2, 0.25, 0.4};
  const Value here = this->value(l, shift + at), there = this->value(this->shifted(l, shift), at);
  EXPECT_NEAR(there.u, here.u, 1e-13 * here.u);
  EXPECT_LT(length(there.g - here.g), 1e-13 * length(here.g));
}

TEST(HarmonicExpansions, AreThoseOfAllTermsWhereTheFieldIsNewtons) {
  const NewtonKernel newton(0);
  const auto points = points_about({}, 5);
  const Double3 d{2, -3, 1}, at{-0.2, 0.25, 0.4};
  using All = Expansions<AllTerms<5>>;
  using Harmonic = Expansions<HarmonicTerms<5>>;
  const Value all = All::value(All::local(All::multipole(points, {}), d, newton), at);
  const Value harmonic = Harmonic::value(Harmonic::local(Harmonic::multipole(points, {}), d, newton), at);
  EXPECT_NEAR(harmonic.u, all.u, 1e-14 * all.u);
  EXPECT_LT(length(harmonic.g - all.g), 1e-14 * length(all.g));
}

/// Largest relative errors of a local expansion within 0.4 of its centre, 4 from that of the points.
struct Errors {
  double u = 0, g = 0;
};

template <class Terms, class Softening>
Errors errors_with(const Softening& softening) {
  using Base = Expansions<Terms>;
  Errors e;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const Double3 any{normal(random), normal(random), normal(random)}, side{normal(random), normal(random), normal(random)};
    const Double3 d = (4 / length(any)) * any, at = (0.4 / length(side)) * side;
    const auto points = points_about({}, seed);
    const Value v = Base::value(Base::local(Base::multipole(points, {}), d, softening), at), exact = direct(points, d + at, softening);
    e.u = std::max(e.u, std::abs(v.u - exact.u) / exact.u);
    e.g = std::max(e.g, length(v.g - exact.g) / length(exact.g));
  }
  return e;
}

template <template <int> class Terms, class Softening>
void expect_errors_that_fall_with_order(const Softening& softening) {
  const Errors e[] = {errors_with<Terms<1>>(softening), errors_with<Terms<2>>(softening), errors_with<Terms<3>>(softening),
                      errors_with<Terms<4>>(softening), errors_with<Terms<5>>(softening), errors_with<Terms<6>>(softening)};
  for (int i = 0; i < 6; ++i) {
    EXPECT_LT(e[i].u, 2 * std::pow(0.25, i + 2)) << "order " << i + 1;
    EXPECT_LT(e[i].g, 4 * std::pow(0.25, i + 1)) << "order " << i + 1;
    if (i == 0) continue;
    EXPECT_LT(e[i].u, 0.5 * e[i - 1].u) << "order " << i + 1;
    EXPECT_LT(e[i].g, 0.5 * e[i - 1].g) << "order " << i + 1;
  }
}

TEST(ExpandedFields, OfNewtonsLawApproachDirectSumsWithTheOrder) {
  expect_errors_that_fall_with_order<AllTerms>(NewtonKernel(0));
  expect_errors_that_fall_with_order<HarmonicTerms>(NewtonKernel(0));
}

TEST(ExpandedFields, OfPlummersSofteningApproachDirectSumsWithTheOrder) {
  expect_errors_that_fall_with_order<AllTerms>(PlummerKernel(0.7));
}

// The points are within 0.6 of their centre and the target within 0.4 of its own, 4 away: b / d is 1/4.
TEST(ExpandedFields, OfASmallSofteningLackWithoutATraceWhatTheCriterionCounts) {
  for (const double softening : {0.05, 0.1, 0.2, 0.4}) {
    const PlummerKernel plummer(softening);
    const double all = errors_with<AllTerms<5>>(plummer).g, harmonic = errors_with<HarmonicTerms<5>>(SmallPlummerKernel{plummer}).g;
    const double counted = SmallPlummerKernel::lacking_trace * 0.25 * std::pow(softening / 4, 2) / (1 - 0.25);
    EXPECT_LT(harmonic, all + counted) << softening;
    EXPECT_GT(harmonic + all, counted / 30) << softening;
  }
}

TEST(ExpandedFields, OutsideASofteningOfCompactSupportApproachDirectSumsWithTheOrder) {
  expect_errors_that_fall_with_order<AllTerms>(WendlandC2Kernel(0.5));
  expect_errors_that_fall_with_order<HarmonicTerms>(WendlandC2Kernel(0.5));
}

}  // namespace
}  // namespace grove
