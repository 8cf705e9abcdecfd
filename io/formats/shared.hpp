// Values that one rank has found out, given to all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Replaces a value by the root's: of a type that can be copied byte by byte, a text, a path, or a vector of these. Collective.
template <class T>
void share(T& value, const Communicator& comm) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    comm.broadcast(std::span<T>(&value, 1));
  } else if constexpr (std::is_same_v<T, std::string>) {
    comm.broadcast(value);
  } else {
    std::string text = value.string();
    comm.broadcast(text);
    value = text;
  }
}

template <class T>
void share(std::vector<T>& values, const Communicator& comm) {
  std::size_t size = values.size();
  share(size, comm);
  values.resize(size);
  if constexpr (std::is_trivially_copyable_v<T>)
    comm.broadcast(std::span<T>(values));
  else
    for (T& value : values) share(value, comm);
}

}  // namespace grove
