// Initial-condition generators: a table of spheres, cubes, orbits and a disc. A new one is one file and one line in generator.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/particles/particle_set.hpp"
#include "src/config/setting.hpp"

namespace grove {

class Communicator;

/// Where the particles of a run come from: the section [initial_conditions].
struct InitialConditions {
  std::string file;                   ///< input file, relative to the current directory; empty: generate
  std::string columns;                ///< of a text table, e.g. "id m x y z vx vy vz type"; empty: the file says it
  bool allow_cosmological = false;    ///< take the numbers of a file as they are that is of no isolated system
  std::string generator = "plummer";  ///< name in generators(); empty when `file` is given
  std::uint64_t n = 100000;           ///< particles to generate, all ranks together
  std::uint64_t seed = 1;             ///< of the random numbers
  bool recentre = true;               ///< every component of a model gets its centre of mass and mean velocity exactly
  SettingValues parameters;           ///< those of the generator; what is missing has its default

  /// A number or text among the parameters or, if missing there, its default. Throws std::logic_error for a name or type the
  /// generator does not have.
  double number(const std::string& name) const;
  const std::string& text(const std::string& name) const;
};

/// One particle of a model, code units.
struct ModelParticle {
  double position[3] = {};
  double velocity[3] = {};
  double mass = 0;
  std::uint8_t type = 1;
};

/// A component of a model: its particles of one type. Code units.
struct ModelComponent {
  std::uint8_t type = 1;
  std::string name = "halo";
  double position[3] = {};  ///< where its centre of mass is meant to be
  double velocity[3] = {};  ///< the mean velocity that it is meant to have
};

/// What a generator has prepared.
struct Model {
  /// The particle with a given id, 0 <= id < n. Depends on nothing but the parameters and the id; safe to call from many threads.
  std::function<ModelParticle(std::uint64_t id)> particle;
  std::vector<ModelComponent> components = {ModelComponent{}};  ///< one for each type that particles have
};

/// Parameters that do not go together: which one to blame and what it must be.
struct Complaint {
  std::string setting;
  std::string allowed;
};

/// One generator; the configuration, `grove ic` and the tests know of it through this entry alone.
struct Generator {
  std::string name;
  std::string meaning;  ///< one line
  std::string source;   ///< the paper, author year; may be empty
  std::vector<Setting> parameters;
  /// Checks what the ranges of single keys cannot say; may be null.
  std::optional<Complaint> (*check)(const InitialConditions&);
  /// Prepares the model for a checked set of parameters and a gravitational constant in code units.
  Model (*prepare)(const InitialConditions&, double G);
  /// What a user should know of the model, one sentence each; may be null.
  std::vector<std::string> (*notes)(const InitialConditions&) = nullptr;
};

/// The table of generators.
const std::vector<Generator>& generators();

/// The generator of that name, or null.
const Generator* find_generator(const std::string& name);

/// The names of the generators, in the table's order.
std::vector<std::string> generator_names();

/// The first contradiction among the parameters of `conditions`, each of which is in range by itself; empty if there is none.
std::optional<Complaint> check_generator(const InitialConditions& conditions);

/// Sentences on what `conditions`, which are checked, mean for the model; empty: nothing unusual.
std::vector<std::string> notes_on_model(const InitialConditions& conditions);

/// This rank's share, by first_of_rank(), of the `n` particles that `conditions` describe, in the order of their ids.
///
/// Every particle is drawn from its own counter-based random numbers, so that any number of ranks makes the same particles bit for bit.
/// A sample of n has a centre of mass and a mean velocity of the order of its size and dispersion over sqrt(n): with
/// `conditions.recentre`, all particles are drawn once more before, and every component gets the centre and the velocity that its model
/// says, up to rounding (recentring.hpp). Velocities are those of equilibrium without softening. `G` in code units. Collective;
/// parallel over ranks and OpenMP threads. Throws AgreedError when the generator does not exist or its parameters do not go together.
ParticleSet generate(const InitialConditions& conditions, double G, const Communicator& comm);

/// The same for ids first_id .. first_id + count - 1 on this rank alone, which draws all n particles if they are to be recentred. Throws
/// ConfigError.
ParticleSet generate(const InitialConditions& conditions, double G, std::uint64_t first_id, std::uint64_t count);

/// The names of the components that `conditions` describe, by particle type; the usual ones for other types. Throws ConfigError.
ComponentNames component_names(const InitialConditions& conditions);

/// How many of `n` >= 2 particles make the first of two parts: `share` of them, rounded, and at least one for each part.
std::uint64_t first_part_count(std::uint64_t n, double share);

}  // namespace grove
