#include "src/run/files/csv_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "io/files/partial_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

/// `place`: of the text, for messages.
double value_of(std::string_view text, const std::string& place) {
  const std::optional<double> value = parse_number<double>(text);
  if (!value) throw DataError(fmt::format("{}: '{}' is no number", place, text));
  return *value;
}

int opened(const std::string& path, int flags, const char* what) {
  // With O_NONBLOCK a pipe of this name is an error: nobody would read from it.
  const int file = ::open(path.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) throw SystemError(path + ": " + what + ": " + reason_of(errno));
  return file;
}

/// A log up to some row.
CsvRows scan(const std::string& path, std::uint64_t most_rows,
             const std::function<bool(const CsvRows&, const std::string&)>& is_wanted = {}) {
  // A pipe of this name would be waited for, and a device has no end.
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) throw DataError(path + ": is not a regular file: move it away");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SystemError(path + ": cannot be read: " + reason_of(errno));
  CsvRows seen;
  std::string last;
  const auto numbers = [&](const std::string& line) {
    std::vector<double> row;
    const std::string place = fmt::format("{}: row {}", path, seen.count);
    for (const std::string_view part : csv_parts(line)) row.push_back(value_of(part, place));
    if (row.size() != seen.names.size())
      throw DataError(fmt::format("{} has {} numbers for {} columns", place, row.size(), seen.names.size()));
    return row;
  };
  // A last line without an end is not complete.
  for (std::string line; seen.count < most_rows && std::getline(file, line) && !file.eof();) {
    if (!seen.names.empty()) {
      if (is_wanted && !is_wanted(seen, line)) break;
      last = line;
      if (++seen.count == 1) seen.first = numbers(line);
    } else {
      const std::vector<std::string_view> names = csv_parts(line);
      seen.names.assign(names.begin(), names.end());
    }
    seen.bytes += line.size() + 1;
  }
  if (file.bad()) throw SystemError(path + ": cannot be read: " + reason_of(errno));
  if (seen.count > 0) seen.last = numbers(last);
  return seen;
}

}  // namespace

std::string csv_header(const std::vector<CsvColumn>& columns) {
  std::string names;
  for (const CsvColumn& column : columns) names += (names.empty() ? "" : ",") + column.name;
  return names + "\n";
}

CsvLog::CsvLog(const std::string& path, const std::vector<CsvColumn>& columns) : path_(path) {
  require_no_other(path);
  file_ = opened(path, O_CREAT | O_TRUNC, "cannot be created");
  for (const CsvColumn& column : columns) names_.push_back(column.name);
  write(csv_header(columns));
}

CsvLog::CsvLog(const std::string& path, std::uint64_t rows) : path_(path) {
  CsvRows seen = rows_to_continue(path, rows);
  names_ = std::move(seen.names);
  file_ = opened(path, 0, "cannot be opened");
  bytes_ = static_cast<std::int64_t>(seen.bytes);
  if (::ftruncate(file_, bytes_) != 0) throw SystemError(path + ": cannot be shortened: " + reason_of(errno));
}

CsvLog::~CsvLog() {
  if (file_ >= 0) ::close(file_);
}

void CsvLog::require_no_other(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && !is_log_of_grove(path))
    throw SystemError(path + ": cannot be created: there is a file of this name that Grove has not written; move it away");
}

void CsvLog::add(const std::vector<double>& values) {
  if (values.size() != names_.size())
    throw Error(fmt::format("{}: a line of {} values for {} columns", path_, values.size(), names_.size()));
  write(fmt::format("{}\n", fmt::join(values, ",")));
}

void CsvLog::flush() {
  struct stat now {};
  if (::fstat(file_, &now) == 0 && now.st_nlink == 0) throw SystemError(path_ + ": has been removed during the run; its rows are lost");
  if (::fstat(file_, &now) == 0 && S_ISREG(now.st_mode) && torn_at_ < 0 && now.st_size != bytes_)
    throw SystemError(
        fmt::format("{}: has been changed by another program during the run: it has {} bytes, of which the run has written {}", path_,
                    now.st_size, bytes_));
  if (::fsync(file_) != 0 && errno != EINVAL) throw SystemError(path_ + ": cannot be flushed to the disk: " + reason_of(errno));
}

void CsvLog::write(const std::string& lines) {
  take_back_torn_line();
  for (std::size_t done = 0; done < lines.size();) {
    const ssize_t written = ::write(file_, lines.data() + done, lines.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written > 0 || (written < 0 && errno == EINTR)) continue;
    const std::string reason = written < 0 ? reason_of(errno) : "the disk is full";
    struct stat now {};
    if (done > 0 && ::fstat(file_, &now) == 0) {
      torn_at_ = now.st_size - static_cast<std::int64_t>(done);
      take_back_torn_line();
    }
    throw SystemError(path_ + ": cannot be written: " + reason);
  }
  bytes_ += static_cast<std::int64_t>(lines.size());
}

/// A partial line would look like a line with other numbers.
void CsvLog::take_back_torn_line() {
  if (torn_at_ < 0) return;
  if (::ftruncate(file_, torn_at_) != 0) throw SystemError(path_ + ": its last line is torn: " + reason_of(errno));
  torn_at_ = -1;
}

CsvRows read_csv_log(const std::string& path) {
  const bool is_log = is_log_of_grove(path) || log_kind_in(path);
  CsvRows rows = scan(path, is_log ? std::numeric_limits<std::uint64_t>::max() : 0);
  if (!is_log || rows.names.empty()) throw DataError(path + ": is no log of Grove, or has no whole line yet");
  return rows;
}

std::optional<double> CsvRows::value(const std::vector<double>& row, const std::string& name) const {
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  return at < row.size() ? std::optional<double>(row[at]) : std::nullopt;
}

CsvRows rows_up_to(const std::string& path, const std::string& column, double value, const std::function<void(const NumberInRow&)>& see) {
  const auto is_before = [&](const CsvRows& rows, const std::string& line) {
    const std::vector<std::string_view> parts = csv_parts(line);
    const NumberInRow number_in = [&](const std::string& name) -> std::optional<double> {
      const auto at = static_cast<std::size_t>(std::find(rows.names.begin(), rows.names.end(), name) - rows.names.begin());
      if (at >= parts.size()) return std::nullopt;
      return value_of(parts[at], fmt::format("{}: row {}", path, rows.count + 1));
    };
    const std::optional<double> number = number_in(column);
    if (!number || *number > value) return false;
    if (see) see(number_in);
    return true;
  };
  return scan(path, std::numeric_limits<std::uint64_t>::max(), is_before);
}

CsvRows rows_to_continue(const std::string& path, std::uint64_t rows) {
  const bool is_log = is_log_of_grove(path);
  CsvRows seen = scan(path, is_log ? rows : 0);
  if (!is_log || seen.count < rows)
    throw DataError(fmt::format("{}: has {} whole rows, where the run so far has written {}; move it away, and a new one is begun", path,
                                seen.count, rows));
  return seen;
}

}  // namespace grove
