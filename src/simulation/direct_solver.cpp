#include "src/simulation/direct_solver.hpp"

namespace grove {

template <class Space>
void DirectSolver<Space>::compute(Particles<Space>& particles, PhaseClock<Space>& clock) {
  space_.fill_bytes(particles.acceleration.data(), 0, particles.size() * sizeof(Double4));
  ring_.add_all(space_, comm_, gravity_, particles, {particles.position.view(), particles.id.view(), particles.acceleration.view()});
  clock.mark("walk");
  pairs_ = particles.size() * comm_.sum(std::uint64_t{particles.size()});
}

template <class Space>
WorkCounts DirectSolver<Space>::work_counts() {
  WorkCounts counts;
  counts.particle_particle = pairs_;
  return counts;
}

template class DirectSolver<BackEnd>;

}  // namespace grove
