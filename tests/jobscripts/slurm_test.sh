#!/usr/bin/env bash
# The job scripts under a SLURM of the test's own: slurmctld, two slurmd and munged, as root, in a directory of their own.
# Usage: slurm_test.sh ROOT GROVE MPIRUN
# Skipped (exit code 77) where SLURM and munge are not installed; tests/run.sh installs them where it can.
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run. GROVE_TEST_ONLY in the environment
# is a regular expression for the names of the tests [all].
set -u
root=$1 grove=$2 mpirun=$3
skip() { echo "Skipped: $1"; exit 77; }

[ "$(id -u)" -eq 0 ] || skip "SLURM's daemons need root"
source "$root/tests/support/own_slurm.sh"
missing=$(slurm_is_installed) || skip "SLURM is not installed: $missing"

source "$root/tests/support/shell_tests.sh"
chmod 755 "$directory"
daemons=()
end() {
  [ -n "${SLURM_CONF:-}" ] && scancel --user=root --signal=KILL --full >/dev/null 2>&1 && scancel --user=root >/dev/null 2>&1
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  wait
  rm -rf "$directory"
}
trap end EXIT
free_ports() { comm -23 <(seq 20000 30000 | sort) <(ss -Htan 2>/dev/null | awk '{ sub(/.*:/, "", $4); print $4 }' | sort -u) | shuf -n "$1"; }

has_two_nodes=false
unshare --uts true 2>/dev/null && has_two_nodes=true

start_slurm() {
  mkdir -p "$directory"/slurm/{state,spool1,spool2} || return 1
  local at=$directory/slurm ports host file
  # shellcheck disable=SC2207
  ports=($(free_ports 3))
  host=$(hostname -s)
  start_munge "$at" || return 1
  daemons+=("$munge")
  # SLURM asks for files of its GPUs, and uses them for nothing here.
  for file in null zero full random; do echo "NodeName=grove[1-2] Name=gpu File=/dev/$file"; done >"$at/gres.conf"
  slurm_conf "$at" "$host(127.0.0.1)" "${ports[0]}" >"$at/slurm.conf"
  cat >>"$at/slurm.conf" <<END
GresTypes=gpu
NodeName=grove1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=4 Gres=gpu:4
NodeName=grove2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=4 Gres=gpu:4
PartitionName=test Nodes=grove[1-2] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
  export SLURM_CONF=$at/slurm.conf
  slurmctld -D -i >"$at/ctld.out" 2>&1 &
  daemons+=($!)
  local node
  for node in grove1 grove2; do
    mkdir -p "$at/spool$node" || return 1
    # Each with a host name of its own: by it, MPI tells nodes apart.
    if $has_two_nodes; then
      unshare --uts sh -c "hostname $node && exec slurmd -D -N $node" >"$at/$node.out" 2>&1 &
    else
      slurmd -D -N $node >"$at/$node.out" 2>&1 &
    fi
    daemons+=($!)
  done
  slurm_has_started "$at"
}

# What a user's cluster has by itself: root may run mpirun, ranks need no binding.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export GROVE=$grove GROVE_ROOT=$root GROVE_DEVICE=cpu GROVE_MPIRUN_FLAGS="--map-by :OVERSUBSCRIBE --bind-to none"
unset OMP_NUM_THREADS

rows() { wc -l <"$1"; }
config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 1000
[gravity]
softening = 0.05
[time]
end = 4.0
dt = 0.03125
[output]
snapshot_every = 1.0
checkpoint_steps = 20
END
}
# submit SCRIPT OPTIONS...: sets `job`.
submit() {
  local script=$1
  shift
  job=$(sbatch --parsable --output=job-%j.log "$@" "$root/jobscripts/$script" run.toml) || return 1
}
# ends_with CODE JOB [SECONDS]: the job ends by itself with this exit code.
ends_with() {
  local code=$1 id=$2 seconds=${3:-60} state began=$SECONDS
  while [ $((SECONDS - began)) -lt "$seconds" ]; do
    state=$(field_of_job "$id" JobState)
    case $state in
      PENDING | RUNNING | COMPLETING | CONFIGURING | REQUEUED | SUSPENDED) sleep 0.2 ;;
      *) break ;;
    esac
  done
  [ "$(field_of_job "$id" ExitCode)" = "$code:0" ] && return 0
  echo "job $id: $state, exit code $(field_of_job "$id" ExitCode), not $code"
  cat "job-$id.log"
  return 1
}
after_rows() {
  local count=$1
  shift
  for _ in $(seq 300); do [ "$(wc -l 2>/dev/null <output/energy.csv || echo 0)" -gt "$count" ] && break; sleep 0.05; done
  "$@"
}
# The same run without a batch system, in whole/. With as many ranks as $1, and the arguments of the job.
reference() { "$mpirun" -n "$1" --map-by :OVERSUBSCRIBE --bind-to none "$grove" run run.toml --device cpu --quiet && mv output whole; }
has_the_results_of_the_whole_run() {
  local file
  holds cmp whole/energy.csv output/energy.csv && holds [ "$(rows output/timings.csv)" -eq "$(rows whole/timings.csv)" ] || return 1
  for file in whole/snapshot_*.hdf5; do holds cmp "$file" "output/${file#whole/}" || return 1; done
}
cleanly() { scancel --batch --signal=USR1 "$1"; }

every_script_runs_with_what_its_job_gets() {
  submit cpu.sbatch && ends_with 0 "$job" && contains "job-$job.log" "finished: step 128 of 128" && rm -r output &&
    submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && ends_with 0 "$job" && contains "job-$job.log" "2 ranks on 1 nodes, 1 threads each" && rm -r output &&
    submit gpu_node.sbatch --gpus-per-node=2 --cpus-per-gpu=1 && ends_with 0 "$job" && contains "job-$job.log" "2 ranks on CPU"
}

two_nodes_serve_as_well_as_one() {
  $has_two_nodes || { echo "not tried: this machine allows no host names of their own (unshare --uts)"; return 0; }
  submit cpu.sbatch --nodes=2 && ends_with 0 "$job" && contains "job-$job.log" "ranks on 2 nodes" && contains "job-$job.log" "finished: step 128 of 128" && rm -r output &&
    submit multi_node.sbatch --nodes=2 --gpus-per-node=1 --ntasks-per-node=1 && ends_with 0 "$job" && contains "job-$job.log" "2 ranks on CPU"
}

a_mistake_is_the_exit_code_of_the_job() {
  sed -i 's/softening/sofening/' run.toml && submit cpu.sbatch && ends_with 2 "$job" && contains "job-$job.log" "gravity.sofening"
}

processes_that_srun_starts_without_pmi_are_told_once() {
  local status
  # Open MPI ends by itself where it sees a step of srun without PMI; other libraries of MPI start every process alone.
  srun --ntasks=2 --overcommit --mpi=none env -u SLURM_STEPID -u SLURM_STEP_ID "$grove" run run.toml --device cpu >out.txt 2>err.txt
  status=$?
  [ $status -eq 2 ] || { echo "exit code $status"; cat err.txt; return 1; }
  one_message && contains err.txt "srun started 2 processes that MPI sees as single ones: use 'srun --mpi=pmix' or mpirun" && holds [ ! -e output ]
}

a_job_that_is_stopped_goes_on_when_it_is_submitted_again() {
  reference 2 && submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && after_rows 30 cleanly "$job" && ends_with 75 "$job" &&
    contains "job-$job.log" "stopped by SIGUSR1" && contains "job-$job.log" "submit the same job again" || return 1
  # scancel as users know it: the ranks have a second or so until mpirun kills them.
  submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && after_rows 60 scancel "$job" || return 1
  for _ in $(seq 100); do [ "$(field_of_job "$job" JobState)" = CANCELLED ] && break; sleep 0.2; done
  submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && ends_with 0 "$job" && contains "job-$job.log" "after step" &&
    has_the_results_of_the_whole_run
}

srun_starts_the_ranks_as_well() {
  srun --mpi=list 2>&1 | grep -q pmix || { echo "not tried: this SLURM has no PMIx"; return 0; }
  local GROVE_LAUNCHER=srun
  export GROVE_LAUNCHER
  reference 2 && submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && after_rows 30 cleanly "$job" && ends_with 75 "$job" &&
    contains "job-$job.log" "stopped by SIGUSR1" && contains "job-$job.log" "2 ranks on CPU" || return 1
  submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && ends_with 0 "$job" && has_the_results_of_the_whole_run && rm -r output || return 1
  submit gpu_node.sbatch --gpus-per-node=2 --cpus-per-gpu=1 && ends_with 0 "$job" && contains "job-$job.log" "2 ranks on CPU" && rm -r output || return 1
  # One node: the two of this test share /tmp, where PMIx has a directory for each node.
  submit multi_node.sbatch --nodes=1 --gpus-per-node=2 --ntasks-per-node=2 && ends_with 0 "$job" && contains "job-$job.log" "2 ranks on CPU" && rm -r output || return 1
  sed -i 's/softening/sofening/' run.toml && submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && ends_with 2 "$job"
}

a_job_that_is_requeued_goes_on() {
  reference 2 && submit cpu.sbatch --ntasks-per-node=2 --cpus-per-task=1 && after_rows 40 scontrol requeue "$job" || return 1
  for _ in $(seq 50); do [ "$(field_of_job "$job" Restarts)" = 1 ] && break; sleep 0.2; done
  holds [ "$(field_of_job "$job" Restarts)" = 1 ] && ends_with 0 "$job" 120 && contains "job-$job.log" "after step" && has_the_results_of_the_whole_run
}

a_chain_of_jobs_has_the_results_of_one_run() {
  local ids id row=15
  reference 2 && "$root/jobscripts/chain.sh" run.toml 6 "$root/jobscripts/cpu.sbatch" --ntasks-per-node=2 --cpus-per-task=1 --output=job-%j.log >chain.txt ||
    { cat chain.txt; return 1; }
  # shellcheck disable=SC2207
  ids=($(sed -n 's/^job .*: //p' chain.txt))
  for id in "${ids[@]:0:3}"; do
    after_rows $row cleanly "$id" && ends_with 75 "$id" || return 1
    row=$(($(rows output/energy.csv) + 15))
  done
  ends_with 0 "${ids[3]}" && has_the_results_of_the_whole_run || return 1
  # The others have nothing left to do.
  for id in "${ids[@]:4}"; do holds [ "$(field_of_job "$id" JobState)" = CANCELLED ] || return 1; done
}

a_job_stops_before_its_time_is_over() {
  sed -i 's/^end = .*/end = 100000/' run.toml && submit cpu.sbatch --ntasks-per-node=1 --cpus-per-task=1 --time=1 --signal=B:USR1@10 &&
    ends_with 75 "$job" 200 && contains "job-$job.log" "grove: stopped by" && holds [ -e output/checkpoint_1.hdf5 ] || return 1
  sed -i "s/^end = .*/end = $(($(rows output/energy.csv) / 32 + 2))/" run.toml && submit cpu.sbatch --ntasks-per-node=1 --cpus-per-task=1 && ends_with 0 "$job"
}

# measures_in_a_job RANKS OPTIONS...: a job of sbatch with these options measures scaling, on 1 and on RANKS ranks.
measures_in_a_job() {
  local ranks=$1
  shift
  rm -rf output_scaling
  job=$(sbatch --parsable --output=job-%j.log "$@" "$root/jobscripts/scaling.sh" --ranks "1,$ranks" --device cpu --case weak:plummer:500 --steps 4 --skip 1 \
    --repeats 1 --no-picture) && ends_with 0 "$job" && holds [ "$(grep -c '^weak_plummer_500,.*,done,' output_scaling/scaling.csv)" -eq 2 ] &&
    contains output_scaling/scaling.csv "$ranks ranks on CPU"
}

scaling_is_measured_in_a_job() {
  measures_in_a_job 2 || return 1
  if srun --mpi=list 2>&1 | grep -q pmix; then GROVE_LAUNCHER=srun measures_in_a_job 2 --ntasks-per-node=2 --cpus-per-task=1 || return 1; fi
  if $has_two_nodes; then GROVE_MPIRUN_FLAGS='' measures_in_a_job 2 --nodes=2 --ntasks-per-node=1 || return 1; fi
}

start_slurm || exit 1
# This one waits for the clock most of the time: on the cores that the others leave.
long=a_job_stops_before_its_time_is_over
if is_wanted $long; then
  run_test $long >"$directory/long.txt" &
  long_job=$!
fi
failed=0
for test in every_script_runs_with_what_its_job_gets two_nodes_serve_as_well_as_one a_mistake_is_the_exit_code_of_the_job \
  processes_that_srun_starts_without_pmi_are_told_once scaling_is_measured_in_a_job srun_starts_the_ranks_as_well \
  a_job_that_is_stopped_goes_on_when_it_is_submitted_again a_job_that_is_requeued_goes_on a_chain_of_jobs_has_the_results_of_one_run; do
  if is_wanted $test; then run_test $test || failed=1; fi
done
if [ -n "${long_job:-}" ]; then
  wait "$long_job" || failed=1
  cat "$directory/long.txt"
fi
exit $failed
