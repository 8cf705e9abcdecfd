// Sums over the particles in each pixel, against sums made one particle after the other.
#include "src/pictures/picture_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/base/error.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

constexpr std::size_t particle_count = 20'000;
constexpr TypeMask all_types = 0x3f;

class PixelSums : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  Particles<BackEnd> particles{space};
  std::vector<Double4> position = tests::plummer_sphere(particle_count, 5);
  std::vector<Double3> velocity;
  std::vector<std::uint8_t> type;
  PictureParameters parameters;
  PictureView view;

  PixelSums() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < position.size(); ++i) {
      velocity.push_back({normal(random), normal(random), normal(random)});
      type.push_back(static_cast<std::uint8_t>(i % 3));
    }
    parameters.width = 64;
    parameters.height = 48;
    view = view_along('z', {0.1, 0.2, 0.3}, 4, parameters);
    load();
  }
  void load() {
    tests::set_particles(space, particles, position);
    copy_from_host<BackEnd, Double3>(space, velocity, particles.velocity.view());
    copy_from_host<BackEnd, std::uint8_t>(space, type, particles.type.view());
  }

  struct Sums {
    std::vector<std::uint64_t> mass, momentum;
    bool operator==(const Sums&) const = default;
  };
  Sums sums(const PictureQuanta& quanta, TypeMask mask) {
    Buffer<BackEnd, std::uint64_t> on_device(space);
    on_device.resize_discard(2 * view.pixels());
    space.fill_bytes(on_device.data(), 0, on_device.bytes());
    add_to_pixels(space, particles, view, quanta, mask, {on_device.data(), view.pixels()}, on_device.data() + view.pixels());
    const auto all = tests::download(space, on_device);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(view.pixels());
    return {{all.begin(), middle}, {middle, all.end()}};
  }
};

TEST_F(PixelSums, HoldTheMassAndTheMomentumOfThePixel) {
  const PictureQuanta quanta = PictureQuanta::of(1, 10);
  const Sums found = sums(quanta, all_types);
  std::vector<double> mass(view.pixels()), momentum(view.pixels());
  for (std::size_t i = 0; i < position.size(); ++i) {
    const double x = (position[i].x - 0.1) * 16 + 32, y = 24 - (position[i].y - 0.2) * 16;
    if (x < 0 || x >= 64 || y < 0 || y >= 48) continue;
    const std::size_t pixel = static_cast<std::size_t>(y) * 64 + static_cast<std::size_t>(x);
    mass[pixel] += position[i].w;
    momentum[pixel] += position[i].w * std::hypot(velocity[i].x, velocity[i].y, velocity[i].z);
  }
  for (std::size_t p = 0; p < mass.size(); ++p) {
    ASSERT_NEAR(static_cast<double>(found.mass[p]) / quanta.per_mass, mass[p], 1e-12) << p;
    ASSERT_NEAR(static_cast<double>(found.momentum[p]) / quanta.per_momentum, momentum[p], 1e-12) << p;
  }
  EXPECT_GT(*std::max_element(mass.begin(), mass.end()), 1e-3);
}

TEST_F(PixelSums, AreTheSameInAnyOrderOfTheParticles) {
  const PictureQuanta quanta = PictureQuanta::of(1, 10);
  const Sums before = sums(quanta, all_types);
  std::vector<std::size_t> order(position.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(9));
  const auto shuffle = [&](auto& values) {
    const auto old = values;
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = old[order[i]];
  };
  shuffle(position);
  shuffle(velocity);
  shuffle(type);
  load();
  EXPECT_TRUE(sums(quanta, all_types) == before);
}

TEST_F(PixelSums, LeaveOutOtherTypes) {
  const PictureQuanta quanta = PictureQuanta::of(1, 10);
  const Sums all = sums(quanta, all_types), first = sums(quanta, 1), others = sums(quanta, 6);
  for (std::size_t p = 0; p < view.pixels(); ++p) ASSERT_EQ(all.mass[p], first.mass[p] + others.mass[p]) << p;
  const ShownParticles shown = shown_particles(space, particles, 1);
  EXPECT_EQ(shown.count, static_cast<std::uint64_t>(std::count(type.begin(), type.end(), 0)));
}

TEST_F(PixelSums, HaveNoParticleThatIsOutsideOrNowhere) {
  const double far = 1e300, nowhere = std::numeric_limits<double>::quiet_NaN();
  position = {{far, 0, 0, 1}, {0, -far, 0, 1}, {nowhere, 0, 0, 1}, {2.1, 0.2, 0, 1}, {-1.9, 0.2, 0, 1}};
  velocity.resize(position.size());
  type.assign(position.size(), 0);
  load();
  const Sums found = sums(PictureQuanta::of(5, 0), all_types);
  const double in_all = static_cast<double>(std::accumulate(found.mass.begin(), found.mass.end(), std::uint64_t{0}));
  EXPECT_DOUBLE_EQ(in_all / PictureQuanta::of(5, 0).per_mass, 1) << "the left border belongs to the picture, the right one does not";
}

TEST_F(PixelSums, DoNotOverflowWhereAllMassIsInOnePixel) {
  position.assign(particle_count, {0.1, 0.2, 0.3, 1e30});
  load();
  const double total = 1e30 * static_cast<double>(particle_count);
  const PictureQuanta quanta = PictureQuanta::of(total, largest_speed(space, particles));
  const Sums found = sums(quanta, all_types);
  const std::size_t pixel = 24 * 64 + 32;
  EXPECT_NEAR(static_cast<double>(found.mass[pixel]) / quanta.per_mass / total, 1, 1e-12);
  EXPECT_GT(static_cast<double>(found.momentum[pixel]) / quanta.per_momentum / total, 1);
}

TEST_F(PixelSums, TheFieldOfViewShowsMostOfTheMass) {
  const Communicator comm(MPI_COMM_WORLD);
  parameters.show = "density";
  const PicturePlan plan(parameters);
  const ComponentNames names = usual_component_names();
  grove::PictureSums<BackEnd> pictures(space, comm, plan, names);
  grove::PictureSums<BackEnd>::OnHost on_host(space.host_memory());
  const PictureState state = pictures.collect(particles, on_host);
  // Plummer: 60 % of the mass within r / a = (0.6^(-2/3) - 1)^(-1/2) = 1.57, cut at 95 %: 1.50; four times that, rounded up.
  EXPECT_DOUBLE_EQ(pictures.field_of_view(), 6);
  ASSERT_EQ(state.views.size(), 1U);
  const std::span<const std::uint64_t> mass = state.mass_of(0);
  const double inside = static_cast<double>(std::accumulate(mass.begin(), mass.end(), std::uint64_t{0})) / state.quanta.per_mass;
  EXPECT_GT(inside, 0.8);
  EXPECT_TRUE(state.momentum_of(0).empty());
}

TEST_F(PixelSums, AComponentThatIsNotThereIsAnError) {
  const Communicator comm(MPI_COMM_WORLD);
  parameters.show = "density";
  parameters.components = "halo, bulge";
  const PicturePlan plan(parameters);
  const ComponentNames names = usual_component_names();
  grove::PictureSums<BackEnd> pictures(space, comm, plan, names);
  grove::PictureSums<BackEnd>::OnHost on_host(space.host_memory());
  try {
    pictures.collect(particles, on_host);
    FAIL() << "nothing was thrown";
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find("no component called \"bulge\"; the particles have gas, halo, disc"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace grove
