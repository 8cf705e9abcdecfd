#include "src/run/observers/log_observer.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_errors.hpp"

namespace grove {

LogObserver::Rows rows_in(const ObserverSetup& setup, const char* saved) {
  return {saved, setup.resume ? setup.resume->count(saved) : 0, setup.config.output.on_error == "continue"};
}

void LogObserver::observe(const RunState& state) {
  if (succeeds([&] { write(state); })) {
    ++count_;
    return;
  }
  if (lost_++ == 0) first_lost_ = state.step;
  last_lost_ = state.step;
}

bool LogObserver::succeeds(const std::function<void()>& work) {
  try {
    comm_.agree(work);
  } catch (const AgreedError& error) {
    if (!rows_.may_be_lost) throw;
    if (!has_told_ && comm_.is_root()) say_that_run_continues_without(error);
    has_told_ = true;
    return false;
  }
  return true;
}

std::string LogObserver::written() const {
  if (lost_ == 0) return path_;
  if (lost_ == 1) return fmt::format("{}; the row of step {} could not be written", path_, first_lost_);
  const std::string which = lost_ == last_lost_ - first_lost_ + 1 ? "the rows" : fmt::format("{} rows", lost_);
  return fmt::format("{}; {} of steps {} to {} could not be written", path_, which, first_lost_, last_lost_);
}

}  // namespace grove
