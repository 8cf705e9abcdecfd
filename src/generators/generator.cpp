#include "src/generators/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/galaxies/parallel_for.hpp"
#include "src/generators/recentring.hpp"

namespace grove {

Generator uniform_sphere();
Generator uniform_cube();
Generator merger();
Generator disc();
Generator galaxy();
std::vector<Generator> spheres_of_kinds();

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = [] {
    std::vector<Generator> all = spheres_of_kinds();
    const Generator others[] = {uniform_sphere(), uniform_cube(), merger(), disc(), galaxy()};
    all.insert(all.end(), std::begin(others), std::end(others));
    return all;
  }();
  return table;
}

namespace {

const Generator& checked_generator(const InitialConditions& conditions) {
  const Generator* generator = find_named(generators(), conditions.generator);
  if (!generator) {
    throw ConfigError(fmt::format("initial_conditions.generator = \"{}\": must be one of {}", conditions.generator,
                                  fmt::join(names_of(generators()), ", ")));
  }
  if (const auto complaint = check_generator(conditions))
    throw ConfigError(fmt::format("initial_conditions.{}: must be {}", complaint->setting, complaint->allowed));
  return *generator;
}

void store(const ModelParticle& particle, std::uint64_t id, std::size_t i, ParticleSet& particles) {
  std::copy_n(particle.position, 3, particles.position.begin() + static_cast<std::ptrdiff_t>(3 * i));
  std::copy_n(particle.velocity, 3, particles.velocity.begin() + static_cast<std::ptrdiff_t>(3 * i));
  particles.mass[i] = particle.mass;
  particles.id[i] = id;
  particles.type[i] = particle.type;
}

/// The particles with ids first_id .. first_id + count - 1, in that order.
ParticleSet drawn(const Model& model, std::uint64_t first_id, std::uint64_t count) {
  ParticleSet particles;
  particles.resize(count);
  parallel_for(count, 1024, [&](std::size_t i) { store(model.particle(first_id + i), first_id + i, i, particles); });
  return particles;
}

}  // namespace

double InitialConditions::number(const std::string& name) const {
  return number_among(parameters, settings_of(generators(), generator), "generator " + generator, name);
}

const std::string& InitialConditions::text(const std::string& name) const {
  return text_among(parameters, settings_of(generators(), generator), "generator " + generator, name);
}

double InitialConditions::softening_of(const std::string& component) const {
  if (const auto found = softening.find(component); found != softening.end()) return found->second;
  double largest = 0;
  for (const auto& [name, length] : softening) largest = std::max(largest, length);
  return largest;
}

std::optional<Complaint> check_generator(const InitialConditions& conditions) {
  const Generator* generator = find_named(generators(), conditions.generator);
  return generator && generator->check ? generator->check(conditions) : std::nullopt;
}

Model prepare_model(const InitialConditions& conditions, double G) { return checked_generator(conditions).prepare(conditions, G); }

ParticleSet generate(const InitialConditions& conditions, const Model& model, const Communicator& comm) {
  std::vector<double> sums;
  comm.agree([&] {
    if (conditions.recentre) sums = block_sums(model, conditions.n, comm.rank(), comm.size());
  });
  if (conditions.recentre) comm.sum(std::span<double>(sums));
  const std::uint64_t begin = first_of_rank(conditions.n, comm.rank(), comm.size());
  const std::uint64_t end = first_of_rank(conditions.n, comm.rank() + 1, comm.size());
  ParticleSet particles;
  comm.agree([&] { particles = drawn(conditions.recentre ? recentred(model, sums) : model, begin, end - begin); });
  return particles;
}

ParticleSet generate(const InitialConditions& conditions, double G, std::uint64_t first_id, std::uint64_t count) {
  return generate(conditions, prepare_model(conditions, G), first_id, count);
}

ParticleSet generate(const InitialConditions& conditions, const Model& model, std::uint64_t first_id, std::uint64_t count) {
  return drawn(conditions.recentre ? recentred(model, block_sums(model, conditions.n, 0, 1)) : model, first_id, count);
}

ComponentNames component_names(const Model& model) {
  ComponentNames names = usual_component_names();
  for (const ModelComponent& component : model.components) names[component.type] = component.name;
  return names;
}

}  // namespace grove
