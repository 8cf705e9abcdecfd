#include "src/run/read_ahead.hpp"

#include <stdexcept>
#include <utility>

namespace grove {

ReadAhead::ReadAhead(ParticleColumns& columns, std::vector<const ParticleField*> order, WorkerThread& thread)
    : columns_(columns), order_(std::move(order)), thread_(thread) {
  fetch_next();
}

ReadAhead::~ReadAhead() {
  try {
    thread_.wait();
  } catch (...) {
    // Whoever destroys the object early has an error of its own.
  }
}

void ReadAhead::fetch_next() {
  if (fetched_ == order_.size()) return;
  const ParticleField* const field = order_[fetched_++];
  thread_.start([this, field] { next_ = columns_.values(*field); });
}

std::span<const std::byte> ReadAhead::values(const ParticleField& field) {
  if (present_ == &field) return values_;
  present_ = nullptr;
  if (fetched_ == 0 || order_[fetched_ - 1] != &field) throw std::logic_error("the field " + field.name + " is not the next to be fetched");
  thread_.wait();
  values_ = next_;
  present_ = &field;
  fetch_next();
  return values_;
}

}  // namespace grove
