// The potential energy of two bodies in each other's field, beside that of point masses.
#pragma once

#include <functional>
#include <vector>

namespace grove {

/// A body as spherical shells of equal mass.
struct ShellBody {
  double mass = 0;
  std::vector<double> radius;
};

/// The shells of a body whose mass inside a radius is proportional to `mass_inside`, which grows, out to `edge`.
ShellBody shell_body(double mass, double edge, const std::function<double(double)>& mass_inside);

/// Sum of m m' <1 / distance> over all pairs of `a` and `b`, whose centres are `separation` > 0 apart, times separation over both masses: 1
/// where no shells overlap, less where they do.
double overlap_factor(const std::vector<ShellBody>& a, const std::vector<ShellBody>& b, double separation);

}  // namespace grove
