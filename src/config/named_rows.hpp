// Tables whose rows have a member `name`: generators, integrators.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace grove {

/// The row of that name, or null.
template <class Row>
const Row* find_named(const std::vector<Row>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Row& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// All names, in the table's order.
template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.push_back(row.name);
  return names;
}

}  // namespace grove
