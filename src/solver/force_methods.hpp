// The table of force methods.
//
// To add one, write a header with a class derived from ForceSolver and a struct like these: its name, and a function that makes it. Put the
// struct into ForceMethods. A method that walks trees also makes its walker, for the field at points; for others the field is summed.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "src/solver/direct_solver.hpp"
#include "src/solver/force_method.hpp"
#include "src/solver/tree_solver.hpp"

namespace grove {

/// The solver of a method that walks trees with `walker`.
template <class Space>
std::unique_ptr<ForceSolver<Space>> solver_with_trees(const SolverParts<Space>& parts, std::unique_ptr<Walker<Space>> walker) {
  return std::make_unique<TreeSolver<Space>>(parts.space, parts.comm, parts.law, static_cast<int>(parts.gravity.steps_per_tree),
                                             std::move(walker), parts.way);
}

struct FmmMethod {
  static ForceMethod info() { return {"fmm"}; }
  template <class Space>
  static std::unique_ptr<Walker<Space>> make_walker(Space& space, const GravityLaw& law) {
    return std::make_unique<FmmWalker<Space>>(space, law.expansion_form());
  }
  template <class Space>
  static std::unique_ptr<ForceSolver<Space>> make(const SolverParts<Space>& parts) {
    return solver_with_trees<Space>(parts, make_walker(parts.space, parts.law));
  }
};

struct TreeMethod {
  static ForceMethod info() { return {"tree"}; }
  template <class Space>
  static std::unique_ptr<Walker<Space>> make_walker(Space& space, const GravityLaw&) {
    return std::make_unique<TreeWalker<Space>>(space);
  }
  template <class Space>
  static std::unique_ptr<ForceSolver<Space>> make(const SolverParts<Space>& parts) {
    return solver_with_trees<Space>(parts, make_walker(parts.space, parts.law));
  }
};

struct DirectMethod {
  static ForceMethod info() { return {.name = "direct", .walks_trees = false}; }
  template <class Space>
  static std::unique_ptr<ForceSolver<Space>> make(const SolverParts<Space>& parts) {
    return std::make_unique<DirectSolver<Space>>(parts.space, parts.comm, parts.law, parts.way);
  }
};

/// All force methods, the default first; their names are the values of gravity.method.
using ForceMethods = std::tuple<FmmMethod, TreeMethod, DirectMethod>;

/// The solver of the method of that name, or null.
template <class Space>
std::unique_ptr<ForceSolver<Space>> make_named_solver(const std::string& name, const SolverParts<Space>& parts) {
  std::unique_ptr<ForceSolver<Space>> made;
  const auto make_if_named = [&](auto method) {
    if (method.info().name == name) made = method.make(parts);
  };
  std::apply([&](auto... method) { (make_if_named(method), ...); }, ForceMethods{});
  return made;
}

/// The walker of the method of that name, or null if it has none.
template <class Space>
std::unique_ptr<Walker<Space>> make_named_walker(const std::string& name, Space& space, const GravityLaw& law) {
  std::unique_ptr<Walker<Space>> made;
  const auto make_if_named = [&](auto method) {
    if constexpr (requires { method.make_walker(space, law); })
      if (method.info().name == name) made = method.make_walker(space, law);
  };
  std::apply([&](auto... method) { (make_if_named(method), ...); }, ForceMethods{});
  return made;
}

}  // namespace grove
