// Values that one rank has found out, given to all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// See share().
template <class T>
void share_one(T& value, const Communicator& comm) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    comm.broadcast(std::span<T>(&value, 1));
  } else if constexpr (std::is_same_v<T, std::string>) {
    comm.broadcast(value);
  } else if constexpr (requires { value.second; }) {
    share_one(value.first, comm);
    share_one(value.second, comm);
  } else {
    std::string text = value.string();
    comm.broadcast(text);
    value = text;
  }
}

template <class T>
void share_one(std::vector<T>& values, const Communicator& comm) {
  std::size_t size = values.size();
  share_one(size, comm);
  values.resize(size);
  if constexpr (std::is_trivially_copyable_v<T>)
    comm.broadcast(std::span<T>(values));
  else
    for (T& value : values) share_one(value, comm);
}

/// Replaces values by the root's: of types that can be copied byte by byte, texts, paths, and pairs and vectors of these. Collective.
template <class... Values>
void share(const Communicator& comm, Values&... values) {
  (share_one(values, comm), ...);
}

}  // namespace grove
