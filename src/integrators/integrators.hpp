// The table of integrators.
//
// To add one, write a header like leapfrog.hpp and put its struct into Integrators. A struct has info(), which says what the configuration
// and the table of particle fields need to know, a constructor from the values of its own settings, and step(). If its steps can be divided
// after their first forces, it has begin() and end() instead of step() (see Integrator): the first part may then overlap with the end of
// the step before. One that remembers something from step to step beside its fields also has save(SavedState&) const and restore(const
// SavedState&), so that a run can continue from a checkpoint.
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/base/type_table.hpp"
#include "src/integrators/divided_leapfrog.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/integrator_info.hpp"
#include "src/integrators/leapfrog.hpp"
#include "src/integrators/yoshida4.hpp"

namespace grove {

/// All integrators, the default first; their names are the values of time.integrator.
using Integrators = std::tuple<Leapfrog, Yoshida4>;

/// The interface of a struct of the table.
template <class Space, class Method>
class IntegratorOf final : public Integrator<Space> {
 public:
  explicit IntegratorOf(const SettingValues& settings) : method_(settings) {}
  static constexpr bool is_divided = requires(Method & method, StepContext<Space>& context, double dt) { method.begin(context, dt); };
  bool has_two_parts() const override { return is_divided; }
  void begin(StepContext<Space>& context, double dt) override {
    if constexpr (is_divided) method_.begin(context, dt);
  }
  void end(StepContext<Space>& context, double dt) override {
    if constexpr (is_divided)
      method_.end(context, dt);
    else
      method_.step(context, dt);
  }
  void save(SavedState& state) const override {
    if constexpr (requires { method_.save(state); }) method_.save(state);
  }
  void restore(const SavedState& state) override {
    if constexpr (requires { method_.restore(state); }) method_.restore(state);
  }

 private:
  Method method_;
};

/// The integrator of that name, or null. Throws ConfigError where it cannot divide its steps as `steps` asks for.
template <class Space>
std::unique_ptr<Integrator<Space>> make_integrator(const std::string& name, const SettingValues& settings, const StepParameters& steps,
                                                   const GravityParameters& gravity) {
  if (steps.divide()) {
    if (const IntegratorInfo* info = find_integrator_info(name); info && !info->may_divide_steps)
      throw ConfigError("time.steps = \"" + steps.steps + "\": time.integrator = \"" + name + "\" has steps of one length");
    return std::make_unique<DividedLeapfrog<Space>>(steps, gravity);
  }
  std::unique_ptr<Integrator<Space>> made;
  for_each_type<Integrators>([&]<class Method>() {
    if (Method::info().name == name) made = std::make_unique<IntegratorOf<Space, Method>>(settings);
  });
  return made;
}

}  // namespace grove
