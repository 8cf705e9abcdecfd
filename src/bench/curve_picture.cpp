#include "src/bench/curve_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace grove {

namespace {

// Layout in pixels: the frame of the axes, with the legend to its right.
constexpr double width = 960, height = 600, left = 90, right = 760, top = 60, bottom = 520;

// Colours of Okabe & Ito 2008, which colour-blind readers can tell apart, and markers for print without colour.
constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<const char*, 5> markers{"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", "M-4 -4h8v8h-8z",
                                             "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z", "M0 -5l5 9h-10z", "M0 5l5 -9h-10z"};

std::string escaped(const std::string& text) {
  static const std::map<char, std::string> names{{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string result;
  for (const char c : text) {
    const auto named = names.find(c);
    // Control characters are not allowed in XML at all.
    result += named != names.end() ? named->second : std::string(1, static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  return result;
}

bool can_be_drawn(const CurvePoint& point) { return point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y); }

/// Maps the values of one coordinate to pixels.
class LogAxis {
 public:
  LogAxis(const std::vector<Curve>& curves, double CurvePoint::*coordinate, double first_pixel, double last_pixel)
      : first_pixel_(first_pixel), last_pixel_(last_pixel) {
    for (const Curve& curve : curves)
      for (const CurvePoint& point : curve.points)
        if (can_be_drawn(point)) {
          low_ = std::min(low_, std::log10(point.*coordinate));
          high_ = std::max(high_, std::log10(point.*coordinate));
        }
    if (low_ > high_) low_ = high_ = 0;
    const double margin = std::max(0.15, 0.05 * (high_ - low_));
    low_ -= margin;
    high_ += margin;
  }

  double pixel(double value) const { return first_pixel_ + (std::log10(value) - low_) / (high_ - low_) * (last_pixel_ - first_pixel_); }

  struct Tick {
    double value;
    bool is_major;
    std::string label;  ///< empty: none
  };
  /// At 1 to 9 times every power of ten; labelled at 1 and, where there are few of those, at 2 and 5.
  std::vector<Tick> ticks() const {
    std::vector<Tick> all;
    for (int exponent = static_cast<int>(std::floor(low_)); exponent <= high_; ++exponent)
      for (int digit = 1; digit < 10; ++digit) {
        const double place = exponent + std::log10(digit);
        if (place < low_ || place > high_) continue;
        const bool is_labelled = digit == 1 || (high_ - low_ < 2.5 && (digit == 2 || digit == 5));
        all.push_back({digit * std::pow(10.0, exponent), digit == 1, is_labelled ? label_of(digit, exponent) : ""});
      }
    return all;
  }

 private:
  static std::string label_of(int digit, int exponent) {
    return fmt::format("{}10<tspan dy=\"-6\" font-size=\"10\">{}{}</tspan>", digit == 1 ? "" : fmt::format("{}\u00b7", digit),
                       exponent < 0 ? "\u2212" : "", std::abs(exponent));
  }

  double first_pixel_, last_pixel_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;  ///< decimal logarithms of the ends
};

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2, colour);
}

std::string text_at(double x, double y, const char* anchor, const std::string& content, const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, content);
}

std::string grid(const LogAxis& x_axis, const LogAxis& y_axis) {
  constexpr const char *major = "#bbbbbb", *minor = "#eeeeee";
  std::string lines, labels;
  for (const LogAxis::Tick& tick : x_axis.ticks()) {
    const double x = x_axis.pixel(tick.value);
    lines += line(x, top, x, bottom, tick.is_major ? major : minor);
    if (!tick.label.empty()) labels += text_at(x, bottom + 22, "middle", tick.label);
  }
  for (const LogAxis::Tick& tick : y_axis.ticks()) {
    const double y = y_axis.pixel(tick.value);
    lines += line(left, y, right, y, tick.is_major ? major : minor);
    if (!tick.label.empty()) labels += text_at(left - 8, y + 5, "end", tick.label);
  }
  return lines + labels +
         fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#000000\"/>\n", left, top, right - left,
                     bottom - top);
}

std::string marker(std::size_t index, double x, double y, const std::string& note) {
  return fmt::format("<path d=\"{}\" transform=\"translate({:.1f} {:.1f})\" fill=\"{}\"><title>{}</title></path>\n",
                     markers[index % markers.size()], x, y, colours[index % colours.size()], escaped(note));
}

std::string drawn(const Curve& curve, std::size_t index, const LogAxis& x_axis, const LogAxis& y_axis) {
  std::string path, points;
  for (const CurvePoint& point : curve.points) {
    if (!can_be_drawn(point)) continue;
    const double x = x_axis.pixel(point.x), y = y_axis.pixel(point.y);
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
    points += marker(index, x, y, point.note);
  }
  const double legend_y = top + 14 + 24 * static_cast<double>(index);
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colours[index % colours.size()]) +
         points + marker(index, right + 24, legend_y, curve.name) + text_at(right + 38, legend_y + 5, "start", escaped(curve.name));
}

}  // namespace

std::string CurvePicture::svg() const {
  const LogAxis x_axis(curves, &CurvePoint::x, left, right), y_axis(curves, &CurvePoint::y, bottom, top);
  std::string body = grid(x_axis, y_axis);
  for (std::size_t i = 0; i < curves.size(); ++i) body += drawn(curves[i], i, x_axis, y_axis);
  body += text_at((left + right) / 2, top - 24, "middle", escaped(title), " font-size=\"15\"");
  body += text_at((left + right) / 2, bottom + 54, "middle", escaped(x_label));
  const double middle = (top + bottom) / 2;
  body += text_at(28, middle, "middle", escaped(y_label), fmt::format(" transform=\"rotate(-90 28 {})\"", middle));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"14\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      width, height, body);
}

}  // namespace grove
