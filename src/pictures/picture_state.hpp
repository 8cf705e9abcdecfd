// What the pictures of one state of a run, or of one snapshot, are drawn from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/pictures/picture_quanta.hpp"
#include "src/pictures/picture_view.hpp"

namespace grove {

/// The same on all ranks but for the sums, which are those of this rank until the root adds all together.
struct PictureState {
  std::vector<PictureView> views;  ///< one for each axis of the plan
  PictureQuanta quanta;
  double particle_mass = 0;         ///< the mean of those that are shown, code units
  std::span<std::uint64_t> sums{};  ///< [views][mass, and momentum where speeds are shown][pixels] quanta

  /// The sums of mass or momentum of one view; of momentum nothing where it was not summed.
  std::span<const std::uint64_t> mass_of(std::size_t view) const { return part(view, 0); }
  std::span<const std::uint64_t> momentum_of(std::size_t view) const;

 private:
  std::span<const std::uint64_t> part(std::size_t view, std::size_t which) const;
};

/// Four times the distance from the middle that has 60 % of the mass inside, in round numbers: a view of a whole galaxy, or of two that
/// meet. 1 where there is no mass, or all of it is in one place; infinite where distances are beyond the range of numbers.
/// @param mass  [distance_bins] quanta
double field_of_view_for(std::span<const std::uint64_t> mass);
/// Throws DataError where a picture cannot show so much (largest_field_of_view in picture_complaint.hpp).
void require_visible(double field_of_view);

}  // namespace grove
