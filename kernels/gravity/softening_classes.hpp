// Softening by component. Particle types with the same softening length form a class; classes are numbered by ascending length. A pair has
// the larger of its two lengths (as in GADGET, Springel 2005), unless its two types have a length of their own: each of these types is a
// class for itself.
//
// The octrees of the classes are next to each other below one root: see key_in_class(). So each of their cells, and each group of targets,
// has one softening length, and a cell acts on a group with a single softening length. With one class there is just one octree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/type_classes.hpp"

namespace grove {

/// The classes of a run.
struct SofteningClasses {
  std::vector<double> length;  ///< [classes] of the pairs in each, code units, ascending
  ClassOfType of_type;
  std::vector<SofteningBetween> between{};  ///< pairs of classes that have a length of their own

  int count() const { return static_cast<int>(length.size()); }
  /// Of the pairs of two classes.
  double of_pair(int a, int b) const {
    for (const SofteningBetween& pair : between)
      if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.length;
    return length[static_cast<std::size_t>(std::max(a, b))];
  }
  /// Of all pairs.
  double longest() const {
    double longest = length.back();
    for (const SofteningBetween& pair : between) longest = std::max(longest, pair.length);
    return longest;
  }
};

/// The classes that `gravity` asks for: one, unless its types have different softening lengths.
inline SofteningClasses softening_classes(const GravityParameters& gravity) {
  const std::vector<double>& of_type = gravity.softening_of_type;
  if (of_type.empty()) return {{gravity.softening}, {}};
  using Class = std::pair<double, int>;  // its length, and its type where it has one of its own
  std::vector<Class> of_each, all;
  for (std::size_t type = 0; type < of_type.size(); ++type) {
    const auto is_of_type = [&](const SofteningBetween& pair) {
      return pair.a == static_cast<int>(type) || pair.b == static_cast<int>(type);
    };
    const bool is_alone = std::any_of(gravity.softening_between_types.begin(), gravity.softening_between_types.end(), is_of_type);
    of_each.emplace_back(of_type[type], is_alone ? static_cast<int>(type) : -1);
  }
  all = of_each;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  SofteningClasses classes;
  for (const Class& one : all) classes.length.push_back(one.first);
  for (std::size_t type = 0; type < of_type.size(); ++type)
    classes.of_type.of[type] = static_cast<std::uint8_t>(std::lower_bound(all.begin(), all.end(), of_each[type]) - all.begin());
  for (const SofteningBetween& pair : gravity.softening_between_types)
    classes.between.push_back({classes.of_type.of[pair.a], classes.of_type.of[pair.b], pair.length});
  return classes;
}

}  // namespace grove
