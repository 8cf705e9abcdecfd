#!/usr/bin/env bash
# Grove under other MPIs: its programs, which are built with Open MPI 4, under Open MPI 5, which has the same binary interface; and a build
# with MPICH.
# Usage: other_mpi_test.sh ROOT GROVE MPIRUN DIRECTORY_OF_TESTS VENV TEST...
# VENV is a virtual environment with the package openmpi (tests/io/readers_venv.sh); TEST is RANKS:NAME, a test and its number of ranks.
# Each test is a function, as tests/support/shell_tests.sh says.
# shellcheck disable=SC2015  # "a && b || c" of checks
set -u
root=$1 usual_grove=$2 usual_mpirun=$3 usual_tests=$4 venv=$5
messages=("${@:6}")
source "$root/tests/support/shell_tests.sh"
usual_flags=(--map-by :OVERSUBSCRIBE --bind-to none)

use_open_mpi_5() {
  local version
  [ -x "$venv/bin/mpirun" ] || is_not_tried "there is no Open MPI 5 (the package openmpi of the Python package index)"
  export LD_LIBRARY_PATH=$venv/lib
  grove=$usual_grove test_directory=$usual_tests mpirun=$venv/bin/mpirun mpirun_flags=("${usual_flags[@]}")
  version=$(ldd "$grove" | sed -n 's/.*=> \(.*libmpi\.so[^ ]*\).*/\1/p')
  [ "$version" = "$venv/lib/libmpi.so.40" ] || is_not_tried "Grove is not built with an Open MPI of this binary interface: $version"
}
use_mpich() {
  command -v mpicxx.mpich >/dev/null || is_not_tried "there is no MPICH (apt install mpich libhdf5-mpich-dev)"
  grove=$directory/mpich/grove test_directory=$directory/mpich/tests mpirun=mpiexec.mpich mpirun_flags=()
  [ -x "$grove" ] || build_with_mpich >build.txt 2>&1 || { tail -n 40 build.txt; return 1; }
}
build_with_mpich() {
  cmake -S "$root" -B "$directory/mpich" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DGROVE_UNITY_BUILD=ON -DGROVE_WERROR=ON \
    -DGROVE_CUDA=OFF -DGROVE_TESTS=ON -DMPI_CXX_COMPILER=mpicxx.mpich -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)" &&
    cmake --build "$directory/mpich" --parallel "$(nproc)" --target grove failing_run $(printf '%s\n' "${messages[@]#*:}" | sort -u)
}

messages_pass() {
  local test failed=0
  holds [ ${#messages[@]} -gt 0 ] || return 1
  for test in "${messages[@]}"; do
    timeout -s KILL 300 "$mpirun" -n "${test%%:*}" "${mpirun_flags[@]}" "$test_directory/${test#*:}" >out.txt 2>&1 ||
      { echo "${test#*:} on ${test%%:*} ranks:"; cat out.txt; failed=1; }
  done
  return $failed
}
config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 4000
[gravity]
softening = 0.05
[time]
end = 6.0
dt = 0.03125
[output]
snapshot_every = 0.25
checkpoint_steps = 10
END
}
run_to_the_end() { ranks 3 run run.toml --device cpu --quiet "$@"; }
# One rank is killed: all end, and the run continues.
continues_after_a_kill() {
  local process status
  run_to_the_end &
  process=$!
  for _ in $(seq 300); do [ "$(cat output/energy.csv 2>/dev/null | wc -l)" -gt 50 ] && break; sleep 0.1; done
  kill -KILL "$(processes_of $process | tail -n 1)"
  wait $process
  status=$?
  holds [ $status -ne 0 ] && run_to_the_end --continue && has_the_bits_of_whole
}
# An exception, a failed call of MPI, and a rank that exits, as tests/src/commands/failures_test.sh asks.
one_rank_ends_all() {
  GROVE_TEST_ONLY='^a_rank_that_fails|^an_error_of_mpi|^a_rank_that_is_killed|^different_command_lines' GROVE_TEST_NOT='' \
    bash "$root/tests/src/commands/failures_test.sh" "$grove" "$test_directory/failing_run" "$mpirun" "${mpirun_flags[@]}"
}

tests_follow

open_mpi_5_passes_messages() { use_open_mpi_5 && messages_pass; }
open_mpi_5_has_the_bits_of_open_mpi_4() {
  local grove=$usual_grove mpirun=$usual_mpirun mpirun_flags=("${usual_flags[@]}")
  run_to_the_end && mv output whole && use_open_mpi_5 && run_to_the_end && has_the_bits_of_whole && rm -r output && continues_after_a_kill
}
open_mpi_5_ends_with_one_rank() { use_open_mpi_5 && one_rank_ends_all; }

mpich_passes_messages() { use_mpich && messages_pass; }
mpich_continues_with_the_same_bits() { use_mpich && run_to_the_end && mv output whole && continues_after_a_kill; }
mpich_ends_with_one_rank() { use_mpich && one_rank_ends_all; }

run_tests
