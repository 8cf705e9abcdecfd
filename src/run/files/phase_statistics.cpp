#include "src/run/files/phase_statistics.hpp"

#include <algorithm>
#include <sstream>

namespace grove {

bool is_walk(const std::string& phase) { return phase.rfind("walk", 0) == 0; }

namespace {

std::vector<std::string> names_of_root(const std::vector<PhaseTime>& local, const Communicator& comm) {
  std::string text;
  for (const PhaseTime& phase : local) text += phase.name + "\n";
  comm.broadcast(text);
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

double seconds_of(const std::vector<PhaseTime>& phases, const std::string& name) {
  double seconds = 0;
  for (const PhaseTime& phase : phases)
    if (phase.name == name) seconds += phase.seconds;
  return seconds;
}

}  // namespace

StepTiming summarise_phases(const std::vector<PhaseTime>& local, double seconds, const Communicator& comm) {
  const std::vector<std::string> names = names_of_root(local, comm);
  std::vector<double> values;
  double walk_s = 0;
  for (const std::string& name : names) {
    values.push_back(seconds_of(local, name));
    if (is_walk(name)) walk_s += values.back();
  }
  values.push_back(walk_s);
  values.push_back(seconds);
  std::vector<double> sums = values, maxima = values;
  comm.sum(std::span<double>(sums));
  comm.max(std::span<double>(maxima));

  const double ranks = comm.size();
  StepTiming timing;
  for (std::size_t i = 0; i < names.size(); ++i) timing.phases.push_back({names[i], sums[i] / ranks, maxima[i]});
  timing.seconds = maxima.back();
  const double mean_walk_s = sums[names.size()] / ranks;
  if (mean_walk_s > 0) timing.imbalance = maxima[names.size()] / mean_walk_s;
  return timing;
}

void accumulate(StepTiming& total, const StepTiming& step) {
  if (total.rungs.size() < step.rungs.size()) total.rungs.resize(step.rungs.size());
  for (std::size_t r = 0; r < step.rungs.size(); ++r) total.rungs[r] += step.rungs[r];
  for (const PhaseSummary& phase : step.phases) {
    auto same = std::find_if(total.phases.begin(), total.phases.end(), [&](const PhaseSummary& p) { return p.name == phase.name; });
    if (same == total.phases.end()) same = total.phases.insert(same, {phase.name, 0, 0});
    same->mean += phase.mean;
    same->max += phase.max;
  }
  total.seconds += step.seconds;
  total.imbalance = std::max(total.imbalance, step.imbalance);
}

}  // namespace grove
