#!/usr/bin/env bash
# snapshots.xdmf, the list of a run's snapshots, and the keys that say what a snapshot has. Usage: series_test.sh GROVE MPIRUN
# [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run of 8 steps with a snapshot every 2.
set -u
# shellcheck disable=SC2034 # ranks() uses them
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "disc"
n = 500
[gravity]
softening = 0.05
[time]
end = 0.5
dt = 0.0625
[output]
snapshot_every = 0.125
[run]
device = "cpu"
END
}
run() { "$grove" run run.toml --quiet "$@" 2>err.txt; }
# The names in the list are these, in order, and each has a time and two types of particles.
lists() {
  local list=$1 names
  shift
  names=$(grep -o '<Grid Name="snapshot_[0-9]*"' "$list" | cut -d'"' -f2 | xargs)
  [ "$names" = "$*" ] || { echo "$list lists '$names', not '$*'"; return 1; }
  [ "$(grep -c '<Time Value=' "$list")" -eq $# ] && [ "$(grep -c '<Topology' "$list")" -eq $((2 * $#)) ] && tail -1 "$list" | grep -q '</Xdmf>'
}
five=(snapshot_0000 snapshot_0001 snapshot_0002 snapshot_0003 snapshot_0004)
type_of() { "$grove" info --all "$1" | grep "^$2 " | tr -s ' ' | cut -d' ' -f2; }

tests_follow

the_list_has_all_snapshots_with_their_times() {
  ranks 3 run run.toml --quiet && holds lists output/snapshots.xdmf "${five[@]}" && contains output/snapshots.xdmf '<Time Value="0.375"/>' &&
    holds [ ! -e output/snapshots.xdmf.partial ]
}

# Of a long list, not every snapshot makes a new file: the last of these does not.
a_long_list_is_whole_at_the_end() {
  run --set initial_conditions.n=20 --set time.end=2.99 --set time.dt=0.01 --set output.snapshot_every=0.01 &&
    holds [ "$(grep -c '<Time Value=' output/snapshots.xdmf)" -eq 300 ] && contains output/snapshots.xdmf snapshot_0299.hdf5
}

a_run_that_goes_on_lists_the_snapshots_of_all_its_jobs() {
  run --set time.end=0.25 && holds lists output/snapshots.xdmf "${five[@]:0:3}" || return 1
  run --set time.end=0.5 --continue && holds lists output/snapshots.xdmf "${five[@]}"
}

a_run_that_goes_on_lists_what_is_there_even_where_the_list_was_lost() {
  run --set time.end=0.25 && rm output/snapshots.xdmf output/snapshot_0001.hdf5 || return 1
  run --set time.end=0.5 --continue && holds lists output/snapshots.xdmf snapshot_0000 snapshot_000{2,3,4}
}

snapshots_that_are_set_aside_leave_the_list() {
  run --set time.end=0.25 --set output.checkpoint_steps=3 && rm -f output/checkpoint_1.hdf5 || return 1
  run --set time.end=0.5 --set output.single_precision=velocity --continue || { cat err.txt; return 1; }
  local there
  there=$(cd output && ls snapshot_*.hdf5 | sed 's/.hdf5//' | xargs)
  # shellcheck disable=SC2086
  holds lists output/snapshots.xdmf $there
}

the_list_is_set_aside_with_the_snapshots() {
  run && run --overwrite --set time.end=0.25 && holds lists output.1/snapshots.xdmf "${five[@]}" && holds lists output/snapshots.xdmf "${five[@]:0:3}"
}

a_list_alone_is_a_result() {
  run && rm output/*.hdf5 output/*.csv output/*.toml && fails_with 2 snapshots.xdmf "$grove" run run.toml
}

a_file_of_others_with_that_name_is_not_touched() {
  mkdir output && echo '<?xml version="1.0"?><Xdmf>mine</Xdmf>' >output/snapshots.xdmf && cp output/snapshots.xdmf mine || return 1
  fails_with 4 "output/snapshots.xdmf: cannot be created: there is a file of this name that Grove has not written" "$grove" run run.toml &&
    fails_with 4 snapshots.xdmf "$grove" run run.toml --overwrite && holds cmp mine output/snapshots.xdmf || return 1
  rm output/snapshots.xdmf && run --set time.end=0.25 && cp mine output/snapshots.xdmf || return 1
  fails_with 4 snapshots.xdmf ranks 2 run run.toml --continue && holds cmp mine output/snapshots.xdmf && holds [ ! -e output/snapshot_0003.hdf5 ]
}

a_list_that_cannot_be_written_ends_the_run_or_not_as_asked() {
  mkdir -p output/snapshots.xdmf.partial/full || return 1
  run && { echo "no error"; return 1; }
  contains err.txt output/snapshots.xdmf.partial && one_message || return 1
  "$grove" run run.toml --overwrite --set output.on_error=continue >out.txt 2>err.txt || { cat err.txt; return 1; }
  contains err.txt "the run continues without" && lacks out.txt "could not be written" && holds [ -e output/snapshot_0004.hdf5 ]
}

without_snapshots_there_is_no_list() {
  run --set output.snapshots=none && holds [ ! -e output/snapshots.xdmf ]
}

fields_are_left_out_and_in_single_precision_as_asked() {
  ranks 2 run run.toml --quiet --set 'output.leave_out="potential, acceleration"' --set output.single_precision=position --set output.compression=9 || return 1
  local file=output/snapshot_0004.hdf5
  holds [ "$(type_of $file PartType2/Coordinates)" = f4 ] && holds [ "$(type_of $file PartType2/Velocities)" = f8 ] || return 1
  "$grove" info --all $file >info.txt && lacks info.txt Potential && lacks info.txt PartType1/Acceleration && lacks output/snapshots.xdmf Potential &&
    contains output/snapshots.xdmf 'NumberType="Float" Precision="4"'
}

what_is_packed_is_the_same_state() {
  run --set initial_conditions.n=20000 --set time.end=0.125 && mv output whole &&
    run --set initial_conditions.n=20000 --set time.end=0.125 --set output.compression=6 && for file in snapshot_0000 snapshot_0001; do
    "$grove" info whole/$file.hdf5 | tail -n +2 >a.txt && "$grove" info output/$file.hdf5 | tail -n +2 >b.txt && holds cmp a.txt b.txt || return 1
    holds [ "$(stat -c %s output/$file.hdf5)" -lt "$(stat -c %s whole/$file.hdf5)" ] || return 1
  done
}

keys_of_fields_say_what_is_possible() {
  fails_with 2 'output.leave_out = "mass": "mass" is no particle field that can be left out; these are: potential, acceleration' "$grove" run run.toml --set output.leave_out=mass &&
    fails_with 2 'these are: position, velocity, mass, potential, acceleration' "$grove" run run.toml --set output.single_precision=id &&
    fails_with 2 'is not written at all' "$grove" run run.toml --set output.single_precision=potential --set output.leave_out=potential &&
    fails_with 2 'output.compression = 10' "$grove" run run.toml --set output.compression=10
}

going_on_from_rounded_numbers_is_said() {
  run --set time.end=0.25 --set output.single_precision=position,velocity --set output.checkpoints=no || return 1
  "$grove" run run.toml --set output.single_precision=position,velocity --continue >out.txt 2>&1 &&
    contains out.txt "the snapshot has position and velocity in single precision"
}

run_tests
