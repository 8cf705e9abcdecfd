// Initial-condition generators: a table of galaxies, spheres, cubes and orbits. A new one is one file and one line in generator.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/setting.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/galaxies/galaxy_parameters.hpp"

namespace grove {

class Communicator;

/// Where the particles of a run come from: the section [initial_conditions].
struct InitialConditions {
  std::string file;                        ///< input file, relative to the current directory; empty: generate
  std::string columns;                     ///< of a text table, e.g. "id m x y z vx vy vz type"; empty: the file says it
  std::string units;                       ///< of a file that names none, converted to those of the run; empty: not converted
  bool renumber = false;                   ///< replace the ids of a file by the numbers of its rows
  bool allow_cosmological = false;         ///< take the numbers of a file of a system that is not isolated as they are
  std::string generator = "plummer";       ///< name in generators(); empty when `file` is given
  std::uint64_t n = 100000;                ///< particles to generate, all ranks together
  std::uint64_t seed = 1;                  ///< of the random numbers
  bool recentre = true;                    ///< every component of a model gets its centre of mass and mean velocity exactly
  SettingValues parameters;                ///< those of the generator; what is missing has its default
  NumberTable softening;                   ///< lengths of the run by component; "" for all others
  std::vector<GalaxyParameters> galaxies;  ///< those that the generator names or, where it names none, all; each once

  /// A number or text among the parameters or, if missing there, its default. Throws std::logic_error for a name or type the
  /// generator does not have.
  double number(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  /// The softening length of the run for the particles of a component; for one that it does not name the largest. 0: none.
  double softening_of(const std::string& component) const;
};

/// One particle of a model, code units.
struct ModelParticle {
  double position[3] = {};
  double velocity[3] = {};
  double mass = 0;
  std::uint8_t type = 1;
  std::uint32_t component = 0;  ///< number in Model::components
};

/// A component of a model: particles of one type. Several may share a type. Code units.
struct ModelComponent {
  std::uint8_t type = 1;
  std::string name = "halo";
  double position[3] = {};  ///< where its centre of mass is meant to be
  double velocity[3] = {};  ///< the mean velocity that it is meant to have
};

/// What a generator has prepared.
struct Model {
  /// The particle with a given id, 0 <= id < n. Depends on nothing but the parameters and the id; safe to call from many threads. Throws
  /// ConfigError that names the component where it cannot be drawn.
  std::function<ModelParticle(std::uint64_t id)> particle;
  std::vector<ModelComponent> components = {ModelComponent{}};
  std::vector<std::string> notes = {};          ///< what a user should know of it, one sentence each
  std::string table = {};                       ///< lines on its components, for the user; may be empty
  std::vector<GalaxyParameters> galaxies = {};  ///< that it is made of, at their places; none if Generator::makes_galaxies is false
};

/// The names of the components of a model, by particle type; the usual ones for other types.
ComponentNames component_names(const Model& model);

/// A parameter that contradicts others, and what it must be.
struct Complaint {
  std::string setting;
  std::string allowed;
};

/// One generator; the configuration, `grove ic` and the tests know it only from this entry.
struct Generator {
  std::string name;
  std::string meaning;            ///< one line
  std::string source;             ///< the paper, author year; may be empty
  std::vector<Setting> settings;  ///< code units
  /// Checks what the ranges of single keys cannot say; may be null.
  std::optional<Complaint> (*check)(const InitialConditions&);
  /// Prepares the model for a checked set of parameters and a gravitational constant in code units.
  Model (*prepare)(const InitialConditions&, double G);
  bool makes_galaxies = false;  ///< of components, as src/galaxies has them
};

/// The table of generators; see named_rows.hpp.
const std::vector<Generator>& generators();

/// The first contradiction among parameters that are in range by themselves; empty if there is none.
std::optional<Complaint> check_generator(const InitialConditions& conditions);

/// The model that `conditions` describe. Throws ConfigError when the generator does not exist or its parameters contradict each other.
Model prepare_model(const InitialConditions& conditions, double G);

/// This rank's share, by first_of_rank(), of the `n` particles that `conditions` describe, in the order of their ids, out of their model.
///
/// Every particle is drawn from its own counter-based random numbers, so that any number of ranks makes the same particles bit for bit.
/// The centre of mass and the mean velocity of a sample of n are off by the order of its size and dispersion over sqrt(n). With
/// `conditions.recentre`, a first pass draws all particles, and every component gets the centre and the velocity of its model up to
/// rounding (recentring.hpp). Collective; parallel over ranks and OpenMP threads. Throws AgreedError.
ParticleSet generate(const InitialConditions& conditions, const Model& model, const Communicator& comm);

/// The particles with ids first_id .. first_id + count - 1, made by this rank alone, which draws all n particles if `recentre` is set.
ParticleSet generate(const InitialConditions& conditions, const Model& model, std::uint64_t first_id, std::uint64_t count);

/// The same of a model prepared for it. `G` in code units. Throws ConfigError.
ParticleSet generate(const InitialConditions& conditions, double G, std::uint64_t first_id, std::uint64_t count);

}  // namespace grove
