// The integrators: rows of three tables. To add one, add a row to compositions.cpp, tableaux.cpp or adams_bashforth_methods.cpp. One of
// another kind is a class derived from Integrator, a row in integrator_infos() and a line in make_integrator().
#pragma once

#include <memory>
#include <string>

#include "kernels/base/error.hpp"
#include "src/integrators/adams_bashforth.hpp"
#include "src/integrators/compositions.hpp"
#include "src/integrators/divided_leapfrog.hpp"
#include "src/integrators/runge_kutta.hpp"

namespace grove {

/// The integrator of that name, or null. Throws ConfigError where it cannot divide its steps as `steps` asks for.
template <class Space>
std::unique_ptr<Integrator<Space>> make_integrator(const std::string& name, const SettingValues& settings, const StepParameters& steps,
                                                   const GravityParameters& gravity) {
  if (steps.divide()) {
    if (const IntegratorInfo* info = find_integrator_info(name); info && !info->may_divide_steps)
      throw ConfigError("time.steps = \"" + steps.steps + "\": time.integrator = \"" + name + "\" has steps of one length");
    return std::make_unique<DividedLeapfrog<Space>>(steps, gravity);
  }
  if (const CompositionRow* row = find_row(compositions(), name)) return std::make_unique<Composition<Space>>(*row);
  if (const Tableau* row = find_tableau(name)) return std::make_unique<RungeKutta<Space>>(*row, settings, steps, gravity);
  if (const AdamsBashforthRow* row = find_row(adams_bashforth_methods(), name))
    return std::make_unique<AdamsBashforth<Space>>(*row, steps, gravity);
  return nullptr;
}

}  // namespace grove
