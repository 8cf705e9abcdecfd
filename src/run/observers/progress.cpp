#include "src/run/observers/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"

namespace grove {

namespace {

constexpr int bar_width = 16;
constexpr double in_place_interval_s = 0.1, line_interval_s = 30, first_line_s = 1;
constexpr double weight_of_new_step = 0.2;

}  // namespace

bool output_is_terminal() {
  if (std::getenv("OMPI_COMM_WORLD_RANK") == nullptr) return ::isatty(STDOUT_FILENO) == 1;
  // Open MPI gives the ranks a pseudo-terminal whatever its own output is; on the node of mpirun it is our parent.
  std::error_code error;
  const std::string target = std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", ::getppid()), error).string();
  return !error && (target.rfind("/dev/pts/", 0) == 0 || target.rfind("/dev/tty", 0) == 0);
}

bool Progress::is_due(const ProgressState& state) const {
  if (style_ == ProgressStyle::silent) return false;
  if (state.step == steps_) return true;
  const double since = state.elapsed_s - last_shown_.elapsed_s;
  if (style_ == ProgressStyle::in_place) return since >= in_place_interval_s || !line_open_;
  const bool is_first = last_shown_.elapsed_s == 0;
  return since >= (is_first ? first_line_s : line_interval_s) || state.step * 10 / steps_ > last_shown_.step * 10 / steps_;
}

std::string Progress::line(const ProgressState& state) const {
  const double share = steps_ > 0 ? static_cast<double>(state.step) / static_cast<double>(steps_) : 1.0;
  const auto done = static_cast<std::size_t>(share * bar_width);
  const std::string bar = std::string(done, '#') + std::string(bar_width - done, '-');
  const double speed = step_s_ > 0 ? static_cast<double>(state.particles) / step_s_ : 0;
  const std::uint64_t left = steps_ - std::min(state.step, steps_);
  const std::uint64_t taken = state.step - std::min(first_step_, state.step);
  const double remaining_s = state.elapsed_s * static_cast<double>(left) / static_cast<double>(std::max<std::uint64_t>(taken, 1));
  const std::string time = is_physical(units_) ? format_time(state.time, units_) : fmt::format("{:.6g}", state.time);
  return fmt::format("[{}] {:3.0f} %  step {}/{}  t = {}  {} particles/s  ETA {}", bar, 100 * share, state.step, steps_, time,
                     format_quantity(speed), format_duration(remaining_s));
}

void Progress::update(const ProgressState& state) {
  step_s_ = step_s_ > 0 ? (1 - weight_of_new_step) * step_s_ + weight_of_new_step * state.step_s : state.step_s;
  if (!is_due(state)) return;
  last_shown_ = state;
  // "\033[K" clears what a longer line left behind.
  line_open_ = style_ == ProgressStyle::in_place;
  std::fputs(fmt::format("{}{}{}", line_open_ ? "\r" : "", line(state), line_open_ ? "\033[K" : "\n").c_str(), out_);
  std::fflush(out_);
}

void Progress::finish() {
  if (line_open_) std::fputs("\n", out_);
  line_open_ = false;
  std::fflush(out_);
}

}  // namespace grove
