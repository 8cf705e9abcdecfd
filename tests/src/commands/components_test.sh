#!/usr/bin/env bash
# Components with softening lengths of their own, as a user meets them. Usage: components_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a run of a disc in a halo.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "disc"
n = 4000
[gravity]
softening = {halo = 0.3, disc = 0.05}
[time]
end = 0.4
dt = 0.05
[output]
snapshot_every = 0.2
[run]
device = "cpu"
END
}
# particles_of SNAPSHOT: a text of all that is in its particles.
particles_of() { h5dump -m '%.17g' -g /PartType1 -g /PartType2 "$1" | tail -n +2; }
# attribute FILE GROUP NAME
attribute() { h5dump -m '%.17g' -a "$2/$3" "$1" | sed -n 's/^ *(0): //p'; }

tests_follow

a_run_says_records_and_keeps_the_lengths() {
  ends_with 0 "$grove" run run.toml && contains out.txt "softening {disc = 0.05, halo = 0.3} (plummer)" || return 1
  local snapshot=output/snapshot_0002.hdf5
  holds [ "$(attribute $snapshot /Parameters SofteningComovingClass0)" = 0.050000000000000003 ] || return 1
  holds [ "$(attribute $snapshot /Parameters SofteningComovingClass1)" = 0.29999999999999999 ] || return 1
  holds [ "$(attribute $snapshot /Parameters SofteningClassOfPartType1)$(attribute $snapshot /Parameters SofteningClassOfPartType2)" = 10 ] || return 1
  # The printed configuration is the same run.
  ends_with 0 "$grove" run output/used_parameters.toml --set output.directory=again --quiet &&
    holds cmp <(particles_of $snapshot) <(particles_of again/snapshot_0002.hdf5)
}

a_run_that_goes_on_has_the_same_bits() {
  local ranks
  for ranks in 1 3; do
    ends_with 0 ranks $ranks run run.toml --quiet --set output.directory=whole$ranks &&
      ends_with 0 ranks $ranks run run.toml --quiet --set output.directory=parts$ranks --set time.end=0.2 &&
      ends_with 0 ranks $ranks run run.toml --quiet --set output.directory=parts$ranks --continue &&
      holds cmp <(particles_of whole$ranks/snapshot_0002.hdf5) <(particles_of parts$ranks/snapshot_0002.hdf5) || return 1
  done
  ends_with 2 "$grove" run run.toml --continue --set output.directory=parts1 --set time.end=0.6 --set gravity.softening=0.3 &&
    contains err.txt "gravity.softening = 0.3, before {disc = 0.05, halo = 0.3}"
}

lengths_without_component_and_components_without_length_are_named() {
  local ranks
  for ranks in 1 3; do
    ends_with 2 ranks $ranks run run.toml --set "gravity.softening={halo=1.0}" && one_message &&
      contains err.txt "gravity.softening has no length for disc: the particles have the components halo, disc" &&
      ends_with 2 ranks $ranks run run.toml --set "gravity.softening={halo=1.0, disk=0.4, disc=0.4}" && one_message &&
      contains err.txt 'gravity.softening: there is no component called "disk"' &&
      ends_with 2 ranks $ranks run run.toml --set "gravity.softening={halo=1.0, disc=0}" && one_message &&
      contains err.txt "some components have a softening of 0" || return 1
  done
  holds [ ! -e output ]
}

forces_are_checked_and_timed_with_the_lengths() {
  ends_with 0 "$grove" check run.toml --targets 200 --max-99 5e-3 && contains out.txt "softening {disc = 0.05, halo = 0.3}" &&
    ends_with 0 "$grove" bench --ic disc --n 4000 --set "gravity.softening={halo=0.3, disc=0.05}" --check 200 --json bench.json && contains bench.json '"disc": 0.05' || return 1
  ends_with 2 "$grove" bench --ic disc --n 4000 --set "gravity.softening={halo=0.3, disc=0.05}" --virtual-ranks 4 && contains err.txt "takes one gravity.softening"
}

run_tests
