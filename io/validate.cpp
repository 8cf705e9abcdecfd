#include "io/validate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

constexpr std::uint64_t no_row = std::numeric_limits<std::uint64_t>::max();

struct BadValue {
  ParticleField field;
  int component;
  double value;
  const char* allowed;
};

std::optional<BadValue> first_bad_value(const ParticleSet& particles, std::size_t i) {
  for (int c = 0; c < 3; ++c) {
    const double x = particles.position[3 * i + static_cast<std::size_t>(c)];
    if (!std::isfinite(x)) return BadValue{ParticleField::position, c, x, "must be finite"};
  }
  for (int c = 0; c < 3; ++c) {
    const double v = particles.velocity[3 * i + static_cast<std::size_t>(c)];
    if (!std::isfinite(v)) return BadValue{ParticleField::velocity, c, v, "must be finite"};
  }
  const double mass = particles.mass[i];
  if (!std::isfinite(mass) || mass < 0) return BadValue{ParticleField::mass, 0, mass, "must be finite and not negative"};
  if (particles.type[i] >= particle_type_count) {
    return BadValue{ParticleField::type, 0, static_cast<double>(particles.type[i]), "must be 0 to 5"};
  }
  return std::nullopt;
}

std::string component_name(const BadValue& bad) {
  const char* axis[] = {"x", "y", "z"};
  switch (bad.field) {
    case ParticleField::position:
      return axis[bad.component];
    case ParticleField::velocity:
      return std::string("v") + axis[bad.component];
    case ParticleField::mass:
      return "the mass";
    case ParticleField::type:
      return "the type";
  }
  return "";
}

const char* field_name(ParticleField field) {
  switch (field) {
    case ParticleField::position:
      return "position";
    case ParticleField::velocity:
      return "velocity";
    case ParticleField::mass:
      return "mass";
    case ParticleField::type:
      return "type";
  }
  return "";
}

}  // namespace

void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const RowNamer& name_row,
                        const Communicator& comm) {
  const std::uint64_t total = comm.sum(static_cast<std::uint64_t>(particles.size()));
  comm.agree([&] {
    if (total == 0) throw DataError(source + ": holds no particles; at least one is needed");
  });
  std::optional<BadValue> bad;
  std::size_t i = 0;
  while (i < particles.size() && !(bad = first_bad_value(particles, i))) ++i;
  const std::uint64_t row = bad ? first_row + i : no_row;
  const std::uint64_t lowest = comm.min(row);
  comm.agree([&] {
    if (!bad || row != lowest) return;
    throw DataError(
        fmt::format("{}: {} is {}; it {}", name_row(bad->field, bad->component, row), component_name(*bad), bad->value, bad->allowed));
  });
}

void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const Communicator& comm) {
  const RowNamer name_row = [&](ParticleField field, int, std::uint64_t row) {
    return fmt::format("{}: {}, row {}", source, field_name(field), row);
  };
  validate_particles(particles, source, first_row, name_row, comm);
}

}  // namespace grove
