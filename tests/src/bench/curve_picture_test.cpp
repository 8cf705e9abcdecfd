// Pictures of curves: what the SVG holds, and where.
#include "src/bench/curve_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>

namespace grove {
namespace {

/// The coordinates of the polylines of `svg`, in its order.
std::vector<std::vector<std::pair<double, double>>> lines_of(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lines;
  const std::regex polyline("<polyline points=\"([^\"]*)\""), point("([-0-9.]+),([-0-9.]+)");
  for (std::sregex_iterator line(svg.begin(), svg.end(), polyline), end; line != end; ++line) {
    const std::string points = (*line)[1];
    lines.emplace_back();
    for (std::sregex_iterator p(points.begin(), points.end(), point); p != end; ++p)
      lines.back().emplace_back(std::stod((*p)[1]), std::stod((*p)[2]));
  }
  return lines;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CurvePicture, AxesAreLogarithmicAndUpwards) {
  const CurvePicture picture{"", "x", "y", {{"a", {{1e-4, 1e5, ""}, {1e-3, 1e6, ""}, {1e-1, 1e8, ""}}}}};
  const auto lines = lines_of(picture.svg());
  ASSERT_EQ(lines.size(), 1u);
  ASSERT_EQ(lines[0].size(), 3u);
  const auto &a = lines[0][0], &b = lines[0][1], &c = lines[0][2];
  EXPECT_GT(b.first, a.first);
  EXPECT_LT(b.second, a.second) << "y grows downwards in SVG";
  // Pixels are given to a tenth.
  EXPECT_NEAR(c.first - b.first, 2 * (b.first - a.first), 0.4);
  EXPECT_NEAR(c.second - b.second, 2 * (b.second - a.second), 0.4);
}

TEST(CurvePicture, EveryCurveIsInTheLegendWithItsOwnColour) {
  CurvePicture picture{"speed", "error", "particles/s", {}};
  for (const char* name : {"plummer", "disc", "merger"}) picture.curves.push_back({name, {{1, 1, ""}, {2, 3, ""}}});
  const std::string svg = picture.svg();
  for (const char* text : {">plummer</text>", ">disc</text>", ">merger</text>", ">speed</text>", ">error</text>", ">particles/s</text>"})
    EXPECT_EQ(count_of(svg, text), 1u) << text;
  for (const char* colour : {"stroke=\"#0072b2\"", "stroke=\"#d55e00\"", "stroke=\"#009e73\""})
    EXPECT_EQ(count_of(svg, colour), 1u) << colour;
}

TEST(CurvePicture, PointsWithoutALogarithmAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const CurvePicture picture{"", "", "", {{"a", {{0, 1, ""}, {1, -1, ""}, {nan, 1, ""}, {1, infinity, ""}, {2, 2, "kept"}}}}};
  const std::string svg = picture.svg();
  ASSERT_EQ(lines_of(svg).at(0).size(), 1u);
  EXPECT_EQ(count_of(svg, "<title>kept</title>"), 1u);
  EXPECT_EQ(count_of(svg, "nan") + count_of(svg, "inf"), 0u);
}

TEST(CurvePicture, OfNothingIsStillAPicture) {
  for (const CurvePicture& picture : {CurvePicture{}, CurvePicture{"", "", "", {{"a", {}}}}}) {
    const std::string svg = picture.svg();
    EXPECT_EQ(count_of(svg, "</svg>"), 1u);
    EXPECT_EQ(count_of(svg, "nan") + count_of(svg, "inf"), 0u);
  }
}

TEST(CurvePicture, TextsCannotBreakTheDocument) {
  const std::string svg = CurvePicture{"a <b> & \"c\"\n", "", "", {{"<x>", {{1, 1, "&"}}}}}.svg();
  EXPECT_EQ(count_of(svg, "a &lt;b&gt; &amp; &quot;c&quot; </text>"), 1u);
  EXPECT_EQ(count_of(svg, ">&lt;x&gt;</text>"), 1u);
  EXPECT_EQ(count_of(svg, "<title>&amp;</title>"), 1u);
}

TEST(CurvePicture, FewDecadesHaveMoreLabels) {
  const auto labels = [](double largest) {
    return count_of(CurvePicture{"", "", "", {{"a", {{1, 1, ""}, {largest, 1, ""}}}}}.svg(), "<tspan");
  };
  EXPECT_GE(labels(3), 2u);
  EXPECT_LT(labels(1e12), 30u);
}

}  // namespace
}  // namespace grove
