#include "io/formats/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr std::uint64_t no_row = std::numeric_limits<std::uint64_t>::max();

struct BadValue {
  const ParticleField* field;
  std::size_t component;
  double value;
  const char* allowed;
};

/// An element as a number; nothing for integers, which are always finite.
std::optional<double> floating_value(const ParticleField& field, std::span<const std::byte> values, std::size_t element) {
  if (field.type == ElementType::f8) {
    double value = 0;
    std::memcpy(&value, values.data() + element * sizeof(value), sizeof(value));
    return value;
  }
  if (field.type != ElementType::f4) return std::nullopt;
  float value = 0;
  std::memcpy(&value, values.data() + element * sizeof(value), sizeof(value));
  return value;
}

std::optional<BadValue> first_bad_value(const ParticleSet& particles, std::size_t i) {
  for (const ParticleField& field : particles.fields->rows()) {
    const std::span<const std::byte> values = particles.bytes(field);
    if (values.empty()) continue;
    for (std::size_t c = 0; c < field.components; ++c) {
      const std::optional<double> value = floating_value(field, values, i * field.components + c);
      if (value && !std::isfinite(*value)) return BadValue{&field, c, *value, "must be finite"};
    }
    if (field.name == "mass" && particles.mass[i] < 0) return BadValue{&field, 0, particles.mass[i], "must be finite and not negative"};
    if (field.name == "type" && particles.type[i] >= particle_type_count)
      return BadValue{&field, 0, static_cast<double>(particles.type[i]), "must be 0 to 5"};
  }
  return std::nullopt;
}

/// Extremes of one type over all ranks. Maxima are negated, so that one minimum over the ranks finds all.
struct Extremes {
  double low[3] = {infinity, infinity, infinity}, minus_high[3] = {infinity, infinity, infinity};
  double minus_mass = 0, minus_speed = 0;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

/// [particle_type_count], over all ranks. Collective.
std::array<Extremes, particle_type_count> extremes_of(const ParticleSet& particles, const Communicator& comm) {
  std::array<Extremes, particle_type_count> all;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    Extremes& of_type = all[particles.type[i]];
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = particles.position[3 * i + c];
      of_type.low[c] = std::min(of_type.low[c], x);
      of_type.minus_high[c] = std::min(of_type.minus_high[c], -x);
      of_type.minus_speed = std::min(of_type.minus_speed, -std::abs(particles.velocity[3 * i + c]));
    }
    of_type.minus_mass = std::min(of_type.minus_mass, -particles.mass[i]);
  }
  static_assert(sizeof(Extremes) == 8 * sizeof(double));
  comm.min(std::span<double>(all.front().low, 8 * particle_type_count));
  return all;
}

/// "vy", "the mass".
std::string name_of_component(const BadValue& bad) {
  constexpr const char* axis[] = {"x", "y", "z"};
  if (bad.field->components != 3) return "the " + bad.field->name;
  if (bad.field->name == "position") return axis[bad.component];
  if (bad.field->name == "velocity") return std::string("v") + axis[bad.component];
  return fmt::format("the {} component of the {}", axis[bad.component], bad.field->name);
}

}  // namespace

void validate_particles(const ParticleSet& particles, const std::string& source, std::uint64_t first_row, const Communicator& comm,
                        const RowNamer& name_row) {
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
    const std::string place = name_row ? name_row(*bad->field, row) : fmt::format("{}: {}, row {}", source, bad->field->name, row);
    throw DataError(fmt::format("{}: {} is {}; it {}", place, name_of_component(*bad), bad->value, bad->allowed));
  });
}

std::vector<std::string> notes_on_values(const ParticleSet& particles, const std::string& source, const ComponentNames& components,
                                         const Communicator& comm) {
  std::array<std::uint64_t, particle_type_count> count{};
  for (const std::uint8_t type : particles.type) ++count[type];
  comm.sum(std::span<std::uint64_t>(count));
  const std::array<Extremes, particle_type_count> extremes = extremes_of(particles, comm);
  std::vector<std::string> notes;
  comm.agree([&] {
    for (std::size_t k = 0; k < particle_type_count; ++k) {
      if (count[k] < 2) continue;
      const Extremes& of_type = extremes[k];
      const auto all = [&](const char* what) {
        return fmt::format("{}: all {} {} of type {} ({})", source, count[k], what, k, components[k]);
      };
      bool is_one_place = true;
      for (std::size_t c = 0; c < 3; ++c) is_one_place = is_one_place && of_type.low[c] == -of_type.minus_high[c];
      if (is_one_place)
        throw DataError(
            fmt::format("{} are the same, {:.6g} {:.6g} {:.6g}", all("positions"), of_type.low[0], of_type.low[1], of_type.low[2]));
      if (of_type.minus_mass == 0) notes.push_back(all("masses") + " are 0");
      if (of_type.minus_speed == 0) notes.push_back(all("velocities") + " are 0");
    }
  });
  return notes;
}

}  // namespace grove
