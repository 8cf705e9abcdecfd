// Softening by component. A pair has the larger of its two softening lengths (as in GADGET, Springel 2005), unless its two types have a
// length of their own. Types whose pairs have the same lengths, whatever the other particle is, form a class; classes are numbered by
// ascending length.
//
// The octrees of the classes are next to each other below one root: see key_in_class(). So each of their cells, and each group of targets,
// has one softening length, and a cell acts on a group with a single softening length. With one class there is just one octree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  const std::size_t types = of_type.size();
  std::vector<std::vector<double>> of_pair(types, std::vector<double>(types));
  for (std::size_t a = 0; a < types; ++a)
    for (std::size_t b = 0; b < types; ++b) of_pair[a][b] = std::max(of_type[a], of_type[b]);
  for (const SofteningBetween& pair : gravity.softening_between_types)
    of_pair.at(pair.a).at(pair.b) = of_pair.at(pair.b).at(pair.a) = pair.length;
  // A type of each class, by ascending length.
  std::vector<std::size_t> first;
  for (std::size_t a = 0; a < types; ++a)
    if (std::find(of_pair.begin(), of_pair.end(), of_pair[a]) - of_pair.begin() == static_cast<std::ptrdiff_t>(a)) first.push_back(a);
  std::stable_sort(first.begin(), first.end(), [&](std::size_t a, std::size_t b) { return of_type[a] < of_type[b]; });
  SofteningClasses classes;
  for (std::size_t k = 0; k < first.size(); ++k) {
    classes.length.push_back(of_type[first[k]]);
    for (std::size_t a = 0; a < types; ++a)
      if (of_pair[a] == of_pair[first[k]]) classes.of_type.of[a] = static_cast<std::uint8_t>(k);
  }
  for (std::size_t a = 0; a < first.size(); ++a)
    for (std::size_t b = a + 1; b < first.size(); ++b) {
      const double length = of_pair[first[a]][first[b]];
      if (length != classes.length[b]) classes.between.push_back({static_cast<int>(a), static_cast<int>(b), length});
    }
  return classes;
}

}  // namespace grove
