// A system of particles that every rank has, of which each rank works on a share.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "src/solver/force_solver.hpp"
#include "tests/support/built_tree.hpp"

namespace grove::tests {

/// The forces on the particles of a system over all ranks. Ids are indices of the system.
class SharedSystem {
 public:
  /// Deals the particles to the ranks by turns. Space and communicator must outlive the object. Collective, like all that follows.
  SharedSystem(BackEnd& space, const Communicator& comm, const GravityParameters& gravity, const std::vector<Double4>& system,
               TransportWay way = TransportWay::automatic)
      : space_(space),
        comm_(comm),
        size_(system.size()),
        particles_(space),
        solver_(make_force_solver(space, comm, gravity, way)),
        clock_(space) {
    take_by_turns(space, comm, system, particles_);
  }

  /// This rank's share.
  Particles<BackEnd>& particles() { return particles_; }
  ForceSolver<BackEnd>& solver() { return *solver_; }

  /// As many force evaluations.
  void compute_forces(int evaluations = 1) {
    for (int i = 0; i < evaluations; ++i) {
      clock_.restart();
      solver_->prepare(particles_, clock_);
      solver_->forces(particles_, nullptr, clock_);
    }
  }

  /// Forces by id, on every rank; that on a particle of no rank or of two has an impossible potential.
  std::vector<Double4> forces_by_id() const {
    const std::vector<std::uint64_t> id = download(space_, particles_.id);
    const std::vector<Double4> a = download(space_, particles_.acceleration);
    std::vector<double> sums(5 * size_, 0.0);
    for (std::size_t i = 0; i < id.size(); ++i) {
      const double values[5] = {a[i].x, a[i].y, a[i].z, a[i].w, 1};
      std::copy_n(values, 5, sums.begin() + static_cast<std::ptrdiff_t>(5 * id[i]));
    }
    comm_.sum(std::span<double>(sums));
    std::vector<Double4> forces(size_);
    for (std::size_t i = 0; i < size_; ++i)
      forces[i] = {sums[5 * i], sums[5 * i + 1], sums[5 * i + 2], sums[5 * i + 4] == 1 ? sums[5 * i + 3] : 1e300};
    return forces;
  }

 private:
  BackEnd& space_;
  const Communicator& comm_;
  std::size_t size_;
  Particles<BackEnd> particles_;
  std::unique_ptr<ForceSolver<BackEnd>> solver_;
  PhaseClock<BackEnd> clock_;
};

}  // namespace grove::tests
