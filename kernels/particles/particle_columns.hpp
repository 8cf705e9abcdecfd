// Particles on the host, field by field, wherever they are stored: the interface for writers of files.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The particles of one rank, field by field, all fields in the same particle order.
class ParticleColumns {
 public:
  virtual ~ParticleColumns() = default;

  /// The fields that the particles can have; the same on all ranks.
  virtual const FieldTablePtr& table() const = 0;
  virtual std::size_t size() const = 0;
  /// Whether the values of a row of the table are known.
  virtual bool knows(const ParticleField& field) const = 0;
  /// The values of a known field [size() * row bytes]. Valid until the next call. May be collective: all ranks request the same fields in
  /// the same order.
  virtual std::span<const std::byte> values(const ParticleField& field) = 0;
};

/// The columns of a ParticleSet, which must outlive the object and not change.
class ColumnsOfSet final : public ParticleColumns {
 public:
  explicit ColumnsOfSet(const ParticleSet& particles) : particles_(particles) {}
  const FieldTablePtr& table() const override { return particles_.fields; }
  std::size_t size() const override { return particles_.size(); }
  bool knows(const ParticleField& field) const override { return !particles_.bytes(field).empty(); }
  std::span<const std::byte> values(const ParticleField& field) override { return particles_.bytes(field); }

 private:
  const ParticleSet& particles_;
};

}  // namespace grove
