#include "io/snapshot_fields.hpp"

#include <cmath>

namespace grove {

namespace {

using Particles = const ParticleSet&;

// The table of output fields: name, columns, type, exponents of length, mass, velocity, required, where the numbers are.
constexpr SnapshotField fields[] = {
    {"Coordinates", 3, ElementType::f8, {1, 0, 0}, true, [](Particles p) { return std::as_bytes(std::span(p.position)); }},
    {"Velocities", 3, ElementType::f8, {0, 0, 1}, true, [](Particles p) { return std::as_bytes(std::span(p.velocity)); }},
    {"Masses", 1, ElementType::f8, {0, 1, 0}, true, [](Particles p) { return std::as_bytes(std::span(p.mass)); }},
    {"ParticleIDs", 1, ElementType::u8, {0, 0, 0}, true, [](Particles p) { return std::as_bytes(std::span(p.id)); }},
    {"Potential", 1, ElementType::f8, {0, 0, 2}, false, [](Particles p) { return std::as_bytes(std::span(p.potential)); }},
    {"Acceleration", 3, ElementType::f8, {-1, 0, 2}, false, [](Particles p) { return std::as_bytes(std::span(p.acceleration)); }},
};

}  // namespace

double UnitExponents::to_cgs(const UnitSystem& system) const {
  return std::pow(system.length_in_cm, length) * std::pow(system.mass_in_g, mass) * std::pow(system.velocity_in_cm_per_s, velocity);
}

std::span<const SnapshotField> snapshot_fields() { return fields; }

const char* component_name(int type) {
  constexpr const char* names[particle_type_count] = {"gas", "halo", "disc", "bulge", "stars", "black holes"};
  return names[type];
}

}  // namespace grove
