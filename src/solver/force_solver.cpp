#include "src/solver/force_solver.hpp"

#include "kernels/base/error.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "src/solver/direct_solver.hpp"
#include "src/solver/fp32_direct_solver.hpp"
#include "src/solver/method_choice.hpp"
#include "src/solver/tree_solver.hpp"

namespace grove {

template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity,
                                                      TransportWay way, std::uint64_t particle_count) {
  const GravityLaw law(gravity);
  const auto with_tree = [&](auto walker) {
    return std::make_unique<TreeSolver<Space>>(space, comm, law, static_cast<int>(gravity.steps_per_tree), std::move(walker), way);
  };
  if (uses_direct_summation(gravity, particle_count, comm.size(), Space::on_gpu))
    return std::make_unique<Fp32DirectSolver<Space>>(space, law);
  if (gravity.method == "fmm") return with_tree(std::make_unique<FmmWalker<Space>>(space, law.expansion_form()));
  if (gravity.method == "tree") return with_tree(std::make_unique<TreeWalker<Space>>(space));
  if (gravity.method == "direct") return std::make_unique<DirectSolver<Space>>(space, comm, law, way);
  throw ConfigError("gravity.method = \"" + gravity.method + "\": there is no method of this name");
}

template std::unique_ptr<ForceSolver<BackEnd>> make_force_solver(BackEnd&, const Communicator&, const GravityParameters&, TransportWay,
                                                                 std::uint64_t);

}  // namespace grove
