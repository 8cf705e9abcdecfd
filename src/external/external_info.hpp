// The external potentials' names and settings, which do not depend on the space.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/setting.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// One external potential; to add one, see external_potentials.hpp.
struct ExternalInfo {
  std::string name;                 ///< value of external.potential
  std::string meaning;              ///< one line
  std::string source;               ///< the paper, author year
  std::vector<Setting> settings{};  ///< code units; the centre x, y, z is added to them
  bool holds_all = false;           ///< grows without limit, so that nothing escapes; otherwise zero at infinity
};

/// The table of external potentials.
const std::vector<ExternalInfo>& external_infos();

/// One of the sections [external], [external_2], [external_3]: a fixed potential beside the gravity of the particles.
struct ExternalParameters {
  static constexpr const char* none = "none";

  std::string potential = none;  ///< name in external_infos()
  SettingValues parameters{};    ///< those of the potential; what is missing has its default

  bool is_there() const { return potential != none; }
  /// A number among the parameters or, if missing there, its default. Throws std::logic_error for a name or type that the potential does
  /// not have.
  double number(const std::string& name) const;
};

/// The additional particle fields of runs with external potentials, see ExternalField and OwnEnergy; of other runs, none.
inline constexpr const char *own_gravity_field = "own_gravity", *first_energy_field = "first_energy";
std::vector<ParticleField> external_fields(const std::vector<ExternalParameters>& sections);

/// "external potential nfw: mass 10, scale_radius 5, concentration 10": a line for each potential that is there, in code units; the centre
/// only where it is not the origin.
std::vector<std::string> external_texts(const std::vector<ExternalParameters>& sections);

}  // namespace grove
