// Types of errors. What a caller may catch: AgreedError, on which all ranks have agreed; others leave the ranks of a run apart.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace grove {

/// Exit codes of the program after an error.
namespace exit_code {
inline constexpr int defect = 1, setting = 2, data = 3, system = 4;
}

/// Where in the sources an error arose. Replaces std::source_location, which nvcc 12.0 cannot compile.
struct SourceLocation {
  const char* file;
  int line;
  static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// Base of all exceptions of Grove. what() is the message for the user, where() is for developers.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, SourceLocation where = SourceLocation::current())
      : std::runtime_error(message), where_(where) {}
  const SourceLocation& where() const noexcept { return where_; }

 private:
  SourceLocation where_;
};

/// A wrong key, value or option. The message names it, its value and what is allowed. Exit code `setting`.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message, SourceLocation where = SourceLocation::current()) : Error(message, where) {}
};

/// Input data that cannot be used. The message names the file, the field and the first offending row. Exit code `data`.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message, SourceLocation where = SourceLocation::current()) : Error(message, where) {}
};

/// A failure of the machine: CUDA, MPI, HDF5, file system, memory. Exit code `system`.
class SystemError : public Error {
 public:
  explicit SystemError(const std::string& message, SourceLocation where = SourceLocation::current()) : Error(message, where) {}
};

/// A message between ranks failed, usually because another rank failed before.
class CommunicationError : public SystemError {
 public:
  explicit CommunicationError(const std::string& message, SourceLocation where = SourceLocation::current()) : SystemError(message, where) {}
};

/// A failure that all ranks have agreed on (Communicator::agree); printed by rank 0 only.
class AgreedError : public Error {
 public:
  AgreedError(const std::string& message, int exit_code) : Error(message), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// Exit code for an exception: see above; exit_code::system for std::bad_alloc and std::system_error, exit_code::defect for others.
int exit_code_of(const std::exception& error) noexcept;

/// Advice for a lack of host memory.
inline constexpr const char* more_host_memory = "use more nodes, fewer ranks on each node, or fewer particles";

/// The message for the user: what() of Grove's exceptions, or what() with an explanation for others.
std::string sentence_of(const std::exception& error);

}  // namespace grove
