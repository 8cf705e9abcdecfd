#!/usr/bin/env bash
# Runs that continue from snapshots, with other settings, or after something could not be written. Usage: going_on_test.sh GROVE MPIRUN
# [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run of 64 steps with a snapshot every
# 16. GROVE_TEST_ONLY in the environment: a regular expression for the names of the tests [all].
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 500
[gravity]
softening = 0.05
[time]
end = 2.0
dt = 0.03125
[output]
snapshot_every = 0.5
[run]
device = "cpu"
END
}
goes_on() { ends_with "$1" "$grove" run run.toml --continue "${@:2}"; }
# The run up to t = 2, and a few steps more in its logs alone.
run_without_checkpoints() {
  ends_with 0 "$grove" run run.toml --quiet --set time.end=2.125 --set output.checkpoints=no && rm output/snapshot_0005.hdf5 || return 1
  holds [ "$(ls output)" = "$(printf '%s\n' energy.csv snapshot_000{0,1,2,3,4}.hdf5 snapshots.xdmf timings.csv used_parameters.toml)" ]
}
# column FILE NUMBER: of the rows.
column() { tail -n +2 "$1" | cut -d, -f"$2"; }
# Each row of the logs follows the one before, also in the number of its step.
rows_follow_each_other() {
  holds cmp <(column output/timings.csv 1) <(seq 0 $(($(column output/timings.csv 1 | wc -l) - 1))) || { column output/timings.csv 1 | tail; return 1; }
  holds cmp <(column output/energy.csv 1) <(column output/timings.csv 2) && holds cmp <(column output/energy.csv 1) <(column output/energy.csv 1 | sort -gu)
}

tests_follow

settings_are_compared_with_those_in_a_snapshot() {
  run_without_checkpoints && cp -r output before || return 1
  goes_on 2 --set time.end=3 --set gravity.softening=0.3 && contains err.txt "output/snapshot_0004.hdf5: gravity.softening = 0.3, before 0.05" &&
    contains err.txt "--force-config" && holds diff -r before output || return 1
  ends_with 2 ranks 2 run run.toml --continue --set time.end=3 --set initial_conditions.n=9000 && contains err.txt "initial_conditions.n = 9000, before 500" &&
    holds diff -r before output || return 1
  ends_with 0 ranks 2 run run.toml --continue --set time.end=3 --set gravity.softening=0.3 --force-config &&
    contains out.txt "other settings than before: gravity.softening = 0.3, before 0.05. The energy jumps there" && rows_follow_each_other
}

a_snapshot_without_settings_is_no_secret() {
  run_without_checkpoints || return 1
  # Two particles in TIPSY's format, as another program could write them: t = 2; mass, position, velocity, softening and potential.
  { printf '\x40\0\0\0\0\0\0\0' && printf '\0\0\0%b' '\x02' '\x03' '\0' '\x02' '\0' '\0'
    local side one='\x3f\x80\0\0' zero='\0\0\0\0'
    for side in '\x3f' '\xbf'; do printf "$one$side\\x80\\0\\0$zero$zero$zero$side\\0\\0\\0$zero$zero$zero"; done; } >output/snapshot_0004.hdf5
  goes_on 0 --set time.end=3 --set gravity.softening=0.3 && contains out.txt "2 particles of output/snapshot_0004.hdf5, after step 64" &&
    contains out.txt "output/snapshot_0004.hdf5 does not have the settings with which it was computed: they could not be compared" && rows_follow_each_other
}

rows_after_a_snapshot_are_cut_whatever_the_step_is() {
  run_without_checkpoints && goes_on 0 --set time.end=3 --set time.dt=0.0625 --force-config && lacks out.txt "The energy jumps" &&
    contains out.txt "after step 64" && contains out.txt "finished: step 80 of 80, t = 3" && rows_follow_each_other || return 1
  # A step that is smaller, and of the end as well.
  goes_on 0 --set time.end=3.125 --set time.dt=0.015625 --force-config && contains out.txt "finished: step 88 of 88" && rows_follow_each_other &&
    holds [ "$(column output/energy.csv 1 | tail -n 1)" = 3.125 ]
}

# Rungs of the steps before are those that particles leave.
the_energy_does_not_jump_where_only_steps_change() {
  local block=(--set time.steps=block --set time.accuracy=0.01)
  ends_with 0 "$grove" run run.toml --quiet "${block[@]}" || return 1
  goes_on 0 "${block[@]}" --set time.end=3 --set time.accuracy=0.0025 --set time.criterion=potential --force-config &&
    contains out.txt "other settings than before: time.accuracy = 0.0025, before 0.01; time.criterion" && lacks out.txt "The energy jumps" &&
    lacks out.txt "since settings were changed" && rows_follow_each_other
}

steps_are_numbered_on_after_another_step() {
  ends_with 0 "$grove" run run.toml --quiet && goes_on 0 --set time.dt=0.0625 --set time.end=4 --force-config &&
    contains out.txt "checkpoint_1.hdf5, after step 64" && contains out.txt "finished: step 96 of 96" && rows_follow_each_other &&
    holds [ -e output/snapshot_0008.hdf5 ] && holds [ ! -e output/snapshot_0009.hdf5 ] || return 1
  # And those of runs that follow, which are as exact as ever.
  cp -r output half && goes_on 0 --set time.dt=0.0625 --set time.end=6 && contains out.txt "finished: step 128 of 128" && rows_follow_each_other &&
    mv output whole && mv half output && goes_on 0 --set time.dt=0.0625 --set time.end=5 && goes_on 0 --set time.dt=0.0625 --set time.end=6 &&
    holds cmp whole/energy.csv output/energy.csv
}

initial_conditions_cannot_change_on_the_way() {
  ends_with 0 "$grove" run run.toml --quiet && cp -r output before || return 1
  ends_with 2 ranks 2 run run.toml --continue --set time.end=3 --set initial_conditions.n=400 --force-config &&
    contains err.txt "initial_conditions.n = 400, before 500" && contains err.txt "[initial_conditions] cannot change, nor with --force-config" &&
    holds diff -r before output || return 1
  # The same in other words.
  goes_on 0 --set time.end=2.5 --set initial_conditions.n=5e2 || return 1
  cp output/snapshot_0000.hdf5 begin.hdf5 && rm -r output || return 1
  local words=(run --set time.dt=0.03125 --device cpu)
  ends_with 0 "$grove" "${words[@]}" --set initial_conditions.file=begin.hdf5 &&
    ends_with 0 "$grove" "${words[@]}" --set initial_conditions.file="$PWD/./begin.hdf5" --set time.end=2 --continue
}

logs_that_are_missing_are_begun_anew() {
  run_without_checkpoints && mkdir alone && cp output/snapshot_000[0-3].hdf5 alone/ && rm -r output && mv alone output || return 1
  ends_with 0 ranks 2 run run.toml --continue && contains out.txt "output/energy.csv is missing or empty: a new one is begun, and energies are compared with that of this state" &&
    holds [ "$(column output/energy.csv 1 | head -n 1)" = 1.53125 ] && holds [ "$(column output/timings.csv 1 | head -n 1)" = 49 ] &&
    holds [ -e output/snapshot_0004.hdf5 ] || return 1
  # The log that was begun has the energy to compare with.
  local first=$(sed -n 's/^energy  *\(-[0-9.]*\) .*/\1/p' out.txt)
  rm output/checkpoint_*
  goes_on 0 --set time.end=3 && lacks out.txt "missing or empty" && contains out.txt "energy     $first ->" &&
    holds [ "$(column output/timings.csv 1 | tail -n 1)" = 96 ]
}

a_damaged_snapshot_is_passed_over() {
  local size
  run_without_checkpoints && cp -r output before && size=$(stat -c %s output/snapshot_0004.hdf5) || return 1
  truncate -s $((size / 2)) output/snapshot_0004.hdf5
  # Its metadata are at the beginning.
  head -c 3000 /dev/zero | tr '\0' x | dd of=output/snapshot_0003.hdf5 bs=1 seek=500 conv=notrunc 2>/dev/null
  cp -r output damaged
  local n
  for n in 1 2; do
    rm -rf output output.1 && cp -r damaged output || return 1
    ends_with 0 ranks $n run run.toml --continue --set time.end=2.5 && contains out.txt "note: output/snapshot_0004.hdf5: " &&
      contains out.txt "note: output/snapshot_0003.hdf5: " && contains out.txt "output/snapshot_0002.hdf5, after step 32" && rows_follow_each_other &&
      holds cmp damaged/snapshot_0004.hdf5 output.1/snapshot_0004.hdf5 && "$grove" info output/snapshot_0004.hdf5 >info.txt || return 1
  done
  rm -r output && cp -r damaged output && for n in 1 2; do : >output/snapshot_000$n.hdf5; done
  goes_on 3 && contains err.txt "there is neither another checkpoint nor a snapshot to continue from" && contains err.txt "snapshot_0001.hdf5"
}

a_snapshot_with_a_changed_number_is_passed_over() {
  run_without_checkpoints || return 1
  # The end of the file has numbers of particles.
  printf '\377' | dd of=output/snapshot_0004.hdf5 bs=1 seek=$(($(stat -c %s output/snapshot_0004.hdf5) - 1001)) conv=notrunc 2>/dev/null
  fails_with 3 "output/snapshot_0004.hdf5: PartType" "$grove" info output/snapshot_0004.hdf5 && contains err.txt "is damaged: its numbers have the checksum" || return 1
  ends_with 0 ranks 2 run run.toml --continue --set time.end=2.5 && contains out.txt "note: output/snapshot_0004.hdf5: PartType" &&
    contains out.txt "output/snapshot_0003.hdf5, after step 48" && rows_follow_each_other
}

a_log_that_ends_before_a_snapshot_is_an_error() {
  run_without_checkpoints && head -n 24 output/energy.csv >short && cp short output/energy.csv || return 1
  goes_on 3 --set time.end=3 && contains err.txt "output/energy.csv: has no row of t = 2, the time of output/snapshot_0004.hdf5" && holds cmp short output/energy.csv
}

a_refused_run_moves_nothing() {
  local log
  run_without_checkpoints && ends_with 0 "$grove" run run.toml --quiet --continue --set time.end=2.5 || return 1
  for log in energy timings; do
    cp -r output before && head -n 9 output/$log.csv >short && cp short output/$log.csv && cp short before/$log.csv || return 1
    # Snapshots at other times than those that are there, which are moved away.
    cp output/snapshot_0004.hdf5 output/snapshot_0009.hdf5 && cp output/snapshot_0009.hdf5 before/ || return 1
    goes_on 3 --set time.end=3 --set output.snapshot_every=0.25 && contains err.txt "$log.csv: has 8 whole rows" && holds diff -r before output &&
      holds [ ! -e output.1 ] && rm -r before || return 1
    ends_with 0 "$grove" run run.toml --quiet --overwrite --set time.end=2.5 && rm -r output.1 || return 1
  done
}

a_jump_of_the_energy_is_no_error_of_the_steps() {
  ends_with 0 "$grove" run run.toml --quiet || return 1
  goes_on 0 --set time.end=3 --set gravity.softening=0.5 --force-config && contains out.txt "The energy jumps there" && lacks out.txt "not accurate: the energy was wrong by" &&
    contains out.txt "since settings were changed" || return 1
  # Nor for runs that follow.
  holds awk -F, 'END { exit !($5 > 0.02 || $5 < -0.02) }' output/energy.csv && goes_on 0 --set time.end=3.5 --set gravity.softening=0.5 &&
    lacks out.txt "not accurate: the energy was wrong by" && contains out.txt "since settings were changed" || return 1
  # What the steps do is one all the same.
  goes_on 0 --set time.end=13.5 --set gravity.softening=0.001 --set time.dt=0.5 --force-config && contains out.txt "not accurate: the energy was wrong by"
}

# A limit of 20 MiB, which is enough for MPI: no snapshot and no checkpoint of 250,000 particles has room.
a_last_state_that_could_not_be_written_is_a_failure() {
  local words=(run run.toml --set initial_conditions.n=250000 --set time.dt=0.015625 --set output.snapshot_every=0.015625
    --set gravity.tolerance=0.01 --set output.on_error=continue)
  ends_with 4 bash -c 'ulimit -f 20480; exec "$@"' limited "$grove" "${words[@]}" --set time.end=0.03125 && contains out.txt "finished: step 2 of 2" &&
    contains err.txt "grove: the last state, after step 2 at t = 0.03125, is not on the disk, and no other one of this run" || return 1
  rm -r output && ends_with 0 "$grove" "${words[@]}" --quiet --set time.end=0.015625 &&
    ends_with 4 bash -c 'ulimit -f 20480; exec "$@"' limited "$grove" "${words[@]}" --set time.end=0.03125 --continue &&
    contains err.txt "after step 2 at t = 0.03125, is not on the disk; the newest one that is kept is output/checkpoint_1.hdf5, after step 1 at t = 0.015625" &&
    ends_with 0 "$grove" "${words[@]}" --set time.end=0.03125 --continue
}

a_snapshot_after_the_checkpoint_is_named() {
  ends_with 0 "$grove" run run.toml --quiet --set output.checkpoint_steps=16 || return 1
  # The one at t = 1.5, and none of the end.
  rm output/checkpoint_$([ output/checkpoint_0.hdf5 -nt output/checkpoint_1.hdf5 ] && echo 0 || echo 1).hdf5 && cp -r output before || return 1
  ends_with 0 ranks 2 run run.toml --continue && contains out.txt "after step 48" &&
    contains out.txt "output/snapshot_0004.hdf5 has a later state, t = 2, than output/checkpoint_" && contains out.txt "move the checkpoints to another directory" ||
    return 1
  rm -r output && mv before output && : >output/snapshot_0004.hdf5 && goes_on 0 && lacks out.txt "has a later state"
}

an_end_that_is_past_says_what_to_do() {
  ends_with 0 "$grove" run run.toml --quiet && goes_on 0 --set time.end=3 && goes_on 2 &&
    contains err.txt "time.end = 2 is before the time 3" && contains err.txt "nothing is left to do up to 2; to continue, give a time.end after 3"
}

the_summary_names_what_this_job_has_written() {
  ends_with 0 "$grove" run run.toml && contains out.txt "output/snapshot_0000.hdf5 ... output/snapshot_0004.hdf5" &&
    goes_on 0 --set time.end=3 && contains out.txt "output/snapshot_0005.hdf5 ... output/snapshot_0006.hdf5" && lacks out.txt snapshot_0000 &&
    goes_on 0 --set time.end=3.5 && holds [ "$(grep -c "output/snapshot_0007.hdf5$" out.txt)" -eq 1 ] && lacks out.txt "..."
}

failed=0
for test in $(declare -F | cut -d' ' -f3 | grep -vxF "$no_tests"); do
  if [[ $test =~ ${GROVE_TEST_ONLY:-.} ]]; then run_test "$test" || failed=1; fi
done
exit $failed
