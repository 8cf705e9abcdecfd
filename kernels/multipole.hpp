// Cartesian multipole and local expansions, for any order that is known at compile time (Dehnen 2002; Dehnen 2014, appendix A).
//
// Terms x^a y^b z^c are numbered by order a + b + c, then by falling a, then by falling b. A multipole expansion about z holds
// M_k = sum m (x - z)^k / k!; a local expansion about z holds the derivatives L_n of U = -phi there, so that
// U(z + d) = sum L_n d^n / n! and the acceleration is its gradient. `T` is double, float or a SIMD vector of floats.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/scalar.hpp"
#include "kernels/vector.hpp"

namespace grove {

/// Number of terms of order 0 to `order`.
GROVE_HD constexpr int term_count(int order) { return (order + 1) * (order + 2) * (order + 3) / 6; }

/// Exponents of one term.
struct Term {
  int a, b, c;
  GROVE_HD constexpr int order() const { return a + b + c; }
  GROVE_HD constexpr int exponent(int axis) const { return axis == 0 ? a : axis == 1 ? b : c; }
  /// The term with `by` more of one axis.
  GROVE_HD constexpr Term plus(int axis, int by) const {
    return {a + (axis == 0 ? by : 0), b + (axis == 1 ? by : 0), c + (axis == 2 ? by : 0)};
  }
  GROVE_HD friend constexpr Term operator+(Term s, Term t) { return {s.a + t.a, s.b + t.b, s.c + t.c}; }
  GROVE_HD friend constexpr Term operator-(Term s, Term t) { return {s.a - t.a, s.b - t.b, s.c - t.c}; }
};

/// Number of a term.
GROVE_HD constexpr int index_of(Term t) {
  const int below = t.order() - t.a;
  return term_count(t.order() - 1) + below * (below + 1) / 2 + t.c;
}

/// The term of a number.
GROVE_HD constexpr Term term_of(int index) {
  int order = 0;
  while (term_count(order) <= index) ++order;
  int rest = index - (order > 0 ? term_count(order - 1) : 0), below = 0;
  while ((below + 1) * (below + 2) / 2 <= rest) ++below;
  rest -= below * (below + 1) / 2;
  return {order - below, below - rest, rest};
}

GROVE_HD constexpr double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }
GROVE_HD constexpr double factorial(Term t) { return factorial(t.a) * factorial(t.b) * factorial(t.c); }

/// The first axis along which a term of order 1 or more has an exponent.
GROVE_HD constexpr int leading_axis(Term t) { return t.a > 0 ? 0 : t.b > 0 ? 1 : 2; }

namespace detail {
template <class F, int... i>
GROVE_HD inline void for_terms(F&& f, std::integer_sequence<int, i...>) {
  (f(std::integral_constant<int, i>{}), ...);
}
}  // namespace detail

/// Calls f with the constants 0 to count - 1, unrolled: indices into arrays of terms are then known at compile time, and the arrays
/// stay in registers.
template <int count, class F>
GROVE_HD inline void for_terms(F&& f) {
  detail::for_terms(static_cast<F&&>(f), std::make_integer_sequence<int, count>{});
}

/// power[i] = d^t / t! for all terms t up to `order`.
template <int order, class T>
GROVE_HD inline void scaled_powers(T dx, T dy, T dz, T (&power)[term_count(order)]) {
  power[0] = T(1);
  for_terms<term_count(order)>([&](auto i) {
    constexpr Term t = term_of(i);
    if constexpr (t.order() > 0) {
      constexpr int axis = leading_axis(t);
      const T d = axis == 0 ? dx : axis == 1 ? dy : dz;
      constexpr int e = t.exponent(axis);
      const T previous = power[index_of(t.plus(axis, -1))];
      if constexpr (e == 1)
        power[i] = previous * d;
      else
        power[i] = previous * d * constant<T>(1.0 / e);
    }
  });
}

/// P2M: adds a point of mass m at offset (dx, dy, dz) from the centre to M [term_count(order)].
template <int order, class T>
GROVE_HD inline void add_point(T m, T dx, T dy, T dz, T (&M)[term_count(order)]) {
  T power[term_count(order)];
  scaled_powers<order>(dx, dy, dz, power);
  for_terms<term_count(order)>([&](auto i) { M[i] += m * power[i]; });
}

/// M2M: adds the expansion `from`, whose centre lies at offset d = (dx, dy, dz), to M: M_n += sum_k from_(n-k) d^k / k!.
template <int order, class T>
GROVE_HD inline void add_shifted_multipole(const T (&from)[term_count(order)], T dx, T dy, T dz, T (&M)[term_count(order)]) {
  T power[term_count(order)];
  scaled_powers<order>(dx, dy, dz, power);
  for_terms<term_count(order)>([&](auto n) {
    for_terms<term_count(order)>([&](auto k) {
      constexpr Term rest = term_of(std::decay_t<decltype(n)>::value) - term_of(k);
      if constexpr (rest.a >= 0 && rest.b >= 0 && rest.c >= 0) M[n] += from[index_of(rest)] * power[k];
    });
  });
}

/// All derivatives up to `order` of a function of r alone at offset (x, y, z), where radial[m] = ((1/r) d/dr)^m of it.
/// By D(m)_(n+e) = x_e D(m+1)_n + n_e D(m+1)_(n-e), as for the integrals of McMurchie & Davidson 1978.
template <int order, class T>
GROVE_HD inline void derivatives(T x, T y, T z, const T (&radial)[order + 1], T (&D)[term_count(order)]) {
  D[0] = radial[order];
  for_terms<order>([&](auto step) {
    constexpr int m = order - 1 - step, reached = step + 1;
    // From the highest term down: a term needs only lower ones of the array before.
    for_terms<term_count(reached) - 1>([&](auto from_top) {
      constexpr int i = term_count(reached) - 1 - from_top;
      constexpr Term t = term_of(i);
      constexpr int axis = leading_axis(t), e = t.exponent(axis) - 1;
      const T d = axis == 0 ? x : axis == 1 ? y : z;
      T value = d * D[index_of(t.plus(axis, -1))];
      if constexpr (e == 1)
        value += D[index_of(t.plus(axis, -2))];
      else if constexpr (e > 1)
        value += constant<T>(e) * D[index_of(t.plus(axis, -2))];
      D[i] = value;
    });
    D[0] = radial[m];
  });
}

/// M2L: adds to L what a multipole expansion `moment(k)` (k >= term_count(1); `mass` is M_0, the dipole is zero) at offset -(x, y, z) does:
/// L_n += sum_k (-1)^|k| M_k D_(n+k), |n| + |k| <= order.
template <int order, class T, class Moment>
GROVE_HD inline void add_multipole_to_local(T mass, Moment moment, const T (&D)[term_count(order)], T (&L)[term_count(order)]) {
  for_terms<term_count(order)>([&](auto n) { L[n] += mass * D[n]; });
  for_terms<term_count(order)>([&](auto k) {
    constexpr Term tk = term_of(k);
    if constexpr (tk.order() >= 2) {
      const T m = moment(k);
      for_terms<term_count(order - tk.order())>([&](auto n) {
        // By its type, here and below: CUDA 12.0 does not take a captured k for a constant.
        constexpr Term of_k = term_of(std::decay_t<decltype(k)>::value);
        constexpr int i = index_of(of_k + term_of(n));
        if constexpr (of_k.order() % 2 == 0)
          L[n] += m * D[i];
        else
          L[n] -= m * D[i];
      });
    }
  });
}

/// L2L: adds the expansion `from(n)` to one whose centre lies at offset d from its own: L_n += sum_k from_(n+k) d^k / k!.
template <int order, class T, class From>
GROVE_HD inline void add_shifted_local(From from, T dx, T dy, T dz, T (&L)[term_count(order)]) {
  T power[term_count(order)];
  scaled_powers<order>(dx, dy, dz, power);
  for_terms<term_count(order)>([&](auto i) {
    const T value = from(i);
    for_terms<term_count(order)>([&](auto n) {
      constexpr Term rest = term_of(std::decay_t<decltype(i)>::value) - term_of(n);
      if constexpr (rest.a >= 0 && rest.b >= 0 && rest.c >= 0) L[n] += value * power[index_of(rest)];
    });
  });
}

/// L2P: U and its gradient at offset d from the centre of the expansion `L(n)`.
template <int order, class T, class Local>
GROVE_HD inline void evaluate_local(Local L, T dx, T dy, T dz, T& u, T& gx, T& gy, T& gz) {
  T power[term_count(order)];
  scaled_powers<order>(dx, dy, dz, power);
  u = gx = gy = gz = T(0);
  for_terms<term_count(order)>([&](auto i) {
    constexpr Term t = term_of(i);
    const T value = L(i);
    u += value * power[i];
    if constexpr (t.a > 0) gx += value * power[index_of(t.plus(0, -1))];
    if constexpr (t.b > 0) gy += value * power[index_of(t.plus(1, -1))];
    if constexpr (t.c > 0) gz += value * power[index_of(t.plus(2, -1))];
  });
}

}  // namespace grove
