// Models that consist of parts, such as disc and halo.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "src/galaxies/random.hpp"
#include "src/generators/generator.hpp"

namespace grove {

/// Draws one particle's position and velocity about the origin. Safe to call from many threads.
using Draw = std::function<void(RandomStream&, ModelParticle&)>;

/// One component with its particles, which have equal masses.
struct ModelPart {
  ModelComponent component;
  std::uint64_t count = 0;
  double mass = 0;  ///< of all together, code units
  Draw draw;        ///< about the place of the component
};

/// The parts one after the other: the first has the ids 0 .. count - 1.
Model model_of_parts(std::vector<ModelPart> parts, std::uint64_t seed);

}  // namespace grove
