#!/usr/bin/env bash
# One rank fails: all ranks stop within seconds, with one message. Usage: failures_test.sh GROVE FAILING_RUN MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds.
set -u
grove=$1 failing_run=$2 mpirun=$3
shift 3
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"
most_s=10         # from the failure to the end
most_s_refused=30 # from the start to the end, where ranks do not reach it
host=$(hostname)

# ends_within_seconds CODE COMMAND...: the command ends by itself in time, with CODE; any other than 0 for CODE "any".
ends_within_seconds() {
  local code=$1 status began most
  shift
  rm -f failed
  began=$(date +%s)
  timeout -s KILL 60 "$@" >out.txt 2>err.txt
  status=$?
  most=$most_s_refused
  if [ -e failed ]; then began=$(stat -c %Y failed) most=$most_s; fi
  [ $(($(date +%s) - began)) -le "$most" ] || { echo "took $(($(date +%s) - began)) s: $*"; cat err.txt; return 1; }
  if [ "$code" = any ]; then [ $status -ne 0 ]; else [ $status -eq "$code" ]; fi || { echo "exit code $status, not $code, of: $*"; cat err.txt; return 1; }
}
# fails_with CODE TEXT COMMAND...
fails_with() {
  local code=$1 text=$2
  shift 2
  ends_within_seconds "$code" "$@" && one_message && contains err.txt "$text"
}
run_of_ranks() { local n=$1; shift; echo "$mpirun" -n "$n" "${mpirun_flags[@]}" "$@"; }

# fails PLACE KIND RANKS RANK CODE TEXT: one of RANKS ranks fails; the message names it, its host and TEXT.
fails() {
  local place=$1 kind=$2 n=$3 rank=$4 code=$5 text=$6
  rm -rf output && mkdir output || return 1
  # shellcheck disable=SC2046
  ends_within_seconds "$code" $(run_of_ranks "$n" "$failing_run" "$place" "$kind" "$rank" output) && one_message || return 1
  contains err.txt "$text" && contains err.txt "rank $rank on $host" && no_unfinished_files
}
no_unfinished_files() {
  local file
  for file in output/*.partial; do holds [ ! -e "$file" ] || return 1; done
  for file in output/snapshot_*.hdf5; do
    [ ! -e "$file" ] || "$grove" info "$file" >/dev/null || { echo "$file cannot be read"; return 1; }
  done
}

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 400
[time]
end = 1.0
dt = 0.125
[run]
device = "cpu"
END
}

tests_follow

a_rank_that_fails_in_a_step_ends_all() {
  local n rank
  for n in 2 3 4; do
    for rank in 0 $((n - 1)); do fails step gpu $n $rank 4 "the GPU is lost" && contains err.txt "(CPU, 1 thread" || return 1; done
  done
}

a_rank_without_memory_says_what_to_change() {
  local place
  for place in start step observer output; do fails $place memory 3 1 4 "the host is out of memory; use more nodes, fewer ranks" || return 1; done
}

memory_that_is_really_exhausted_leaves_enough_for_the_message() {
  rm -rf output && mkdir output || return 1
  local flags="${mpirun_flags[*]}"
  # shellcheck disable=SC2086
  ends_within_seconds 4 "$mpirun" -n 1 $flags "$failing_run" step exhausted 1 output : -n 1 bash -c "ulimit -v 2000000; exec $failing_run step exhausted 1 output" &&
    one_message && contains err.txt "rank 1 on $host" && contains err.txt "the host is out of memory"
}

a_failure_on_a_thread_ends_all() { fails threads memory 2 1 4 "the host is out of memory"; }

a_failure_in_an_agreed_section_names_the_rank() { fails section memory 3 2 4 "the host is out of memory"; }

exceptions_of_any_type_end_all() {
  fails step defect 2 1 1 "a defect of Grove: memory of a step" && fails observer number 2 0 1 "an exception of an unknown type"
}

an_error_of_mpi_ends_all() { fails step mpi 2 1 4 "MPI_Waitall failed"; }

ranks_that_fail_at_once_have_one_message() {
  rm -rf output && mkdir output || return 1
  # shellcheck disable=SC2046
  ends_within_seconds 4 $(run_of_ranks 4 "$failing_run" all memory 0 output) && one_message && no_unfinished_files
}

unfinished_files_are_removed() {
  rm -rf output && mkdir output && : >output/notes.partial && : >output/snapshot_of_mine.hdf5.partial || return 1
  # The run makes the directory ready first; a file that appears later stands for one that is being written.
  (for _ in $(seq 400); do [ -e output/snapshot_0000.hdf5 ] && : >output/snapshot_0001.hdf5.partial && break; sleep 0.01; done) &
  local other=$!
  # shellcheck disable=SC2046
  ends_within_seconds 4 $(run_of_ranks 2 "$failing_run" step memory 1 output)
  local status=$?
  wait $other
  [ $status -eq 0 ] && holds [ ! -e output/snapshot_0001.hdf5.partial ] && holds [ -e output/snapshot_0000.hdf5 ] && holds [ ! -e output/snapshot_0002.hdf5 ] &&
    holds [ -e output/notes.partial ] && holds [ -e output/snapshot_of_mine.hdf5.partial ]
}

a_rank_that_is_killed_or_exits_ends_all() {
  local kind
  for kind in kill exit; do
    rm -rf output && mkdir output || return 1
    # shellcheck disable=SC2046
    ends_within_seconds any $(run_of_ranks 3 "$failing_run" step $kind 1 output) && no_unfinished_files || return 1
  done
}

a_rank_that_others_wait_for_is_named() {
  mkdir output || return 1
  # shellcheck disable=SC2046
  ends_within_seconds 0 $(run_of_ranks 3 "$failing_run" step slow 2 output) && contains err.txt "rank 2 on $host is in 'step' of step 3 for 1 s; usually" &&
    contains err.txt "rank 0 on $host waits for other ranks in 'tree exchange' of step 3 for 1 s; usually" && holds [ "$(grep -c "rank 1 on" err.txt)" -eq 0 ]
}

one_rank_needs_no_place_in_its_message() {
  mkdir output && ends_within_seconds 4 "$failing_run" step memory 0 output && one_message && contains err.txt "error: the host is out of memory"
}

different_command_lines_are_an_error() {
  local each=("${mpirun_flags[@]}")
  fails_with 2 "'--set time.dt=0.25' on rank 0, '--set time.dt=0.5' on rank 1" \
    "$mpirun" -n 1 "${each[@]}" "$grove" run run.toml --set time.dt=0.25 : -n 1 "$grove" run run.toml --set time.dt=0.5 &&
    fails_with 2 "nothing more on rank 0, '--set time.dt=0.5' on rank 2" \
      "$mpirun" -n 2 "${each[@]}" "$grove" run run.toml : -n 1 "$grove" run run.toml --set time.dt=0.5 &&
    fails_with 2 "'run' on rank 0, 'bench' on rank 1" "$mpirun" -n 1 "${each[@]}" "$grove" run run.toml : -n 1 "$grove" bench --n 1000 &&
    fails_with 2 "'--help' on rank 1" "$mpirun" -n 1 "${each[@]}" "$grove" run run.toml : -n 1 "$grove" --help &&
    fails_with 2 "unknown name 'rnu'" "$mpirun" -n 1 "${each[@]}" "$grove" run run.toml : -n 1 "$grove" rnu run.toml && holds [ ! -e output ]
}

different_configuration_files_are_an_error() {
  mkdir a b && sed 's/^n = 400/n = 500/' run.toml >b/run.toml && cp run.toml a/run.toml || return 1
  fails_with 2 "initial_conditions.n = 400 on rank 0, initial_conditions.n = 500 on rank 1" \
    "$mpirun" -n 1 "${mpirun_flags[@]}" --wdir "$PWD/a" "$grove" run run.toml : -n 1 --wdir "$PWD/b" "$grove" run run.toml
}

different_input_files_are_an_error() {
  mkdir a b && printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' >a/in.tab && printf '1 0 0 0 0 0 0\n1 2 0 0 0 0 0\n' >b/in.tab || return 1
  local words="run --set initial_conditions.file=in.tab --device cpu"
  # shellcheck disable=SC2086
  fails_with 3 'initial_conditions.file = "in.tab" is not the same file for all ranks' \
    "$mpirun" -n 1 "${mpirun_flags[@]}" --wdir "$PWD/a" "$grove" $words : -n 1 --wdir "$PWD/b" "$grove" $words
}

a_run_that_cannot_fit_is_refused_before_it_starts() {
  # shellcheck disable=SC2046
  fails_with 2 "100,000,000,000 particles do not fit" $(run_of_ranks 2 "$grove" run run.toml --set initial_conditions.n=1e11) && contains err.txt "such nodes, with 2 ranks each, would do" &&
    contains err.txt "$host" && holds [ ! -e output ]
}

a_limit_of_one_rank_is_respected() {
  local flags="${mpirun_flags[*]}" words="run run.toml --set initial_conditions.n=2e7"
  # shellcheck disable=SC2086
  fails_with 2 "ulimit -v" "$mpirun" -n 1 $flags "$grove" $words : -n 1 bash -c "ulimit -v 1500000; exec $grove $words" && contains err.txt "rank 1 on $host" &&
    holds [ ! -e output ]
}

run_tests
