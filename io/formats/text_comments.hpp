// The names of the columns of a text table in the comments before its first row, as many programs write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/formats/text_columns.hpp"

namespace grove {

/// A comment before the first row.
struct TextComment {
  std::uint64_t line = 0;
  std::string text;
};

/// True when the comments list the names of `count` columns, in one line or in several ones; their columns are then `columns`.
/// @throws DataError when two of them contradict each other, and when what looks like names of columns is not understood, or cannot be
/// those
///   of the table; `path` is the file
bool columns_of_comments(const std::vector<TextComment>& comments, std::size_t count, const std::string& path, TextColumns& columns);

}  // namespace grove
