// Names of columns in the comments before the first row of a text table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/text_columns.hpp"

namespace grove {

/// A comment before the first row.
struct TextComment {
  std::uint64_t line = 0;
  std::string text;
};

/// Whether the comments list the names of `count` columns, in one line or several; `columns` are then set.
/// @throws DataError if two comments contradict each other, or names of columns are not understood or not those of the table; `path` is the
///   file
bool columns_of_comments(const std::vector<TextComment>& comments, std::size_t count, const std::string& path, TextColumns& columns);

/// A time in a comment.
struct CommentedTime {
  double time = 0;
  std::string unit;  ///< "Gyr"; empty: the unit of time of the table
};
/// The time that a comment says alone: "time: 1.5", "Time = 1.5", "t 1.5 Gyr"; nothing if it says anything else.
std::optional<CommentedTime> time_in_comment(std::string_view comment);

}  // namespace grove
