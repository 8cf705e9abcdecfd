#include "src/analysis/galaxy_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/text_table.hpp"

namespace grove {
namespace {

/// A number that is compared in every shell.
struct CheckedNumber {
  const char *of_sphere, *of_disc;
  Compared CheckedShell::*value;
};
constexpr CheckedNumber checked_numbers[] = {{"density", "surface density", &CheckedShell::density},
                                             {"radial dispersion", "radial dispersion", &CheckedShell::radial},
                                             {"tangential dispersion", "mean |z|", &CheckedShell::across},
                                             {"mean v_r / v_c", "mean v_R / v_c", &CheckedShell::flow}};

std::string in_sigmas(const Compared& number) { return fmt::format("{:+.1f}{}", number.sigmas(), number.is_off() ? "!" : ""); }

/// `known_to`: the last radius whose circular velocity is known.
std::string table_of(const CheckedComponent& component, double known_to) {
  const bool is_disc = component.model.disc != nullptr;
  std::vector<std::string> headers{
      is_disc ? "R" : "r", "v_c", is_disc ? "surface density" : "density", "drawn", "diff", "sigma_r", "drawn", "diff"};
  for (const char* more : {is_disc ? "mean |z|" : "sigma_t", "drawn", "diff", is_disc ? "v_R / v_c" : "v_r / v_c", "diff"})
    headers.push_back(more);
  if (is_disc) headers.insert(headers.end(), {"Q", "drawn"});
  TextTable table(headers);
  for (const CheckedShell& shell : component.shells) {
    std::vector<std::string> cells{fmt::format("{:.3g}", shell.radius),
                                   shell.radius <= known_to ? fmt::format("{:.4g}", shell.circular_velocity) : "-"};
    for (const Compared* number : {&shell.density, &shell.radial, &shell.across})
      cells.insert(cells.end(), {fmt::format("{:.4g}", number->wanted), fmt::format("{:.4g}", number->drawn), in_sigmas(*number)});
    cells.insert(cells.end(), {fmt::format("{:+.3f}", shell.flow.drawn), in_sigmas(shell.flow)});
    if (is_disc) cells.insert(cells.end(), {fmt::format("{:.2f}", shell.wanted_q), fmt::format("{:.2f}", shell.drawn_q)});
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace

Findings findings_of(const CheckedGalaxy& galaxy) {
  Findings found;
  for (const CheckedComponent& component : galaxy.components) {
    const std::string& name = component.model.plan.name;
    if (component.shells.empty()) continue;
    const bool is_disc = component.model.disc != nullptr;
    if (component.virial.is_off())
      found.against_equilibrium.push_back(fmt::format("{}: virial ratio {:.3f}", name, component.virial.drawn));
    for (const CheckedNumber& row : checked_numbers)
      for (const CheckedShell& shell : component.shells) {
        const Compared& number = shell.*row.value;
        if (!number.is_off()) continue;
        const bool is_wish = is_disc && row.value == &CheckedShell::radial;
        (is_wish ? found.against_wishes : found.against_equilibrium)
            .push_back(fmt::format("{}: {} at {:.3g} is {:.4g} for {:.4g} ({:+.1f} sigma)", name, is_disc ? row.of_disc : row.of_sphere,
                                   shell.radius, number.drawn, number.wanted, number.sigmas()));
      }
  }
  return found;
}

std::string check_text(const CheckedGalaxy& galaxy) {
  std::string text =
      fmt::format("\ncheck of {}: wanted and drawn numbers in code units, and their differences in sigma of the sample's noise\n",
                  galaxy.parameters.name);
  for (const CheckedComponent& component : galaxy.components) {
    const ComponentPlan& plan = component.model.plan;
    if (component.shells.empty()) continue;
    text += fmt::format("\n{}, {} particles: virial ratio {:.3f} +- {:.3f}\n{}", plan.name, format_count(plan.count),
                        component.virial.drawn, component.virial.noise, table_of(component, galaxy.rotation.radius.back()));
  }
  const bool has_points_alone =
      std::all_of(galaxy.components.begin(), galaxy.components.end(), [](const CheckedComponent& c) { return c.shells.empty(); });
  if (has_points_alone) return text + fmt::format("\n{} has points alone: there is no equilibrium to check\n", galaxy.parameters.name);
  const Findings found = findings_of(galaxy);
  const auto lines = [](const std::vector<std::string>& of) { return fmt::format(":\n  {}\n", fmt::join(of, "\n  ")); };
  text += fmt::format("\n{} is {}in equilibrium", galaxy.parameters.name, found.against_equilibrium.empty() ? "" : "not ");
  text += found.against_equilibrium.empty() ? "\n" : lines(found.against_equilibrium);
  return text + (found.against_wishes.empty() ? "" : "not as wanted, without harm to the equilibrium" + lines(found.against_wishes));
}

}  // namespace grove
