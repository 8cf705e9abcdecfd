// What a rank does that fails alone, while the other ranks wait for it: it says why, and ends all ranks.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "decomposition/communicator.hpp"

namespace grove {

/// While an object lives, an exception that nobody catches, on any thread, ends all ranks within seconds: the rank prints one message,
/// which names rank, host and device, removes the unfinished files that it knows of, and calls MPI_Abort with the exit code of the
/// exception.
///
/// The stack is not unwound, on purpose: destructors could wait for other ranks (HDF5 closes files together), and memory that MPI still
/// writes to would be freed. Where several ranks of a node fail at once, one of them speaks. An error of MPI itself waits before it speaks:
/// as a rule another rank has failed before, and ends this one.
///
/// One object at a time.
class LastWords {
 public:
  /// Collective. `world` has all ranks and must outlive the object. Throws CommunicationError.
  explicit LastWords(const Communicator& world);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  /// Collective.
  ~LastWords();
};

/// Says that a file under its partial name in `directory` is an unfinished one of this program where `is_own` says so of its final name,
/// which is without the directory. A rank that fails alone removes such files.
void remove_partial_files_on_failure(const std::filesystem::path& directory, std::function<bool(const std::string&)> is_own);

}  // namespace grove
