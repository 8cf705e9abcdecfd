// The table of particle fields: which rows there are, and which go together. fields_journey_test.cpp follows the rows through a run,
// fields_files_test.cpp through files.
#include "kernels/particles/fields.hpp"

#include <gtest/gtest.h>

#include "io/snapshots/snapshot.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/field_tables.hpp"
#include "tests/support/reader_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

TEST(StandardFields, AreReadAndWrittenAsTheirRolesSay) {
  const auto names_of = [](bool (*has_role)(const ParticleField&)) {
    std::vector<std::string> found;
    for (const ParticleField& field : standard_fields()->rows())
      if (has_role(field)) found.push_back(field.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.input == InInput::required; }),
            (Names{"position", "velocity", "mass", "id", "type"}));
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.is_scratch; }), (Names{"potential", "acceleration"}));
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.dataset.empty(); }), (Names{"type", "tree_level"}));
  const ParticleField* const work = standard_fields()->find("work");
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->snapshot, InSnapshot::on_request);
  EXPECT_EQ(work->input, InInput::never);
}

TEST(FieldTables, GiveRowsWithoutAnArrayOneOfTheirOwnAndJoinTheOthers) {
  const FieldTablePtr table = fields_with(rows_of_all_kinds());
  const FieldArray& pair = table->arrays()[table->array_of("pair")];
  EXPECT_EQ(pair.item_bytes, 6U);
  EXPECT_EQ(pair.fields.size(), 2U);
  EXPECT_EQ(table->arrays()[table->array_of("tensor")].item_bytes, 40U);
  EXPECT_EQ(table->arrays()[table->array_of("spin")].item_bytes, 12U);
  EXPECT_THROW(table->array_of("left"), std::logic_error);
  EXPECT_EQ(table->find("left")->array, "pair");
  EXPECT_EQ(table->find("sinister"), nullptr);
}

TEST(FieldTables, RefuseTwoRowsOfOneName) {
  ParticleField elsewhere = spin, velocity = spin;
  elsewhere.array = "elsewhere";
  velocity.name = "velocity";
  velocity.array = "elsewhere";
  EXPECT_THROW(fields_with({spin, tag, elsewhere}), std::logic_error);
  EXPECT_THROW(fields_with({velocity}), std::logic_error);
  EXPECT_THROW(FieldTable({tag, spin, tag}), std::logic_error);
}

TEST(FieldTables, RefuseElementsOfDifferentSizeInOneArray) {
  const ParticleField with_spin{.name = "axis", .type = ElementType::f8, .array = "spin", .at = 3};
  EXPECT_THROW(fields_with({spin, with_spin}), std::logic_error);
  EXPECT_NO_THROW(fields_with({spin, {.name = "axis", .type = ElementType::u4, .array = "spin", .at = 3}}));
}

TEST(FieldTables, RefuseRowsThatOverlapInAnArray) {
  EXPECT_THROW(fields_with({spin, {.name = "axis", .type = ElementType::f4, .array = "spin", .at = 2}}), std::logic_error);
  EXPECT_THROW(fields_with({{.name = "energy", .array = "acceleration", .at = 3}}), std::logic_error);
}

TEST(FieldTables, RefuseRowsThatMakeTheItemsOfAStandardArrayLonger) {
  EXPECT_THROW(fields_with({{.name = "epoch", .array = "position", .at = 4}}), std::logic_error);
  EXPECT_THROW(fields_with({{.name = "level", .type = ElementType::u1, .array = "type", .at = 1}}), std::logic_error);
}

TEST(Upload, RefusesParticlesOfAnotherTable) {
  BackEnd space = make_space();
  Particles<BackEnd> particles(space, fields_with({spin}));
  EXPECT_THROW(grove::upload(space, particles_of(fields_with({spin, tag}), {1, 2}), particles), std::logic_error);
  EXPECT_THROW(grove::upload(space, particles_of(standard_fields(), {1, 2}), particles), std::logic_error);
  EXPECT_NO_THROW(grove::upload(space, particles_of(particles.table(), {1, 2}), particles));
}

TEST(FieldTables, AcceptTheNamesOfRowsOnRequestAndNameThemInTheErrorForOthers) {
  for (const TableCase& one : table_cases()) {
    SCOPED_TRACE(one.name);
    const FieldTablePtr table = table_of(one);
    EXPECT_NO_THROW(require_fields_on_request(*table, all_on_request(*table), "output.fields"));
    std::vector<std::string> others{"spinn"};
    for (const ParticleField& field : table->rows())
      if (field.snapshot != InSnapshot::on_request) others.push_back(field.name);
    for (const std::string& other : others) {
      std::vector<std::string> wanted = all_on_request(*table);
      wanted.push_back(other);
      try {
        require_fields_on_request(*table, wanted, "output.fields");
        ADD_FAILURE() << other << " is accepted";
      } catch (const ConfigError& error) {
        EXPECT_TRUE(names(error.what(), {"output.fields", '"' + other + '"'}));
        EXPECT_TRUE(names(error.what(), all_on_request(*table)));
      }
    }
  }
}

}  // namespace
}  // namespace grove::tests
