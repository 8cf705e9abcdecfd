// Centres of mass and mean velocities of generated models, made exact.
//
// The centre of mass of a sample is off because of its outermost particles. To shift a halo as a whole would move its dense centre
// away from the disc that lies there, by half a scale length for 4,000 particles. So every particle is moved by the same part of its
// distance r from the centre: x -> x - a r with the one vector a that makes the sum of m x zero. |a| is below 1, a few per cent for
// thousands of particles, and the centre stays where it is. Velocities are all shifted alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/generators/generator.hpp"

namespace grove {

/// Sums of m, m x, m r and m v of each particle type, about the centre of its component, in fixed blocks of the ids 0 .. n - 1. Part `part`
/// of `parts` has the sums of its blocks and zeros for all others: added up element by element, all parts together give the sums of all
/// blocks, bit for bit the same for any number of parts. Draws the particles of its blocks, parallel over OpenMP threads.
std::vector<double> block_sums(const Model& model, std::uint64_t n, int part, int parts);

/// `model` with every component moved so that it has the centre of mass and the mean velocity that it is meant to have. `sums`: the
/// block_sums() of all blocks.
Model recentred(Model model, std::span<const double> sums);

}  // namespace grove
