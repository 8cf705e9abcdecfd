// The sums of all pictures of one state, made where the particles are and brought to the host.
#pragma once

#include <cstdint>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particles.hpp"
#include "src/pictures/picture_plan.hpp"

namespace grove {

/// The particles that a picture shows: bit k stands for type k.
using TypeMask = std::uint32_t;

/// Adds the particles of the types in `mask` to the pixels in which they are.
/// @param mass      [pixels of the view] quanta; the caller sets them to 0 before
/// @param momentum  [pixels of the view] quanta of m |v|, or null; the same
/// Asynchronous.
template <class Space>
void add_to_pixels(Space& space, const Particles<Space>& particles, const PictureView& view, const PictureQuanta& quanta, TypeMask mask,
                   View<std::uint64_t> mass, std::uint64_t* momentum);

/// The largest speed of any particle of this rank, code units.
template <class Space>
double largest_speed(Space& space, const Particles<Space>& particles);

/// The particles of this rank that a picture shows; sums in code units.
struct ShownParticles {
  Double3 moment;  ///< sum of mass times place
  double mass = 0;
  std::uint64_t count = 0;
};
template <class Space>
ShownParticles shown_particles(Space& space, const Particles<Space>& particles, TypeMask mask);

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
  void choose_field_of_view(const Particles<Space>& particles, const Double3& middle, double mass);
  static std::size_t count_of(const PicturePlan& plan) {
    return plan.parameters.width * plan.parameters.height * plan.axes.size() * (plan.shows_speed() ? 2 : 1);
  }

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
