#include "src/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "kernels/base/named_rows.hpp"

namespace grove {

namespace {

/// A path through Oklab from black to nearly white: hues in degrees at both ends, and the largest chroma on the way.
struct Path {
  const char* name;
  double dark_hue, bright_hue, chroma;
};
constexpr Path paths[] = {
    {"ember", 285, 455, 0.21},  // violet, red, orange, yellow
    {"ice", 275, 190, 0.13},    // blue, cyan
    {"grey", 0, 0, 0},
};
constexpr double brightest = 0.985;

struct Linear {
  double red, green, blue;
};

/// The matrices of Ottosson (2020), "A perceptual color space for image processing".
Linear linear_of_oklab(double lightness, double a, double b) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool can_be_shown(const Linear& c) {
  constexpr double rounding = 1e-6;
  return std::min({c.red, c.green, c.blue}) >= -rounding && std::max({c.red, c.green, c.blue}) <= 1 + rounding;
}

/// The transfer function of sRGB (IEC 61966-2-1).
std::uint8_t encoded(double linear) {
  linear = std::clamp(linear, 0.0, 1.0);
  const double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

/// A colour of a path, at `t` from 0 to 1.
Linear linear_on(const Path& path, double t, double chroma) {
  constexpr double degree = std::numbers::pi / 180;
  const double hue = degree * std::lerp(path.dark_hue, path.bright_hue, t);
  return linear_of_oklab(brightest * t, chroma * std::cos(hue), chroma * std::sin(hue));
}

/// The chroma that the path wants, or the largest that a screen can show at this lightness and hue.
double chroma_on(const Path& path, double t) {
  double chroma = path.chroma * std::sqrt(std::max(std::sin(std::numbers::pi * t), 0.0));
  while (chroma > 1e-4 && !can_be_shown(linear_on(path, t, chroma))) chroma *= 0.99;
  return chroma > 1e-4 ? chroma : 0;
}

/// A function of the values within `reach` places of each.
template <class Function>
std::vector<double> of_neighbours(const std::vector<double>& values, std::ptrdiff_t reach, Function of) {
  std::vector<double> result;
  for (std::ptrdiff_t i = 0; i < std::ssize(values); ++i)
    result.push_back(
        of(values.begin() + std::max<std::ptrdiff_t>(i - reach, 0), values.begin() + std::min(i + reach + 1, std::ssize(values))));
  return result;
}

/// The chroma along a path, smooth where the limit of the screen sets in: a crease would look like an edge. Nowhere more than can be shown,
/// since it is a mean of the smallest values around.
std::vector<double> smooth_chroma(const Path& path, std::size_t steps) {
  std::vector<double> chroma(steps);
  for (std::size_t i = 0; i < steps; ++i) chroma[i] = chroma_on(path, static_cast<double>(i) / static_cast<double>(steps - 1));
  const auto reach = static_cast<std::ptrdiff_t>(steps / 20);
  const auto smallest = [](auto begin, auto end) { return *std::min_element(begin, end); };
  const auto mean = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin); };
  return of_neighbours(of_neighbours(chroma, reach, smallest), reach, mean);
}

}  // namespace

std::vector<std::string> colour_map_names() { return names_of(paths); }

ColourMap::ColourMap(const std::string& name) {
  const Path* const path = find_named(paths, name);
  if (!path) throw std::logic_error("there are no colours called " + name);
  const std::vector<double> chroma = smooth_chroma(*path, steps);
  for (std::size_t i = 0; i < steps; ++i) {
    const Linear c = linear_on(*path, static_cast<double>(i) / (steps - 1), chroma[i]);
    colours_[i] = {encoded(c.red), encoded(c.green), encoded(c.blue)};
  }
}

Colour ColourMap::operator()(double t) const {
  if (!(t > 0)) return colours_.front();
  return colours_[static_cast<std::size_t>(std::lround(std::min(t, 1.0) * (steps - 1)))];
}

}  // namespace grove
