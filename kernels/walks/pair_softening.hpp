// The softening of each pair of target and source, for sums over particles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "kernels/gravity/gravity_law.hpp"

namespace grove {

template <class Softening>
struct OneSoftening {
  Softening softening;
  GROVE_HD const Softening& of(std::size_t, std::size_t) const { return softening; }
  GROVE_HD std::uint8_t class_of_target(std::size_t) const { return 0; }
  GROVE_HD std::uint8_t class_of_source(std::size_t) const { return 0; }
  GROVE_HD const Softening& of_classes(std::uint8_t, std::uint8_t) const { return softening; }
};

template <class Softening>
struct SofteningOfClasses {
  std::array<std::array<Softening, most_type_classes>, most_type_classes> of_pair;  ///< [class of the target][class of the source]
  ClassOfType class_of_type;
  const std::uint8_t *target_type, *source_type;
  GROVE_HD const Softening& of(std::size_t target, std::size_t source) const {
    return of_classes(class_of_target(target), class_of_source(source));
  }
  GROVE_HD std::uint8_t class_of_target(std::size_t i) const { return class_of_type.of[target_type[i]]; }
  GROVE_HD std::uint8_t class_of_source(std::size_t i) const { return class_of_type.of[source_type[i]]; }
  GROVE_HD const Softening& of_classes(std::uint8_t target, std::uint8_t source) const { return of_pair[target][source]; }
};

template <class Softening>
struct SofteningOfSources {
  std::array<Softening, most_type_classes> of_class;
  ClassOfType class_of_type;
  const std::uint8_t* source_type;
  GROVE_HD const Softening& of(std::size_t, std::size_t source) const { return of_class[class_of_type.of[source_type[source]]]; }
};

/// Calls f(softening) with the law's softening in units of `scale`; the types may be null with a single class.
template <class Function>
void with_pair_softening(const GravityLaw& law, const TreeScale& scale, const std::uint8_t* target_type, const std::uint8_t* source_type,
                         const Function& f) {
  const auto choose = [&]<class Softening>(const Softening& longest) {
    const SofteningClasses& classes = law.classes();
    if (classes.count() == 1) return f(OneSoftening<Softening>{longest});
    const auto of = [&](int a, int b) {
      const bool are_there = std::max(a, b) < classes.count();
      return are_there ? std::get<Softening>(law.of_pair(a, b, scale, law.expansion_form()).softening) : longest;
    };
    const auto row = [&](int a) -> std::array<Softening, most_type_classes> {
      return {of(a, 0), of(a, 1), of(a, 2), of(a, 3), of(a, 4), of(a, 5), of(a, 6), of(a, 7)};
    };
    f(SofteningOfClasses<Softening>{
        {row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)}, classes.of_type, target_type, source_type});
  };
  std::visit(choose, law.at(scale).softening);
}

/// The same for targets without a type: a pair has the softening that two sources like this one have.
template <class Function>
void with_softening_of_sources(const GravityLaw& law, const std::uint8_t* source_type, const Function& f) {
  const auto choose = [&]<class Softening>(const Softening& longest) {
    const auto of = [&](int c) {
      return c < law.classes().count() ? std::get<Softening>(law.of_pair(c, c, {}, law.expansion_form()).softening) : longest;
    };
    f(SofteningOfSources<Softening>{{of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)}, law.classes().of_type, source_type});
  };
  std::visit(choose, law.unscaled().softening);
}

}  // namespace grove
