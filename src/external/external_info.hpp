// The external potentials' names and settings, which do not depend on the space.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/base/setting.hpp"
#include "kernels/particles/fields.hpp"
#include "src/external/orbit.hpp"

namespace grove {

/// One external potential; to add one, see external_potentials.hpp.
struct ExternalInfo {
  std::string name;                 ///< value of external.potential
  std::string meaning;              ///< one line
  std::string source;               ///< the paper, author year
  std::vector<Setting> settings{};  ///< code units; centre and orbit are added to them
  bool holds_all = false;           ///< grows without limit, so that nothing escapes; otherwise zero at infinity
};

/// The table of external potentials.
const std::vector<ExternalInfo>& external_infos();

/// One of the sections [external], [external_2], [external_3]: a potential beside the gravity of the particles.
struct ExternalParameters {
  static constexpr const char* none = "none";

  std::string potential = none;  ///< name in external_infos()
  SettingValues parameters{};    ///< those of the potential; what is missing has its default
  Orbit path{};                  ///< of the centre, from its place x, y, z: what the file in `orbit` says

  bool is_there() const { return potential != none; }
  /// A number among the parameters or, if missing there, its default. Throws std::logic_error for a name or type that the potential does
  /// not have.
  double number(const std::string& name) const;
  const std::string& text(const std::string& name) const;
};

/// A field of the caller's, beside those of the table: sets acceleration [3 count] and potential [count] at `position` [3 count]. What it
/// throws reaches all ranks. It is called with the particles of this rank, as often as this rank needs them.
using ExternalFunction =
    std::function<void(double time, std::size_t count, const double* position, double* acceleration, double* potential)>;

/// Whether one of them is there.
bool has_potential(const std::vector<ExternalParameters>& sections);

/// "external potential nfw: mass 10, scale_radius 5, concentration 10": a line for each potential that is there, in code units; the centre
/// only where it is not the origin.
std::vector<std::string> external_texts(const std::vector<ExternalParameters>& sections);

}  // namespace grove
