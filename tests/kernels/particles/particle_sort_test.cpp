// The sort of particles against std::sort, for every array of tables of fields.
#include "kernels/particles/particle_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/field_tables.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

class ParticleSort : public testing::TestWithParam<TableCase> {
 protected:
  BackEnd space = make_space();
  FieldTablePtr table = table_of(GetParam());

  static constexpr AccelerationMeasure measure{0.25, 2, 0.1};
  /// The cube is so large that many particles have the same key. Types have classes out of order.
  static KeyRule rule(int class_count) {
    return {{{-3e5, -3e5, -3e5}, 6e5}, class_count, class_count == 1 ? ClassOfType{} : ClassOfType{{2, 0, 1, 1, 0, 2, 2, 1}}};
  }

  /// Particles whose ids are in no order.
  ParticleSet particle_set(std::size_t n) const {
    std::vector<std::uint64_t> ids(n);
    for (std::size_t i = 0; i < n; ++i) ids[i] = mixed(i);
    return particles_of(table, ids);
  }

  /// Item `from[i]` of each field at place i.
  static std::vector<std::byte> picked(const ParticleSet& particles, const ParticleField& field, const std::vector<std::size_t>& from) {
    const std::span<const std::byte> values = particles.bytes(field);
    const std::size_t row = field.row_bytes();
    std::vector<std::byte> items;
    for (const std::size_t i : from) items.insert(items.end(), values.data() + i * row, values.data() + (i + 1) * row);
    return items;
  }

  /// The keys of particles, in order, with the places where these were.
  static std::vector<std::pair<std::uint64_t, std::size_t>> expected_order(const ParticleSet& particles, const KeyRule& keys) {
    std::vector<std::pair<std::uint64_t, std::size_t>> expected(particles.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double* const p = particles.position.data() + 3 * i;
      const std::uint64_t key = morton_key({p[0], p[1], p[2], 0}, keys.cube);
      expected[i] = {keys.class_count == 1 ? key : key_in_class(key, keys.class_of_type.of[particles.type[i]]), i};
    }
    std::sort(expected.begin(), expected.end());
    return expected;
  }

  /// With accelerations or without, on which it depends what the sort expects.
  void expect_sorted(const ParticleSet& before, int class_count) {
    for (const bool has_acceleration : {false, true}) expect_sorted(before, class_count, has_acceleration);
  }

  void expect_sorted(const ParticleSet& before, int class_count, bool has_acceleration) {
    const std::size_t n = before.size();
    SCOPED_TRACE(std::to_string(n) + " particles, " + std::to_string(class_count) + " classes");
    const KeyRule keys = rule(class_count);
    Particles<BackEnd> particles(space, table);
    grove::upload(space, before, particles);
    particles.has_acceleration = has_acceleration;
    Buffer<BackEnd, std::uint64_t> key(space);
    key.resize_discard(n);
    std::vector<float> magnitude;
    {
      const SortInput<BackEnd> input(space, particles, keys, measure, key.view());
      magnitude = download<float>(space, sort_particles<BackEnd>(space, input, particles));
    }
    const std::vector<std::uint64_t> sorted = download(space, key);
    const ParticleSet after = grove::download(space, particles);

    const auto expected = expected_order(before, keys);
    std::vector<std::size_t> from(n);
    for (std::size_t i = 0; i < n; ++i) {
      from[i] = expected[i].second;
      ASSERT_EQ(sorted[i], expected[i].first) << "place " << i;
      const double* const a = before.acceleration.data() + 3 * from[i];
      ASSERT_FLOAT_EQ(magnitude[i], measure({a[0], a[1], a[2], before.potential[from[i]]})) << "place " << i;
    }
    for (const ParticleField& field : table->rows()) {
      if (!field.travels || field.is_scratch) continue;
      const std::span<const std::byte> values = after.bytes(field);
      const std::vector<std::byte> items = picked(before, field, from);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), items.begin(), items.end())) << field.name;
    }
  }
};

TEST_P(ParticleSort, IsThatOfTheStandardLibrary) {
  for (const std::size_t n : {0U, 1U, 2U, 33U, 1000U, 5000U, 20001U}) {
    const ParticleSet particles = particle_set(n);
    for (const int class_count : {1, 3}) expect_sorted(particles, class_count);
  }
}

TEST_P(ParticleSort, TakesAsMuchScratchAsItSays) {
  constexpr std::size_t n = 200000;  // far more than the smallest block of the arena
  const ParticleSet set = particle_set(n);
  BackEnd own = make_space();
  Particles<BackEnd> particles(own, table);
  grove::upload(own, set, particles);
  Buffer<BackEnd, std::uint64_t> key(own);
  key.resize_discard(n);
  for (int step = 0; step < 2; ++step) {  // in the second the arena is one block
    own.arena().begin_step();
    const SortInput<BackEnd> input(own, particles, rule(1), measure, key.view());
    sort_particles<BackEnd>(own, input, particles);
  }
  own.synchronize();
  // Order and magnitudes; beside them, what the sort of keys takes, or an array. Arrays need none with items of up to 32 bytes.
  const double input = 8, of_keys = 16;
  double widest = 0;
  for (const FieldArray& array : table->arrays())
    widest = std::max(widest, array.item_bytes > 32 ? static_cast<double>(array.item_bytes) : 0);
  const double margin = 1.02;  // what the arena has for later steps
  EXPECT_LT(static_cast<double>(own.arena().bytes_held()) / n, margin * (input + std::max(of_keys, widest)));
}

INSTANTIATE_TEST_SUITE_P(Tables, ParticleSort, testing::ValuesIn(table_cases()),
                         [](const testing::TestParamInfo<TableCase>& table) { return table.param.name; });

}  // namespace
}  // namespace grove::tests
