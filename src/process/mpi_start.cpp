#include "src/process/mpi_start.hpp"

#include <mpi.h>

#include <cstdlib>
#include <string>

#include "kernels/base/error.hpp"

namespace grove {

void start_mpi() {
  // Open MPI 4.1 overflows a buffer for paths of 246 bytes and more in a part that Grove does not use: shared file pointers.
  setenv("OMPI_MCA_sharedfp", "^lockedfile", 0);
  int provided = MPI_THREAD_SINGLE, length = 0;
  if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided); code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_string(code, text, &length);
    throw SystemError(std::string("MPI cannot be started: ") + text);
  }
  if (provided < MPI_THREAD_FUNNELED) throw SystemError("MPI cannot be started with threads (MPI_THREAD_FUNNELED)");
}

}  // namespace grove
