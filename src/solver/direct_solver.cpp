#include "src/solver/direct_solver.hpp"

#include "decomposition/domain/frame.hpp"
#include "kernels/particles/active_particles.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "src/solver/fp32_range.hpp"

namespace grove {

template <class Space>
void DirectSolver<Space>::prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double, Targets) {
  clock.begin("checks");
  const bool finite = first_not_finite(space_, particles, ParticlePart::motion) == particles.size();
  if (comm_.min(finite ? 1 : 0) == 0) throw PositionsNotFinite();
  require_extent_of_direct(find_extent(space_, comm_, particles));
  particles.has_acceleration = false;
}

template <class Space>
void DirectSolver<Space>::forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                                 const std::function<void()>& meanwhile) {
  clock.begin("walk");
  if (active) {
    sum_active(particles, active);
  } else {
    space_.fill_bytes(particles.acceleration.data(), 0, particles.size() * sizeof(Double4));
    sum_.add_all(law_, particles, {particles.position.view(), particles.id.view(), particles.acceleration.view(), particles.type.view()});
    pairs_ = particles.size() * comm_.sum(std::uint64_t{particles.size()});
    particles.has_acceleration = true;
  }
  if (meanwhile) meanwhile();
}

template <class Space>
void DirectSolver<Space>::sum_active(Particles<Space>& particles, const std::uint8_t* active) {
  const std::size_t n = particles.size();
  active_.resize_discard(n);
  const std::uint32_t count = select_active(space_, n, active, active_.data());
  active_.resize_discard(count);
  Scratch<Space, Double4> position(space_, count), force(space_, count);
  Scratch<Space, std::uint64_t> id(space_, count);
  Scratch<Space, std::uint8_t> type(space_, count);
  gather_items<Space>(space_, active_.view(), sizeof(Double4), particles.position.data(), position.data());
  gather_items<Space>(space_, active_.view(), sizeof(std::uint64_t), particles.id.data(), id.data());
  gather_items<Space>(space_, active_.view(), sizeof(std::uint8_t), particles.type.data(), type.data());
  space_.fill_bytes(force.data(), 0, count * sizeof(Double4));
  sum_.add_all(law_, particles, {position.view(), id.view(), force.view(), type.view()});
  space_.for_each(count, PutForces{force.data(), active_.data(), particles.acceleration.data()});
  pairs_ = count * comm_.sum(std::uint64_t{n});
}

template class DirectSolver<BackEnd>;

}  // namespace grove
