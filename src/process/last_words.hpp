// A rank that fails alone, while the others wait for it, says why and ends all ranks.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// During its lifetime, an uncaught exception on any thread ends all ranks within seconds: the rank prints one message, which names rank,
/// host and device, removes the unfinished files that it knows of, and calls MPI_Abort with the exit code of the exception.
///
/// The stack is not unwound, on purpose: destructors could wait for other ranks (HDF5 closes files together), and memory that MPI still
/// writes to would be freed. If several ranks of a node fail at once, one of them prints. An error of MPI itself waits first: usually
/// another rank has failed earlier, and ends this one. One object at a time.
class LastWords {
 public:
  /// Collective. `world` has all ranks and must outlive the object. Throws CommunicationError.
  explicit LastWords(const Communicator& world);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  /// Collective.
  ~LastWords();
};

/// Lets a rank that fails alone remove the files with partial names in `directory` for whose final names, without the directory, `is_own`
/// is true.
void remove_partial_files_on_failure(const std::filesystem::path& directory, std::function<bool(const std::string&)> is_own);

}  // namespace grove
