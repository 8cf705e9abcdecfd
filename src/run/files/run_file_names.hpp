// The names of the files of a run, made and parsed only here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace grove {

inline constexpr const char *energy_log_file = "energy.csv", *timings_log_file = "timings.csv", *time_bins_log_file = "time_bins.csv";
inline constexpr const char* used_parameters_file = "used_parameters.toml";
inline constexpr const char* snapshot_series_file = "snapshots.xdmf";              ///< lists the snapshots, for ParaView
inline constexpr const char *plot_file = "plot.png", *plot_source = "grove plot";  ///< of `grove plot`; the text Source in the picture
inline constexpr const char* not_finite_files = "not_finite_step_#.csv";           ///< the pattern of their names; see LogKind::file

/// snapshot_0000.hdf5; more digits from 10,000 on.
std::string snapshot_file(std::uint64_t number);
/// checkpoint_0.hdf5.
std::string checkpoint_file(int generation);
/// not_finite_step_12.csv; the number of the list follows, "_1", from 1 on.
std::string not_finite_file(std::uint64_t step, int number);

/// The parts of picture_density_z_0012.png.
struct PictureName {
  std::string quantity;  ///< letters, digits and '_'
  std::string axis;      ///< letters and digits
  std::uint64_t number = 0;
};

std::string picture_file(const PictureName& name);

/// The parts of a file name without directory; nothing for a name of another form. Numbers have at most 15 digits, so that the next one can
/// be formed and JavaScript represents them exactly.
std::optional<std::uint64_t> snapshot_number(std::string_view file);
std::optional<std::uint64_t> checkpoint_number(std::string_view file);
std::optional<PictureName> picture_name(std::string_view file);

}  // namespace grove
