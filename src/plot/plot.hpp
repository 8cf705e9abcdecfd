// The logs of a run as a picture.
#pragma once

#include <string>

namespace grove {

/// What the picture is called in an output directory unless the user says otherwise.
inline constexpr const char* plot_file_name = "plot.png";

/// Whether a file is a picture that plot_run() has made.
bool is_plot_of_grove(const std::string& path);

/// Draws energy.csv and timings.csv of a run, or the one of them that is there, with Python and matplotlib, into the PNG file `out`. The
/// run may still be at work. A file of that name is replaced only if it is_plot_of_grove(). Not collective.
/// @throws ConfigError for a directory without logs, and for a file that is not replaced
/// @throws DataError for logs that cannot be drawn, with the row
/// @throws SystemError without Python or matplotlib, with the package to install, and when the file cannot be written
void plot_run(const std::string& directory, const std::string& out);

}  // namespace grove
