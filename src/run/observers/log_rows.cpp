#include "src/run/observers/log_rows.hpp"

#include <fmt/format.h>

#include "kernels/space/error.hpp"
#include "src/run/go_on.hpp"

namespace grove {

std::uint64_t rows_before(const ObserverSetup& setup, const char* name) {
  return setup.resume && setup.resume->has(name) ? setup.resume->count(name) : setup.states_seen;
}

void LogRows::add(std::uint64_t step, const std::function<void()>& write) {
  if (succeeds(write)) {
    ++count_;
    return;
  }
  if (lost_++ == 0) first_lost_ = step;
  last_lost_ = step;
}

void LogRows::flush(const std::function<void()>& flush) { succeeds(flush); }

bool LogRows::succeeds(const std::function<void()>& work) {
  try {
    comm_.agree(work);
  } catch (const AgreedError& error) {
    if (!goes_on_) throw;
    if (!has_told_ && comm_.is_root()) say_that_the_run_goes_on(error);
    has_told_ = true;
    return false;
  }
  return true;
}

std::string LogRows::lost() const {
  if (lost_ == 0) return "";
  if (lost_ == 1) return fmt::format("; the row of step {} could not be written", first_lost_);
  if (lost_ == last_lost_ - first_lost_ + 1)
    return fmt::format("; the rows of steps {} to {} could not be written", first_lost_, last_lost_);
  return fmt::format("; {} rows of steps {} to {} could not be written", lost_, first_lost_, last_lost_);
}

}  // namespace grove
