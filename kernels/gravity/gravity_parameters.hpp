// The user's settings for gravity: method, opening criterion, softening. Names are those of the configuration file.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace grove {

/// The softening length of the pairs of two particle types (or classes of them), code units.
struct SofteningBetween {
  int a = 0, b = 0;
  double length = 0;
};

struct GravityParameters {
  std::string method = "fmm";        ///< one of force_methods(): fmm, tree, direct
  std::string opening = "relative";  ///< one of opening_names()
  double tolerance = 0.001;          ///< allowed error of one cell's force relative to the last acceleration, > 0; for opening = relative
  double theta = 0.6;      ///< opening angle of the geometric criteria, > 0; for opening = relative see GravityLaw::without_acceleration()
  double softening = 0.0;  ///< softening length, code units, >= 0; 0 is Newtonian. With softening_of_type, the largest of these
  /// Softening length of each component by its name, code units; empty: all have `softening`. softening_of_type is derived from it once
  /// the particles are known.
  std::map<std::string, double> softening_of_component{};
  /// [types] softening length of each particle type, code units; empty: all have `softening`. A pair has the larger of its two lengths.
  std::vector<double> softening_of_type{};
  /// The length of the pairs of two components by their names, "stars, hole"; softening_between_types is derived from it.
  std::map<std::string, double> softening_between{};
  std::vector<SofteningBetween> softening_between_types{};  ///< only with softening_of_type
  std::string softening_kernel = "plummer";                 ///< one of softening_names()
  std::uint64_t order = 4;                                  ///< of the expansions of method = fmm: 4 or 5
  /// On one rank, the methods fmm and tree use direct summation up to this number of particles; see uses_direct_summation().
  std::uint64_t all_pairs_up_to = 0;
  /// The methods fmm and tree use a tree for at most this many steps, while particles move little (see TreeReuse); 1: no tree reuse.
  std::uint64_t steps_per_tree = 32;
  double G = 1.0;                              ///< gravitational constant, code units
  std::map<std::string, double> parameters{};  ///< parameters of single opening criteria and softening kernels, by name

  /// One of `parameters`. Throws std::logic_error if it is missing.
  double parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    if (found == parameters.end()) throw std::logic_error("gravity has no parameter " + name);
    return found->second;
  }
  /// One of `parameters`, or `default_value` if it is missing: a GravityParameters not read from a configuration has none.
  double parameter(const std::string& name, double default_value) const {
    return parameters.contains(name) ? parameter(name) : default_value;
  }
};

/// Whether there are lengths for components, whose types only the particles tell.
inline bool has_softening_of_components(const GravityParameters& gravity) {
  return !gravity.softening_of_component.empty() || !gravity.softening_between.empty();
}

}  // namespace grove
