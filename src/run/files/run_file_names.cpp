#include "src/run/files/run_file_names.hpp"

#include <fmt/format.h>

#include <regex>

namespace grove {

namespace {

using Parts = std::match_results<std::string_view::const_iterator>;

/// The parts of a name of this form; none for any other name.
Parts parts_of(std::string_view file, const std::regex& form) {
  Parts parts;
  std::regex_match(file.begin(), file.end(), parts, form);
  return parts;
}

/// The number that is the only part of a name.
std::optional<std::uint64_t> number_in(std::string_view file, const std::regex& form) {
  const Parts parts = parts_of(file, form);
  return parts.empty() ? std::nullopt : std::optional<std::uint64_t>(std::stoull(parts.str(1)));
}

}  // namespace

std::string snapshot_file(std::uint64_t number) { return fmt::format("snapshot_{:04}.hdf5", number); }

std::string checkpoint_file(int generation) { return fmt::format("checkpoint_{}.hdf5", generation); }

std::string not_finite_file(std::uint64_t step, int number) {
  std::string name = not_finite_files;
  return name.replace(name.find('#'), 1, number == 0 ? fmt::format("{}", step) : fmt::format("{}_{}", step, number));
}

std::string picture_file(const PictureName& name) { return fmt::format("picture_{}_{}_{:04}.png", name.quantity, name.axis, name.number); }

std::optional<std::uint64_t> snapshot_number(std::string_view file) {
  static const std::regex form("snapshot_([0-9]{1,15})\\.hdf5");
  return number_in(file, form);
}

std::optional<std::uint64_t> checkpoint_number(std::string_view file) {
  static const std::regex form("checkpoint_([0-9]{1,15})\\.hdf5");
  return number_in(file, form);
}

std::optional<PictureName> picture_name(std::string_view file) {
  static const std::regex form("picture_([A-Za-z0-9_]{1,60})_([A-Za-z0-9]{1,20})_([0-9]{1,15})\\.png");
  const Parts parts = parts_of(file, form);
  return parts.empty() ? std::nullopt : std::optional(PictureName{parts.str(1), parts.str(2), std::stoull(parts.str(3))});
}

}  // namespace grove
