// The texts that a PNG file has beside its picture.
#pragma once

#include <map>
#include <string>

namespace grove {

/// The texts by their keywords ("Software"), of the parts "tEXt" alone; none where the file cannot be read, or is no PNG file. Portable
/// Network Graphics, third edition (W3C 2025), sections 5.3 and 11.3.3.2.
std::map<std::string, std::string> png_texts(const std::string& path);

/// The bytes with which every PNG file begins.
inline constexpr char png_signature[] = "\x89PNG\r\n\x1a\n";

}  // namespace grove
