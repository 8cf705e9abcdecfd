#include "kernels/particles/particle_set.hpp"

#include <algorithm>

namespace grove {

const char* component_name(int type) {
  constexpr const char* names[particle_type_count] = {"gas", "halo", "disc", "bulge", "stars", "black holes"};
  return names[type];
}

ComponentNames usual_component_names() {
  ComponentNames names;
  for (int type = 0; type < particle_type_count; ++type) names[static_cast<std::size_t>(type)] = component_name(type);
  return names;
}

void ParticleSet::resize(std::size_t n) {
  for (const ParticleField& field : fields->rows())
    if (field.input == InInput::required) resize(field, n);
}

std::span<const std::byte> ParticleSet::bytes(const ParticleField& field) const {
  if (field.host.bytes) return field.host.bytes(*this);
  const auto found = std::find_if(further.begin(), further.end(), [&](const FurtherField& f) { return f.name == field.name; });
  return found == further.end() ? std::span<const std::byte>() : std::span<const std::byte>(found->bytes);
}

std::span<std::byte> ParticleSet::resize(const ParticleField& field, std::size_t n) {
  if (field.host.resize) return field.host.resize(*this, n);
  auto found = std::find_if(further.begin(), further.end(), [&](const FurtherField& f) { return f.name == field.name; });
  if (found == further.end()) found = further.insert(found, FurtherField{field.name, {}});
  found->bytes.resize(n * field.row_bytes());
  return found->bytes;
}

void ParticleSet::release(const ParticleField& field) {
  if (field.host.release) return field.host.release(*this);
  std::erase_if(further, [&](const FurtherField& f) { return f.name == field.name; });
}

}  // namespace grove
