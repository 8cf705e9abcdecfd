#include "src/force_method.hpp"

#include "kernels/error.hpp"
#include "kernels/gravity_dispatch.hpp"
#include "src/direct_method.hpp"
#include "src/tree_method.hpp"

namespace grove {

template <class Space>
std::unique_ptr<ForceMethod<Space>> make_force_method(Space& space, const Communicator& comm, const GravityParameters& gravity) {
  const auto walking = [&](auto walker) { return std::make_unique<TreeMethod<Space>>(space, comm, gravity, std::move(walker)); };
  if (gravity.method == "fmm") return walking(std::make_unique<DualWalker<Space>>(space, expansion_form(gravity)));
  if (gravity.method == "tree") return walking(std::make_unique<GroupWalker<Space>>(space));
  if (gravity.method == "direct") return std::make_unique<DirectMethod<Space>>(space, comm, gravity);
  throw ConfigError("gravity.method = \"" + gravity.method + "\": there is no method of this name");
}

template std::unique_ptr<ForceMethod<BackEnd>> make_force_method(BackEnd&, const Communicator&, const GravityParameters&);

}  // namespace grove
