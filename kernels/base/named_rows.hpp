// Tables whose rows have a name: generators, integrators, external potentials.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/base/setting.hpp"

namespace grove {

/// The row of that name, or null.
template <class Table>
auto find_named(const Table& table, const std::string& name) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

/// The settings of the row of that name; none where there is no such row.
template <class Table>
const std::vector<Setting>& settings_of(const Table& table, const std::string& name) {
  static const std::vector<Setting> none;
  const auto* const row = find_named(table, name);
  return row ? row->settings : none;
}

/// All names, in the table's order.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace grove
