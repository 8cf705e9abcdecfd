// What the tests of readers and snapshots share: particles to compare, files to make, messages to look at.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/reader.hpp"
#include "kernels/particles/particle_set.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {

/// The particles of all ranks in rank order, on every rank. Collective.
inline ParticleSet all_particles(const ParticleSet& local, const Communicator& comm) {
  const auto join = [&](const auto& values) {
    return comm.all_gather_vectors(std::span<const typename std::decay_t<decltype(values)>::value_type>(values));
  };
  return {join(local.position), join(local.velocity),     join(local.mass),     join(local.id),
          join(local.type),     join(local.acceleration), join(local.potential)};
}

/// The message that reading a file must end with, on all ranks alike. Collective.
inline std::string read_error(const std::string& path, const Communicator& comm) {
  return data_error_of([&] { read_particles(path, comm); });
}

/// Makes a file on the root. Collective.
inline void write_file(const std::string& path, const std::string& bytes, const Communicator& comm) {
  if (comm.is_root()) std::ofstream(path, std::ios::binary) << bytes;
  comm.barrier();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Passes when `text` contains all of `parts`.
inline testing::AssertionResult names(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (!contains(text, part)) return testing::AssertionFailure() << "'" << text << "' does not name '" << part << "'";
  }
  return testing::AssertionSuccess();
}

}  // namespace grove
