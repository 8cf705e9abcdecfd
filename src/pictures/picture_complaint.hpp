// Whether what the section [pictures] says makes sense.
#pragma once

#include <optional>
#include <string>

#include "kernels/space/vector.hpp"
#include "src/pictures/picture_parameters.hpp"

namespace grove {

/// A key of [pictures] whose value makes no sense, and what it must be.
struct PictureComplaint {
  std::string key, must;
};
std::optional<PictureComplaint> complaint_about(const PictureParameters& parameters);

/// Three finite numbers with commas between them; nothing for any other text.
std::optional<Double3> read_place(const std::string& text);

}  // namespace grove
