// What the columns of a text table are: as the user says, as a line of names in the file says, or by their number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grove {

/// What stands in a column. The first seven are needed.
enum class TextColumn : std::uint8_t { mass, x, y, z, vx, vy, vz, id, type, component, none };

/// The columns of a table, from the left.
struct TextColumns {
  std::vector<TextColumn> kinds;
  std::vector<std::string> names;  ///< [kinds], for messages
  bool has_names = true;           ///< false: only their number says what they are
  std::vector<std::string> notes;  ///< what a user should know about them

  std::size_t size() const { return kinds.size(); }
  bool has(TextColumn kind) const;
};

/// What is wrong with a list of columns such as "id m x y z vx vy vz type"; empty when nothing is.
std::string complaint_about_columns(const std::string& list);

/// The columns of such a list. It must be right.
TextColumns columns_of_list(const std::string& list);

/// The columns that a line of names in a table lists. Unknown ones are passed over, with a note.
/// @throws DataError when one that is needed is missing, or one stands there twice; `where` names the line
TextColumns columns_of_names(const std::vector<std::string_view>& names, const std::string& where);

/// A comment before the first row.
struct TextComment {
  std::uint64_t line = 0;
  std::string text;
};

/// True when one of the comments lists the names of `count` columns; their columns are then `columns`.
/// @throws DataError when one names columns in an order that cannot be that of the table, and no other one fits; `path` is the file
bool columns_of_comments(const std::vector<TextComment>& comments, std::size_t count, const std::string& path, TextColumns& columns);

/// The columns of a table without names: m x y z vx vy vz, and possibly a type.
/// @throws DataError for other numbers of columns than 7 and 8; `where` names the row
TextColumns columns_of_count(std::size_t count, const std::string& where);

}  // namespace grove
