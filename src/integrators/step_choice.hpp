// The choice between block steps and the same step for all, by measured time.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/saved_state.hpp"
#include "src/integrators/rung_work.hpp"

namespace grove {

/// For time.steps = "auto". The first base step is one of block steps: its time is measured, and so is that of a sub-step in which all
/// particles get a force. If as many of these as the shortest step asks for would take less, all particles have the same step from then on.
/// One base step in `looks_every` is one of block steps in any case, since only these tell which steps the particles want.
class StepChoice {
 public:
  static constexpr std::uint64_t looks_every = 32;

  /// Whether the next base step has the same step for all.
  bool are_alike() const { return are_alike_ && since_look_ < looks_every; }
  /// Whether the next base step is one of block steps after others that were the same for all: particles then choose theirs anew.
  bool looks_again() const { return are_alike_ && !are_alike(); }
  /// To be called after each base step with its work on all ranks; the same on all of them.
  void look(const RungCensus& work);
  /// What was chosen and why, one sentence for the user; empty before the first base step.
  const std::string& text() const { return text_; }

  void save(SavedState& state) const;
  void restore(const SavedState& state);

 private:
  enum class Kind { none, base_step, same, block };  ///< of what the user was told
  void tell(Kind kind, const std::string& text);

  bool are_alike_ = false;
  Kind told_ = Kind::none;
  std::uint64_t since_look_ = 0;  ///< base steps with the same step for all
  std::string text_;
};

}  // namespace grove
