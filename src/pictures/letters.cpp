#include "src/pictures/letters.hpp"

#include <fmt/format.h>
#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "io/files/utf8.hpp"
#include "kernels/base/error.hpp"

namespace grove {

extern const std::string_view font_file;

namespace {

// FreeType counts in 64ths of a pixel.
constexpr FT_Pos units_a_pixel = 64;
constexpr std::size_t pixels_of(FT_Pos length) { return static_cast<std::size_t>((length + units_a_pixel - 1) / units_a_pixel); }

// Stems stay as wide as they are: hinted vertically only, letters are sharp at small sizes, and spaced as in large ones.
constexpr FT_Int32 hinting = FT_LOAD_TARGET_LIGHT;
constexpr FT_ULong for_no_character = 0xfffd;

void freetype_checked(FT_Error error) {
  if (error != 0) throw SystemError(fmt::format("FreeType cannot draw text: error {}", error));
}

/// The font at one size. Each has a library of its own: FreeType lets no two threads use one.
class Font {
 public:
  explicit Font(std::size_t size) : library_(nullptr, FT_Done_FreeType), face_(nullptr, FT_Done_Face) {
    FT_Library library = nullptr;
    freetype_checked(FT_Init_FreeType(&library));
    library_.reset(library);
    FT_Face face = nullptr;
    freetype_checked(
        FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(font_file.data()), static_cast<FT_Long>(font_file.size()), 0, &face));
    face_.reset(face);
    freetype_checked(FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size)));
  }

  std::size_t ascent() const { return pixels_of(face_->size->metrics.ascender); }
  std::size_t height() const { return ascent() + pixels_of(-face_->size->metrics.descender); }

  /// Loads one letter after the other and calls use(slot, x) with its place; the return value is the width of all.
  template <class Use>
  FT_Pos for_each_letter(const std::string& text, Use use) const {
    FT_Pos x = 0;
    FT_UInt previous = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Character character = character_at(text, at);
      at += std::max<std::size_t>(character.bytes, 1);
      const FT_UInt glyph = FT_Get_Char_Index(face_.get(), character.bytes > 0 ? character.code : for_no_character);
      FT_Vector kerning{};
      freetype_checked(FT_Get_Kerning(face_.get(), previous, glyph, FT_KERNING_UNFITTED, &kerning));
      freetype_checked(FT_Load_Glyph(face_.get(), glyph, hinting));
      x += kerning.x;
      use(face_->glyph, x);
      x += face_->glyph->linearHoriAdvance >> 10;  // 65536ths
      previous = glyph;
    }
    return x;
  }

 private:
  std::unique_ptr<FT_LibraryRec_, decltype(&FT_Done_FreeType)> library_;
  std::unique_ptr<FT_FaceRec_, decltype(&FT_Done_Face)> face_;
};

std::size_t width_in(const Font& font, const std::string& text) {
  return pixels_of(font.for_each_letter(text, [](FT_GlyphSlot, FT_Pos) {}));
}

/// Where letters overlap, the darker one counts. What lies beyond the border is dropped.
void add_letter(Coverage& coverage, const FT_Bitmap& letter, FT_Pos left, FT_Pos top) {
  for (FT_Pos v = 0; v < letter.rows; ++v)
    for (FT_Pos u = 0; u < letter.width; ++u) {
      const auto x = static_cast<std::size_t>(left + u), y = static_cast<std::size_t>(top + v);
      if (x >= coverage.width || y >= coverage.height) continue;
      coverage.at(x, y) = std::max<std::uint8_t>(coverage.at(x, y), letter.buffer[v * letter.pitch + u]);
    }
}

}  // namespace

Coverage text_coverage(const std::string& text, std::size_t size, std::size_t margin) {
  const Font font(size);
  Coverage coverage(width_in(font, text) + 2 * margin, font.height() + 2 * margin);
  const auto left = static_cast<FT_Pos>(margin), baseline = static_cast<FT_Pos>(margin + font.ascent());
  font.for_each_letter(text, [&](FT_GlyphSlot letter, FT_Pos x) {
    FT_Outline_Translate(&letter->outline, x % units_a_pixel, 0);
    freetype_checked(FT_Render_Glyph(letter, FT_RENDER_MODE_NORMAL));
    add_letter(coverage, letter->bitmap, left + x / units_a_pixel + letter->bitmap_left, baseline - letter->bitmap_top);
  });
  return coverage;
}

std::size_t text_width(const std::string& text, std::size_t size) { return width_in(Font(size), text); }

std::size_t text_height(std::size_t size) { return Font(size).height(); }

Coverage rim_of(const Coverage& coverage, std::size_t width) {
  using Place = std::ptrdiff_t;
  Coverage rim(coverage.width, coverage.height);
  const auto reach = static_cast<Place>(width), columns = static_cast<Place>(rim.width), rows = static_cast<Place>(rim.height);
  for (Place dy = -reach; dy <= reach; ++dy)
    for (Place dx = -reach; dx <= reach; ++dx) {
      const double share = std::clamp(static_cast<double>(reach + 1) - std::sqrt(static_cast<double>(dx * dx + dy * dy)), 0.0, 1.0);
      for (Place y = std::max<Place>(0, -dy); y < std::min(rows, rows - dy); ++y)
        for (Place x = std::max<Place>(0, -dx); x < std::min(columns, columns - dx); ++x) {
          const std::uint8_t from = coverage.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
          std::uint8_t& to = rim.at(static_cast<std::size_t>(x + dx), static_cast<std::size_t>(y + dy));
          to = std::max(to, static_cast<std::uint8_t>(std::lround(share * from)));
        }
    }
  return rim;
}

}  // namespace grove
