// What the tests of both back ends share: a space of the back end, and copies between it and vectors.
#pragma once

#include <vector>

#include "kernels/particles/particles.hpp"

namespace grove::tests {

template <class Space>
Space make_space_of() {
  if constexpr (Space::on_gpu)
    return Space(0);
  else
    return Space();
}

/// The space under test; on the GPU that of the first device, which several ranks may share.
inline BackEnd make_space() { return make_space_of<BackEnd>(); }

template <class T>
Buffer<BackEnd, T> upload(BackEnd& space, const std::vector<T>& items) {
  Buffer<BackEnd, T> buffer(space);
  buffer.resize_discard(items.size());
  copy_from_host<BackEnd, T>(space, items, buffer.view());
  return buffer;
}

template <class T>
std::vector<T> download(BackEnd& space, View<const T> view) {
  std::vector<T> items(view.size);
  copy_to_host<BackEnd, T>(space, view, items);
  return items;
}
template <class T>
std::vector<T> download(BackEnd& space, const Buffer<BackEnd, T>& buffer) {
  return download<T>(space, View<const T>(buffer.view()));
}
template <class T>
std::vector<T> download(BackEnd& space, const TypedArray<BackEnd, T>& array) {
  return download<T>(space, View<const T>(array.view()));
}
template <class T>
std::vector<T> download(BackEnd& space, const StepBuffer<BackEnd, T>& buffer) {
  return download<T>(space, View<const T>(buffer.view()));
}

}  // namespace grove::tests
