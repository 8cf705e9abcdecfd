// Runge-Kutta methods, each a row of coefficients (Butcher's tableau).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/integrators/integrator_info.hpp"

namespace grove {

/// A method with s stages, explicit or implicit. Of y' = f(y) a step of length h makes y + h sum_i b_i k_i from the stages
/// k_i = f(y + h sum_j a_ij k_j). An embedded pair has other weights for the same stages, whose difference is its estimate of the error.
struct Tableau {
  IntegratorInfo info;
  std::vector<std::vector<double>> a;  ///< [s] rows; what is missing at the end of one is 0
  std::vector<double> b;               ///< [s]
  std::vector<double> b_embedded;      ///< [s], or empty
  int order_embedded = 0;
};

/// The table. To add a method, add a row.
const std::vector<Tableau>& tableaux();
const Tableau* find_tableau(const std::string& name);

/// A method for x'' = a(x), in which a stage is one acceleration (Nystroem 1925; Hairer, Norsett & Wanner 1993, II.14). Stages are at the
/// positions X_i = x + c_i h v + h^2 sum_j position_ij a_j; the step leads to x + h v + h^2 sum_j last_position_j a_j and
/// v + h sum_j velocity_j a_j.
struct NystroemForm {
  explicit NystroemForm(const Tableau& tableau);
  std::size_t stages() const { return c.size(); }

  std::vector<double> c;
  std::vector<std::vector<double>> position;           ///< [s][s]
  std::vector<double> last_position, velocity;         ///< [s]
  std::vector<double> position_error, velocity_error;  ///< [s] differences to the embedded method; empty: it is no pair
  bool begins_at_start = false;                        ///< the first stage is the acceleration at x
  bool ends_at_last = false;                           ///< the last stage is at the position to which the step leads
  bool is_implicit = false;
};

/// The field of the particles that has their position at the beginning of a step, and those of stages.
inline constexpr const char* step_start_field = "step_start";
std::string stage_field(std::size_t stage);

/// Keys in [time].
inline constexpr const char *error_key = "error", *iterations_key = "iterations";
inline constexpr std::uint64_t default_iterations = 50;

}  // namespace grove
