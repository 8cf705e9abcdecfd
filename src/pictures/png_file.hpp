// Pictures in PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/pictures/image.hpp"

namespace grove {

/// Texts in the file: keyword and value, in Latin-1 as PNG has it.
using PngTexts = std::vector<std::pair<std::string, std::string>>;

/// Writes the picture under the partial name, then gives it its final name; adds the text Software = Grove to `texts`. The bytes depend on
/// the arguments alone. Replaces a file of that name if Grove wrote it. Not collective. Throws SystemError that names the file, also when
/// another file of that name is there; nothing has changed then.
void write_png(const std::filesystem::path& path, const Image& image, const PngTexts& texts = {});

/// Whether nothing has this name, or a picture that write_png() may replace; not a link.
bool may_become_picture(const std::filesystem::path& path);

/// Whether a file is a picture that write_png() has written.
bool is_png_of_grove(const std::filesystem::path& path);

}  // namespace grove
