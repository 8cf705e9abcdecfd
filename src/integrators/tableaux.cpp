#include "src/integrators/tableaux.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace grove {

namespace {

/// Whether a step back undoes a step: a_ij + a_(s+1-i)(s+1-j) = b_j (Hairer, Lubich & Wanner 2006, V.2).
bool is_symmetric(const Tableau& tableau) {
  const std::size_t s = tableau.b.size();
  const auto a = [&](std::size_t i, std::size_t j) { return j < tableau.a[i].size() ? tableau.a[i][j] : 0.0; };
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < s; ++j)
      if (std::abs(a(i, j) + a(s - 1 - i, s - 1 - j) - tableau.b[j]) > 1e-15) return false;
  return true;
}

/// The settings and fields that its coefficients ask for.
Tableau complete(Tableau tableau) {
  const NystroemForm form(tableau);
  IntegratorInfo& info = tableau.info;
  info.forces_a_step = 0;
  info.is_reversible = form.is_implicit && is_symmetric(tableau);
  if (!tableau.b_embedded.empty())
    info.settings.push_back(
        {error_key,
         0.0,
         not_negative,
         "the largest error that a particle may gather in time.dt, relative to its velocity: steps are as long as it allows, and "
         "time.dt at most",
         {},
         "0: each step is time.dt"});
  if (form.is_implicit)
    info.settings.push_back({iterations_key, default_iterations, {1}, "most iterations of the stages, until they stand still"});
  const auto add_field = [&](const std::string& name) { info.fields.push_back({.name = name, .components = 3, .restart = false}); };
  add_field(step_start_field);
  for (std::size_t i = 0; i < form.stages(); ++i) add_field(stage_field(i));
  return tableau;
}

Tableau row(const char* name, const char* meaning, const char* source, int order, std::vector<std::vector<double>> a, std::vector<double> b,
            std::vector<double> b_embedded = {}, int order_embedded = 0) {
  return complete({{.name = name, .meaning = meaning, .source = source, .order = order},
                   std::move(a),
                   std::move(b),
                   std::move(b_embedded),
                   order_embedded});
}

std::vector<Tableau> all_tableaux() {
  const double root15 = std::sqrt(15.0);
  return {row("euler", "first order, one force evaluation a step; to see what a bad integrator does", "Euler 1768", 1, {{}}, {1}),
          row("rk4", "the classical Runge-Kutta method: fourth order, four force evaluations a step", "Kutta 1901", 4,
              {{}, {1.0 / 2}, {0, 1.0 / 2}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}),
          row("cash_karp", "embedded pair of fifth order: six force evaluations a step, whose length it can choose (time.error)",
              "Cash & Karp 1990", 5,
              {{},
               {1.0 / 5},
               {3.0 / 40, 9.0 / 40},
               {3.0 / 10, -9.0 / 10, 6.0 / 5},
               {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
               {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}},
              {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771},
              {2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 1.0 / 4}, 4),
          row("dormand_prince", "embedded pair of fifth order: six force evaluations a step, whose length it can choose (time.error)",
              "Dormand & Prince 1980, RK5(4)7M", 5,
              {{},
               {1.0 / 5},
               {3.0 / 40, 9.0 / 40},
               {44.0 / 45, -56.0 / 15, 32.0 / 9},
               {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
               {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
               {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
              {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
              {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40}, 4),
          row("verner6", "embedded pair of sixth order (DVERK): eight force evaluations a step, whose length it can choose (time.error)",
              "Verner 1978; Hull, Enright & Jackson 1976", 6,
              {{},
               {1.0 / 6},
               {4.0 / 75, 16.0 / 75},
               {5.0 / 6, -8.0 / 3, 5.0 / 2},
               {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96},
               {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255},
               {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0},
               {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703}},
              {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616},
              {13.0 / 160, 0, 2375.0 / 5984, 5.0 / 16, 12.0 / 85, 3.0 / 44, 0, 0}, 5),
          row("fehlberg7", "embedded pair of seventh order: 13 force evaluations a step, whose length it can choose (time.error)",
              "Fehlberg 1968, RK7(8)", 7,
              {{},
               {2.0 / 27},
               {1.0 / 36, 1.0 / 12},
               {1.0 / 24, 0, 1.0 / 8},
               {5.0 / 12, 0, -25.0 / 16, 25.0 / 16},
               {1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5},
               {-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
               {31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
               {2, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3},
               {-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
               {2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41},
               {3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41, 0},
               {-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0, 1}},
              {41.0 / 840, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 41.0 / 840, 0, 0},
              {0, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840, 41.0 / 840}, 8),
          row("trapezoid", "implicit, second order: one force evaluation an iteration", "Hairer, Norsett & Wanner 1993, II.7", 2,
              {{}, {0.5, 0.5}}, {0.5, 0.5}),
          row("gauss_legendre6", "implicit, sixth order, symplectic: three force evaluations an iteration", "Butcher 1964", 6,
              {{5.0 / 36, 2.0 / 9 - root15 / 15, 5.0 / 36 - root15 / 30},
               {5.0 / 36 + root15 / 24, 2.0 / 9, 5.0 / 36 - root15 / 24},
               {5.0 / 36 + root15 / 30, 2.0 / 9 + root15 / 15, 5.0 / 36}},
              {5.0 / 18, 4.0 / 9, 5.0 / 18}),
          row("lobatto4", "implicit, fourth order (Lobatto IIIC): three force evaluations an iteration", "Chipman 1971", 4,
              {{1.0 / 6, -1.0 / 3, 1.0 / 6}, {1.0 / 6, 5.0 / 12, -1.0 / 12}, {1.0 / 6, 2.0 / 3, 1.0 / 6}}, {1.0 / 6, 2.0 / 3, 1.0 / 6})};
}

/// sum_k row_k a_kj for each j.
std::vector<double> times(const std::vector<double>& row, const std::vector<std::vector<double>>& a) {
  std::vector<double> product(a.size());
  for (std::size_t k = 0; k < row.size(); ++k)
    for (std::size_t j = 0; j < a[k].size(); ++j) product[j] += row[k] * a[k][j];
  return product;
}

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

}  // namespace

const std::vector<Tableau>& tableaux() {
  static const std::vector<Tableau> table = all_tableaux();
  return table;
}

const Tableau* find_tableau(const std::string& name) { return find_row(tableaux(), name); }

NystroemForm::NystroemForm(const Tableau& tableau) : last_position(times(tableau.b, tableau.a)), velocity(tableau.b) {
  const std::size_t s = tableau.b.size();
  for (std::vector<double> row : tableau.a) {
    c.push_back(std::accumulate(row.begin(), row.end(), 0.0));
    position.push_back(times(row, tableau.a));
    for (std::size_t j = c.size() - 1; j < row.size(); ++j) is_implicit = is_implicit || row[j] != 0;
    row.resize(s);
    ends_at_last = row == tableau.b;  // of the last one
  }
  begins_at_start = tableau.a.front().empty();
  if (tableau.b_embedded.empty()) return;
  velocity_error = difference(velocity, tableau.b_embedded);
  position_error = times(velocity_error, tableau.a);
}

std::string stage_field(std::size_t stage) { return "stage_" + std::to_string(stage); }

}  // namespace grove
