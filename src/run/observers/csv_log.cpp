#include "src/run/observers/csv_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

std::string header_of(const std::string& title, const std::vector<CsvColumn>& columns) {
  std::string text = "# ", names;
  for (const char c : title) text += c == '\n' ? std::string("\n# ") : std::string(1, c);
  text += "\n";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format("# {:>2} {}: {}\n", i + 1, columns[i].name, columns[i].meaning);
    names += (i > 0 ? "," : "") + columns[i].name;
  }
  return text + names + "\n";
}

std::string number(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 9007199254740992.0;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.17g}", value);
}

}  // namespace

CsvLog::CsvLog(const std::string& path, const std::string& title, const std::vector<CsvColumn>& columns)
    : path_(path), file_(::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)), columns_(columns.size()) {
  if (file_ < 0) throw SystemError(path + ": cannot be created: " + std::strerror(errno));
  write(header_of(title, columns));
}

CsvLog::~CsvLog() {
  if (file_ >= 0) ::close(file_);
}

void CsvLog::add(const std::vector<double>& values) {
  if (values.size() != columns_) throw Error(fmt::format("{}: a line of {} values for {} columns", path_, values.size(), columns_));
  std::string line;
  for (const double value : values) line += (line.empty() ? "" : ",") + number(value);
  write(line + "\n");
}

void CsvLog::write(const std::string& lines) {
  ssize_t written = -1;
  do written = ::write(file_, lines.data(), lines.size());
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(lines.size())) return;
  throw SystemError(path_ + ": cannot be written: " + (written < 0 ? std::strerror(errno) : "the disk is full"));
}

}  // namespace grove
