#include "src/run/files/version.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <array>

#include "grove_version.hpp"
#include "src/simulation/devices.hpp"

namespace grove {

namespace {

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  // Open MPI adds package and host, MPICH lines of build options.
  return all.substr(0, all.find_first_of(",\n"));
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
#ifdef H5_HAVE_PARALLEL
  const char* const kind = "parallel";
#else
  const char* const kind = "serial";
#endif
  return fmt::format("{}.{}.{}, {}", major, minor, release, kind);
}

}  // namespace

std::string version_line() { return fmt::format("Grove {} (commit {})", build_info::version, build_info::git_commit); }

std::string version_text() {
  return fmt::format("{}\nback ends: {}\nMPI:       {}\nHDF5:      {}\ncompiler:  {}, {}\n", version_line(), built_back_ends(),
                     mpi_version(), hdf5_version(), build_info::compiler, build_info::build_type);
}

Provenance program_provenance() {
  Provenance provenance;
  provenance.version = build_info::version;
  provenance.git_commit = build_info::git_commit;
  provenance.git_date = build_info::git_date;
  return provenance;
}

}  // namespace grove
