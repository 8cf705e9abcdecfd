// How much memory a run takes: what is known before the first step. The only place that has the model.
#pragma once

#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// The memory of one rank, in bytes. docs/development/internals.md, "Memory", explains the terms, docs/performance.md has what was
/// measured, and tests/src/solver/memory_model_test.cpp compares the model with what simulations hold.
///
/// It is for particle sets like those of the generators, in equal shares for all ranks, and for softening lengths of components that have
/// equal shares of the particles. A set with another distribution can take more.
class MemoryModel {
 public:
  /// `fields`: of the particles. `keeps_snapshots`: whether all particles are copied to the host for output. Throws ConfigError for unknown
  /// names in `gravity`.
  MemoryModel(const GravityParameters& gravity, const FieldTable& fields, bool on_gpu, bool keeps_snapshots);

  /// What one of `ranks` ranks holds on its device during a force evaluation, when it has `particles` particles: WorkCounts::bytes_held.
  double device_bytes(double particles, int ranks) const;
  /// The most that this rank takes of the host's memory, that of the device included if it is the CPU.
  double host_bytes(double particles, int ranks) const;
  /// What its particles take on the host from their generation, or reading, to the first forces.
  double loaded_bytes(double particles) const { return loaded_ * particles; }

  /// The largest relative error of the model. Over ranks, arrays grow when they must, which depends on chance.
  static constexpr double margin(int ranks) { return ranks == 1 ? 0.1 : 0.25; }

 private:
  double arena_bytes(double particles, int ranks) const;
  double bytes_over_ranks(double particles, int ranks) const;
  double stack_bytes(double particles, int ranks) const;

  bool on_gpu_, is_direct_, is_tree_;
  double fields_ = 0, arena_ = 0;   ///< a particle
  double cell_ = 0;                 ///< a cell of the tree
  double lengths_ = 1;              ///< number of softening lengths, each with a tree
  double most_stacks_ = 0;          ///< of walks on the GPU
  double loaded_ = 0, output_ = 0;  ///< a particle, on the host
};

}  // namespace grove
