#include "src/solver/force_method.hpp"

#include <tuple>

#include "kernels/base/named_rows.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "src/solver/force_methods.hpp"

namespace grove {

namespace {

// docs/development/constants.md has what was measured, there and here.
constexpr std::uint64_t earlier_on_cpu = 8;

}  // namespace

const std::vector<ForceMethod>& force_methods() {
  static const std::vector<ForceMethod> table =
      std::apply([](const auto&... method) { return std::vector<ForceMethod>{method.info()...}; }, ForceMethods{});
  return table;
}

std::vector<std::string> method_names() { return names_of(force_methods()); }

bool walks_trees(const std::string& method) {
  const ForceMethod* const found = find_named(force_methods(), method);
  return found && found->walks_trees;
}

bool uses_direct_summation(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu) {
  return walks_trees(gravity.method) && ranks == 1 && particles <= gravity.all_pairs_up_to / (on_gpu ? 1 : earlier_on_cpu) &&
         softening_classes(gravity).count() == 1;
}

std::string direct_summation_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu) {
  if (!uses_direct_summation(gravity, particles, ranks, on_gpu)) return "";
  return "with so few particles, one rank uses direct summation: faster than a tree, and nearly exact (gravity.all_pairs_up_to); the "
         "settings of "
         "trees, as gravity.tolerance, have no effect";
}

}  // namespace grove
