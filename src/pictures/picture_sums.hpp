// The sums of all pictures of one state, made where the particles are and brought to the host.
#pragma once

#include <cstdint>

#include "decomposition/ranks/communicator.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/pictures/picture_state.hpp"
#include "src/pictures/pixel_sums.hpp"

namespace grove {

/// Keeps its memory from one state to the next.
template <class Space>
class PictureSums {
 public:
  /// The sums of one state on the host.
  using OnHost = Buffer<typename Space::HostMemory, std::uint64_t>;

  /// All arguments must outlive the object. `field_of_view`: known from an earlier job, or 0.
  PictureSums(Space& space, const Communicator& comm, const PicturePlan& plan, const ComponentNames& names, double field_of_view = 0);

  /// Sums over the particles of this rank. The result refers to `sums`, which is resized. Synchronises. Collective. Throws AgreedError when
  /// a component is not there or memory is short.
  PictureState collect(const Particles<Space>& particles, OnHost& sums);

  /// Bytes of the sums of one state.
  static std::uint64_t bytes_of(const PicturePlan& plan) { return count_of(plan) * sizeof(std::uint64_t); }

  /// Length that the width of the pictures stands for, code units; 0 before there is any.
  double field_of_view() const { return field_of_view_; }

 private:
  void find_types(const Particles<Space>& particles);
  Double3 place_of_middle(const ShownParticles& shown) const;
  void choose_field_of_view(const Particles<Space>& particles, const Double3& middle, double mass);
  static std::size_t count_of(const PicturePlan& plan);

  Space& space_;
  const Communicator& comm_;
  const PicturePlan& plan_;
  const ComponentNames& names_;
  double field_of_view_;
  bool are_types_known_ = false;
  TypeMask mask_ = 0;
  Buffer<Space, std::uint64_t> sums_;
};

}  // namespace grove
