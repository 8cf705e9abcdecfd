// What the user asks of gravity: method, opening criterion, softening. Names are those of the configuration file.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

struct GravityParameters {
  std::string method = "fmm";        ///< one of method_names(): fmm, tree, direct
  std::string opening = "relative";  ///< one of opening_names()
  double tolerance = 0.001;          ///< allowed error of one cell's force over the last acceleration, > 0; for opening = relative
  double theta = 0.6;                ///< opening angle of the geometric criteria, > 0; for opening = relative, of a run's first forces
  double softening = 0.0;            ///< softening length, code units, >= 0; 0 is Newtonian
  std::string softening_kernel = "plummer";  ///< one of softening_names()
  std::uint64_t order = 4;                   ///< of the expansions of method = fmm: 4 or 5
  double G = 1.0;                            ///< gravitational constant, code units
};

}  // namespace grove
