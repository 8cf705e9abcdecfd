// What pictures are made of: smoothing, colours, views, labels, files.
#include "src/pictures/picture.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

#include "kernels/base/error.hpp"
#include "kernels/base/physical_constants.hpp"
#include "src/pictures/png_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// Lightness in Oklab, 0 to 1 (Ottosson 2020), of a colour of sRGB (IEC 61966-2-1).
double oklab_lightness(Colour colour) {
  const auto decoded = [](std::uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double r = decoded(colour.red), g = decoded(colour.green), b = decoded(colour.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

double total(const PixelGrid& grid) { return std::accumulate(grid.values.begin(), grid.values.end(), 0.0); }

TEST(Smoothing, KeepsAllMass) {
  PixelGrid grid(101, 67);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 12);
  for (int i = 0; i < 3000; ++i) {
    const double x = 50 + normal(random), y = 33 + normal(random);
    if (x >= 0 && x < 101 && y >= 0 && y < 67) grid.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)) += 1;
  }
  const double before = total(grid);
  smooth(grid, nullptr);
  EXPECT_NEAR(total(grid) / before, 1, 0.01);
}

TEST(Smoothing, LeavesDenseDetailAndSpreadsSingleParticles) {
  PixelGrid grid(128, 128);
  grid.at(30, 30) = 1000;  // a nucleus
  grid.at(100, 90) = 1;    // one particle far away
  smooth(grid, nullptr);
  EXPECT_GT(grid.at(30, 30), 200) << "a nucleus stays within its neighbours";
  EXPECT_LT(grid.at(40, 30), 1e-3) << "and does not reach further";
  EXPECT_LT(grid.at(100, 90), 0.01);
  EXPECT_GT(grid.at(100, 90), 0);
}

TEST(Smoothing, TheQuotientOfTwoSumsOfOneValueIsThatValue) {
  PixelGrid mass(64, 64), other(64, 64);
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) mass.at(random() % 64, random() % 64) += 1;
  for (std::size_t p = 0; p < mass.values.size(); ++p) other.values[p] = 3.5F * mass.values[p];
  smooth(mass, &other);
  for (std::size_t p = 0; p < mass.values.size(); ++p) ASSERT_NEAR(other.values[p] / mass.values[p], 3.5, 1e-4);
}

TEST(ColourMaps, HaveNoCreaseThatAnEyeWouldTakeForAnEdge) {
  for (const std::string& name : colour_map_names()) {
    const ColourMap colours(name);
    constexpr int last = 1023, step = 12;
    const auto at = [&](int i) { return colours(static_cast<double>(i) / last); };
    int largest = 0;
    for (int i = step; i + step <= last; ++i) {
      const Colour before = at(i - step), here = at(i), after = at(i + step);
      for (const auto part : {&Colour::red, &Colour::green, &Colour::blue})
        largest = std::max(largest, std::abs(before.*part - 2 * (here.*part) + after.*part));
    }
    // Along a straight line of colours rounding alone makes 2.
    EXPECT_LE(largest, 4) << name;
  }
}

TEST(ColourMaps, LightnessGrowsInEqualStepsFromDarkToBright) {
  for (const std::string& name : colour_map_names()) {
    const ColourMap colours(name);
    EXPECT_LT(oklab_lightness(colours(0)), 0.01) << name;
    EXPECT_GT(oklab_lightness(colours(1)), 0.95) << name;
    // Near black, one of 255 levels is up to 0.07 of lightness.
    for (int i = 1; i <= 100; ++i) ASSERT_GE(oklab_lightness(colours(0.01 * i)), oklab_lightness(colours(0.01 * (i - 1)))) << name;
    for (int i = 10; i <= 100; ++i) ASSERT_NEAR(oklab_lightness(colours(0.01 * i)), 0.985 * 0.01 * i, 0.012) << name << " " << i;
  }
  EXPECT_EQ(ColourMap("grey")(std::nan("")), (Colour{0, 0, 0}));
  EXPECT_EQ(ColourMap("ember")(7), ColourMap("ember")(1));
}

TEST(Views, PlacesAreWhereTheDocumentSays) {
  PictureParameters parameters;
  parameters.width = 100;
  parameters.height = 50;
  const Double3 centre{1, 2, 3};
  const auto pixel = [&](char axis, const Double3& place) {
    const std::uint32_t p = view_along(axis, centre, 10, parameters).pixel_of(place);
    return std::pair(p % 100, p / 100);
  };
  // One to the right is ten pixels to the right, one up is ten rows less.
  EXPECT_EQ(pixel('z', {2.05, 3.05, 9}), std::pair(60U, 14U));
  EXPECT_EQ(pixel('x', {9, 3.05, 4.05}), std::pair(60U, 14U));
  EXPECT_EQ(pixel('y', {2.05, 9, 4.05}), std::pair(60U, 14U));
}

TEST(Pictures, DensityIsMassOverArea) {
  PictureParameters parameters;
  parameters.width = parameters.height = 64;
  const PictureView view = view_along('z', {}, 16, parameters);
  // Every pixel has 100 particles of mass 0.5: 50 over an area of (16 / 64)^2.
  const PictureQuanta quanta = PictureQuanta::of(50.0 * 64 * 64, 4);
  const auto in_mass = static_cast<std::uint64_t>(50 * quanta.per_mass),
             in_momentum = static_cast<std::uint64_t>(50 * 1.2 * quanta.per_momentum);
  std::vector<std::uint64_t> sums(view.pixels(), in_mass);
  sums.resize(2 * view.pixels(), in_momentum);
  const PictureFields fields = picture_fields({{view}, quanta, 0.5, sums}, 0);
  for (const float density : fields.density.values) ASSERT_NEAR(fields.density_unit * density, 800, 0.01);
  for (const float speed : fields.speed.values) ASSERT_NEAR(fields.speed_unit * speed, 1.2, 1e-5);
  const PictureRange range = completed({}, fields);
  EXPECT_DOUBLE_EQ(range.highest_density, 800);
  EXPECT_NEAR(range.highest_speed, 1.2, 1e-12);
  EXPECT_EQ(completed({1, 2, 3}, fields).highest_density, 2) << "what the user gives stays";
}

TEST(Pictures, MasslessParticlesMakeADarkPicture) {
  PictureParameters parameters;
  parameters.width = parameters.height = 32;
  const PictureView view = view_along('z', {}, 1, parameters);
  const PictureQuanta quanta = PictureQuanta::of(0, 0);
  std::vector<std::uint64_t> sums(view.pixels(), 0);
  const PictureFields fields = picture_fields({{view}, quanta, 0, sums}, 0);
  const Image image = draw_picture(PictureQuantity::density, view, fields, completed({}, fields), {}, ColourMap("ember"));
  EXPECT_EQ(image.at(16, 16), (Colour{0, 0, 0}));
}

TEST(Pictures, TheScaleBarIsAsLongAsItSays) {
  for (const double field : {0.037, 1.0, 8.0, 55.5, 3.1e22}) {
    PictureParameters parameters;
    parameters.width = 1000;
    parameters.height = 500;
    const PictureView view = view_along('z', {}, field, parameters);
    const PictureFields fields{PixelGrid(1000, 500), {}, 0, 0};
    PictureLabels labels;
    const Image image = draw_picture(PictureQuantity::density, view, fields, {}, labels, ColourMap("grey"));
    // The lowest row that has anything in the left half.
    std::size_t row = 500, length = 0;
    while (row > 0 && length == 0) {
      --row;
      for (std::size_t x = 0; x < 500; ++x) length += image.at(x, row).red > 200 ? 1 : 0;
    }
    const double expected = round_down_to_125(0.3 * field);
    EXPECT_NEAR(static_cast<double>(length), expected / field * 1000, 1) << field;
    EXPECT_GT(length, 110U);
  }
}

TEST(Pictures, LabelsAreWholeAndApart) {
  PictureLabels labels;
  labels.time = "t = 13.467 Gyr";
  labels.shown = "disc, bulge";
  labels.length_unit = "kpc";
  labels.density_unit = "M☉/pc²";
  for (const std::size_t side : {256, 512, 1200}) {
    PictureParameters parameters;
    parameters.width = parameters.height = side;
    const PictureView view = view_along('z', {}, 33.4, parameters);
    const PictureFields fields{PixelGrid(side, side), {}, 0, 0};
    const Image image = draw_picture(PictureQuantity::density, view, fields, {3.7e-7, 0.012, 0}, labels, ColourMap("grey"));
    const auto is_lit = [&](std::size_t x, std::size_t y) { return image.at(x, y).red > 0; };
    for (std::size_t i = 0; i < side; ++i) ASSERT_FALSE(is_lit(i, 0) || is_lit(i, side - 1) || is_lit(0, i) || is_lit(side - 1, i)) << side;
    // In each corner there is something, and between left and right a gap.
    const auto is_lit_column = [&](std::size_t x, std::size_t top, std::size_t bottom) {
      for (std::size_t y = top; y < bottom; ++y)
        if (is_lit(x, y)) return true;
      return false;
    };
    for (const std::size_t top : {std::size_t{0}, side / 2}) {
      std::size_t ends = 0, widest_gap = 0, gap = 0, last = 0;
      for (std::size_t x = 0; x < side; ++x) {
        if (!is_lit_column(x, top, top + side / 2)) {
          ++gap;
          continue;
        }
        if (last > 0 && gap >= widest_gap) widest_gap = gap, ends = last;
        last = x, gap = 0;
      }
      EXPECT_GE(widest_gap, side / 64) << side << " " << top;
      EXPECT_GT(ends, side / 10) << side << " " << top;
      EXPECT_GT(last, side - side / 8) << side << " " << top;
    }
  }
}

TEST(Pictures, LabelsHaveUnitsThatSuitTheView) {
  PictureParameters parameters;
  parameters.show = "density";
  const PicturePlan plan(parameters);
  const UnitSystem kpc{1e3 * parsec_in_cm, 1e10 * solar_mass_in_g, 1e5};
  const auto labels = [&](double field, const UnitSystem& units) {
    return picture_labels({plan, units, 1.5, "", {}}, view_along('z', {}, field, parameters));
  };
  EXPECT_EQ(labels(50, kpc).length_unit, "kpc");
  EXPECT_EQ(labels(0.05, kpc).length_unit, "pc");
  EXPECT_NEAR(labels(0.05, kpc).length_unit_in_code, 1e-3, 1e-12);
  EXPECT_EQ(labels(5000, kpc).length_unit, "Mpc");
  EXPECT_EQ(labels(50, kpc).time, "t = 1.467 Gyr");
  EXPECT_NEAR(labels(50, kpc).density_in_unit, 1e4, 1e-6) << "10^10 Msun / kpc^2";
  EXPECT_EQ(labels(50, {}).length_unit, "");
  EXPECT_EQ(labels(50, {}).time, "t = 1.5");
}

TEST(Plans, KeysThatMakeNoSenseAreNamed) {
  const auto key = [](auto change) {
    PictureParameters parameters;
    change(parameters);
    const auto complaint = complaint_about(parameters);
    return complaint ? complaint->key : "";
  };
  EXPECT_EQ(key([](auto&) {}), "");
  for (const char* axes : {"", "w", "z,z", "z x", "x,,y", "zx"}) EXPECT_EQ(key([&](auto& p) { p.axes = axes; }), "axes") << axes;
  for (const char* centre : {"", "1,2", "1,2,3,4", "1,2,nan", "1,2,inf", "1e101,0,0", "mas"})
    EXPECT_EQ(key([&](auto& p) { p.centre = centre; }), "centre") << centre;
  EXPECT_EQ(key([](auto& p) { p.centre = "1, -2e3, 0"; }), "");
  EXPECT_EQ(key([](auto& p) { p.components = "disc,"; }), "components");
  for (const double view : {1e-300, 1e300}) EXPECT_EQ(key([&](auto& p) { p.field_of_view = view; }), "field_of_view") << view;
  EXPECT_EQ(key([](auto& p) { p.lowest_density = p.highest_density = 2; }), "lowest_density");
}

Coverage letter(std::uint32_t code, std::size_t size = 24) {
  std::string text;
  if (code < 0x80) return text_coverage(std::string(1, static_cast<char>(code)), size, 4);
  const std::size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  for (std::size_t i = more; i > 0; --i) text += static_cast<char>(0x80 | (code >> 6 * (i - 1) & 0x3f));
  const int first = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
  return text_coverage(static_cast<char>(first | static_cast<int>(code >> 6 * more)) + text, size, 4);
}

TEST(Letters, HaveShapesOfTheirOwnAndThoseThatTheFontLacksABox) {
  const std::vector<std::uint8_t> box = letter(0x4e00).values;
  EXPECT_GT(*std::max_element(box.begin(), box.end()), 200);
  EXPECT_EQ(letter(0x10fffd).values, box);
  std::vector<std::vector<std::uint8_t>> shapes{box};
  std::vector<std::uint32_t> codes{0xb2, 0xb3, 0x3a3, 0xe9, 0xd7, 0x2013, 0x207b, 0x2074, 0x2609};  // of labels: ² ³ Σ é × – ⁻ ⁴ ☉
  for (std::uint32_t c = 33; c < 127; ++c) codes.push_back(c);
  for (const std::uint32_t code : codes) {
    const Coverage shape = letter(code);
    EXPECT_GT(*std::max_element(shape.values.begin(), shape.values.end()), 100) << code;
    EXPECT_EQ(std::count(shapes.begin(), shapes.end(), shape.values), 0) << code;
    shapes.push_back(shape.values);
  }
}

TEST(Letters, AreAsTallAsTheirSizeSaysAndGreyAtTheirEdges) {
  for (const std::size_t size : {11, 13, 30, 100}) {
    const Coverage capital = letter('O', size);
    std::size_t rows = 0;
    for (std::size_t y = 0; y < capital.height; ++y) {
      const auto row = capital.values.begin() + static_cast<std::ptrdiff_t>(y * capital.width);
      rows += *std::max_element(row, row + static_cast<std::ptrdiff_t>(capital.width)) > 100 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(rows), 0.75 * static_cast<double>(size), 1.5) << size;
    EXPECT_GT(std::count_if(capital.values.begin(), capital.values.end(), [](int v) { return v > 50 && v < 200; }), 8) << size;
  }
}

TEST(Letters, StayWithTheirRimWithinTheMarginOfTheirText) {
  for (const std::size_t size : {11, 13, 24, 60})
    for (const char* text : {"jot. density 0.03 – 1.2×10³ M☉/pc²", "fj(Wgy|", "ÅÉÖ ÿ¿"}) {
      const std::size_t rim = std::max<std::size_t>(size / 12, 1), margin = 2 * rim + 1;
      const Coverage drawn = rim_of(text_coverage(text, size, margin), rim);
      ASSERT_EQ(drawn.width, text_width(text, size) + 2 * margin);
      ASSERT_EQ(drawn.height, text_height(size) + 2 * margin);
      const auto is_empty = [&](std::size_t x, std::size_t y) { return drawn.at(x, y) == 0; };
      for (std::size_t x = 0; x < drawn.width; ++x) ASSERT_TRUE(is_empty(x, 0) && is_empty(x, drawn.height - 1)) << text << size;
      for (std::size_t y = 0; y < drawn.height; ++y) ASSERT_TRUE(is_empty(0, y) && is_empty(drawn.width - 1, y)) << text << size;
    }
  EXPECT_EQ(text_width("", 20), 0U);
  EXPECT_LT(text_width("iiii", 20), text_width("MMMM", 20) / 2);
  EXPECT_LT(text_width("AVAV", 60), 2 * (text_width("A", 60) + text_width("V", 60)) - 4) << "kerning";
}

TEST(Letters, WhatIsNoUtf8IsMarked) {
  const Coverage marked = text_coverage("a\xe9z", 24, 2);
  EXPECT_EQ(marked.values, text_coverage("a\xef\xbf\xbdz", 24, 2).values);
}

TEST(Letters, CanBeReadOnAnyGround) {
  constexpr Colour white{255, 255, 255};
  for (const Colour ground : {white, Colour{0, 0, 0}}) {
    Image image(80, 40);
    image.fill(0, 0, 80, 40, ground);
    image.write(10, 4, "I", 30, white);
    std::size_t bright = 0, dark = 0;
    for (std::size_t x = 8; x < 20; ++x) (image.at(x, 20).red > 200 ? bright : dark) += 1;
    EXPECT_GE(bright, 2U);
    EXPECT_GE(dark, 4U);
    EXPECT_EQ(image.at(60, 20), ground);
  }
}

TEST(Letters, BeyondTheBorderAreDropped) {
  Image whole(300, 60), part(24, 14);
  whole.write(0, 0, "Grove", 30, {9, 200, 90});
  part.write(0, 0, "Grove", 30, {9, 200, 90});
  for (std::size_t y = 0; y < part.height(); ++y)
    for (std::size_t x = 0; x < part.width(); ++x) ASSERT_EQ(part.at(x, y), whole.at(x, y));
}

TEST(Letters, AreTheSameOnManyThreads) {
  const Coverage one = text_coverage("t = 1.467 Gyr", 17, 2);
  int same = 0;
#pragma omp parallel for num_threads(4) reduction(+ : same)
  for (int i = 0; i < 32; ++i) same += text_coverage("t = 1.467 Gyr", 17, 2).values == one.values ? 1 : 0;
  EXPECT_EQ(same, 32);
}

class PngFiles : public ::testing::Test {
 protected:
  TemporaryDirectory directory;
  const std::string path = directory.file("picture_density_z_0000.png");
  Image image{37, 21};
  PngFiles() {
    for (std::size_t y = 0; y < image.height(); ++y)
      for (std::size_t x = 0; x < image.width(); ++x)
        image.at(x, y) = {static_cast<std::uint8_t>(7 * x), static_cast<std::uint8_t>(11 * y), 99};
  }
};

TEST_F(PngFiles, HoldThePictureAndTheTexts) {
  write_png(path, image, {{"Title", "density along z"}});
  png_image read{};
  read.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&read, path.c_str()), 0) << read.message;
  ASSERT_EQ(read.width, image.width());
  ASSERT_EQ(read.height, image.height());
  read.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(read));
  ASSERT_NE(png_image_finish_read(&read, nullptr, pixels.data(), 0, nullptr), 0) << read.message;
  EXPECT_EQ(std::memcmp(pixels.data(), &image.at(0, 0), pixels.size()), 0);
  EXPECT_NE(text_of_file(path).find(std::string("Title\0density along z", 21)), std::string::npos);
  EXPECT_TRUE(is_png_of_grove(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_F(PngFiles, ReplaceThoseOfGroveAndNoOther) {
  write_png(path, image);
  write_png(path, image, {{"Title", "once more"}});
  EXPECT_NE(text_of_file(path).find("once more"), std::string::npos);
  const std::string other = directory.file("photograph.png");
  std::ofstream(other) << "\x89PNG\r\n\x1a\n of my cat";
  EXPECT_THROW(write_png(other, image), SystemError);
  EXPECT_NE(text_of_file(other).find("of my cat"), std::string::npos);
  EXPECT_FALSE(is_png_of_grove(other));
  EXPECT_THROW(write_png(directory.file("missing/picture.png"), image), SystemError);
  const std::string link = directory.file("link.png"), nowhere = directory.file("nowhere");
  std::filesystem::create_symlink(nowhere, link);
  EXPECT_THROW(write_png(link, image), SystemError);
  EXPECT_TRUE(std::filesystem::is_symlink(link) && !std::filesystem::exists(nowhere));
  const std::string notes = directory.file("fresh.png.partial");
  std::ofstream(notes) << "my notes";
  EXPECT_THROW(write_png(directory.file("fresh.png"), image), SystemError);
  EXPECT_EQ(text_of_file(notes), "my notes");
}

}  // namespace
}  // namespace grove
