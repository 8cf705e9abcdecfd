// Softening kernels: the conformance suite of the table SofteningKernels.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_names.hpp"

#include "kernels/base/error.hpp"

namespace grove {
namespace {

template <class Kernel>
class Softening : public ::testing::Test {
 protected:
  static constexpr double length = 0.7;
  Kernel kernel{length};

  double force(double r) const {
    double f, p;
    kernel.point(kernel.squared(r, 0.0, 0.0), f, p);
    return f * r;
  }
  double potential(double r) const {
    double f, p;
    kernel.point(kernel.squared(r, 0.0, 0.0), f, p);
    return -p;
  }
};

template <class Tuple>
struct AsTestTypes;
template <class... Kernels>
struct AsTestTypes<std::tuple<Kernels...>> {
  using type = ::testing::Types<Kernels...>;
};
TYPED_TEST_SUITE(Softening, AsTestTypes<SofteningKernels>::type);

TYPED_TEST(Softening, ForceIsTheGradientOfThePotential) {
  const double h = 1e-5;
  for (double r = 0.01; r < 10; r *= 1.05)
    EXPECT_NEAR(this->force(r), (this->potential(r + h) - this->potential(r - h)) / (2 * h), 1e-8) << r;
}

TYPED_TEST(Softening, PotentialAtTheCentreIsOneOverTheSofteningLength) {
  EXPECT_NEAR(this->potential(0), -1 / this->length, 1e-12) << "see softening.hpp: the length is that of Plummer's potential";
  EXPECT_EQ(this->force(0), 0);
}

TYPED_TEST(Softening, IsZeroAtZeroWhereItSaysSo) {
  double f = 1, p = 1;
  this->kernel.point(this->kernel.squared(0.0, 0.0, 0.0), f, p);
  EXPECT_EQ(f == 0 && p == 0, TypeParam::zero_at_zero) << f << " " << p;
}

TYPED_TEST(Softening, IsTheSameInAllDirections) {
  const double along_axis = this->kernel.squared(std::sqrt(14.0), 0.0, 0.0);
  for (const double d : {this->kernel.squared(1.0, 2.0, 3.0), this->kernel.squared(3.0, 1.0, -2.0), this->kernel.squared(-2.0, 3.0, 1.0)})
    EXPECT_NEAR(d, along_axis, 1e-14 * along_axis);
}

TYPED_TEST(Softening, IsNewtonianFarAway) {
  for (double r = 100; r < 1e6; r *= 10) {
    EXPECT_NEAR(this->force(r) * r * r, 1, 2 * (this->length / r) * (this->length / r));
    EXPECT_NEAR(this->potential(r) * r, -1, (this->length / r) * (this->length / r));
  }
}

// What multipoles see beyond the support must be what particles see.
TYPED_TEST(Softening, IsThatOfMultipolesBeyondItsSupport) {
  for (double r = this->kernel.support() * (1 + 1e-12) + 1e-3; r < 100; r *= 1.3)
    EXPECT_NEAR(this->potential(r), -reciprocal_sqrt(this->kernel.squared(r, 0.0, 0.0)), 1e-14) << r;
}

TYPED_TEST(Softening, IsContinuousAndAttractsLessThanAPointMassEverywhere) {
  double last_potential = this->potential(0), last_force = 0;
  for (double r = 0.001; r < 5; r += 0.001) {
    ASSERT_LT(std::abs(this->potential(r) - last_potential), 0.005) << r;
    ASSERT_LT(std::abs(this->force(r) - last_force), 0.01) << r;
    ASSERT_GT(this->potential(r), last_potential) << r;
    ASSERT_LE(this->force(r), (1 + 1e-12) / (r * r)) << r;
    last_potential = this->potential(r);
    last_force = this->force(r);
  }
}

TYPED_TEST(Softening, AgreesInBothPrecisions) {
  for (double r = 0; r < 10; r += 0.01) {
    double f, p;
    float single_f, single_p;
    this->kernel.point(this->kernel.squared(r, 0.0, 0.0), f, p);
    this->kernel.point(this->kernel.squared(static_cast<float>(r), 0.0F, 0.0F), single_f, single_p);
    EXPECT_NEAR(single_f, f, 1e-5 * f + 1e-7) << r;
    EXPECT_NEAR(single_p, p, 1e-5 * p) << r;
  }
}

// The largest length is 1: see GravityLaw::fitting().
TYPED_TEST(Softening, FitsIntoFp32AtBothEndsOfItsRange) {
  ASSERT_GT(TypeParam::least_length, 0);
  for (const double eps : {TypeParam::least_length, 1.0}) {
    const TypeParam at_end(eps);
    for (const double r : {0.0, 1e-3 * eps, 0.5 * eps, 2.9 * eps, 3.1 * eps, 5 * eps, 1e3 * eps, 1e-9, 1.0, 1e6}) {
      SCOPED_TRACE(testing::Message() << "length " << eps << ", r = " << r);
      double f, p;
      float single_f, single_p;
      at_end.point(at_end.squared(r, 0.0, 0.0), f, p);
      at_end.point(at_end.squared(static_cast<float>(r), 0.0F, 0.0F), single_f, single_p);
      EXPECT_NEAR(single_f, f, 2e-5 * f);
      EXPECT_NEAR(single_p, p, 2e-5 * p);
    }
  }
}

TYPED_TEST(Softening, IsTheSameForPointsApart) {
  for (float r2 : {2e-24F, 1e-12F, 1e-3F, 0.3F, 1.0F, 40.0F}) {
    float f, p, f_apart, p_apart;
    this->kernel.point(r2, f, p);
    this->kernel.point_apart(r2, f_apart, p_apart);
    EXPECT_EQ(f_apart, f) << r2;
    EXPECT_EQ(p_apart, p) << r2;
  }
}

TEST(Newton, IsTheSameForPointsApart) {
  const NewtonKernel kernel(0);
  for (float r2 : {2e-24F, 1e-3F, 40.0F}) {
    float f, p, f_apart, p_apart;
    kernel.point(r2, f, p);
    kernel.point_apart(r2, f_apart, p_apart);
    EXPECT_EQ(f_apart, f) << r2;
    EXPECT_EQ(p_apart, p) << r2;
  }
}

TEST(WendlandC2, IsExactlyNewtonianBeyondThreeSofteningLengths) {
  const WendlandC2Kernel kernel(0.5);
  EXPECT_EQ(kernel.support(), 1.5);
  for (double r = 1.5 + 1e-9; r < 10; r += 0.1) {
    double f, p;
    kernel.point(kernel.squared(r, 0.0, 0.0), f, p);
    EXPECT_NEAR(p, 1 / r, 1e-15);
    EXPECT_NEAR(f, 1 / (r * r * r), 1e-15);
  }
}

TEST(Newton, HasNoForceAtDistanceZero) {
  const NewtonKernel kernel(0);
  double f, p;
  kernel.point(0.0, f, p);
  EXPECT_EQ(f, 0);
  EXPECT_EQ(p, 0);
  kernel.point(4.0, f, p);
  EXPECT_DOUBLE_EQ(f, 1.0 / 8);
  EXPECT_DOUBLE_EQ(p, 1.0 / 2);
}

TEST(Newton, ActsInFp64AtDistancesThatFp32CannotSquare) {
  double f, p;
  NewtonKernel(0).point(1e-50, f, p);
  EXPECT_NEAR(p * 1e-25, 1, 1e-12);
}

TEST(GravityLaw, FindsEverySofteningByItsNameAndTakesZeroAsNone) {
  GravityParameters gravity;
  for (const std::string& name : softening_names()) {
    gravity.softening_kernel = name;
    gravity.softening = 3;
    const auto expect_kernel = [&](const auto& kernel) {
      EXPECT_EQ(kernel.name, name);
      double f, p;
      kernel.point(kernel.squared(0.0, 0.0, 0.0), f, p);
      EXPECT_NEAR(p, 2.0 / 3, 1e-12) << "lengths in units of 2";
    };
    std::visit(expect_kernel, GravityLaw(gravity).at({2, 1}).softening);
    gravity.softening = 0;
    EXPECT_TRUE(std::holds_alternative<NewtonKernel>(GravityLaw(gravity).at({2, 1}).softening));
  }
  gravity.softening = 1;
  gravity.softening_kernel = "no such kernel";
  EXPECT_THROW(GravityLaw{gravity}, ConfigError);
}

TEST(GravityLaw, HasHarmonicExpansionsWherePlummersSofteningIsSmallBesideTheCells) {
  GravityParameters gravity;
  gravity.softening_of_type = {0.5, 1, 0.5, 0.5, 0.5, 0.5};
  gravity.softening = 1;
  for (const std::uint64_t order : {4, 5}) {
    gravity.order = order;
    const int n = static_cast<int>(order);
    EXPECT_EQ(GravityLaw(gravity).expansion_form(), (ExpansionForm{n, false}));
    EXPECT_EQ(GravityLaw(gravity).form_for_cells(13.9), (ExpansionForm{n, false}));
    EXPECT_EQ(GravityLaw(gravity).form_for_cells(14.1), (ExpansionForm{n, true}));
    EXPECT_EQ(GravityLaw(gravity).without_acceleration().form_for_cells(1e9), (ExpansionForm{n, false})) << "it bounds no error";
  }
  gravity.opening = "minimal_distance";
  EXPECT_FALSE(GravityLaw(gravity).form_for_cells(1e9).harmonic);
  gravity.softening_kernel = "wendland_c2";
  EXPECT_TRUE(GravityLaw(gravity).form_for_cells(1e-9).harmonic) << "is Newton's law beyond its support";
}

TEST(GravityLaw, CountsWhatHarmonicExpansionsLackForThePairsOfEachClass) {
  GravityParameters gravity;
  gravity.softening_of_type = {0.5, 1, 0.5, 0.5, 0.5, 0.5};
  gravity.softening = 1;
  const GravityLaw law(gravity);
  const auto trace = [&](int pair_class, bool harmonic) {
    return std::get<RelativeOpening>(law.of_pair(pair_class, pair_class, {2, 1}, {4, harmonic}).opening).trace;
  };
  EXPECT_FLOAT_EQ(trace(0, true), 9 * 0.25F * 0.25F);
  EXPECT_FLOAT_EQ(trace(1, true), 9 * 0.5F * 0.5F);
  EXPECT_EQ(trace(0, false), 0);
  EXPECT_EQ(trace(1, false), 0);
  gravity.softening_kernel = "wendland_c2";
  EXPECT_EQ(std::get<RelativeOpening>(GravityLaw(gravity).of_pair(1, 1, {2, 1}, {4, true}).opening).trace, 0);
}

}  // namespace
}  // namespace grove
