// Softening by component. Particle types with the same softening length form a class; classes are numbered by ascending length. A pair has
// the larger of its two lengths (as in GADGET, Springel 2005), so the class of a pair is the larger of the two classes.
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
  std::vector<double> length;  ///< [classes] code units, ascending
  ClassOfType of_type;

  int count() const { return static_cast<int>(length.size()); }
};

/// The classes that `gravity` asks for: one, unless its types have different softening lengths.
inline SofteningClasses softening_classes(const GravityParameters& gravity) {
  const std::vector<double>& of_type = gravity.softening_of_type;
  SofteningClasses classes{of_type.empty() ? std::vector{gravity.softening} : of_type, {}};
  std::sort(classes.length.begin(), classes.length.end());
  classes.length.erase(std::unique(classes.length.begin(), classes.length.end()), classes.length.end());
  for (std::size_t type = 0; type < of_type.size(); ++type)
    classes.of_type.of[type] =
        static_cast<std::uint8_t>(std::lower_bound(classes.length.begin(), classes.length.end(), of_type[type]) - classes.length.begin());
  return classes;
}

}  // namespace grove
