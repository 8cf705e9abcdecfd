// Copies of particles on the host, field by field, in their present order or sorted by id on the device: what a snapshot is written from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/particles/particle_columns.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

enum class ParticleOrder : std::uint8_t { as_they_are, by_id };

/// A field and where it goes: [particles * row bytes] on the host, at a multiple of 64 bytes.
struct FieldTarget {
  const ParticleField* field;
  std::byte* to;
};

/// Copies fields of all particles of a rank to the host. The order is found once, by a sort on the device; each array of particles is then
/// brought into it piece by piece, and taken apart into its fields. On the device this takes 28 bytes a particle for the sort, of which 12
/// stay, and 12 MiB for the pieces. They lie where the trees of the last force evaluation were: those are gone.
template <class Space>
class ColumnReader {
 public:
  /// Space and particles must outlive the object, and the particles must not change as long as it lives; fewer than 2^32. Nothing else may
  /// take memory from the arena of the space meanwhile. Equal ids keep their order.
  ColumnReader(Space& space, const Particles<Space>& particles, ParticleOrder order);
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  /// Copies fields of the particles' table. Asynchronous: see wait().
  void read(const std::vector<FieldTarget>& targets);
  /// Waits until all fields are there. To be called before the object goes.
  void wait();

 private:
  void read_array(std::size_t number, const std::vector<FieldTarget>& targets);
  /// The items [first, first + count) of an array in the new order.
  const std::byte* items_in_order(std::size_t number, std::size_t first, std::size_t count);
  /// Enqueues the copy of what the host can see only after it; see the source.
  void send_piece(const std::byte* piece, std::byte* to, std::size_t bytes);

  Space& space_;
  const Particles<Space>& particles_;
  Scratch<Space, std::uint32_t> order_;  ///< [particles] which particle comes where; empty: as they are
  Scratch<Space, std::uint64_t> ids_;    ///< [particles] in the new order, like order_
  Scratch<Space, std::byte> items_;      ///< a piece of an array, in the new order
  Scratch<Space, std::byte> rows_;       ///< on a GPU, two pieces of its fields by turns: one is filled while the other is copied
  std::size_t piece_count_ = 0;          ///< so far
};

/// Fields of all particles, copied to the host together: a state that stays as it is while the simulation goes on. Keeps its memory from
/// one state to the next.
template <class Space>
class HostCopy final : public ParticleColumns {
 public:
  using Fields = std::vector<const ParticleField*>;

  /// The space must outlive the object.
  HostCopy(Space& space, FieldTablePtr table) : space_(space), table_(std::move(table)), memory_(space.host_memory()) {}

  /// Bytes of the host that a copy of `count` particles with `fields` takes.
  static std::size_t bytes_of(std::size_t count, const Fields& fields);
  std::size_t capacity() const { return memory_.bytes(); }
  /// Takes at least so many bytes; the copy before is lost. On a GPU they are page-locked, which takes about as long as writing to them.
  /// Throws SystemError when they cannot be had; then it has none.
  void reserve(std::size_t bytes);
  /// Gives the memory back; the copy is lost.
  void release();
  /// Copies `fields`, rows of the table, of all particles. They must fit. Synchronises.
  void take(const Particles<Space>& particles, const Fields& fields, ParticleOrder order);

  const FieldTablePtr& table() const override { return table_; }
  std::size_t size() const override { return count_; }
  bool knows(const ParticleField& field) const override;
  std::span<const std::byte> values(const ParticleField& field) override;

 private:
  struct Column {
    const ParticleField* field;
    std::size_t at;  ///< offset in memory_
  };
  const Column* find(const ParticleField& field) const;

  Space& space_;
  FieldTablePtr table_;
  Buffer<typename Space::HostMemory, std::byte> memory_;
  std::vector<Column> columns_;
  std::size_t count_ = 0;
};

/// Fields of all particles, each copied to the host when it is asked for: takes the host's memory for one field alone. The particles must
/// not change as long as the object lives.
template <class Space>
class ColumnsOnDemand final : public ParticleColumns {
 public:
  ColumnsOnDemand(Space& space, const Particles<Space>& particles, ParticleOrder order)
      : table_(particles.table()), count_(particles.size()), reader_(space, particles, order) {}
  const FieldTablePtr& table() const override { return table_; }
  std::size_t size() const override { return count_; }
  bool knows(const ParticleField&) const override { return true; }
  std::span<const std::byte> values(const ParticleField& field) override;

 private:
  FieldTablePtr table_;
  std::size_t count_;
  ColumnReader<Space> reader_;
  const ParticleField* present_ = nullptr;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::size_t capacity_ = 0;  ///< lines
  std::unique_ptr<Line[]> memory_;
};

}  // namespace grove
