// Centres of mass and mean velocities of generated models, made exact.
//
// The centre of mass of a sample is off because of its outermost particles. Shifting a halo as a whole would move its dense centre away
// from the disc, by half a scale length for 4,000 particles. Instead x -> x - a r, where r is the distance from the centre and the vector a
// makes the sum of m x zero: |a| is a few per cent for thousands of particles, and the centre stays in place. All velocities are shifted by
// the same vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/generators/generator.hpp"

namespace grove {

/// Sums of m, m x, m r and m v of each component, about its centre, in fixed blocks of the ids 0 .. n - 1. Part `part`
/// of `parts` has the sums of its own blocks and zeros for all others: the sum over all parts is the same, bit for bit, for any number of
/// parts. Draws the particles of its blocks, parallel over OpenMP threads.
std::vector<double> block_sums(const Model& model, std::uint64_t n, int part, int parts);

/// `model` with every component moved so that it has the centre of mass and the mean velocity that it is meant to have. `sums`: the
/// block_sums() of all blocks.
Model recentred(Model model, std::span<const double> sums);

}  // namespace grove
