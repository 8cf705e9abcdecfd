#include "kernels/particles/particle_transfer.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace grove {

namespace {

/// Copies `count` rows of `row_bytes` bytes. Row i begins at i * to_step and i * from_step; with from_step = 0 all rows are equal.
void copy_rows(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step, std::size_t row_bytes, std::size_t count) {
  if (to_step == row_bytes && from_step == row_bytes) {
    std::memcpy(to, from, count * row_bytes);
    return;
  }
#pragma omp parallel for schedule(static) if (count > 4096)
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, row_bytes);
}

template <class T>
void put_as(double value, std::byte* to) {
  const T element = static_cast<T>(value);
  std::memcpy(to, &element, sizeof(T));
}

/// A row of an unknown field: the initial value.
std::vector<std::byte> initial_row(const ParticleField& field) {
  constexpr void (*put[])(double, std::byte*) = {put_as<std::uint8_t>, put_as<std::uint16_t>, put_as<std::uint32_t>, put_as<std::uint64_t>,
                                                 put_as<std::int32_t>, put_as<std::int64_t>,  put_as<float>,         put_as<double>};
  std::vector<std::byte> row(field.row_bytes());
  for (std::size_t at = 0; at < row.size(); at += size_of(field.type))
    put[static_cast<std::size_t>(field.type)](field.initial, row.data() + at);  // in the order of ElementType
  return row;
}

/// Copies `count` particles of a field, from `first` on, into the items of its array.
void fill_items(const ParticleSet& set, const ParticleField& field, std::size_t first, std::size_t count, std::byte* items,
                std::size_t item_bytes) {
  const std::size_t row = field.row_bytes();
  const std::span<const std::byte> values = set.bytes(field);
  std::byte* const to = items + field.at * size_of(field.type);
  if (!values.empty()) {
    copy_rows(to, item_bytes, values.data() + first * row, row, row, count);
    return;
  }
  const std::vector<std::byte> initial = initial_row(field);
  copy_rows(to, item_bytes, initial.data(), 0, row, count);
}

}  // namespace

template <class Space>
void upload(Space& space, ParticleSet set, Particles<Space>& particles) {
  if (set.fields != particles.table()) throw std::logic_error("particles of another table of fields");
  const std::size_t n = set.size();
  for (const ParticleField& field : set.fields->rows()) {
    const std::size_t bytes = set.bytes(field).size();
    if (bytes != 0 && bytes != n * field.row_bytes()) throw std::logic_error("the particle field " + field.name + " has a wrong length");
  }
  particles.resize_discard(n);
  std::vector<std::byte> items;
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    const ParticleArray<Space>& array = particles.array(a);
    items.assign(std::min(n, transfer_chunk) * array.item_bytes(), std::byte{0});
    for_each_chunk(n, [&](std::size_t first, std::size_t count) {
      for (const std::size_t row : set.fields->arrays()[a].fields)
        fill_items(set, set.fields->rows()[row], first, count, items.data(), array.item_bytes());
      space.copy_from_host(array.item(first), items.data(), count * array.item_bytes());
    });
    for (const std::size_t row : set.fields->arrays()[a].fields) set.release(set.fields->rows()[row]);
  }
}

template <class Space>
ParticleSet download(Space& space, const Particles<Space>& particles) {
  const std::size_t n = particles.size();
  ParticleSet set;
  set.fields = particles.table();
  for (const ParticleField& field : set.fields->rows()) set.resize(field, n);
  std::vector<std::byte> items;
  for (std::size_t a = 0; a < particles.array_count(); ++a) {
    const ParticleArray<Space>& array = particles.array(a);
    items.resize(std::min(n, transfer_chunk) * array.item_bytes());
    for_each_chunk(n, [&](std::size_t first, std::size_t count) {
      space.copy_to_host(items.data(), array.item(first), count * array.item_bytes());
      for (const std::size_t row : set.fields->arrays()[a].fields) {
        const ParticleField& field = set.fields->rows()[row];
        const std::size_t bytes = field.row_bytes();
        copy_rows(set.resize(field, n).data() + first * bytes, bytes, items.data() + field.at * size_of(field.type), array.item_bytes(),
                  bytes, count);
      }
    });
  }
  return set;
}

template void upload(BackEnd&, ParticleSet, Particles<BackEnd>&);
template ParticleSet download(BackEnd&, const Particles<BackEnd>&);

}  // namespace grove
