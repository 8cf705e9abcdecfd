#include "src/solver/force_solver.hpp"

#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "src/solver/force_method.hpp"
#include "src/solver/force_methods.hpp"
#include "src/solver/fp32_direct_solver.hpp"

namespace grove {

template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity,
                                                      TransportWay way, std::uint64_t particle_count) {
  const GravityLaw law(gravity);
  if (uses_direct_summation(gravity, particle_count, comm.size(), Space::on_gpu))
    return std::make_unique<Fp32DirectSolver<Space>>(space, law);
  if (auto solver = make_named_solver(gravity.method, SolverParts<Space>{space, comm, gravity, law, way})) return solver;
  throw ConfigError("gravity.method = \"" + gravity.method + "\": there is no method of this name");
}

template std::unique_ptr<ForceSolver<BackEnd>> make_force_solver(BackEnd&, const Communicator&, const GravityParameters&, TransportWay,
                                                                 std::uint64_t);

}  // namespace grove
