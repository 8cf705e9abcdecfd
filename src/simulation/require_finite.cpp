#include "src/simulation/require_finite.hpp"

#include <span>
#include <sstream>
#include <string>

namespace grove {

template <class Space>
void require_finite(Space& space, const Communicator& comm, const Particles<Space>& particles, ParticlePart part, double time,
                    PhaseClock<Space>* clock, bool are_finite_here, const char* advice) {
  if (clock) clock->begin("checks");
  std::size_t bad = particles.size();
  bool is_of_motion = part == ParticlePart::motion;
  if (!are_finite_here) {
    // A position that is not finite makes many forces so.
    const std::size_t moved = first_not_finite(space, particles, ParticlePart::motion);
    is_of_motion = is_of_motion || moved < particles.size();
    bad = is_of_motion ? moved : first_not_finite(space, particles, part);
  }
  if (clock && comm.size() > 1) clock->begin("waiting");
  const int rank = comm.min(bad < particles.size() ? comm.rank() : comm.size());
  if (clock) clock->end();
  if (rank == comm.size()) return;
  std::uint64_t found[2] = {0, is_of_motion ? 1U : 0U};
  if (rank == comm.rank()) space.copy_to_host(found, particles.id.data() + bad, sizeof(found[0]));
  comm.broadcast(std::span<std::uint64_t>(found), rank);
  const std::uint64_t id = found[0];
  const std::string what = found[1] == 1 ? "position or velocity of" : "force on";
  std::ostringstream text;
  text << "at time " << time << " the " << what << " the particle with id " << id << " is not finite; " << advice;
  const DataError error(text.str());
  throw NotFiniteError(error.what(), exit_code_of(error));
}

template void require_finite(BackEnd&, const Communicator&, const Particles<BackEnd>&, ParticlePart, double, PhaseClock<BackEnd>*, bool,
                             const char*);

}  // namespace grove
