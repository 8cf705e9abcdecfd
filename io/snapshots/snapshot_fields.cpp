#include "io/snapshots/snapshot_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Wanted>
std::vector<std::string> names_of(const FieldTable& fields, Wanted wanted) {
  std::vector<std::string> names;
  for (const ParticleField& field : fields.rows())
    if (!field.dataset.empty() && field.snapshot != InSnapshot::never && wanted(field)) names.push_back(field.name);
  return names;
}

void require_names(const std::vector<std::string>& names, const std::vector<std::string>& allowed, const std::string& key,
                   const char* what) {
  for (const std::string& name : names)
    if (!contains(allowed, name))
      throw ConfigError(fmt::format("{}: \"{}\" is no particle field that {}; these are: {}", key, name, what, fmt::join(allowed, ", ")));
}

}  // namespace

std::vector<const ParticleField*> snapshot_fields(const FieldTable& fields, const FieldChoice& choice) {
  std::vector<const ParticleField*> wanted;
  for (const ParticleField& field : fields.rows()) {
    const bool is_wanted = (field.snapshot == InSnapshot::always && !contains(choice.left_out, field.name)) ||
                           (field.snapshot == InSnapshot::on_request && contains(choice.further, field.name));
    if (is_wanted && !field.dataset.empty()) wanted.push_back(&field);
  }
  return wanted;
}

ParticleField as_written(const ParticleField& field, const FieldChoice& choice) {
  ParticleField written = field;
  if (field.type == ElementType::f8 && contains(choice.single_precision, field.name)) written.type = ElementType::f4;
  return written;
}

void require_fields_on_request(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key) {
  const auto on_request = [](const ParticleField& field) { return field.snapshot == InSnapshot::on_request; };
  require_names(names, names_of(fields, on_request), key, "is written on request");
}

void require_fields_to_leave_out(const FieldTable& fields, const std::vector<std::string>& names, const std::string& key) {
  const auto can_lack = [](const ParticleField& field) { return field.snapshot == InSnapshot::always && field.input != InInput::required; };
  require_names(names, names_of(fields, can_lack), key, "can be left out");
}

void require_fields_to_shorten(const FieldTable& fields, const FieldChoice& choice, const std::string& key) {
  const auto is_long = [](const ParticleField& field) { return field.type == ElementType::f8; };
  require_names(choice.single_precision, names_of(fields, is_long), key, "has numbers in double precision");
  const std::vector<const ParticleField*> written = snapshot_fields(fields, choice);
  for (const std::string& name : choice.single_precision)
    if (std::none_of(written.begin(), written.end(), [&](const ParticleField* field) { return field->name == name; }))
      throw ConfigError(fmt::format("{}: the field \"{}\" is not written at all, as output.leave_out or output.fields say", key, name));
}

void shorten(std::span<const std::byte> numbers, const ParticleField& field, std::byte* to) {
  for (std::size_t at = 0; at < numbers.size(); at += sizeof(double), to += sizeof(float)) {
    double number = 0;
    std::memcpy(&number, numbers.data() + at, sizeof(number));
    const auto nearest = static_cast<float>(number);
    const bool is_lost = (std::isfinite(number) && !std::isfinite(nearest)) || (field.name == "mass" && number != 0 && nearest == 0);
    if (is_lost)
      throw DataError(fmt::format("a particle's {} is {:.6g}, which single precision cannot hold; take {} out of output.single_precision",
                                  field.name, number, field.name));
    std::memcpy(to, &nearest, sizeof(nearest));
  }
}

}  // namespace grove
