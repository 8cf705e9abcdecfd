#include "src/run/loop/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "src/advice/state_advice.hpp"
#include "src/process/stop_signals.hpp"

namespace grove {

namespace {

/// Of a run that takes less, nobody asks how long it will take.
constexpr double worth_a_forecast_s = 10;

std::string energy_line(const RunReport& report) {
  const EnergyState& last = report.last;
  const Diagnostics& sums = last.sums;
  if (sums.change_of_each)
    return fmt::format("energy     of each particle, v^2 / 2 + potential: mean change {:.2e} at the end, {:.2e} at most\n", last.own_error,
                       report.largest_own_error);
  if (!(sums.mass > 0)) return "energy     not measured: no particle has mass\n";
  std::string text = fmt::format("energy     {:.8g} -> {:.8g}, ", report.first_energies.total, sums.total_energy());
  text += sums.is_driven
              ? "which changes, since an external potential moves\n"
              : fmt::format("relative error {:.2e} at the end, {:.2e} at most\n", last.relative_error, report.largest_energy_error);
  if (sums.differs_from_total() && report.first_energies.own_scale > 0)
    text += fmt::format("own energy {:.8g} -> {:.8g}", report.first_energies.own, sums.own_energy()) +
            (sums.is_driven ? "\n"
                            : fmt::format(", against which the error is {:.2e} at the end, {:.2e} at most\n", last.own_error,
                                          report.largest_own_error));
  if (sums.without_mass > 0)
    text += fmt::format("           not measured for {} particle{} without mass\n", sums.without_mass, sums.without_mass == 1 ? "" : "s");
  return text;
}

std::string energy_lines(const RunReport& report) {
  const Diagnostics& sums = report.last.sums;
  const double momentum = std::hypot(sums.momentum[0], sums.momentum[1], sums.momentum[2]);
  const std::string since_change = report.energy_has_jumped && !sums.is_driven
                                       ? fmt::format("           {:.2e} since settings were changed, {:.2e} at most\n",
                                                     report.error_of_steps, report.largest_error_of_steps)
                                       : "";
  const std::string own = sums.differs_from_total() ? fmt::format(", {:.4f} from the own energy", sums.own_virial_ratio()) : "";
  return energy_line(report) + since_change + fmt::format("momentum   {:.3e}, virial ratio {:.4f}{}\n", momentum, sums.virial_ratio(), own);
}

/// The finest rungs that together take most of the time.
struct BusyRungs {
  std::size_t first = 0;
  double of_time = 0, of_particles = 0;  ///< their shares
};
BusyRungs busy_rungs(const RungCensus& rungs, const RungWork& all) {
  BusyRungs busy{rungs.size()};
  if (!(all.seconds > 0) || all.particles == 0) return busy;
  while (busy.first > 0 && busy.of_time <= 0.5) {
    const RungWork& rung = rungs[--busy.first];
    busy.of_time += rung.seconds / all.seconds;
    busy.of_particles += static_cast<double>(rung.particles) / static_cast<double>(all.particles);
  }
  return busy;
}

/// A table of the rungs, and who takes most of the time. `steps`: base steps.
std::string rung_lines(const StepTiming& timing, double steps) {
  const RungCensus& rungs = timing.rungs;
  if (rungs.empty()) return "";
  RungWork all;
  for (const RungWork& rung : rungs) all += rung;
  const auto mean = [&](std::uint64_t count) { return format_quantity(static_cast<double>(count) / steps); };
  TextTable table({"rung", "step", "particles", "in the core", "time"});
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    if (rungs[r].particles == 0 && rungs[r].sub_steps == 0) continue;
    table.add_row({std::to_string(r), r == 0 ? "time.dt" : fmt::format("time.dt / {}", std::uint64_t{1} << r), mean(rungs[r].particles),
                   mean(rungs[r].in_core), all.seconds > 0 ? fmt::format("{:.0f} %", 100 * rungs[r].seconds / all.seconds) : ""});
  }
  const BusyRungs busy = busy_rungs(rungs, all);
  if (busy.first == 0 || busy.of_particles >= 0.01) return table.text();
  return table.text() +
         as_note(fmt::format("{:.2g} % of the particles, those with steps of time.dt / {} and shorter, take {:.0f} % of the time; a "
                             "larger softening of their pairs, or a larger time.accuracy (less accurate), shortens the run",
                             100 * busy.of_particles, std::uint64_t{1} << busy.first, 100 * busy.of_time));
}

std::string speed_lines(const RunReport& report) {
  const std::string wall = report.wall_s < 60 ? format_seconds(report.wall_s) : format_duration(report.wall_s);
  std::string text = fmt::format("wall time  {}, of which the steps waited {} for output", wall, format_seconds(report.output_s));
  if (report.writing_s > 0) text += fmt::format("; snapshots took {}", format_seconds(report.writing_s));
  if (report.checkpoints > 0)
    text += fmt::format("; {} checkpoint{} took {}", report.checkpoints, report.checkpoints == 1 ? "" : "s",
                        format_seconds(report.checkpoints_s));
  text += "\n";
  // Without a step there are only the forces of the initial state.
  const StepTiming& timing = report.steps > report.first_step ? report.steps_total : report.start;
  const double seconds = timing.seconds, steps = static_cast<double>(std::max<std::uint64_t>(report.steps - report.first_step, 1));
  if (!(seconds > 0)) return text;
  const double particle_steps = static_cast<double>(report.last.sums.particle_count) * steps;
  text += fmt::format("speed      {} a step, {} particles/s, imbalance at most {:.2f}\n", format_seconds(seconds / steps),
                      format_quantity(particle_steps / seconds), timing.imbalance);
  std::string shares;
  for (const PhaseSummary& phase : timing.phases)
    if (phase.mean >= 0.02 * seconds)
      shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", phase.name, 100 * phase.mean / seconds);
  return text + (shares.empty() ? "" : "phases     " + shares + "\n") + rung_lines(timing, steps);
}

/// Whether some steps were shorter than time.dt.
bool has_finer_rungs(const RunReport& report) {
  const RungCensus& rungs = report.steps_total.rungs;
  return std::any_of(rungs.begin() + std::min<std::ptrdiff_t>(1, std::ssize(rungs)), rungs.end(),
                     [](const RungWork& rung) { return rung.sub_steps > 0; });
}

std::string memory_line(const RunReport& report) {
  if (report.most_bytes_held == 0 || report.last.sums.particle_count == 0) return "";
  const double bytes = static_cast<double>(report.most_bytes_held);
  return fmt::format("memory     {} for the forces on the fullest rank, {:.1f} bytes a particle of an equal share\n", format_bytes(bytes),
                     bytes * report.ranks / static_cast<double>(report.last.sums.particle_count));
}

std::string written_lines(const RunReport& report, const OutputDirectory& output) {
  std::string text = "written    " + output.used_parameters() + "\n";
  for (const std::string& line : report.written) text += "           " + line + "\n";
  if (!report.checkpoint.empty()) text += "           " + report.checkpoint + "\n";
  return text;
}

}  // namespace

std::string forecast(double first_forces_s, std::uint64_t forces_a_step, const StepSchedule& schedule) {
  const double all_s = first_forces_s * static_cast<double>(forces_a_step) * static_cast<double>(schedule.steps());
  if (all_s < worth_a_forecast_s) return "";
  return fmt::format("the first force evaluation took {}: all steps take about {}, or less, since later evaluations are mostly faster\n",
                     format_seconds(first_forces_s), format_duration(all_s));
}

std::string run_summary(const RunReport& report, const StepSchedule& schedule, const OutputDirectory& output) {
  const char* state = report.stop == StopCause::none ? "finished" : "stopped";
  return fmt::format("{}: step {} of {}, t = {}\n", state, report.steps, schedule.steps(), schedule.text(report.time)) +
         energy_lines(report) + as_note(advice_on_energy_error(report.last.sums, report.largest_error_of_steps, has_finer_rungs(report))) +
         speed_lines(report) + memory_line(report) + written_lines(report, output);
}

bool is_kept(const RunReport& report) { return !report.kept.file.empty() && report.kept.step == report.steps; }

std::string lost_state_text(const RunReport& report) {
  const std::string lost = fmt::format("the last state, after step {} at t = {:.8g}, is not on the disk", report.steps, report.time);
  if (report.kept.file.empty()) return lost + ", and no other one of this run";
  return fmt::format("{}; the newest one that is kept is {}, after step {} at t = {:.8g}: make room, and give --continue", lost,
                     report.kept.file, report.kept.step, report.kept.time);
}

std::string stop_text(const RunReport& report, const StepSchedule& schedule, const Config& config) {
  const std::string cause = report.stop == StopCause::signal ? name_of_signal(report.signal)
                            : report.stop == StopCause::file ? "the file 'stop' in the output directory"
                                                             : "the end of its time";
  const std::string state = !report.checkpoint.empty()          ? "is in " + report.checkpoint + "; --continue starts from there"
                            : is_kept(report)                   ? "is in " + report.kept.file
                            : config.output.snapshots == "none" ? "is lost, since output.snapshots = \"none\""
                                                                : "is lost";
  return fmt::format("stopped by {} after step {} of {}; the state {}", cause, report.steps, schedule.steps(), state);
}

}  // namespace grove
