#include "src/simulation/fp32_range.hpp"

#include <sstream>

#include "kernels/space/error.hpp"

namespace grove {

void require_extent(double extent) {
  constexpr double largest = 1e36, smallest = 1e-36;
  if (extent == 0 || (smallest <= extent && extent <= largest)) return;
  std::ostringstream text;
  text << "the particles extend over " << extent << " code units, and trees take " << smallest << " to " << largest << ": "
       << (extent > largest ? "remove those that are far outside, or choose larger units" : "choose smaller units");
  throw AgreedError(text.str(), exit_code_of(DataError("")));
}

void require_softening(const SofteningClasses& classes, const ScaledLaw& law, double extent) {
  constexpr double most_extents = 1e6;
  const double smallest = classes.length.front(), largest = classes.length.back();
  const double least = law.least_softening() * law.scale.length;
  const bool too_small = smallest > 0 && smallest<least, too_large = extent> 0 && largest > most_extents * extent;
  if (!too_small && !too_large) return;
  std::ostringstream text;
  if (too_small)
    text << "gravity.softening = " << smallest << " is too small for particles that extend over " << extent
         << ": its forces do not fit into FP32; give at least " << least << ", or 0 for none, or gravity.method = \"direct\"";
  else
    text << "gravity.softening = " << largest << " is too large for particles that extend over " << extent << ": give at most "
         << most_extents * extent << ", or gravity.method = \"direct\"";
  throw AgreedError(text.str(), exit_code_of(ConfigError("")));
}

}  // namespace grove
