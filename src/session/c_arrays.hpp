// Arrays of the caller of the C interface: read into and written from those of Grove.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/session/grove.h"
#include "src/simulation/simulation_cuda.hpp"

namespace grove {

inline std::size_t size_of_element(int type) { return type == GROVE_F32 ? 4 : type == GROVE_U8 ? 1 : 8; }

/// The elements of an array of the caller, one after the other.
class Elements {
 public:
  Elements(const char* what, const grove_array& array, std::size_t components) : array_(array) {
    if (!array.data) throw ConfigError(fmt::format("{}: there is no array", what));
    if (array.type < GROVE_F32 || array.type > GROVE_U64) throw ConfigError(fmt::format("{}: {} is no type of elements", what, array.type));
    column_ = array.column != 0 ? array.column : static_cast<std::ptrdiff_t>(size_of_element(array.type));
    row_ = array.row != 0 ? array.row : column_ * static_cast<std::ptrdiff_t>(components);
  }
  bool have_no_gaps(std::size_t components) const {
    const auto size = static_cast<std::ptrdiff_t>(size_of_element(array_.type));
    return column_ == size && row_ == size * static_cast<std::ptrdiff_t>(components);
  }
  char* at(std::size_t row, std::size_t column) const {
    return static_cast<char*>(array_.data) + static_cast<std::ptrdiff_t>(row) * row_ + static_cast<std::ptrdiff_t>(column) * column_;
  }

 private:
  const grove_array& array_;
  std::ptrdiff_t row_ = 0, column_ = 0;
};

template <class T>
bool has_type(int type) {
  if constexpr (std::is_same_v<T, double>) return type == GROVE_F64 || type == GROVE_F32;
  return type == (std::is_same_v<T, std::uint8_t> ? GROVE_U8 : GROVE_U64);
}

template <class T>
void require_type(const char* what, const grove_array& array) {
  if (!has_type<T>(array.type))
    throw ConfigError(fmt::format("{}: the elements must be {}", what,
                                  std::is_same_v<T, double>         ? "GROVE_F64 or GROVE_F32"
                                  : std::is_same_v<T, std::uint8_t> ? "GROVE_U8"
                                                                    : "GROVE_U64"));
}

/// An array of the caller in the memory of the host, or a copy of all bytes from its first to its last one.
class OnHost {
 public:
  OnHost(const char* what, const grove_array& array, std::size_t n, std::size_t components) : array_(array) {
    if (array.on_gpu == 0) return;
    const Elements elements(what, array, components);
    const char* const corner[] = {elements.at(0, 0), elements.at(0, components - 1), elements.at(n - 1, 0),
                                  elements.at(n - 1, components - 1)};
    first_ = *std::min_element(std::begin(corner), std::end(corner));
    copy_.resize(static_cast<std::size_t>(*std::max_element(std::begin(corner), std::end(corner)) - first_) + size_of_element(array.type));
    copy_gpu_memory(copy_.data(), first_, copy_.size());
    array_.data = copy_.data() + (elements.at(0, 0) - first_);
  }
  const grove_array& array() const { return array_; }
  /// What has been written goes to the caller.
  void write_back() {
    if (!copy_.empty()) copy_gpu_memory(const_cast<char*>(first_), copy_.data(), copy_.size());
  }

 private:
  grove_array array_;
  const char* first_ = nullptr;
  std::vector<char> copy_;
};

/// Sets `to` [n * components] from an array of n particles. Throws ConfigError, which names it `what`; SystemError for memory of a GPU.
template <class T>
void read(const char* what, const grove_array& given, std::size_t n, std::size_t components, std::vector<T>& to) {
  if (n == 0) return to.clear();
  const OnHost on_host(what, given, n, components);
  const grove_array& array = on_host.array();
  const Elements from(what, array, components);
  require_type<T>(what, array);
  const auto address = reinterpret_cast<std::uintptr_t>(from.at(0, 0));
  if (array.type != GROVE_F32 && from.have_no_gaps(components) && address % alignof(T) == 0) {
    const T* const first = reinterpret_cast<const T*>(from.at(0, 0));
    to.assign(first, first + n * components);
    return;
  }
  to.resize(n * components);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < components; ++c) {
      if (array.type == GROVE_F32) {
        float value;
        std::memcpy(&value, from.at(i, c), sizeof value);
        to[i * components + c] = static_cast<T>(value);
      } else {
        std::memcpy(&to[i * components + c], from.at(i, c), sizeof(T));
      }
    }
}

/// Writes `from` [particles * components] to an array. Throws as read().
template <class T>
void write(const char* what, const std::vector<T>& from, std::size_t components, const grove_array& callers) {
  if (from.empty()) return;
  OnHost on_host(what, callers, from.size() / components, components);
  const grove_array& array = on_host.array();
  const Elements to(what, array, components);
  require_type<T>(what, array);
  if (array.type != GROVE_F32 && to.have_no_gaps(components)) {
    std::memcpy(to.at(0, 0), from.data(), from.size() * sizeof(T));
    return on_host.write_back();
  }
  for (std::size_t i = 0; i < from.size() / components; ++i)
    for (std::size_t c = 0; c < components; ++c) {
      const T& value = from[i * components + c];
      if (array.type == GROVE_F32) {
        const auto rounded = static_cast<float>(value);
        std::memcpy(to.at(i, c), &rounded, sizeof rounded);
      } else {
        std::memcpy(to.at(i, c), &value, sizeof value);
      }
    }
  on_host.write_back();
}

}  // namespace grove
