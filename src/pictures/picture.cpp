#include "src/pictures/picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/physical_constants.hpp"
#include "kernels/base/units.hpp"
#include "src/pictures/letters.hpp"
#include "src/pictures/png_file.hpp"

namespace grove {

namespace {

constexpr Colour label_colour{235, 235, 235};
constexpr double decades_of_density = 4.5;
// Size of letters, in pixels: this part of the shorter side, as long as it can be read.
constexpr std::size_t letters_a_side = 40, smallest_letters = 11;

/// `number` with two digits, never 0.
double with_two_digits(double number) {
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 1);
  return std::round(number / unit) * unit;
}

float largest_of(const PixelGrid& grid) { return grid.values.empty() ? 0.0F : *std::max_element(grid.values.begin(), grid.values.end()); }

/// Place on the colours, 0 to 1, of a density.
double place_of(double density, const PictureRange& range) {
  if (!(density > 0) || !(range.lowest_density > 0)) return 0;
  return std::log(density / range.lowest_density) / std::log(range.highest_density / range.lowest_density);
}

Colour dimmed(Colour colour, double share) {
  const auto part = [share](std::uint8_t c) { return static_cast<std::uint8_t>(std::lround(share * c)); };
  return {part(colour.red), part(colour.green), part(colour.blue)};
}

/// Where there is little mass, its speed says little: the colour of a speed fades with the density.
Colour colour_of(PictureQuantity quantity, std::size_t i, const PictureFields& fields, const PictureRange& range,
                 const ColourMap& colours) {
  const double density = place_of(fields.density_unit * fields.density.values[i], range);
  if (quantity == PictureQuantity::density) return colours(density);
  constexpr double fades_below = 0.6, darkest = 0.2;
  const double speed = range.highest_speed > 0 ? fields.speed_unit * fields.speed.values[i] / range.highest_speed : 0;
  return dimmed(colours(darkest + (1 - darkest) * speed), std::clamp(density / fades_below, 0.0, 1.0));
}

std::string superscript(int number) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : digits[c - '0'];
  return text;
}

std::string number_text(double number) {
  const double size = std::abs(number);
  if (size == 0 || (size >= 0.01 && size < 1000)) return fmt::format("{:.3g}", number);
  if (size >= 1000 && size < 1e4) return fmt::format("{:.0f}", number);
  const std::string text = fmt::format("{:.1e}", number), digits = text.substr(0, text.find('e'));
  const std::string power = "10" + superscript(std::stoi(text.substr(text.find('e') + 1)));
  return digits == "1.0" ? power : (digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits) + "×" + power;
}

std::string with_unit(const std::string& number, const std::string& unit) { return unit.empty() ? number : number + " " + unit; }

/// Draws the labels of one picture.
class Labels {
 public:
  Labels(Image& image, const PictureLabels& words)
      : image_(image), words_(words), size_(std::max(std::min(image.width(), image.height()) / letters_a_side, smallest_letters)) {}

  void time() { write(margin(), margin(), words_.time); }

  void shown() {
    const std::size_t width = width_of(words_.shown);
    if (image_.width() > width + 3 * margin() + width_of(words_.time)) write(image_.width() - margin() - width, margin(), words_.shown);
  }

  /// About a fifth of the width.
  void scale_bar(const PictureView& view) {
    const double per_unit = view.pixels_per_length * words_.length_unit_in_code;
    const double length = round_down_to_125(0.3 * view.width / per_unit);
    const auto pixels = static_cast<std::size_t>(std::lround(length * per_unit));
    const std::string text = with_unit(number_text(length), words_.length_unit);
    image_.fill(margin(), bottom(), pixels, line(), label_colour);
    write(margin(), above_bars(), text);
    left_end_ = margin() + std::max(pixels, width_of(text));
  }

  /// Right of the scale bar, if there is room.
  void colour_bar(PictureQuantity quantity, const PictureRange& range, const ColourMap& colours) {
    const bool is_density = quantity == PictureQuantity::density;
    const std::string low = is_density ? number_text(range.lowest_density * words_.density_in_unit) : "0";
    const std::string high = is_density ? with_unit(number_text(range.highest_density * words_.density_in_unit), words_.density_unit)
                                        : with_unit(number_text(range.highest_speed * words_.speed_in_unit), words_.speed_unit);
    const std::size_t room = image_.width() - std::min(image_.width(), left_end_ + 2 * margin());
    std::string text = name_of(quantity) + " " + low + " – " + high;
    if (width_of(text) > room) text = low + " – " + high;
    const std::size_t width = std::max(width_of(text), image_.width() / 5);
    if (width > room) return;
    const std::size_t left = image_.width() - margin() - width;
    for (std::size_t x = 0; x < width; ++x)
      image_.fill(left + x, bottom() - line(), 1, 3 * line(), colours(static_cast<double>(x) / static_cast<double>(width - 1)));
    write(left, above_bars(), text);
  }

 private:
  void write(std::size_t x, std::size_t y, const std::string& text) { image_.write(x, y, text, size_, label_colour); }
  std::size_t width_of(const std::string& text) const { return text_width(text, size_); }

  std::size_t line() const { return size_ / 8; }
  std::size_t margin() const { return size_ / 2; }
  std::size_t bottom() const { return image_.height() - std::min(image_.height(), margin() + 2 * line()); }
  std::size_t above_bars() const { return bottom() - std::min(bottom(), text_height(size_) + 2 * line()); }

  Image& image_;
  const PictureLabels& words_;
  std::size_t size_;
  std::size_t left_end_ = 0;  ///< of the scale bar and its text
};

}  // namespace

PictureFields picture_fields(const PictureState& state, std::size_t index) {
  const PictureView& view = state.views[index];
  const double per_mass = state.quanta.per_mass, per_momentum = state.quanta.per_momentum;
  const std::span<const std::uint64_t> momentum = state.momentum_of(index);
  const bool is_there = per_mass > 0 && state.particle_mass > 0, has_speed = !momentum.empty();
  const auto grid_of = [&](std::span<const std::uint64_t> sums) {
    const double factor = is_there ? 1 / (per_mass * state.particle_mass) : 0;
    PixelGrid grid(view.width, view.height);
    for (std::size_t i = 0; i < sums.size(); ++i) grid.values[i] = static_cast<float>(static_cast<double>(sums[i]) * factor);
    return grid;
  };
  PictureFields fields;
  fields.density = grid_of(state.mass_of(index));
  if (is_there) fields.density_unit = state.particle_mass / view.pixel_area();
  if (has_speed) fields.speed = grid_of(momentum);
  if (has_speed && per_momentum > 0) fields.speed_unit = per_mass / per_momentum;
  smooth(fields.density, has_speed ? &fields.speed : nullptr);
  for (std::size_t i = 0; i < fields.speed.values.size(); ++i) {
    const float particles = fields.density.values[i];
    fields.speed.values[i] = particles > 0 ? fields.speed.values[i] / particles : 0.0F;
  }
  return fields;
}

PictureRange completed(PictureRange range, const PictureFields& fields) {
  const double brightest = fields.density_unit * largest_of(fields.density), fastest = fields.speed_unit * largest_of(fields.speed);
  if (range.highest_density == 0 && brightest > 0)
    range.highest_density = with_two_digits(range.lowest_density > 0 ? std::max(brightest, 10 * range.lowest_density) : brightest);
  if (range.lowest_density == 0 && range.highest_density > 0)
    range.lowest_density = with_two_digits(range.highest_density * std::pow(10.0, -decades_of_density));
  if (range.highest_speed == 0 && fastest > 0) range.highest_speed = with_two_digits(fastest);
  return range;
}

Image draw_picture(PictureQuantity quantity, const PictureView& view, const PictureFields& fields, const PictureRange& range,
                   const PictureLabels& words, const ColourMap& colours) {
  Image image(view.width, view.height);
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < image.height(); ++y)
    for (std::size_t x = 0; x < image.width(); ++x) image.at(x, y) = colour_of(quantity, y * image.width() + x, fields, range, colours);
  Labels labels(image, words);
  labels.time();
  labels.shown();
  labels.scale_bar(view);
  labels.colour_bar(quantity, range, colours);
  return image;
}

PictureLabels picture_labels(const PictureSetting& setting, const PictureView& view) {
  const UnitSystem& units = setting.units;
  PictureLabels labels;
  if (setting.time) labels.time = "t = " + format_time(*setting.time, units);
  labels.shown = fmt::format("{}", fmt::join(setting.plan.components, ", "));
  if (!is_physical(units)) return labels;
  const ShownUnit length = unit_of_length(view.width / view.pixels_per_length, units);
  labels.length_unit = length.name;
  labels.length_unit_in_code = length.in_code_units;
  labels.density_unit = "M☉/pc²";
  labels.density_in_unit = units.mass_in_g / solar_mass_in_g * std::pow(parsec_in_cm / units.length_in_cm, 2);
  labels.speed_unit = "km/s";
  labels.speed_in_unit = units.velocity_in_cm_per_s / 1e5;
  return labels;
}

void write_pictures(const PictureSetting& setting, const PictureState& state, PictureRange& range) {
  const PicturePlan& plan = setting.plan;
  const ColourMap colours(plan.parameters.colours);
  for (std::size_t view = 0; view < state.views.size(); ++view) {
    const PictureFields fields = picture_fields(state, view);
    range = completed(range, fields);
    const PictureLabels labels = picture_labels(setting, state.views[view]);
    for (const PictureQuantity quantity : plan.quantities) {
      const PngTexts texts{{"Title", fmt::format("{} along {}, {}", name_of(quantity), plan.axes[view], labels.time)},
                           {"Source", setting.source}};
      write_png(setting.path(quantity, plan.axes[view]), draw_picture(quantity, state.views[view], fields, range, labels, colours), texts);
    }
  }
}

double round_down_to_125(double number) {
  const double unit = std::pow(10.0, std::floor(std::log10(number)));
  const double first = number / unit * (1 + 1e-12);
  return (first >= 5 ? 5 : first >= 2 ? 2 : 1) * unit;
}

}  // namespace grove
