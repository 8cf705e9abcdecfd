// Copies of particles on the host, field by field, in a given order. Snapshots are written from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/particles/item_order.hpp"
#include "kernels/particles/particle_columns.hpp"

namespace grove {

/// A field and its destination: [particles * row bytes] on the host, aligned to 64 bytes.
struct FieldTarget {
  const ParticleField* field;
  std::byte* to;
};

/// Copies fields of particles to the host: each array in pieces, which are divided into fields. Uses 8 MiB on a GPU.
template <class Space>
class ColumnReader {
 public:
  /// Space and order must outlive the object. Scratch of the space that is taken later must be released earlier.
  ColumnReader(Space& space, const FieldTablePtr& table, ItemOrder<Space>& order);
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  /// Copies fields of the table. Asynchronous: see wait(). Collective if the order is.
  void read(const std::vector<FieldTarget>& targets);
  /// Waits until all fields are copied. Call it before the object is destroyed.
  void wait();

 private:
  /// Items of an array: particles [first, first + count) in the order.
  struct Items {
    const std::byte* data;
    std::size_t item_bytes, first, count;
  };
  void take_fields(const Items& items, const std::vector<FieldTarget>& targets);
  /// Enqueues a copy from the GPU to the host.
  void send_piece(const std::byte* piece, std::byte* to, std::size_t bytes);

  Space& space_;
  const FieldTablePtr table_;
  ItemOrder<Space>& order_;
  Scratch<Space, std::byte> rows_;  ///< on a GPU, two pieces of a field: one is filled while the other is copied
  std::size_t piece_count_ = 0;     ///< so far
};

/// A copy of fields of all particles on the host, which does not change while the simulation continues. Memory is reused for the next copy.
template <class Space>
class HostCopy final : public ParticleColumns {
 public:
  using Fields = std::vector<const ParticleField*>;

  /// The space must outlive the object.
  HostCopy(Space& space, FieldTablePtr table) : space_(space), table_(std::move(table)), memory_(space.host_memory()) {}

  /// Bytes of a copy of `count` particles with `fields`.
  static std::size_t bytes_of(std::size_t count, const Fields& fields);
  std::size_t capacity() const { return memory_.bytes(); }
  /// Allocates at least `bytes`; the last copy is lost. For a GPU the memory is page-locked, which takes about as long as writing to it.
  /// Throws SystemError when memory is short; then it holds none.
  void reserve(std::size_t bytes);
  /// Frees the memory; the copy is lost.
  void release();
  /// Copies `fields`, rows of the table, in `order`. They must fit. Synchronises. Collective if the order is.
  void take(const Fields& fields, ItemOrder<Space>& order);

  const FieldTablePtr& table() const override { return table_; }
  std::size_t size() const override { return count_; }
  bool knows(const ParticleField& field) const override { return find(field) != nullptr; }
  std::span<const std::byte> values(const ParticleField& field) override;

 private:
  const FieldTarget* find(const ParticleField& field) const;

  Space& space_;
  FieldTablePtr table_;
  Buffer<typename Space::HostMemory, std::byte> memory_;
  std::vector<FieldTarget> columns_;  ///< in memory_
  std::size_t count_ = 0;
};

/// Fields of all particles, each copied to the host on request. Needs host memory for one field.
template <class Space>
class ColumnsOnDemand final : public ParticleColumns {
 public:
  /// The arguments must outlive the object.
  ColumnsOnDemand(Space& space, FieldTablePtr table, ItemOrder<Space>& order)
      : table_(std::move(table)), count_(order.size()), reader_(space, table_, order) {}
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
