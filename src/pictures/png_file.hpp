// Pictures in PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/pictures/image.hpp"

namespace grove {

/// Texts in the file: keyword and value, in Latin-1 as PNG requires.
using PngTexts = std::vector<std::pair<std::string, std::string>>;

/// Writes the picture under its partial name, then gives it its final name; adds the text Software = Grove to `texts`. The bytes depend on
/// the arguments alone. Replaces a picture of that name that Grove has written. Not collective. Throws SystemError that names the file,
/// also when another file of that name is there, which is left as it is.
void write_png(const std::filesystem::path& path, const Image& image, const PngTexts& texts = {});

/// Whether nothing has this name, or a picture that write_png() may replace; a link may not be replaced.
bool may_become_picture(const std::filesystem::path& path);

/// Whether a file is a picture that Grove has written; with `source`, one whose text Source is this.
bool is_png_of_grove(const std::filesystem::path& path, const std::string& source = "");

/// The bytes with which every PNG file begins.
inline constexpr char png_signature[] = "\x89PNG\r\n\x1a\n";

}  // namespace grove
