// Multipole and local expansions, against direct sums in FP64.
#include "kernels/multipole.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/softening.hpp"

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
    const double inverse = 1 / std::sqrt(softening.far_r2(dot(d, d)));
    v.u += p.mass * inverse;
    v.g = v.g + p.mass * inverse * inverse * inverse * d;
  }
  return v;
}

/// All operations at one order.
template <class Order>
class Expansions : public ::testing::Test {
 public:
  static constexpr int order = Order::value;
  static constexpr int terms = term_count(order);
  struct Terms {
    double of[terms] = {};
  };

  static Terms multipole(const std::vector<Point>& points, const Double3& centre) {
    Terms m;
    for (const Point& p : points) {
      const Double3 d = p.at - centre;
      add_point<order>(p.mass, d.x, d.y, d.z, m.of);
    }
    return m;
  }
  template <class Softening>
  static Terms local(const Terms& m, const Double3& d, const Softening& softening) {
    double radial[order + 1], derivative[terms];
    radial[0] = 1 / std::sqrt(softening.far_r2(dot(d, d)));
    for (int i = 0; i < order; ++i) radial[i + 1] = -(2 * i + 1) * radial[0] * radial[0] * radial[i];
    derivatives<order>(d.x, d.y, d.z, radial, derivative);
    Terms l;
    add_multipole_to_local<order>(
        m.of[0], [&](auto k) { return m.of[k]; }, derivative, l.of);
    return l;
  }
  static Terms shifted(const Terms& l, const Double3& d) {
    Terms to;
    add_shifted_local<order>([&](auto i) { return l.of[i]; }, d.x, d.y, d.z, to.of);
    return to;
  }
  static Value value(const Terms& l, const Double3& d) {
    Value v;
    evaluate_local<order>([&](auto i) { return l.of[i]; }, d.x, d.y, d.z, v.u, v.g.x, v.g.y, v.g.z);
    return v;
  }
};

template <int order>
using Order = std::integral_constant<int, order>;
using Orders = ::testing::Types<Order<1>, Order<2>, Order<3>, Order<4>, Order<5>, Order<6>>;
TYPED_TEST_SUITE(Expansions, Orders);

TYPED_TEST(Expansions, NumberTheirTermsByOrderAndBackAgain) {
  int last = 0;
  for (int i = 0; i < this->terms; ++i) {
    const Term t = term_of(i);
    ASSERT_EQ(index_of(t), i);
    ASSERT_GE(t.order(), last);
    last = t.order();
  }
  EXPECT_EQ(last, this->order);
}

TYPED_TEST(Expansions, OfPointsHoldTheSumsOfTheirPowers) {
  const auto points = points_about({0.1, 0.2, -0.3}, 1);
  const auto m = this->multipole(points, {});
  for (int i = 0; i < this->terms; ++i) {
    const Term t = term_of(i);
    double exact = 0;
    for (const Point& p : points) exact += p.mass * std::pow(p.at.x, t.a) * std::pow(p.at.y, t.b) * std::pow(p.at.z, t.c);
    exact /= std::tgamma(t.a + 1) * std::tgamma(t.b + 1) * std::tgamma(t.c + 1);
    ASSERT_NEAR(m.of[i], exact, 1e-13) << "term " << i;
  }
}

TYPED_TEST(Expansions, ShiftedToAnotherCentreAreThoseAboutIt) {
  const Double3 first{0.3, -0.2, 0.5}, second{-0.4, 0.6, 0.1};
  auto points = points_about(first, 2);
  const auto others = points_about(second, 3);
  auto sum = this->multipole({}, {});
  add_shifted_multipole<TypeParam::value>(this->multipole(points, first).of, first.x, first.y, first.z, sum.of);
  add_shifted_multipole<TypeParam::value>(this->multipole(others, second).of, second.x, second.y, second.z, sum.of);
  points.insert(points.end(), others.begin(), others.end());
  const auto whole = this->multipole(points, {});
  for (int i = 0; i < this->terms; ++i) ASSERT_NEAR(sum.of[i], whole.of[i], 1e-12) << "term " << i;
}

TYPED_TEST(Expansions, OfTheFieldShiftedToAnotherCentreAreTheSamePolynomial) {
  const NewtonKernel newton(0);
  const auto l = this->local(this->multipole(points_about({}, 4), {}), {2, -3, 1}, newton);
  const Double3 shift{0.3, 0.1, -0.2}, at{-0.2, 0.25, 0.4};
  const Value here = this->value(l, shift + at), there = this->value(this->shifted(l, shift), at);
  EXPECT_NEAR(there.u, here.u, 1e-13 * here.u);
  EXPECT_LT(length(there.g - here.g), 1e-13 * length(here.g));
}

/// Largest relative errors of a local expansion within 0.4 of its centre, 4 from that of the points.
struct Errors {
  double u = 0, g = 0;
};

template <int order, class Softening>
Errors errors_at(const Softening& softening) {
  using Base = Expansions<Order<order>>;
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

template <class Softening>
void expect_errors_that_fall_with_order(const Softening& softening) {
  const Errors e[] = {errors_at<1>(softening), errors_at<2>(softening), errors_at<3>(softening),
                      errors_at<4>(softening), errors_at<5>(softening), errors_at<6>(softening)};
  for (int i = 0; i < 6; ++i) {
    EXPECT_LT(e[i].u, 2 * std::pow(0.25, i + 2)) << "order " << i + 1;
    EXPECT_LT(e[i].g, 4 * std::pow(0.25, i + 1)) << "order " << i + 1;
    if (i == 0) continue;
    EXPECT_LT(e[i].u, 0.5 * e[i - 1].u) << "order " << i + 1;
    EXPECT_LT(e[i].g, 0.5 * e[i - 1].g) << "order " << i + 1;
  }
}

TEST(ExpandedFields, OfNewtonsLawApproachDirectSumsWithTheOrder) { expect_errors_that_fall_with_order(NewtonKernel(0)); }

TEST(ExpandedFields, OfPlummersSofteningApproachDirectSumsWithTheOrder) { expect_errors_that_fall_with_order(PlummerKernel(0.7)); }

TEST(ExpandedFields, OutsideASofteningOfCompactSupportApproachDirectSumsWithTheOrder) {
  expect_errors_that_fall_with_order(WendlandC2Kernel(0.5));
}

}  // namespace
}  // namespace grove
