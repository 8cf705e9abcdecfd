// The columns of a text table: from the user's list, from a line of names in the file, or from their number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// The contents of a column. The first seven are needed.
enum class TextColumn : std::uint8_t { mass, x, y, z, vx, vy, vz, id, type, component, none };

/// The columns of a table, from the left.
struct TextColumns {
  std::vector<TextColumn> kinds;
  std::vector<std::string> names;  ///< [kinds], for messages
  bool has_names = true;           ///< false: they follow from their number
  std::vector<std::string> notes;  ///< what a user should know about them

  std::size_t size() const { return kinds.size(); }
  bool has(TextColumn kind) const;
};

/// m x y z vx vy vz.
constexpr std::size_t needed_columns = 7;

/// Where a user says what the columns are.
constexpr const char* where_columns_are_named = "initial_conditions.columns of a run, or --columns of grove info, profile and render";
/// What a user can do if a table does not name its columns.
constexpr const char* how_to_name_columns =
    "say what the columns are, as \"m x y z vx vy vz type\", with - for one to leave out, by initial_conditions.columns of a run, or "
    "--columns "
    "of grove info, profile and render";

/// What is wrong with a list of columns such as "id m x y z vx vy vz type"; empty: nothing.
std::string complaint_about_columns(const std::string& list);

/// The columns of such a list, which must be valid.
TextColumns columns_of_list(const std::string& list);

/// The columns of a line of names in a table. Unknown ones are ignored, with a note.
/// @throws DataError if a needed one is missing or one occurs twice; `where` names the line
TextColumns columns_of_names(const std::vector<std::string_view>& names, const std::string& where);

/// The columns of a table without names: m x y z vx vy vz [type].
/// @throws DataError for other numbers of columns than 7 and 8; `where` names the row
TextColumns columns_of_count(std::size_t count, const std::string& where);

// The parts of the above, for other ways to name columns.

/// The words of a list, separated by blanks, commas and the like.
std::vector<std::string> words_of_list(std::string_view text);
/// A name without its unit and in lower case: "Vx[km/s]" -> "vx", "(type)" -> "type", "x/kpc" -> "x".
std::string plain_column_name(std::string_view name);
/// The column of a plain name; nothing if it is unknown.
std::optional<TextColumn> column_named(std::string_view name);
/// The columns with these names; unknown ones are not used.
TextColumns columns_with(const std::vector<std::string>& names);
/// What is wrong with the columns as a whole; empty: nothing.
std::string complaint_about(const TextColumns& columns);

}  // namespace grove
