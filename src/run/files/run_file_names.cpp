#include "src/run/files/run_file_names.hpp"

#include <fmt/format.h>

#include "kernels/base/parse_number.hpp"

namespace grove {

namespace {

constexpr std::string_view snapshot_prefix = "snapshot_", checkpoint_prefix = "checkpoint_", state_suffix = ".hdf5";
constexpr std::string_view picture_prefix = "picture_", picture_suffix = ".png";
constexpr std::size_t most_digits = 15, longest_quantity = 60, longest_axis = 20;

/// The text between prefix and suffix; nothing for a name without them.
std::optional<std::string_view> between(std::string_view prefix, std::string_view name, std::string_view suffix) {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

std::optional<std::uint64_t> number_of(std::string_view digits) {
  return digits.size() <= most_digits ? parse_number<std::uint64_t>(digits) : std::nullopt;
}

std::optional<std::uint64_t> number_of_state(std::string_view prefix, std::string_view file) {
  const std::optional<std::string_view> digits = between(prefix, file, state_suffix);
  return digits ? number_of(*digits) : std::nullopt;
}

/// Whether a text is 1 to `most` letters, digits and '_'.
bool is_word(std::string_view text, std::size_t most) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !text.empty() && text.size() <= most && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// Removes the last '_' of a text and what follows, and returns what follows; nothing without a '_'.
std::optional<std::string_view> take_last_part(std::string_view& text) {
  const std::size_t mark = text.rfind('_');
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(mark + 1);
  text = text.substr(0, mark);
  return part;
}

}  // namespace

std::string snapshot_file(std::uint64_t number) { return fmt::format("{}{:04}{}", snapshot_prefix, number, state_suffix); }

std::string checkpoint_file(int generation) { return fmt::format("{}{}{}", checkpoint_prefix, generation, state_suffix); }

std::string not_finite_file(std::uint64_t step, int number) {
  std::string name = not_finite_files;
  return name.replace(name.find('#'), 1, number == 0 ? fmt::format("{}", step) : fmt::format("{}_{}", step, number));
}

std::string picture_file(const PictureName& name) {
  return fmt::format("{}{}_{}_{:04}{}", picture_prefix, name.quantity, name.axis, name.number, picture_suffix);
}

std::optional<std::uint64_t> snapshot_number(std::string_view file) { return number_of_state(snapshot_prefix, file); }

std::optional<std::uint64_t> checkpoint_number(std::string_view file) { return number_of_state(checkpoint_prefix, file); }

std::optional<PictureName> picture_name(std::string_view file) {
  std::optional<std::string_view> quantity = between(picture_prefix, file, picture_suffix);
  if (!quantity) return std::nullopt;
  const auto digits = take_last_part(*quantity), axis = take_last_part(*quantity);
  if (!digits || !axis || !is_word(*axis, longest_axis) || !is_word(*quantity, longest_quantity)) return std::nullopt;
  const std::optional<std::uint64_t> number = number_of(*digits);
  return number ? std::optional(PictureName{std::string(*quantity), std::string(*axis), *number}) : std::nullopt;
}

bool is_made_under_partial_name(std::string_view file) {
  return snapshot_number(file) || checkpoint_number(file) || file == snapshot_series_file || file == used_parameters_file ||
         picture_name(file);
}

}  // namespace grove
