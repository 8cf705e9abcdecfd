// The conformance test of the table of fields. Every row follows its particle through copies, sorts, the exchange between ranks, the sort
// by id, snapshots and readers. All tests loop over the table: a new row joins by itself.
#include "kernels/particles/fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include "decomposition/particle_exchange.hpp"
#include "decomposition/sort_by_id.hpp"
#include "io/snapshot.hpp"
#include "kernels/particles/host_columns.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/gadget_file.hpp"
#include "tests/support/reader_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove {
namespace {

// ---------------------------------------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------------------------------------
const ParticleField spin{.name = "spin",
                         .dataset = "Spin",
                         .type = ElementType::f4,
                         .components = 3,
                         .unit = {1, 0, 1},
                         .snapshot = InSnapshot::always,
                         .input = InInput::when_there};
const ParticleField tag{.name = "tag",
                        .dataset = "Tag",
                        .type = ElementType::u1,
                        .snapshot = InSnapshot::on_request,
                        .input = InInput::when_there,
                        .initial = 7};

/// A table of the test, by the name that it has in test names.
struct TableCase {
  std::string name;
  std::vector<ParticleField> further;
};

/// Elements of all types, of one to five a particle, in all roles.
std::vector<ParticleField> rows_of_all_kinds() {
  using Type = ElementType;
  constexpr auto always = InSnapshot::always, on_request = InSnapshot::on_request;
  constexpr auto when_there = InInput::when_there;
  return {
      spin,
      tag,
      {.name = "bin", .dataset = "TimeBins", .type = Type::u2, .snapshot = on_request, .initial = 40000},
      {.name = "charge", .dataset = "Charges", .type = Type::i4, .components = 2, .snapshot = always, .input = when_there, .initial = -3},
      {.name = "parent", .dataset = "ParentIDs", .type = Type::i8, .snapshot = always, .input = when_there, .initial = -1},
      {.name = "tensor",
       .dataset = "Tensors",
       .type = Type::f8,
       .components = 5,
       .snapshot = on_request,
       .input = when_there,
       .initial = 0.1},
      {.name = "hidden", .dataset = "Hidden", .type = Type::f4, .input = when_there, .initial = 0.1},
      {.name = "inner", .type = Type::u2, .components = 3},
      {.name = "left", .dataset = "Left", .type = Type::u2, .snapshot = always, .array = "pair"},
      {.name = "right", .dataset = "Right", .type = Type::u2, .components = 2, .snapshot = always, .array = "pair", .at = 1},
      {.name = "loan", .dataset = "Loans", .type = Type::u8, .components = 2, .snapshot = always, .is_lent = true},
      {.name = "draft", .type = Type::u4, .travels = false},
  };
}

std::vector<TableCase> table_cases() {
  return {{"StandardFields", {}}, {"TwoFurtherRows", {spin, tag}}, {"RowsOfAllKinds", rows_of_all_kinds()}};
}

FieldTablePtr table_of(const TableCase& table) { return table.further.empty() ? standard_fields() : fields_with(table.further); }

/// The same fields, all of which readers look for.
FieldTablePtr with_all_read(const FieldTable& fields) {
  std::vector<ParticleField> rows = fields.rows();
  for (ParticleField& field : rows)
    if (field.input == InInput::never) field.input = InInput::when_there;
  return std::make_shared<FieldTable>(rows);
}

/// The names of all fields that are written on request.
std::vector<std::string> all_on_request(const FieldTable& fields) {
  std::vector<std::string> names;
  for (const ParticleField& field : fields.rows())
    if (field.snapshot == InSnapshot::on_request) names.push_back(field.name);
  return names;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// Particles all bytes of which follow from their ids
// ---------------------------------------------------------------------------------------------------------------------------------
static_assert(std::endian::native == std::endian::little, "the first bytes of a number are its lowest");

/// The output function of splitmix64 (Steele, Lea and Flood 2014): one to one.
std::uint64_t mixed(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15ULL);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  for (const char c : name) number = mixed(number + static_cast<unsigned char>(c));
  return number;
}

/// The bits of an element that has all values its field may have. Floating-point numbers lie between 0.5 and 1, of either sign: they are
/// finite, and the positions have many different keys.
std::uint64_t element_of(const ParticleField& field, std::uint64_t id, std::size_t component) {
  const std::uint64_t bits = mixed(id ^ mixed(number_of(field.name) + component));
  if (field.name == "id") return id;
  if (field.name == "type") return bits % particle_type_count;
  const std::uint64_t sign = field.name == "mass" ? 0 : 1;
  if (field.type == ElementType::f8) return (bits & (sign << 63 | 0x000fffffffffffff)) | 0x3fe0000000000000;
  if (field.type == ElementType::f4) return (bits & (sign << 31 | 0x007fffff)) | 0x3f000000;
  return bits;
}

std::vector<std::byte> row_of(const ParticleField& field, std::uint64_t id) {
  std::vector<std::byte> row(field.row_bytes());
  const std::size_t size = size_of(field.type);
  for (std::size_t c = 0; c < field.components; ++c) {
    const std::uint64_t bits = element_of(field, id, c);
    std::memcpy(row.data() + c * size, &bits, size);
  }
  return row;
}

/// Sets a field of all particles, which have their ids.
void set_field(ParticleSet& particles, const ParticleField& field) {
  const std::span<std::byte> values = particles.resize(field, particles.id.size());
  for (std::size_t i = 0; i < particles.id.size(); ++i) {
    const std::vector<std::byte> row = row_of(field, particles.id[i]);
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(i * row.size()));
  }
}

ParticleSet particles_of(const FieldTablePtr& fields, const std::vector<std::uint64_t>& ids) {
  ParticleSet particles;
  particles.fields = fields;
  particles.id = ids;
  for (const ParticleField& field : fields->rows()) set_field(particles, field);
  return particles;
}

/// How many rows of a field do not follow from the id of their particle.
std::size_t wrong_rows(const ParticleSet& particles, const ParticleField& field) {
  const std::span<const std::byte> values = particles.bytes(field);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < particles.id.size(); ++i) {
    const std::vector<std::byte> row = row_of(field, particles.id[i]);
    wrong += std::memcmp(row.data(), values.data() + i * row.size(), row.size()) == 0 ? 0 : 1;
  }
  return wrong;
}

using FieldTest = std::function<bool(const ParticleField&)>;

bool is_any(const ParticleField&) { return true; }
/// What sort_particles() keeps, and what ParticleExchange keeps.
bool survives_the_sort(const ParticleField& field) { return field.travels && !field.is_lent; }
bool survives_the_exchange(const ParticleField& field) { return field.travels; }

/// Fields for which `is_defined` holds are there, bit for bit; of the others nothing is asked.
void expect_fields(const std::string& stage, const ParticleSet& particles, const FieldTest& is_defined) {
  for (const ParticleField& field : particles.fields->rows()) {
    if (!is_defined(field)) continue;
    ASSERT_EQ(particles.bytes(field).size(), particles.id.size() * field.row_bytes()) << field.name << " after the " << stage;
    EXPECT_EQ(wrong_rows(particles, field), 0U) << field.name << " after the " << stage;
  }
}

// ---------------------------------------------------------------------------------------------------------------------------------
// Every row of a table
// ---------------------------------------------------------------------------------------------------------------------------------
class EveryField : public testing::TestWithParam<TableCase> {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = tests::make_space();
  FieldTablePtr table = table_of(GetParam());
  TemporaryDirectory directory{comm};

  std::string path() const { return directory.file("snapshot_0000.hdf5"); }

  /// The ids of all ranks; no byte is the same for all.
  static std::vector<std::uint64_t> ids(std::size_t count) {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(mixed(i));
    return all;
  }
  /// This rank's when they are dealt round-robin.
  std::vector<std::uint64_t> dealt_ids(std::size_t count) const {
    const std::vector<std::uint64_t> all = ids(count);
    std::vector<std::uint64_t> mine;
    for (auto i = static_cast<std::size_t>(comm.rank()); i < all.size(); i += static_cast<std::size_t>(comm.size())) mine.push_back(all[i]);
    return mine;
  }

  /// All particles are there once over all ranks.
  void expect_ids(const std::string& stage, const ParticleSet& particles, std::vector<std::uint64_t> expected) const {
    std::vector<std::uint64_t> found = comm.all_gather_vectors<std::uint64_t>(particles.id);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(found == expected) << "ids after the " << stage;
  }

  void sort_by_key(const Frame& frame, Particles<BackEnd>& particles) {
    Buffer<BackEnd, std::uint64_t> keys(space);
    keys.resize_discard(particles.size());
    compute_keys<BackEnd>(space, particles.position.view(), frame.cube, keys.view());
    sort_particles<BackEnd>(space, keys.view(), 1.0, particles);
    compute_keys<BackEnd>(space, particles.position.view(), frame.cube, keys.view());
    const std::vector<std::uint64_t> sorted = tests::download(space, keys);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }

  /// What the sort does not keep is set anew, as a force evaluation does.
  static ParticleSet completed(ParticleSet particles) {
    for (const ParticleField& field : particles.fields->rows())
      if (!survives_the_sort(field)) set_field(particles, field);
    return particles;
  }

  /// Takes the particles of this rank through the steps of a run.
  ParticleSet travelled(const std::vector<std::uint64_t>& mine, const std::vector<std::uint64_t>& all) {
    Particles<BackEnd> particles(space, table);
    grove::upload(space, particles_of(table, mine), particles);
    const Frame frame = find_frame(space, comm, particles);

    sort_by_key(frame, particles);
    expect_fields("first sort", grove::download(space, particles), survives_the_sort);
    grove::upload(space, completed(grove::download(space, particles)), particles);

    ParticleExchange<BackEnd> exchange(space, comm, TransportWay::automatic);
    exchange.run(frame, particles);
    const ParticleSet exchanged = grove::download(space, particles);
    expect_ids("exchange", exchanged, all);
    expect_fields("exchange", exchanged, comm.size() == 1 ? is_any : survives_the_exchange);
    EXPECT_GT(exchanged.size(), 0U);

    sort_by_key(frame, particles);
    const ParticleSet sorted = grove::download(space, particles);
    expect_ids("second sort", sorted, all);
    expect_fields("second sort", sorted, survives_the_sort);
    return completed(sorted);
  }

  ParticleSet sorted_by_id(const ParticleSet& particles, const std::vector<std::uint64_t>& all) const {
    const ParticleSet sorted = sort_by_id(particles, comm);
    expect_ids("sort by id", sorted, all);
    const std::vector<std::uint64_t> order = comm.all_gather_vectors<std::uint64_t>(sorted.id);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    expect_fields("sort by id", sorted, is_any);
    return sorted;
  }

  void write(const ParticleSet& particles, const std::vector<std::string>& on_request) const {
    SnapshotHeader header;
    header.fields = on_request;
    header.transfer_bytes = 2000;  // so that every field takes several rounds
    write_snapshot(path(), particles, header, comm);
  }

  /// Reads the file; those fields are known for which `is_known` holds, bit for bit, and no others.
  void expect_in_file(const FieldTablePtr& fields, const std::vector<std::uint64_t>& all, const FieldTest& is_known) const {
    const ParticleSet read = read_particles(path(), comm, nullptr, fields);
    EXPECT_EQ(read.fields, fields);
    expect_ids("reading", read, all);
    ASSERT_GT(read.size(), 0U);
    expect_fields("reading", read, is_known);
    for (const ParticleField& field : fields->rows()) EXPECT_EQ(!read.bytes(field).empty(), is_known(field)) << field.name;
    comm.barrier();  // before the file is written anew
  }

  void expect_all_survive(const std::function<std::vector<std::uint64_t>(const std::vector<std::uint64_t>&)>& share) {
    const std::vector<std::uint64_t> all = ids(1500);
    const ParticleSet particles = sorted_by_id(travelled(share(all), all), all);
    write(particles, all_on_request(*table));
    const auto is_written = [](const ParticleField& field) {
      return field.input == InInput::required || (!field.dataset.empty() && field.snapshot != InSnapshot::never);
    };
    expect_in_file(table, all, [&](const ParticleField& field) { return is_written(field) && field.input != InInput::never; });
    expect_in_file(with_all_read(*table), all, is_written);
  }
};

TEST_P(EveryField, FollowsParticlesThatAreDealtRoundRobinFromTheDeviceToTheFileAndBack) {
  expect_all_survive([&](const std::vector<std::uint64_t>& all) { return dealt_ids(all.size()); });
}

TEST_P(EveryField, FollowsParticlesThatAreAllOnOneRankFromTheDeviceToTheFileAndBack) {
  expect_all_survive(
      [&](const std::vector<std::uint64_t>& all) { return comm.rank() == comm.size() - 1 ? all : std::vector<std::uint64_t>(); });
}

TEST_P(EveryField, SurvivesUploadAndDownloadOfMoreParticlesThanAreCopiedAtATime) {
  // One rank is enough: nothing is collective.
  const std::vector<std::uint64_t> mine = ids(comm.is_root() ? transfer_chunk + 37 : 37);
  Particles<BackEnd> particles(space, table);
  grove::upload(space, particles_of(table, mine), particles);
  const ParticleSet downloaded = grove::download(space, particles);
  EXPECT_TRUE(downloaded.id == mine);
  expect_fields("download", downloaded, is_any);
}

TEST_P(EveryField, IsCopiedToTheHostInThePresentOrderAndSortedById) {
  // None, one, and more than one piece of the longest fields on a GPU.
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{180001}}) {
    const std::vector<std::uint64_t> mine = ids(comm.is_root() ? count : std::min<std::size_t>(count, 37));
    std::vector<std::uint64_t> sorted = mine;
    std::sort(sorted.begin(), sorted.end());
    Particles<BackEnd> particles(space, table);
    grove::upload(space, particles_of(table, mine), particles);
    std::vector<const ParticleField*> fields;
    for (const ParticleField& field : table->rows()) fields.push_back(&field);
    HostCopy<BackEnd> copy(space, table);
    EXPECT_FALSE(copy.knows(*fields.front()));
    EXPECT_THROW(copy.reserve(std::size_t{1} << 60), SystemError);
    copy.reserve(HostCopy<BackEnd>::bytes_of(mine.size(), fields));
    for (const bool by_id : {false, true}) {
      const ParticleOrder order = by_id ? ParticleOrder::by_id : ParticleOrder::as_they_are;
      copy.take(particles, fields, order);
      ColumnsOnDemand<BackEnd> on_demand(space, particles, order);
      for (ParticleColumns* columns : {static_cast<ParticleColumns*>(&copy), static_cast<ParticleColumns*>(&on_demand)}) {
        ASSERT_EQ(columns->size(), mine.size());
        ParticleSet found;
        found.fields = table;
        for (const ParticleField* field : fields) {
          ASSERT_TRUE(columns->knows(*field));
          const std::span<const std::byte> values = columns->values(*field);
          ASSERT_EQ(values.size(), mine.size() * field->row_bytes());
          std::copy(values.begin(), values.end(), found.resize(*field, mine.size()).begin());
        }
        EXPECT_TRUE(found.id == (by_id ? sorted : mine));
        expect_fields(by_id ? "sort by id on the device" : "copy", found, is_any);
      }
    }
  }
}

TEST_P(EveryField, HasItsInitialValueWhereItIsNotKnown) {
  const auto is_known = [](const ParticleField& field) { return field.input == InInput::required; };
  ParticleSet particles;
  particles.fields = table;
  particles.id = ids(50);
  for (const ParticleField& field : table->rows())
    if (is_known(field)) set_field(particles, field);
  Particles<BackEnd> on_device(space, table);
  grove::upload(space, particles, on_device);
  const ParticleSet downloaded = grove::download(space, on_device);
  expect_fields("download", downloaded, is_known);
  const auto value = [&](const ParticleField& field, std::size_t element) -> double {
    const std::byte* const at = downloaded.bytes(field).data() + element * size_of(field.type);
    const auto as = [&](auto number) {
      std::memcpy(&number, at, sizeof(number));
      return static_cast<double>(number);
    };
    switch (field.type) {
      case ElementType::u1:
        return as(std::uint8_t{});
      case ElementType::u2:
        return as(std::uint16_t{});
      case ElementType::u4:
        return as(std::uint32_t{});
      case ElementType::u8:
        return as(std::uint64_t{});
      case ElementType::i4:
        return as(std::int32_t{});
      case ElementType::i8:
        return as(std::int64_t{});
      case ElementType::f4:
        return as(float{});
      default:
        return as(double{});
    }
  };
  for (const ParticleField& field : table->rows()) {
    if (is_known(field)) continue;
    const double initial = field.type == ElementType::f4 ? static_cast<float>(field.initial) : field.initial;
    for (std::size_t element = 0; element < downloaded.size() * field.components; ++element)
      ASSERT_EQ(value(field, element), initial) << field.name << ", element " << element;
  }
}

TEST_P(EveryField, IsWrittenOnRequestOnlyWhenAskedFor) {
  const FieldTablePtr all_read = with_all_read(*table);
  const std::vector<std::uint64_t> all = ids(60);
  const ParticleSet particles = particles_of(table, dealt_ids(all.size()));
  std::vector<std::string> choices = all_on_request(*table);
  choices.push_back("");
  for (const std::string& chosen : choices) {
    write(particles, {chosen});
    expect_in_file(all_read, all, [&](const ParticleField& field) {
      const bool always = field.snapshot == InSnapshot::always && !field.dataset.empty();
      return field.input == InInput::required || always || field.name == chosen;
    });
  }
}

TEST_P(EveryField, IsLeftOutOfTheSnapshotWhenOneRankDoesNotKnowIt) {
  const std::vector<std::uint64_t> all = ids(60);
  const FieldTablePtr all_read = with_all_read(*table);
  for (const ParticleField& unknown : table->rows()) {
    if (unknown.input == InInput::required) continue;
    ParticleSet particles = particles_of(table, dealt_ids(all.size()));
    if (comm.rank() == comm.size() - 1) particles.resize(unknown, 0);
    write(particles, all_on_request(*table));
    expect_in_file(all_read, all, [&](const ParticleField& field) {
      const bool written = !field.dataset.empty() && field.snapshot != InSnapshot::never;
      return field.input == InInput::required || (written && field.name != unknown.name);
    });
  }
}

TEST_P(EveryField, OnRequestMayBeRequiredByItsNameAndOthersAreNamedInTheError) {
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

INSTANTIATE_TEST_SUITE_P(Tables, EveryField, testing::ValuesIn(table_cases()),
                         [](const testing::TestParamInfo<TableCase>& table) { return table.param.name; });

// ---------------------------------------------------------------------------------------------------------------------------------
// The table itself
// ---------------------------------------------------------------------------------------------------------------------------------
TEST(StandardFields, AreReadAndWrittenAsTheirRolesSay) {
  const auto names_of = [](const FieldTest& has_role) {
    std::vector<std::string> found;
    for (const ParticleField& field : standard_fields()->rows())
      if (has_role(field)) found.push_back(field.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.input == InInput::required; }),
            (Names{"position", "velocity", "mass", "id", "type"}));
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.is_lent; }), (Names{"potential", "acceleration"}));
  EXPECT_EQ(names_of([](const ParticleField& f) { return f.dataset.empty(); }), (Names{"type"}));
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
  BackEnd space = tests::make_space();
  Particles<BackEnd> particles(space, fields_with({spin}));
  EXPECT_THROW(grove::upload(space, particles_of(fields_with({spin, tag}), {1, 2}), particles), std::logic_error);
  EXPECT_THROW(grove::upload(space, particles_of(standard_fields(), {1, 2}), particles), std::logic_error);
  EXPECT_NO_THROW(grove::upload(space, particles_of(particles.table(), {1, 2}), particles));
}

// ---------------------------------------------------------------------------------------------------------------------------------
// Files that lack a field, or have a bad one
// ---------------------------------------------------------------------------------------------------------------------------------
class FieldOfAFile : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("input.hdf5");
  FieldTablePtr fields = fields_with({spin, tag});

  /// A file with 40 halo and 30 disc particles and whatever `add` puts into it. Collective.
  void write(const std::function<void(const Hdf5Handle& file)>& add) const {
    GadgetFile content;
    content.types.resize(2);
    content.types[0].count = 40;
    content.types[1].type = 2;
    content.types[1].count = 30;
    if (comm.is_root()) {
      const Hdf5Handle file = create_hdf5_in_memory(path);
      write_gadget_header(file, content);
      for (const GadgetType& type : content.types) write_type(file, type);
      add(file);
      std::ofstream(path, std::ios::binary) << hdf5_image(file);
    }
    comm.barrier();
  }
  static void add_spin(const Hdf5Handle& file, const std::string& group, std::size_t count, double third = 0.5) {
    std::vector<double> numbers(3 * count, 0.25);
    numbers[3 * 17 + 2] = third;
    write_numbers(open_group(file, group), "Spin", H5T_IEEE_F32LE, {count, 3}, numbers);
  }
  std::string error() const {
    return data_error_of([&] { read_particles(path, comm, nullptr, fields); });
  }
};

TEST_F(FieldOfAFile, IsNotKnownWhenNoGroupHasIt) {
  write([](const Hdf5Handle&) {});
  const ParticleSet particles = read_particles(path, comm, nullptr, fields);
  EXPECT_EQ(comm.sum(std::uint64_t{particles.size()}), 70U);
  EXPECT_TRUE(particles.bytes(*fields->find("spin")).empty());
  EXPECT_TRUE(particles.bytes(*fields->find("tag")).empty());
}

TEST_F(FieldOfAFile, IsReadWhenAllGroupsHaveIt) {
  write([](const Hdf5Handle& file) {
    add_spin(file, "PartType1", 40);
    add_spin(file, "PartType2", 30);
  });
  const ParticleSet particles = read_particles(path, comm, nullptr, fields);
  std::vector<float> values(3 * particles.size());
  ASSERT_EQ(particles.bytes(*fields->find("spin")).size(), values.size() * sizeof(float));
  std::memcpy(values.data(), particles.bytes(*fields->find("spin")).data(), values.size() * sizeof(float));
  const std::vector<float> all = comm.all_gather_vectors<float>(values);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i == 3 * 17 + 2 || i == 3 * 57 + 2 ? 0.5F : 0.25F);
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesTheGroupWhenOneLacksItThatAnotherHas) {
  write([](const Hdf5Handle& file) { add_spin(file, "PartType1", 40); });
  EXPECT_TRUE(names(error(), {path, "PartType2/Spin", "missing"}));
  write([](const Hdf5Handle& file) { add_spin(file, "PartType2", 30); });
  EXPECT_TRUE(names(error(), {path, "PartType1/Spin", "missing"}));
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesFieldAndRowWhenAValueIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    write([&](const Hdf5Handle& file) {
      add_spin(file, "PartType1", 40);
      add_spin(file, "PartType2", 30, bad);
    });
    EXPECT_TRUE(names(error(), {path, "PartType2/Spin", "row 17", "the z component of the spin", "finite"})) << bad;
  }
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesItWhenItsShapeOrTypeIsWrong) {
  write([](const Hdf5Handle& file) {
    for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)})
      write_numbers(open_group(file, group), "Spin", H5T_IEEE_F32LE, {count}, std::vector<double>(count));
  });
  EXPECT_TRUE(names(error(), {path, "PartType1/Spin", "wrong shape"}));
  write([](const Hdf5Handle& file) {
    for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)})
      write_numbers(open_group(file, group), "Tag", H5T_IEEE_F32LE, {count}, std::vector<double>(count));
  });
  EXPECT_TRUE(names(error(), {path, "PartType1/Tag", "wrong type"}));
}

TEST_F(FieldOfAFile, IsAnErrorThatNamesItWhenAValueDoesNotFitItsElements) {
  for (const double bad : {-1.0, 256.0}) {
    write([&](const Hdf5Handle& file) {
      for (const auto& [group, count] : {std::pair("PartType1", 40U), std::pair("PartType2", 30U)}) {
        std::vector<double> numbers(count, 255);
        numbers[11] = group == std::string("PartType2") ? bad : 0;
        write_numbers(open_group(file, group), "Tag", H5T_STD_I32LE, {count}, numbers);
      }
    });
    EXPECT_TRUE(names(error(), {path, "PartType2/Tag", "rows ", "unsigned integers of 1 byte"})) << bad;
  }
}

}  // namespace
}  // namespace grove
