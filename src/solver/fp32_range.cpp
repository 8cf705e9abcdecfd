#include "src/solver/fp32_range.hpp"

#include <algorithm>
#include <sstream>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr double least_of_direct = 1e-80, most_of_direct = 1e90;

void require_between(double extent, double smallest, double largest, const char* who_takes, const char* instead = "") {
  if (extent == 0 || (smallest <= extent && extent <= largest)) return;
  std::ostringstream text;
  text << "the particles extend over " << extent << " code units, and " << who_takes << " " << smallest << " to " << largest << ": "
       << (extent > largest ? "remove those that are far outside, or choose larger units" : "choose smaller units") << instead;
  throw AgreedError(text.str(), exit_code::data);
}

}  // namespace

void require_extent(double extent) {
  const bool suits_direct = extent >= least_of_direct && extent <= most_of_direct;
  require_between(extent, 1e-36, 1e36, "trees take", suits_direct ? ", or gravity.method = \"direct\", which takes them" : "");
}

void require_extent_of_direct(double extent) {
  require_between(extent, least_of_direct, most_of_direct, "gravity.method = \"direct\" takes");
}

void require_softening(const SofteningClasses& classes, const ScaledLaw& law, double extent) {
  constexpr double most_extents = 1e6;
  double smallest = classes.length.front();
  for (const SofteningBetween& pair : classes.between) smallest = std::min(smallest, pair.length);
  const double largest = classes.longest();
  const double least = law.least_softening() * law.scale.length;
  const bool too_small = smallest > 0 && smallest<least, too_large = extent> 0 && largest > most_extents * extent;
  if (!too_small && !too_large) return;
  const char* const key = classes.between.empty() ? "gravity.softening" : "gravity.softening or softening_between";
  std::ostringstream text;
  if (too_small)
    text << key << " = " << smallest << " is too small for particles that extend over " << extent
         << ": its forces do not fit into FP32; give at least " << least << ", or 0 for none, or gravity.method = \"direct\"";
  else
    text << key << " = " << largest << " is too large for particles that extend over " << extent << ": give at most "
         << most_extents * extent << ", or gravity.method = \"direct\"";
  throw AgreedError(text.str(), exit_code::setting);
}

}  // namespace grove
