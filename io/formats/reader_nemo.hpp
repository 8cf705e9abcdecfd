// Snapshots of NEMO, the stellar dynamics toolbox, in its structured binary files of both byte orders and both precisions.
//
// A file has one snapshot; with several, the reader asks for one. All particles are of type 1, ids are row numbers from 0. What particles
// have besides masses, positions and velocities (keys, potentials, ...) is not used, and a note says so.
#pragma once

#include "io/formats/input_format.hpp"
#include "io/formats/nemo_file.hpp"

namespace grove {

/// The root looks at the structure of the file; then each rank reads its own rows. Collective.
ParticleSet read_nemo(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
std::vector<FieldDescription> nemo_fields(const std::filesystem::path& path);

}  // namespace grove
