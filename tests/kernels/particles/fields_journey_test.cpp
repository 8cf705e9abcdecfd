// Every row of a table of fields follows its particle through copies, sorts, the exchange between ranks, the sort by id, snapshots and
// readers. All tests loop over the table: a new row joins by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "decomposition/domain/order_by_id.hpp"
#include "decomposition/domain/particle_exchange.hpp"

#include "decomposition/domain/sort_by_id.hpp"
#include "io/snapshots/snapshot.hpp"
#include "kernels/particles/host_columns.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/field_tables.hpp"
#include "tests/support/reader_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

/// The same fields, all of which readers look for.
FieldTablePtr with_all_read(const FieldTable& fields) {
  std::vector<ParticleField> rows = fields.rows();
  for (ParticleField& field : rows)
    if (field.input == InInput::never) field.input = InInput::when_there;
  return std::make_shared<FieldTable>(rows);
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
bool survives_the_sort(const ParticleField& field) { return field.travels && !field.is_scratch; }
bool survives_the_exchange(const ParticleField& field) { return field.travels; }

/// Fields for which `is_defined` holds are there, bit for bit; of the others nothing is asked.
void expect_fields(const std::string& stage, const ParticleSet& particles, const FieldTest& is_defined) {
  for (const ParticleField& field : particles.fields->rows()) {
    if (!is_defined(field)) continue;
    ASSERT_EQ(particles.bytes(field).size(), particles.id.size() * field.row_bytes()) << field.name << " after the " << stage;
    EXPECT_EQ(wrong_rows(particles, field), 0U) << field.name << " after the " << stage;
  }
}

class EveryField : public testing::TestWithParam<TableCase> {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = make_space();
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
    const SortInput<BackEnd> input(space, particles, {frame.cube}, AccelerationMeasure{}, keys.view());
    sort_particles<BackEnd>(space, input, particles);
    const std::vector<std::uint64_t> sorted = download(space, keys);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    std::vector<std::uint64_t> of_positions;
    for (const Double4& position : download(space, particles.position)) of_positions.push_back(morton_key(position, frame.cube));
    EXPECT_TRUE(of_positions == sorted);
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
    header.fields.further = on_request;
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
  Transport<BackEnd> transport(space, comm, TransportWay::automatic);
  // None, one, and more than one piece of the longest fields on a GPU.
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{180001}}) {
    const std::vector<std::uint64_t> all = ids(count), mine = dealt_ids(count);
    std::vector<std::uint64_t> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    Particles<BackEnd> particles(space, table);
    grove::upload(space, particles_of(table, mine), particles);
    std::vector<const ParticleField*> fields;
    for (const ParticleField& field : table->rows()) fields.push_back(&field);
    PresentOrder<BackEnd> present(particles);
    OrderById<BackEnd> by_id(space, comm, transport, particles);
    HostCopy<BackEnd> copy(space, table);
    EXPECT_FALSE(copy.knows(*fields.front()));
    EXPECT_THROW(copy.reserve(std::size_t{1} << 60), SystemError);
    for (ItemOrder<BackEnd>* order : {static_cast<ItemOrder<BackEnd>*>(&present), static_cast<ItemOrder<BackEnd>*>(&by_id)}) {
      copy.reserve(HostCopy<BackEnd>::bytes_of(order->size(), fields));
      copy.take(fields, *order);
      ColumnsOnDemand<BackEnd> on_demand(space, table, *order);
      for (ParticleColumns* columns : {static_cast<ParticleColumns*>(&copy), static_cast<ParticleColumns*>(&on_demand)}) {
        ASSERT_EQ(columns->size(), order->size());
        ParticleSet found;
        found.fields = table;
        for (const ParticleField* field : fields) {
          ASSERT_TRUE(columns->knows(*field));
          const std::span<const std::byte> values = columns->values(*field);
          ASSERT_EQ(values.size(), order->size() * field->row_bytes());
          std::copy(values.begin(), values.end(), found.resize(*field, order->size()).begin());
        }
        if (order == &present)
          EXPECT_TRUE(found.id == mine);
        else
          EXPECT_TRUE(comm.all_gather_vectors<std::uint64_t>(found.id) == sorted);
        expect_fields(order == &present ? "copy" : "sort by id on the device", found, is_any);
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

INSTANTIATE_TEST_SUITE_P(Tables, EveryField, testing::ValuesIn(table_cases()),
                         [](const testing::TestParamInfo<TableCase>& table) { return table.param.name; });

}  // namespace
}  // namespace grove::tests
