// The field of particles in the memory of one space.
#pragma once

#include <memory>

#include "src/external/external_field.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/field.hpp"
#include "src/solver/point_forces.hpp"

namespace grove {

template <class Space>
class FieldOn final : public Field {
 public:
  /// Takes the particles `sources` of all ranks: position, mass and type. `space`: as for them, on the same device. `comm` must outlive it.
  /// Collective. Throws AgreedError.
  FieldOn(std::unique_ptr<Space> space, std::unique_ptr<Space> space_of_points, const GravityParameters& gravity, const Communicator& comm,
          const SimulationSetup& setup, ParticleSet sources, double time);

  FieldValues at(std::span<const double> points, double time) override;

 private:
  void add_external(const std::vector<Double4>& points, double time, std::vector<Double4>& field);

  const std::unique_ptr<Space> space_, space_of_points_;
  const Communicator& comm_;
  ExternalField<Space> external_;
  Particles<Space> sources_;
  std::unique_ptr<PointForces<Space>> gravity_;
};

}  // namespace grove
