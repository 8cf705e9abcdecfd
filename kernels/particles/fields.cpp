#include "kernels/particles/fields.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/particles/particle_set.hpp"
#include "kernels/particles/work.hpp"

namespace grove {

namespace {

/// Access to a vector member of ParticleSet with `components` elements for each particle.
template <auto member, std::size_t components>
HostMember host_member() {
  return {[](const ParticleSet& set) { return std::as_bytes(std::span(set.*member)); },
          [](ParticleSet& set, std::size_t n) {
            (set.*member).resize(n * components);
            return std::as_writable_bytes(std::span(set.*member));
          },
          [](ParticleSet& set) { std::exchange(set.*member, {}); }};
}

constexpr FieldUnit length{1, 0, 0}, velocity{0, 0, 1}, mass{0, 1, 0}, specific_energy{0, 0, 2}, acceleration{-1, 0, 2};

// The table. Rows are written to snapshots in this order. Positions share an array with masses, and accelerations with potentials, so that
// walks load both at once. Add new rows at the end: StandardArray numbers the arrays.
std::vector<ParticleField> standard_rows() {
  using enum ElementType;
  using enum InSnapshot;
  using Set = ParticleSet;
  return {
      {.name = "position",
       .dataset = "Coordinates",
       .type = f8,
       .components = 3,
       .unit = length,
       .snapshot = always,
       .input = InInput::required,
       .host = host_member<&Set::position, 3>()},
      {.name = "velocity",
       .dataset = "Velocities",
       .type = f8,
       .components = 3,
       .unit = velocity,
       .snapshot = always,
       .input = InInput::required,
       .host = host_member<&Set::velocity, 3>()},
      {.name = "mass",
       .dataset = "Masses",
       .type = f8,
       .unit = mass,
       .snapshot = always,
       .input = InInput::required,
       .array = "position",
       .at = 3,
       .host = host_member<&Set::mass, 1>()},
      {.name = "id",
       .dataset = "ParticleIDs",
       .type = u8,
       .snapshot = always,
       .input = InInput::required,
       .host = host_member<&Set::id, 1>()},
      {.name = "potential",
       .dataset = "Potential",
       .type = f8,
       .unit = specific_energy,
       .snapshot = always,
       .is_scratch = true,
       .array = "acceleration",
       .at = 3,
       .host = host_member<&Set::potential, 1>()},
      {.name = "acceleration",
       .dataset = "Acceleration",
       .type = f8,
       .components = 3,
       .unit = acceleration,
       .snapshot = always,
       .is_scratch = true,
       .host = host_member<&Set::acceleration, 3>()},
      // The component of the particle: K of /PartTypeK.
      {.name = "type", .type = u1, .input = InInput::required, .initial = 1, .host = host_member<&Set::type, 1>()},
      // Cost of the last force in issue slots (see GroupWork; work.hpp for its lowest bit): the weight of the particle for domain cuts.
      {.name = "work",
       .dataset = "Work",
       .type = u4,
       .snapshot = on_request,
       .initial = unknown_work,
       .host = host_member<&Set::work, 1>()},
      // Where the cells of a reused tree begin, and where its target groups are divided: see build_tree() and divide_busy_groups(). Set by
      // each build.
      {.name = "tree_level", .type = u1, .travels = false},
  };
}

/// Checks the numbers of StandardArray.
FieldTablePtr make_standard_table() {
  auto table = std::make_shared<FieldTable>(standard_rows());
  std::size_t place = 0;
  for (const char* name : {"position", "velocity", "id", "acceleration", "type", "work", "tree_level"})
    if (table->array_of(name) != place++)
      throw std::logic_error(std::string("a new row of the table of particle fields stands before ") + name);
  return table;
}

}  // namespace

std::size_t size_of(ElementType type) {
  constexpr std::size_t sizes[] = {1, 2, 4, 8, 4, 8, 4, 8};  // in the order of ElementType
  return sizes[static_cast<std::size_t>(type)];
}

FieldTable::FieldTable(std::vector<ParticleField> rows) : rows_(std::move(rows)) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (find(rows_[row].name) != &rows_[row]) throw std::logic_error("two particle fields are called " + rows_[row].name);
    add_to_array(row);
  }
}

void FieldTable::add_to_array(std::size_t row) {
  const ParticleField& field = rows_[row];
  const std::string& name = field.array.empty() ? field.name : field.array;
  auto array = std::find_if(arrays_.begin(), arrays_.end(), [&](const FieldArray& a) { return a.name == name; });
  if (array == arrays_.end()) array = arrays_.insert(array, FieldArray{name, 0, {}, false, false});
  if (!array->fields.empty() && size_of(rows_[array->fields.front()].type) != size_of(field.type))
    throw std::logic_error("the particle field " + field.name + " has elements of another size than others in its array");
  for (const std::size_t other : array->fields) {
    const ParticleField& placed = rows_[other];
    if (field.at < placed.at + placed.components && placed.at < field.at + field.components)
      throw std::logic_error("the particle fields " + placed.name + " and " + field.name + " overlap in the array " + name);
  }
  array->fields.push_back(row);
  array->item_bytes = std::max(array->item_bytes, field.at * size_of(field.type) + field.row_bytes());
  array->travels = array->travels || field.travels;
  array->is_scratch = array->is_scratch || field.is_scratch;
}

const ParticleField* FieldTable::find(const std::string& name) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const ParticleField& field) { return field.name == name; });
  return found == rows_.end() ? nullptr : &*found;
}

std::size_t FieldTable::array_of(const std::string& name) const {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const FieldArray& array) { return array.name == name; });
  if (found == arrays_.end()) throw std::logic_error("there is no array of particles called " + name);
  return static_cast<std::size_t>(found - arrays_.begin());
}

const FieldTablePtr& standard_fields() {
  static const FieldTablePtr table = make_standard_table();
  return table;
}

FieldTablePtr fields_with(const std::vector<ParticleField>& further) {
  std::vector<ParticleField> rows = standard_rows();
  rows.insert(rows.end(), further.begin(), further.end());
  auto table = std::make_shared<FieldTable>(std::move(rows));
  const std::vector<FieldArray>& standard = standard_fields()->arrays();
  for (std::size_t a = 0; a < standard.size(); ++a)
    if (table->arrays()[a].item_bytes != standard[a].item_bytes)
      throw std::logic_error("the array " + standard[a].name + " of the standard fields has no room for further ones");
  return table;
}

}  // namespace grove
