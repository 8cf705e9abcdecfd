#!/usr/bin/env bash
# Runs that are stopped or killed and continue. Usage: continue_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run.
# In the environment: GROVE_TEST_KILLS, how many times runs are killed on each number of ranks [3]; GROVE_TEST_ONLY, a regular expression for
# the names of the tests [all].
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
kills=${GROVE_TEST_KILLS:-3}
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"
exec 3>&1 # past what keeps the output of tests
finished=0 to_be_continued=75

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
checkpoint_steps = 5
[run]
device = "cpu"
END
}
# reference N ARGUMENTS...: the run without interruption goes to whole/.
reference() {
  local n=$1
  shift
  rm -rf output whole && ends_with $finished ranks "$n" run run.toml --quiet "$@" && mv output whole
}
rows() { wc -l <"$1"; }
# The run in output/ has the results of the one in whole/: all bits but the wall times.
has_the_results_of_the_whole_run() {
  has_the_bits_of_whole && holds [ "$(rows output/timings.csv)" -eq "$(rows whole/timings.csv)" ] || return 1
  holds cmp <(cut -d, -f1,2 whole/timings.csv) <(cut -d, -f1,2 output/timings.csv) || return 1
  if [ -e whole/time_bins.csv ]; then
    # Steps, times, and the particles and updates of the first rungs.
    holds cmp <(cut -d, -f1-4,6,7,9,10,12,13 whole/time_bins.csv) <(cut -d, -f1-4,6,7,9,10,12,13 output/time_bins.csv) || return 1
  fi
  holds [ "$(cd whole && ls)" = "$(cd output && ls)" ]
}
# after_rows COUNT COMMAND...: waits until energy.csv has so many rows, then does it.
after_rows() {
  local count=$1
  shift
  for _ in $(seq 600); do [ "$(wc -l 2>/dev/null <output/energy.csv || echo 0)" -gt "$count" ] && break; sleep 0.02; done
  "$@"
}

# On a disk of 20 MiB: its own status, and that of the run in `status`.
run_on_a_full_disk() {
  "$grove" run run.toml --set time.end=20000 --set output.snapshots=none --set output.on_error=continue --set run.max_wall_time=0.5 --continue >out.txt 2>err.txt &
  local process=$!
  after_rows 20 true
  dd if=/dev/zero of=output/filler bs=64k 2>/dev/null
  for _ in $(seq 200); do grep -q "energy.csv: cannot be written" err.txt && break; sleep 0.05; done
  sleep 0.3
  rm output/filler
  sleep 0.5
  touch output/stop
  wait $process
  status=$?
}

# ends_after_rows CODE COUNT COMMAND...: a long run, during which the command is carried out after so many rows of energy.csv.
ends_after_rows() {
  local code=$1 count=$2 status
  shift 2
  "$grove" run run.toml --quiet --set time.end=50 --set output.checkpoint_steps=200 >out.txt 2>err.txt &
  after_rows "$count" "$@"
  wait $!
  status=$?
  [ $status -eq "$code" ] || { echo "exit code $status, not $code"; cat err.txt; return 1; }
}

tests_follow

a_run_that_was_stopped_goes_on_with_the_same_bits() {
  local n method process status stops
  for n in 1 2 4; do
    for method in fmm tree direct; do
      [ $n -eq 2 ] || [ $method = fmm ] || continue
      local settings=(--set gravity.method=$method --set time.end=3)
      reference $n "${settings[@]}" || return 1
      stops=0
      for row in 10 50; do
        "$mpirun" -n $n "${mpirun_flags[@]}" "$grove" run run.toml --quiet "${settings[@]}" --continue 2>err.txt &
        process=$!
        # mpirun passes it on to all ranks.
        after_rows $row kill -USR1 $process
        wait $process
        status=$?
        [ $status -eq $finished ] && break
        holds [ $status -eq $to_be_continued ] && contains err.txt "stopped by SIGUSR1" && contains err.txt "--continue starts from there" || return 1
        stops=$((stops + 1))
      done
      holds [ $stops -gt 0 ] && ends_with $finished ranks $n run run.toml --quiet "${settings[@]}" --continue && has_the_results_of_the_whole_run ||
        { echo "$n ranks, $method, $stops stops"; return 1; }
    done
  done
}

runs_that_are_killed_at_any_moment_go_on_with_the_same_bits() {
  local what n steps process status count attempts victims all=0
  for what in "1 shared" "2 shared" "4 shared" "1 block" "2 block" "3 block" "2 substeps"; do
    read -r n steps <<<"$what"
    local settings=(--set time.end=4)
    case $steps in
      block) settings+=(--set time.steps=block --set time.accuracy=0.002) ;;
      substeps) settings+=(--set time.substeps=4) ;;
    esac
    reference "$n" "${settings[@]}" || return 1
    count=0
    for ((attempts = 0; count < kills && attempts < 20 * kills; ++attempts)); do
      setsid "$mpirun" -n $n "${mpirun_flags[@]}" "$grove" run run.toml --quiet "${settings[@]}" --continue >out.txt 2>&1 &
      process=$!
      sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
      victims=($(processes_of $process))
      case $((RANDOM % 3)) in
        0) kill -KILL "${victims[@]}" 2>/dev/null ;;      # the job
        1) kill -KILL $process 2>/dev/null ;;             # mpirun
        2) kill -KILL "${victims[-1]}" 2>/dev/null ;;     # one process, as a rule a rank
      esac
      wait $process
      status=$?
      # Ranks whose mpirun was killed end a little later.
      for victim in "${victims[@]}"; do while kill -0 "$victim" 2>/dev/null; do kill -KILL "$victim" 2>/dev/null; sleep 0.02; done; done
      if [ $status -eq 0 ]; then
        has_the_results_of_the_whole_run || { echo "$n ranks, $steps steps, after $count kills"; return 1; }
        rm -rf output
      else
        count=$((count + 1))
      fi
    done
    all=$((all + count))
    ends_with $finished ranks "$n" run run.toml --quiet "${settings[@]}" --continue && has_the_results_of_the_whole_run ||
      { echo "$n ranks, $steps steps, after $count kills"; return 1; }
  done
  echo "$all kills, and every run went on" >&3
  holds [ $all -ge $kills ]
}

another_number_of_ranks_goes_on_and_says_that_it_is_not_exact() {
  local n end
  for n in 4 2 3; do
    case $n in 4) end=0.25 ;; 2) end=0.5 ;; 3) end=0.75 ;; esac
    ends_with $finished ranks $n run run.toml --continue --set time.end=$end --set gravity.tolerance=1e-5 || return 1
    [ $n -eq 4 ] || contains out.txt "ranks, now $n: from here on the last digits differ" || return 1
  done
  # The energy of a run on one rank alone.
  mv output changed && ends_with $finished "$grove" run run.toml --quiet --set time.end=0.75 --set gravity.tolerance=1e-5 || return 1
  holds [ "$(rows output/energy.csv)" -eq "$(rows changed/energy.csv)" ] &&
    holds awk -F, 'FNR == NR { last = $4; next } END { d = ($4 - last) / last; exit !(d < 1e-5 && d > -1e-5) }' output/energy.csv changed/energy.csv
}

a_file_asks_for_a_stop_or_a_checkpoint() {
  "$grove" run run.toml --quiet --set time.end=20000 --set output.checkpoint_steps=0 --continue 2>err.txt &
  local process=$! status
  after_rows 20 touch output/checkpoint
  for _ in $(seq 200); do [ -e output/checkpoint_1.hdf5 ] && [ ! -e output/checkpoint ] && break; sleep 0.05; done
  holds [ ! -e output/checkpoint ] && holds [ -e output/checkpoint_1.hdf5 ] && kill -0 $process || return 1
  touch output/stop
  wait $process
  status=$?
  holds [ $status -eq $to_be_continued ] && holds [ ! -e output/stop ] && contains err.txt "the file 'stop'"
}

the_time_limit_stops_a_run_before_it_is_over() {
  local began=$SECONDS
  ends_with $to_be_continued ranks 2 run run.toml --set time.end=20000 --set run.max_wall_time=0.08 || return 1
  holds [ $((SECONDS - began)) -le 10 ] && contains err.txt "stopped by the end of its time" && contains out.txt "stopped: step" || return 1
  SLURM_JOB_END_TIME=$(($(date +%s) + 5)) ends_with $to_be_continued ranks 2 run run.toml --set time.end=20000 --continue
}

a_second_signal_ends_a_run_at_once() {
  # In steps that take many seconds.
  "$grove" run run.toml --quiet --set initial_conditions.n=30000 --set gravity.method=direct 2>err.txt &
  local process=$! status began
  after_rows 1 sleep 0.2
  kill -TERM $process
  sleep 2.5
  kill -0 $process 2>/dev/null || { wait $process; [ $? -eq $to_be_continued ]; return; }
  began=$SECONDS
  kill -INT $process
  wait $process
  status=$?
  holds [ $status -eq 130 ] && holds [ $((SECONDS - began)) -le 2 ]
}

signals_of_all_kinds_stop_a_run() {
  local signal process status
  for signal in INT TERM USR1 USR2 HUP XCPU; do
    rm -rf output
    bash -c "trap - $signal; exec '$grove' run run.toml --quiet --set time.end=20000" 2>err.txt &
    process=$!
    after_rows 5 kill -$signal $process
    wait $process
    status=$?
    # A shell lets its children in the background ignore SIGINT.
    holds [ $status -eq $to_be_continued ] && contains err.txt "stopped by SIG$signal after step" || return 1
  done
}

a_run_under_nohup_does_not_stop_when_its_terminal_goes() {
  (trap '' HUP; exec "$grove" run run.toml --quiet --set time.end=10) &
  local process=$!
  after_rows 10 kill -HUP $process
  wait $process && holds [ "$(rows output/energy.csv)" -eq 322 ]
}

a_later_end_extends_a_run() {
  reference 2 --set time.end=3 --set output.snapshot_every=1 || return 1
  ends_with $finished ranks 2 run run.toml --quiet --set output.snapshot_every=1 &&
    ends_with $finished ranks 2 run run.toml --set output.snapshot_every=1 --continue && contains out.txt "finished before" &&
    ends_with $finished ranks 2 run run.toml --quiet --set output.snapshot_every=1 --set time.end=3 --continue &&
    holds cmp whole/energy.csv output/energy.csv && holds cmp whole/snapshot_0003.hdf5 output/snapshot_0003.hdf5 || return 1
  ends_with 2 ranks 2 run run.toml --set time.end=1 --continue && contains err.txt "time.end = 1 is before the time 3"
}

settings_that_change_the_physics_are_refused() {
  ends_with $finished "$grove" run run.toml --quiet || return 1
  ends_with 2 ranks 2 run run.toml --continue --set time.end=4 --set gravity.softening=0.1 --set initial_conditions.n=600 &&
    contains err.txt "gravity.softening = 0.1, before 0.05; initial_conditions.n = 600, before 500" && contains err.txt "--force-config" || return 1
  ends_with $finished "$grove" run run.toml --continue --set time.end=3 --set gravity.softening=0.1 --force-config &&
    contains out.txt "other settings than before: gravity.softening = 0.1, before 0.05" || return 1
  # Another step: the rows of the log follow each other.
  ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=4 --set gravity.softening=0.1 --set time.dt=0.0625 --force-config &&
    holds [ "$(rows output/energy.csv)" -eq $((1 + 97 + 16)) ] || return 1
  ends_with 2 "$grove" run run.toml --quiet --continue --set time.end=5 --set gravity.softening=0.1 --set time.dt=0.3 --force-config ||
    return 1
  # What is written, and where it is computed, may change.
  ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=5 --set gravity.softening=0.1 --set time.dt=0.0625 \
    --set output.snapshot_every=0.25 --set output.order=morton --set run.max_wall_time=100
}

another_time_step_divides_what_is_left() {
  ends_with $finished "$grove" run run.toml --quiet --set time.end=1 || return 1
  # Not from the beginning on: 1.75 / 0.1875 is 9.33.
  ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=1.75 --set time.dt=0.1875 --force-config &&
    holds [ "$(rows output/energy.csv)" -eq $((1 + 33 + 4)) ] && cp -r output before || return 1
  # These steps are those of the run from then on, bit for bit.
  ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=2.5 --set time.dt=0.1875 && mv output whole && mv before output &&
    ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=2.125 --set time.dt=0.1875 &&
    ends_with $finished "$grove" run run.toml --quiet --continue --set time.end=2.5 --set time.dt=0.1875 &&
    holds cmp whole/energy.csv output/energy.csv && holds [ "$(rows output/energy.csv)" -eq $((1 + 33 + 8)) ]
}

snapshots_that_other_ones_follow_are_set_aside() {
  reference 1 --set output.checkpoint_steps=0 || return 1
  # Of a run that was killed some time after a checkpoint at t = 1.
  ends_with $finished "$grove" run run.toml --quiet --set time.end=1 && cp whole/snapshot_000[34].hdf5 output/ || return 1
  ends_with $finished "$grove" run run.toml --continue --set output.snapshot_every=1 && contains out.txt "snapshot_0003.hdf5 on" &&
    holds cmp whole/snapshot_0003.hdf5 output.1/snapshot_0003.hdf5 && holds cmp whole/snapshot_0004.hdf5 output.1/snapshot_0004.hdf5 &&
    holds [ "$(ls output/snapshot_*)" = "$(printf 'output/snapshot_000%s.hdf5\n' 0 1 2 3)" ]
}

a_damaged_checkpoint_is_passed_over() {
  reference 2 || return 1
  ends_with $finished ranks 2 run run.toml --quiet --set time.end=1.5 || return 1
  # The end of the run and a step before are in the two checkpoints.
  local newest=checkpoint_0 other=checkpoint_1
  [ output/checkpoint_1.hdf5 -nt output/checkpoint_0.hdf5 ] && newest=checkpoint_1 other=checkpoint_0
  local size=$(stat -c %s output/$newest.hdf5)
  printf '\377\376\375' | dd of=output/$newest.hdf5 bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
  ends_with $finished ranks 2 run run.toml --continue && contains out.txt "note: output/$newest.hdf5: the checkpoint is damaged" &&
    contains out.txt "output/$other.hdf5, after step" && holds cmp whole/energy.csv output/energy.csv || return 1
  # Without any that is whole, from the newest snapshot.
  for newest in 0 1; do head -c 1000 output/checkpoint_$newest.hdf5 >short && mv short output/checkpoint_$newest.hdf5; done
  ends_with $finished ranks 2 run run.toml --continue --set time.end=3 && contains out.txt "output/snapshot_0004.hdf5" && contains out.txt "This is not exact" &&
    holds [ "$(rows output/energy.csv)" -eq 98 ] && holds [ -e output/snapshot_0006.hdf5 ] && holds [ ! -e output/snapshot_0007.hdf5 ]
}

a_run_without_checkpoints_goes_on_from_its_newest_snapshot() {
  "$grove" run run.toml --quiet --set time.end=20000 --set output.checkpoints=no 2>err.txt &
  local process=$! status step
  after_rows 40 kill -TERM $process
  wait $process
  status=$?
  # It keeps its last state in a snapshot.
  holds [ $status -eq 143 ] && contains err.txt "the state is in output/snapshot_" && holds [ ! -e output/checkpoint_0.hdf5 ] || return 1
  step=$(($(rows output/energy.csv) - 2))
  ends_with $finished "$grove" run run.toml --continue --set output.checkpoints=no --set time.end=$((step / 32 + 2)) &&
    contains out.txt "This is not exact" && holds [ "$(rows output/energy.csv)" -eq $((2 + 32 * (step / 32 + 2))) ]
}

with_nothing_to_go_on_from_a_run_begins_anew() {
  reference 2 && ends_with $finished ranks 2 run run.toml --continue && contains out.txt "nothing to continue from" && has_the_results_of_the_whole_run ||
    return 1
  # Of a run that was killed in its first state.
  rm output/checkpoint_* output/snapshot_000[1-9].hdf5 && head -n 2 output/energy.csv >row && mv row output/energy.csv && rm output/timings.csv &&
    : >output/snapshot_0001.hdf5.partial && ends_with $finished ranks 2 run run.toml --continue &&
    contains out.txt "removed what an earlier run had not finished: snapshot_0001.hdf5.partial" && has_the_results_of_the_whole_run || return 1
  # All that was there is kept.
  rm output/checkpoint_* output/snapshot_* && ends_with $finished ranks 2 run run.toml --continue && has_the_results_of_the_whole_run &&
    holds [ -e output.1/energy.csv ] && holds cmp whole/energy.csv output.2/energy.csv
}

earlier_results_are_set_aside_and_nothing_else_is_touched() {
  ends_with $finished "$grove" run run.toml --quiet && cp -r output before || return 1
  echo mine >output/notes.txt && echo "1,2" >output/mine.csv && echo mine >output/snapshot_best.hdf5.png && echo mine >output/snapshot_0001.partial || return 1
  ends_with 2 "$grove" run run.toml && contains err.txt "--continue" && contains err.txt "--overwrite" || return 1
  ends_with $finished "$grove" run run.toml --overwrite --set time.end=1 && contains out.txt "output.1" && holds diff -r before output.1 &&
    holds [ "$(cat output/notes.txt output/snapshot_best.hdf5.png output/snapshot_0001.partial)" = "$(printf 'mine\nmine\nmine')" ] &&
    holds [ "$(cat output/mine.csv)" = 1,2 ] && ends_with $finished "$grove" run run.toml --quiet --overwrite && holds [ -e output.2/energy.csv ] &&
    holds diff -r before output.1
}

an_input_in_the_output_directory_is_not_touched() {
  ends_with $finished "$grove" run run.toml --quiet && cp -r output before || return 1
  local words=(run --set initial_conditions.file=output/snapshot_0004.hdf5 --set output.directory=output --set time.begin=2 --set time.end=3 --device cpu)
  ends_with 2 ranks 2 "${words[@]}" --overwrite && contains err.txt "lies in output.directory" && holds diff -r before output &&
    ends_with 2 "$grove" "${words[@]}" && holds diff -r before output || return 1
  # A new run would write its first snapshot there.
  mkdir other && cp output/snapshot_0004.hdf5 other/snapshot_0000.hdf5 && cp other/snapshot_0000.hdf5 other/mine.hdf5 || return 1
  words=(run --set output.directory=other --set time.end=1 --set initial_conditions.file=other)
  ends_with 2 "$grove" "${words[@]}/snapshot_0000.hdf5" --continue && contains err.txt "lies in output.directory" &&
    holds cmp output/snapshot_0004.hdf5 other/snapshot_0000.hdf5 && rm other/snapshot_0000.hdf5 &&
    ends_with $finished "$grove" "${words[@]}/mine.hdf5" --quiet --continue && holds cmp output/snapshot_0004.hdf5 other/mine.hdf5
}

an_output_directory_that_is_another_one_for_some_ranks_is_an_error() {
  mkdir a b && cp run.toml a && cp run.toml b || return 1
  ends_with 2 "$mpirun" -n 1 "${mpirun_flags[@]}" --wdir "$PWD/a" "$grove" run run.toml : -n 1 --wdir "$PWD/b" "$grove" run run.toml &&
    contains err.txt "is not the same directory for all ranks: rank 1" && holds [ -z "$(find a b -name '.grove*')" ]
}

a_run_goes_on_without_what_cannot_be_written_if_it_is_told_to() {
  # Files of 20 MiB at most, which is enough for MPI: no snapshot, no checkpoint.
  local limited=(bash -c 'ulimit -f 20480; exec "$@"' limited "$grove" run run.toml --set initial_conditions.n=250000 --set time.end=0.0625
    --set output.snapshot_every=0.03125 --set output.checkpoint_steps=1 --set gravity.tolerance=0.01)
  ends_with 4 "${limited[@]}" --quiet && contains err.txt "no room for" && rm -r output &&
    ends_with 4 "${limited[@]}" --set output.on_error=continue && contains out.txt "finished: step 2" && contains err.txt "snapshot_0001.hdf5.partial: no room for" &&
    contains err.txt "checkpoint_0.hdf5.partial: no room for" && contains err.txt "the run continues without" &&
    contains out.txt "3 of them could not be written" && holds [ "$(rows output/energy.csv)" -eq 4 ] &&
    holds [ "$(ls output)" = "$(printf '%s\n' energy.csv timings.csv used_parameters.toml)" ]
}

a_disk_that_is_full_for_a_while_costs_the_rows_of_that_time() {
  local status=none
  mkdir output && mount -t tmpfs -o size=20m none output 2>/dev/null || is_not_tried "nothing can be mounted here"
  run_on_a_full_disk
  cp output/*.csv . && umount output
  holds [ "$status" -eq $to_be_continued ] && contains err.txt "energy.csv: cannot be written: No space left on device; the run continues without" &&
    holds [ "$(grep -c "energy.csv: cannot be written" err.txt)" -eq 1 ] && grep -qE "output/energy.csv; (the|[0-9,]+) rows of steps" out.txt || return 1
  # Whole rows, of which the last is that of the last step; some are missing.
  holds [ "$(awk -F, '{ print NF }' energy.csv | sort -u)" = 18 ] &&
    holds [ "$(tail -n 1 timings.csv | cut -d, -f1)" = "$(sed -n 's/^stopped: step \([0-9]*\) .*/\1/p' out.txt)" ] &&
    holds [ "$(tail -n 1 timings.csv | cut -d, -f1)" -gt "$(rows timings.csv)" ]
}

two_runs_do_not_write_into_one_directory() {
  "$grove" run run.toml --quiet --set time.end=20000 2>first.txt &
  local process=$!
  after_rows 5 true
  ends_with 4 "$grove" run run.toml --set time.end=20000 --overwrite && contains err.txt "another run of Grove is writing there" &&
    kill -0 $process || return 1
  # One that waits for the end of the other continues from there.
  (sleep 2; kill -USR1 $process) &
  ends_with $to_be_continued "$grove" run run.toml --set time.end=20000 --set run.max_wall_time=0.1 --continue && contains out.txt "after step" &&
    holds [ ! -e output.1 ]
}

a_run_whose_results_are_removed_says_so() {
  "$grove" run run.toml --quiet --set output.snapshots=none --set time.end=5 >out.txt 2>err.txt &
  local process=$! status
  after_rows 10 rm -r output
  wait $process
  status=$?
  holds [ $status -eq 4 ] && contains err.txt "energy.csv: has been removed during the run"
}

options_that_exclude_each_other_are_named() {
  ends_with 2 "$grove" run run.toml --continue --overwrite && contains err.txt "--overwrite" && ends_with 2 "$grove" run run.toml --force-config &&
    contains err.txt "--continue"
}

a_log_that_is_gone_or_short_is_no_secret() {
  ends_with $finished "$grove" run run.toml --quiet && head -n 14 output/energy.csv >short && cp short output/energy.csv || return 1
  ends_with 3 "$grove" run run.toml --continue --set time.end=3 && contains err.txt "output/energy.csv: has 13 whole rows, where the run so far has written 65" &&
    holds cmp short output/energy.csv && mv output/energy.csv away && ends_with $finished "$grove" run run.toml --continue --set time.end=3 &&
    contains out.txt "note: output/energy.csv is missing, with 65 rows of the run so far: a new one is begun" && lacks out.txt "timings.csv is missing" &&
    holds [ "$(rows output/energy.csv)" -eq 33 ] || return 1
  # The log that was begun is continued.
  ends_with $finished "$grove" run run.toml --continue --set time.end=3.5 && lacks out.txt "is missing" && holds [ "$(rows output/energy.csv)" -eq 49 ]
}

a_log_that_is_cut_during_the_run_ends_it() {
  ends_after_rows 4 10 truncate -s 300 output/energy.csv && contains err.txt "output/energy.csv: has been changed by another program during the run"
}

files_of_the_user_keep_the_names_of_results() {
  local file words="there is a file of this name that Grove has not written"
  for file in snapshot_0090 checkpoint_1; do
    ends_after_rows 4 10 cp run.toml output/$file.hdf5 && contains err.txt "output/$file.hdf5: cannot be written: $words" &&
      holds cmp run.toml output/$file.hdf5 && rm -r output || return 1
  done
}

run_tests
