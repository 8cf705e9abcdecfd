// Makes the next field of particles ready while the one before is written.
#pragma once

#include <vector>

#include "kernels/particles/particle_columns.hpp"
#include "src/run/worker_thread.hpp"

namespace grove {

/// Fields that are asked for in a known order. Each is fetched on another thread while the one before it is in use.
class ReadAhead final : public ParticleColumns {
 public:
  /// `order`: the fields that will be asked for; the same field may be asked for several times in a row. The values of a field of `columns`
  /// must stay valid while the next one is fetched. Nothing else may use `columns` and `thread` as long as the object lives; both must
  /// outlive it.
  ReadAhead(ParticleColumns& columns, std::vector<const ParticleField*> order, WorkerThread& thread);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  /// Waits for the field that is being fetched. What this throws is lost.
  ~ReadAhead() override;

  const FieldTablePtr& table() const override { return columns_.table(); }
  std::size_t size() const override { return columns_.size(); }
  bool knows(const ParticleField& field) const override { return columns_.knows(field); }
  /// Throws what fetching the field has thrown, and std::logic_error for a field that is not next.
  std::span<const std::byte> values(const ParticleField& field) override;

 private:
  void fetch_next();

  ParticleColumns& columns_;
  std::vector<const ParticleField*> order_;
  WorkerThread& thread_;
  std::size_t fetched_ = 0;  ///< fields of order_ that have been fetched or are being fetched
  const ParticleField* present_ = nullptr;
  std::span<const std::byte> values_, next_;
};

}  // namespace grove
