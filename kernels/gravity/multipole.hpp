// Cartesian multipole and local expansions of any order known at compile time (Dehnen 2002; Dehnen 2014, appendix A).
//
// A multipole expansion about z holds M_k = sum m (x - z)^k / k!; a local expansion about z holds the derivatives L_n of U = -phi there, so
// that U(z + d) = sum L_n d^n / n! and the acceleration is its gradient. `T` is double, float or a SIMD vector of floats.
//
// The type `Terms` says which terms x^a y^b z^c an expansion holds: AllTerms, or HarmonicTerms if U satisfies Laplace's equation, exactly
// or nearly (SmallPlummerKernel).
// HarmonicTerms hold no derivative that is taken twice or more by z, since U_zz = -U_xx - U_yy. The moment that belongs to such a
// derivative is subtracted from the moments of the two derivatives that replace it. For such U, both sets of terms are complete up to the
// order. All functions below work for both.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/space/scalar.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// Number of terms of order 0 to `order`: of AllTerms, and of HarmonicTerms.
GROVE_HD constexpr int term_count(int order) { return (order + 1) * (order + 2) * (order + 3) / 6; }
GROVE_HD constexpr int harmonic_count(int order) { return (order + 1) * (order + 1); }

/// Exponents of one term.
struct Term {
  int a, b, c;
  GROVE_HD constexpr int order() const { return a + b + c; }
  GROVE_HD constexpr int exponent(int axis) const { return axis == 0 ? a : axis == 1 ? b : c; }
  /// The term with the exponent of one axis raised by `by`.
  GROVE_HD constexpr Term plus(int axis, int by) const {
    return {a + (axis == 0 ? by : 0), b + (axis == 1 ? by : 0), c + (axis == 2 ? by : 0)};
  }
  GROVE_HD friend constexpr Term operator+(Term s, Term t) { return {s.a + t.a, s.b + t.b, s.c + t.c}; }
};

GROVE_HD constexpr double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }
GROVE_HD constexpr double factorial(Term t) { return factorial(t.a) * factorial(t.b) * factorial(t.c); }

/// Which terms an expansion holds, as a value rather than a type.
struct ExpansionForm {
  int order = 2;
  bool harmonic = false;

  /// Number of terms of order 0 to `highest`.
  GROVE_HD constexpr int terms_up_to(int highest) const { return harmonic ? harmonic_count(highest) : term_count(highest); }
  GROVE_HD constexpr int terms() const { return terms_up_to(order); }
  friend constexpr bool operator==(const ExpansionForm&, const ExpansionForm&) = default;
};

/// All terms up to an order, numbered by order a + b + c, then by descending a, then by descending b.
template <int order_>
struct AllTerms {
  static constexpr int order = order_, count = term_count(order);
  static constexpr ExpansionForm form{order, false};

  GROVE_HD static constexpr bool holds(Term) { return true; }
  /// Index of a term.
  GROVE_HD static constexpr int index_of(Term t) {
    const int below = t.order() - t.a;
    return term_count(t.order() - 1) + below * (below + 1) / 2 + t.c;
  }
  /// The term with an index.
  GROVE_HD static constexpr Term term_of(int index) {
    int n = 0;
    while (term_count(n) <= index) ++n;
    int rest = index - (n > 0 ? term_count(n - 1) : 0), below = 0;
    while ((below + 1) * (below + 2) / 2 <= rest) ++below;
    rest -= below * (below + 1) / 2;
    return {n - below, below - rest, rest};
  }
};

/// The terms with c < 2 up to an order, in the same sequence as AllTerms.
template <int order_>
struct HarmonicTerms {
  static constexpr int order = order_, count = harmonic_count(order);
  static constexpr ExpansionForm form{order, true};

  GROVE_HD static constexpr bool holds(Term t) { return t.c < 2; }
  GROVE_HD static constexpr int index_of(Term t) {
    const int below = t.order() - t.a;
    return t.order() * t.order() + (below == 0 ? 0 : 2 * below - 1 + t.c);
  }
  GROVE_HD static constexpr Term term_of(int index) {
    int n = 0;
    while (harmonic_count(n) <= index) ++n;
    const int rest = index - n * n, below = (rest + 1) / 2, c = rest == 0 ? 0 : (rest + 1) % 2;
    return {n - below, below - c, c};
  }
};

/// The axis with the lowest nonzero exponent, for a term of order 1 or higher.
GROVE_HD constexpr int rarest_axis(Term t) {
  int axis = t.a > 0 ? 0 : t.b > 0 ? 1 : 2;
  for (int k = axis + 1; k < 3; ++k)
    if (t.exponent(k) > 0 && t.exponent(k) < t.exponent(axis)) axis = k;
  return axis;
}

namespace detail {
template <class F, int... i>
GROVE_HD inline void for_terms(F&& f, std::integer_sequence<int, i...>) {
  (f(std::integral_constant<int, i>{}), ...);
}
}  // namespace detail

/// Calls f with the constants 0 to count - 1, unrolled. Indices into arrays of terms are then known at compile time, so the arrays stay in
/// registers.
template <int count, class F>
GROVE_HD inline void for_terms(F&& f) {
  detail::for_terms(static_cast<F&&>(f), std::make_integer_sequence<int, count>{});
}

/// Derivative `t`, also if `Terms` does not hold it. `get(i)`, with i a constant, gives the derivatives that are held.
template <class Terms, Term t, class Get>
GROVE_HD inline auto value_of(Get&& get) {
  if constexpr (Terms::holds(t))
    return get(std::integral_constant<int, Terms::index_of(t)>{});
  else
    return -(value_of<Terms, t + Term{2, 0, -2}>(get) + value_of<Terms, t + Term{0, 2, -2}>(get));
}

/// Adds `value` to moment `t`. If `Terms` does not hold it, subtracts `value` from the two moments that replace it.
template <class Terms, Term t, class T>
GROVE_HD inline void add_to(T (&M)[Terms::count], T value) {
  if constexpr (Terms::holds(t)) {
    M[Terms::index_of(t)] += value;
  } else {
    add_to<Terms, t + Term{2, 0, -2}>(M, -value);
    add_to<Terms, t + Term{0, 2, -2}>(M, -value);
  }
}

/// Calls f(n), with n a constant, for the index of every term whose order plus the order of term k is at most Terms::order.
template <class Terms, int k, class F>
GROVE_HD inline void for_partners(F&& f) {
  for_terms<Terms::form.terms_up_to(Terms::order - Terms::term_of(k).order())>(f);
}

/// Sets power[i] to d^t / t! for every term t that is held, where i is its index. Terms that are not held are subtracted from those that
/// replace them.
template <class Terms, class T>
GROVE_HD inline void scaled_powers(T dx, T dy, T dz, T (&power)[Terms::count]) {
  using All = AllTerms<Terms::order>;
  T all[All::count];
  all[0] = T(1);
  for_terms<All::count>([&](auto i) {
    constexpr Term t = All::term_of(i);
    if constexpr (t.order() > 0) {
      constexpr int axis = t.a > 0 ? 0 : t.b > 0 ? 1 : 2, e = t.exponent(axis);
      const T d = axis == 0 ? dx : axis == 1 ? dy : dz, previous = all[All::index_of(t.plus(axis, -1))];
      if constexpr (e == 1)
        all[i] = previous * d;
      else
        all[i] = previous * d * constant<T>(1.0 / e);
    }
  });
  for_terms<Terms::count>([&](auto i) { power[i] = all[All::index_of(Terms::term_of(i))]; });
  for_terms<All::count>([&](auto i) {
    constexpr Term t = All::term_of(i);
    if constexpr (!Terms::holds(t)) add_to<Terms, t>(power, all[i]);
  });
}

/// P2M: adds a point of mass m at offset (dx, dy, dz) from the centre to M.
template <class Terms, class T>
GROVE_HD inline void add_point(T m, T dx, T dy, T dz, T (&M)[Terms::count]) {
  T power[Terms::count];
  scaled_powers<Terms>(dx, dy, dz, power);
  for_terms<Terms::count>([&](auto i) { M[i] += m * power[i]; });
}

/// M2M: adds the expansion `from`, whose centre lies at offset d = (dx, dy, dz) from that of M, to M: M_(n+k) += from_n d^k / k!.
template <class Terms, class T>
GROVE_HD inline void add_shifted_multipole(const T (&from)[Terms::count], T dx, T dy, T dz, T (&M)[Terms::count]) {
  T power[Terms::count];
  scaled_powers<Terms>(dx, dy, dz, power);
  for_terms<Terms::count>([&](auto k) {
    for_partners<Terms, k>([&](auto n) {
      // Here and below, the value is taken from k's type: CUDA 12.0 does not accept a captured k as a constant.
      constexpr Term of_k = Terms::term_of(std::decay_t<decltype(k)>::value);
      add_to<Terms, of_k + Terms::term_of(n)>(M, from[n] * power[k]);
    });
  });
}

/// Sets D to all derivatives, at offset (x, y, z), of a function of r alone, with radial[m] = ((1/r) d/dr)^m of that function. The
/// recursion is D(m)_(n+e) = x_e D(m+1)_n + n_e D(m+1)_(n-e), as for the integrals of McMurchie & Davidson 1978.
template <class Terms, class T>
GROVE_HD inline void derivatives(T x, T y, T z, const T (&radial)[Terms::order + 1], T (&D)[Terms::count]) {
  D[0] = radial[Terms::order];
  for_terms<Terms::order>([&](auto step) {
    constexpr int m = Terms::order - 1 - step;
    // From the highest term down: a term needs only lower terms of the previous m, which the array still holds.
    for_terms<Terms::count - 1>([&](auto from_top) {
      constexpr int i = Terms::count - 1 - from_top;
      constexpr Term t = Terms::term_of(i);
      if constexpr (t.order() <= std::decay_t<decltype(step)>::value + 1) {
        constexpr int axis = rarest_axis(t), e = t.exponent(axis) - 1;
        const T d = axis == 0 ? x : axis == 1 ? y : z;
        T value = d * D[Terms::index_of(t.plus(axis, -1))];
        if constexpr (e == 1)
          value += D[Terms::index_of(t.plus(axis, -2))];
        else if constexpr (e > 1)
          value += constant<T>(e) * D[Terms::index_of(t.plus(axis, -2))];
        D[i] = value;
      }
    });
    D[0] = radial[m];
  });
}

/// M2L: adds the field of the multipole expansion `moment(k)` to L (k of order 2 and higher; `mass` is M_0, the dipole is zero). D holds
/// the derivatives at the offset from the centre of the multipole to that of L: L_n += sum_k (-1)^|k| M_k D_(n+k).
template <class Terms, class T, class Moment>
GROVE_HD inline void add_multipole_to_local(T mass, Moment moment, const T (&D)[Terms::count], T (&L)[Terms::count]) {
  for_terms<Terms::count>([&](auto n) { L[n] += mass * D[n]; });
  for_terms<Terms::count>([&](auto k) {
    if constexpr (Terms::term_of(k).order() >= 2) {
      const T m = moment(k);
      for_partners<Terms, k>([&](auto n) {
        constexpr Term of_k = Terms::term_of(std::decay_t<decltype(k)>::value);
        const T d = value_of<Terms, of_k + Terms::term_of(n)>([&](auto i) { return D[i]; });
        if constexpr (of_k.order() % 2 == 0)
          L[n] += m * d;
        else
          L[n] -= m * d;
      });
    }
  });
}

/// L2L: adds the expansion `from(n)` to L. The centre of L is at offset d from that of `from`: L_n += sum_k from_(n+k) d^k / k!.
template <class Terms, class T, class From>
GROVE_HD inline void add_shifted_local(From from, T dx, T dy, T dz, T (&L)[Terms::count]) {
  T power[Terms::count];
  scaled_powers<Terms>(dx, dy, dz, power);
  for_terms<Terms::count>([&](auto k) {
    for_partners<Terms, k>([&](auto n) {
      constexpr Term of_k = Terms::term_of(std::decay_t<decltype(k)>::value);
      L[n] += value_of<Terms, of_k + Terms::term_of(n)>(from) * power[k];
    });
  });
}

/// L2P: U and its gradient at offset d from the centre of the expansion `L(n)`.
template <class Terms, class T, class Local>
GROVE_HD inline void evaluate_local(Local L, T dx, T dy, T dz, T& u, T& gx, T& gy, T& gz) {
  T power[Terms::count];
  scaled_powers<Terms>(dx, dy, dz, power);
  u = gx = gy = gz = T(0);
  for_terms<Terms::count>([&](auto n) {
    constexpr Term t = Terms::term_of(n);
    u += L(n) * power[n];
    if constexpr (t.order() < Terms::order) {
      gx += value_of<Terms, t.plus(0, 1)>(L) * power[n];
      gy += value_of<Terms, t.plus(1, 1)>(L) * power[n];
      gz += value_of<Terms, t.plus(2, 1)>(L) * power[n];
    }
  });
}

}  // namespace grove
