#include "src/run/observers/log_observer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_errors.hpp"

namespace grove {

LogObserver::Rows rows_in(const ObserverSetup& setup, const char* saved) {
  return {saved, setup.resume && setup.resume->has(saved) ? setup.resume->count(saved) : 0, setup.config.output.on_error == "continue"};
}

LogObserver::LogObserver(const Communicator& comm, const std::string& path, const Rows& rows)
    : comm_(comm), path_(path), rows_(rows), count_(rows.before) {
  if (comm.is_root() && rows.before > 0 && ::access(path.c_str(), F_OK) == 0) log_.emplace(path, rows.before);
}

void require_known_columns(const std::string& log, bool are_known) {
  if (!are_known)
    throw DataError(log +
                    ": has other columns than this run writes, as after an external potential was added or removed; move it away, and a "
                    "new one is begun");
}

void LogObserver::observe(const RunState& state) {
  const auto write = [&] {
    if (!comm_.is_root()) return;
    const std::vector<double> values = row(state);
    log_->add(values);
  };
  if (succeeds(write)) {
    ++count_;
    return;
  }
  if (lost_++ == 0) first_lost_ = state.step;
  last_lost_ = state.step;
}

void LogObserver::finish() {
  succeeds([this] {
    if (log_) log_->flush();
  });
}

bool LogObserver::succeeds(const std::function<void()>& work) {
  const auto agreed = [&] { comm_.agree(work); };
  const bool is_done = succeeds_or_continues(rows_.may_be_lost, comm_, agreed, !has_told_);
  has_told_ = has_told_ || !is_done;
  return is_done;
}

std::string LogObserver::written() const {
  if (lost_ == 0) return path_;
  if (lost_ == 1) return fmt::format("{}; the row of step {} could not be written", path_, first_lost_);
  const std::string which = lost_ == last_lost_ - first_lost_ + 1 ? "the rows" : fmt::format("{} rows", lost_);
  return fmt::format("{}; {} of steps {} to {} could not be written", path_, which, first_lost_, last_lost_);
}

}  // namespace grove
