// The gravity law in the units of a tree.
#pragma once

#include <vector>

#include "decomposition/domain/frame.hpp"
#include "kernels/gravity/gravity_law.hpp"

namespace grove {

/// A law for the pairs of each class of softening; classes are in ascending order of their softening.
class TreeLaws {
 public:
  explicit TreeLaws(const GravityLaw& law) : of_class_(static_cast<std::size_t>(law.classes().count()), law.unscaled()) {}

  /// In the scale of the frame, with expansions of that form.
  void set(const GravityLaw& law, const Frame& frame, ExpansionForm form) {
    for (std::size_t c = 0; c < of_class_.size(); ++c) {
      of_class_[c] = law.at(frame.scale, static_cast<int>(c), form);
      of_class_[c].common_mass = static_cast<float>(frame.common_mass / frame.scale.mass);
    }
  }

  const ScaledLaw& of_class(int its_class) const { return of_class_[static_cast<std::size_t>(its_class)]; }
  /// The law of the largest softening.
  const ScaledLaw& largest() const { return of_class_.back(); }

 private:
  std::vector<ScaledLaw> of_class_;
};

}  // namespace grove
