#include "src/integrators/compositions.hpp"

#include <cmath>
#include <utility>

namespace grove {

namespace {

/// The first weights, the one in the middle, which makes the sum 1, and the first ones from the other end.
std::vector<double> symmetric(std::vector<double> weights) {
  double middle = 1;
  for (const double weight : weights) middle -= 2 * weight;
  const std::size_t half = weights.size();
  weights.push_back(middle);
  for (std::size_t i = half; i-- > 0;) weights.push_back(weights[i]);
  return weights;
}

CompositionRow row(const char* name, const char* meaning, const char* source, int order, const std::vector<double>& first) {
  std::vector<double> weights = symmetric(first);
  const std::uint64_t forces = weights.size();
  return {{.name = name, .meaning = meaning, .source = source, .order = order, .forces_a_step = forces}, std::move(weights)};
}

}  // namespace

const std::vector<CompositionRow>& compositions() {
  static const std::vector<CompositionRow> table = [] {
    const double of_three = 1 / (2 - std::cbrt(2.0)), of_five = 1 / (4 - std::cbrt(4.0));
    std::vector<CompositionRow> all{
        row("leapfrog", "kick-drift-kick, second order, one force evaluation a step", "Quinn et al. 1997", 2, {}),
        row("yoshida4",
            "three leapfrog steps, the middle one backwards: fourth order, three force evaluations a step; it pays where steps are short "
            "against the time in which a particle crosses a softening length",
            "Yoshida 1990, eq. 2.11", 4, {of_three}),
        row("suzuki4",
            "five leapfrog steps: fourth order, five force evaluations a step; errors 3 times smaller than those of yoshida4 at "
            "equal cost",
            "Suzuki 1990", 4, {of_five, of_five}),
        row("yoshida6", "seven leapfrog steps: sixth order, seven force evaluations a step; pays only with gravity.method = \"direct\"",
            "Yoshida 1990, table 1, solution A", 6, {0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695}),
        row("kahan_li8", "15 leapfrog steps: eighth order, 15 force evaluations a step; pays only with gravity.method = \"direct\"",
            "Suzuki & Umeno 1993; McLachlan 1995; Kahan & Li 1997, s15odr8", 8,
            {0.74167036435061295344822780, -0.40910082580003159399730010, 0.19075471029623837995387626, -0.57386247111608226665638773,
             0.29906418130365592384446354, 0.33462491824529818378495798, 0.31529309239676659663205666})};
    all.front().info.tells_drift = all.front().info.may_divide_steps = true;
    return all;
  }();
  return table;
}

}  // namespace grove
