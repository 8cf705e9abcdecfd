// Tables whose rows are the types of a tuple: integrators, external potentials, opening criteria.
#pragma once

#include <tuple>
#include <vector>

namespace grove {

/// Calls f<Type>() for each type of a tuple, in order.
template <class Tuple, class F>
void for_each_type(F f) {
  const auto for_all = [&]<class... Types>(const std::tuple<Types...>*) { (f.template operator()<Types>(), ...); };
  for_all(static_cast<const Tuple*>(nullptr));
}

/// The info() of each type of a tuple.
template <class Tuple>
auto infos_of() {
  std::vector<decltype(std::tuple_element_t<0, Tuple>::info())> infos;
  for_each_type<Tuple>([&]<class Type>() { infos.push_back(Type::info()); });
  return infos;
}

}  // namespace grove
