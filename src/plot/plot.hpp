// The logs of a run as a picture.
#pragma once

#include <string>

namespace grove {

/// Draws energy.csv, timings.csv and time_bins.csv of a run, those that exist, with Python and matplotlib, into the PNG file `out`. The run
/// may still be at work. A file of that name is replaced only if `grove plot` has made it. Not collective.
/// @throws ConfigError for a directory without logs, and for a file that is not replaced
/// @throws DataError for logs that cannot be drawn, with the row
/// @throws SystemError without Python or matplotlib, with the package to install, and when the file cannot be written
void plot_run(const std::string& directory, const std::string& out);

}  // namespace grove
