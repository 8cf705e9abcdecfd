#!/usr/bin/env bash
# That Grove compiles without MPI (GROVE_MPI=OFF) and with a serial HDF5. Usage: alone_test.sh ROOT COMPILER HDF5_HEADERS FLAG...
#
# Without MPI the same files are compiled, against decomposition/alone/mpi.h. So it is enough to check those that name
# something of MPI or of a parallel HDF5, here as one file and without making code. HDF5_HEADERS may be those of a
# parallel HDF5.
set -u
root=$(cd "$1" && pwd) compiler=$2 hdf5=$3
shift 3
flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"

# The headers of HDF5 as a serial one has them: hdf5.h includes those that lie beside it.
serial_headers() {
  ln -s "$hdf5"/*.h .
  ln -sf "$(realpath H5pubconf.h)" H5pubconf_of_hdf5.h
  rm H5pubconf.h
  printf '#include "H5pubconf_of_hdf5.h"\n#undef H5_HAVE_PARALLEL\n' >H5pubconf.h
}

# Compiles standard input, after both headers, which are those for one process.
compiles() {
  {
    printf '#include <%s>\n' hdf5.h mpi.h
    printf '#if defined(MPI_VERSION) || defined(H5_HAVE_PARALLEL)\n#error "not for one process"\n#endif\n'
    cat
  } | "$compiler" -x c++ -fsyntax-only -w -I. -I"$root/decomposition/alone" "${flags[@]}" -
}

files() { (cd "$root" && grep -rlE --include='*.cpp' 'MPI_[A-Z]|H5[A-Za-z_]*(mpi|coll|PARALLEL)' kernels decomposition io src); }

config() { serial_headers; }

tests_follow

files_that_name_MPI_compile_without_it() {
  [ "$(files | wc -l)" -ge 10 ] || { echo "only these are found:"; files; return 1; }
  files | sed 's/.*/#include "&"/' | compiles
}

what_only_MPI_or_a_parallel_HDF5_has_is_an_error() {
  local call
  echo 'int rank(int* r) { return MPI_Comm_rank(MPI_COMM_WORLD, r) + static_cast<int>(H5Fclose(0)); }' | compiles || return 1
  for call in 'MPI_Comm_spawn(nullptr, nullptr)' 'H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL)'; do
    ! echo "int f() { return $call; }" | compiles 2>err.txt || { echo "compiles: $call"; return 1; }
    contains err.txt "was not declared" || return 1
  done
}

run_tests
