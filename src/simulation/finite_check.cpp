#include "src/simulation/finite_check.hpp"

#include <span>
#include <string>

namespace grove {

template <class Space>
void require_finite(Space& space, const Communicator& comm, const Particles<Space>& particles, ParticlePart part, double time,
                    PhaseClock<Space>& clock, bool are_finite_here) {
  clock.begin("checks");
  const std::size_t bad = are_finite_here ? particles.size() : first_not_finite(space, particles, part);
  if (comm.size() > 1) clock.begin("waiting");
  const int rank = comm.min(bad < particles.size() ? comm.rank() : comm.size());
  clock.end();
  if (rank == comm.size()) return;
  std::uint64_t id = 0;
  if (rank == comm.rank()) space.copy_to_host(&id, particles.id.data() + bad, sizeof(id));
  comm.broadcast(std::span<std::uint64_t>(&id, 1), rank);
  const std::string what = part == ParticlePart::motion ? "position or velocity of" : "force on";
  const DataError error("at time " + std::to_string(time) + " the " + what + " the particle with id " + std::to_string(id) +
                        " is not finite; a smaller time step or a larger gravity.softening may help");
  throw NotFiniteError(error.what(), exit_code_of(error));
}

template void require_finite(BackEnd&, const Communicator&, const Particles<BackEnd>&, ParticlePart, double, PhaseClock<BackEnd>&, bool);

}  // namespace grove
