// The sums of all pictures of one state, made where the particles are and brought to the host.
#pragma once

#include <cstdint>

#include "decomposition/communicator.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/pictures/picture_state.hpp"
#include "src/pictures/pixel_sums.hpp"

namespace grove {

/// Keeps its memory from one state to the next.
template <class Space>
class PictureSums {
 public:
  /// All arguments must outlive the object. `field_of_view`: known from an earlier job, or 0.
  PictureSums(Space& space, const Communicator& comm, const PicturePlan& plan, const ComponentNames& names, double field_of_view = 0);

  /// Looks at the particles of all ranks. The result is valid until the next call. Synchronises. Collective. Throws AgreedError, when a
  /// component is not there or memory is short.
  PictureState collect(const Particles<Space>& particles);

  /// Length that the width of the pictures stands for, code units; 0 before there is any.
  double field_of_view() const { return field_of_view_; }

 private:
  void find_types(const Particles<Space>& particles);
  Double3 place_of_middle(const ShownParticles& shown) const;
  void choose_field_of_view(const Particles<Space>& particles, const Double3& middle, double mass);
  void reserve();

  Space& space_;
  const Communicator& comm_;
  const PicturePlan& plan_;
  const ComponentNames& names_;
  double field_of_view_;
  bool are_types_known_ = false;
  TypeMask mask_ = 0;
  Buffer<Space, std::uint64_t> sums_;
  Buffer<typename Space::HostMemory, std::uint64_t> host_sums_;
};

}  // namespace grove
