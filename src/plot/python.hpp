// Runs Python scripts of Grove.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// The result of a script.
struct ScriptResult {
  int exit_code = 0;
  std::string output, errors;  ///< what it wrote to standard output and standard error
  std::string program{};       ///< the Python that ran it

  /// The last line of `errors` that is not empty: of a Python exception, what it says.
  std::string last_error() const;
};

/// Runs the text of a script with `arguments` (sys.argv from 1 on) and waits for its end: by the Python that GROVE_PYTHON in the
/// environment names, or by the python3 of PATH and, where that lacks a package (exit code 4 of the script), by /usr/bin/python3. Not
/// collective. Throws SystemError when Python cannot be started, with the package that has it, or when a signal ends it.
ScriptResult run_python(std::string_view script, const std::vector<std::string>& arguments);

/// Throws SystemError, with the package to install, unless Python has what plots need. Not collective.
void require_matplotlib();

/// Runs picture_start.py and, after it, a script that draws `what` and writes a PNG to standard output: its bytes. Not collective. Throws
/// DataError where the data cannot be drawn, SystemError where a package is missing, or the script fails.
std::string draw_png(std::string_view script, const std::vector<std::string>& arguments, const std::string& what);

/// Throws ConfigError unless the file that `option` names ends in .png.
void require_png(const std::string& file, const std::string& option);

}  // namespace grove
