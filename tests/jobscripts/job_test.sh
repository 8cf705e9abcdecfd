#!/usr/bin/env bash
# What the job scripts do with signals, without SLURM: jobscripts/job.sh with a launcher of the test's own. Usage: job_test.sh ROOT
# Each test is a function, as tests/support/shell_tests.sh says.
set -u
root=$1
source "$root/tests/support/shell_tests.sh"

# A job whose launcher `mpirun` is the script in $1; $2 is what the job does before the run begins.
job_with() {
  printf '#!/usr/bin/env bash\n%s\n' "$1" >mpirun && chmod +x mpirun
  printf 'set -euo pipefail\nsource "%s/jobscripts/job.sh"\nmpirun_flags=()\n%s\ngrove_job_run 1 1 program\n' "$root" "$2" >job
}
# runs_with CODE: the job ends with this exit code.
runs_with() {
  env -u GROVE_LAUNCHER -u GROVE_CHAIN PATH="$PWD:$PATH" bash job >log.txt 2>&1
  local code=$?
  [ $code -eq "$1" ] || { echo "exit code $code, not $1"; cat log.txt; return 1; }
}

tests_follow

a_signal_before_the_run_stops_the_job_without_it() {
  local signal
  for signal in USR1 TERM; do
    job_with 'touch began' "kill -$signal \$\$"
    runs_with 75 && contains log.txt "stopped before the run began" && holds [ ! -e began ] || return 1
  done
}

# shellcheck disable=SC2016
a_launcher_that_dies_of_the_signal_has_begun_no_run() {
  job_with 'kill -USR1 $PPID; sleep 10' ':'
  runs_with 75 && contains log.txt "stopped before the run began"
}

# shellcheck disable=SC2016
a_launcher_that_dies_of_a_signal_of_another_has_failed() {
  job_with 'kill -USR1 $$' ':'
  runs_with 138 && lacks log.txt "stopped before the run began"
}

# shellcheck disable=SC2016
every_signal_is_passed_on_once_as_usr1() {
  job_with 'trap "echo signal" USR1; kill -TERM $PPID; for _ in {1..10}; do sleep 0.1; done; kill -USR1 $PPID; for _ in {1..10}; do sleep 0.1; done; exit 75' ':'
  runs_with 75 && contains log.txt "to be continued" && holds [ "$(grep -c '^signal$' log.txt)" -eq 2 ]
}

the_code_of_the_run_is_that_of_the_job() {
  local code
  for code in 0 2 3 1 137; do
    job_with "exit $code" ':'
    runs_with $code || return 1
  done
}

run_tests
