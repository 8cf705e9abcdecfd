# shellcheck shell=bash
# What the job scripts (*.sbatch) share: a run that continues from job to job; and how ranks are started, for scaling.sh as well.
# Sourced, not run.
#
# The run is started with --continue: the first job begins it, later ones continue from its last checkpoint, also after `scontrol requeue`.
# Two minutes before the time of the job is over, SLURM sends SIGUSR1 to the script (#SBATCH --signal=B:USR1@120), which passes it on to
# mpirun or srun, which passes it on to all ranks: the run stops with a checkpoint. SIGTERM, which scancel and `scontrol requeue` send, is
# passed on as SIGUSR1, too: mpirun would kill the ranks soon after a SIGTERM, however long a step takes.

# Signals that came, and those that were passed on to the run: one may come before the run has begun.
grove_signals=0 grove_signals_passed_on=0 grove_process=""
grove_pass_on() {
  grove_signals=$((grove_signals + 1))
  if [[ -n "$grove_process" ]]; then
    grove_signals_passed_on=$((grove_signals_passed_on + 1))
    kill -USR1 "$grove_process" 2>/dev/null || true
  fi
}
trap grove_pass_on USR1 TERM

grove_job_fail() {
  echo "$(basename "$0"): $2" >&2
  exit "$1"
}

# grove_job_begin SCRIPT ARGUMENTS...: sets `grove` and checks what the job needs. SLURM runs a copy of the script from its own directory:
# the repository is where sbatch was called, or GROVE_ROOT.
grove_job_begin() {
  local script="$1"
  shift
  local root="${GROVE_ROOT:-${SLURM_SUBMIT_DIR:-$PWD}}"
  grove="${GROVE:-$root/build/release/grove}"
  # Where Grove is installed, GROVE_ROOT is PREFIX/share/grove.
  if [[ -z "${GROVE:-}" && ! -x "$grove" && -x "$root/../../bin/grove" ]]; then grove="$root/../../bin/grove"; fi
  if [[ $# -lt 1 ]]; then grove_job_fail 2 "usage: sbatch jobscripts/$script CONFIG.toml [more arguments of grove run]"; fi
  if [[ ! -x "$grove" ]]; then
    grove_job_fail 2 "no program at $grove: build it (cmake --preset release && cmake --build --preset release), or set GROVE to its path"
  fi
  # The run stops by itself before this time; SLURM 23.02 and newer set it.
  if [[ -z "${SLURM_JOB_END_TIME:-}" && -n "${SLURM_JOB_ID:-}" ]]; then
    local end
    end="$(squeue --noheader --job "$SLURM_JOB_ID" --format=%e 2>/dev/null)" || end=""
    # A job without a limit has no such time.
    if [[ -n "$end" ]] && end="$(date -d "$end" +%s 2>/dev/null)"; then export SLURM_JOB_END_TIME="$end"; fi
  fi
}

# Nodes of this job, and the cores that it has on this one.
grove_job_nodes() { echo "${SLURM_JOB_NUM_NODES:-1}"; }
grove_job_cores() {
  local cpus threads_per_core
  cpus="${SLURM_CPUS_ON_NODE:-$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)}" # nproc tells of the threads of OpenMP, where these are set
  threads_per_core="$(LC_ALL=C lscpu | sed -n 's/^Thread(s) per core: *//p')"
  echo $((cpus / ${threads_per_core:-1} > 0 ? cpus / ${threads_per_core:-1} : 1))
}

# grove_job_ranks_per_node OTHERWISE: what --ntasks-per-node says, e.g. "4(x2)", or OTHERWISE.
grove_job_ranks_per_node() {
  local ranks="${SLURM_NTASKS_PER_NODE:-$1}"
  echo "${ranks%%(*}"
}

# Jobs of a chain (chain.sh) that wait for this one have nothing to do after a run that has finished, or that cannot continue before the
# user has changed something.
grove_job_end_chain() {
  if [[ -n "${GROVE_CHAIN:-}" ]]; then scancel --state=PENDING --name="$GROVE_CHAIN" --user="$(id -un)" || true; fi
}

# grove_job_launch RANKS RANKS_PER_NODE: sets the array `launch` to what starts the ranks: mpirun with the options in the array mpirun_flags,
# or, if GROVE_LAUNCHER is srun, srun with those in srun_flags.
#
# mpirun unless the user says otherwise: where Open MPI and SLURM share no PMIx (`srun --mpi=list` names it), srun starts every rank as a run
# of its own.
grove_job_launch() {
  case "${GROVE_LAUNCHER:-mpirun}" in
    mpirun) launch=(mpirun -n "$1" "${mpirun_flags[@]}" -x OMP_NUM_THREADS) ;;
    # Without --kill-on-bad-exit the other ranks would wait for one that was killed.
    srun)
      # What sbatch was given for the job may contradict what is said here.
      unset SLURM_CPUS_PER_TASK SLURM_NTASKS SLURM_NPROCS SLURM_NTASKS_PER_NODE
      launch=(srun --mpi=pmix --kill-on-bad-exit=1 --ntasks="$1" --ntasks-per-node="$2" "${srun_flags[@]}")
      ;;
    *) grove_job_fail 2 "GROVE_LAUNCHER is '$GROVE_LAUNCHER': mpirun or srun" ;;
  esac
}

# grove_job_run RANKS RANKS_PER_NODE PROGRAM ARGUMENTS...: starts the ranks as grove_job_launch says. Passes signals on, and exits with the
# code of the run: 0 finished, 75 to be continued, 2 and 3 a mistake in settings or data, any other a failure of the machine.
grove_job_run() {
  local code=0 signals launch
  grove_job_launch "$1" "$2"
  shift 2
  local stopped_early="stopped before the run began: submit the same job again"
  if [[ $grove_signals -gt 0 ]]; then
    echo "$stopped_early"
    exit 75
  fi
  "${launch[@]}" "$@" &
  grove_process=$!
  if [[ $grove_signals -gt $grove_signals_passed_on ]]; then
    grove_signals_passed_on=$((grove_signals_passed_on + 1))
    kill -USR1 "$grove_process" 2>/dev/null || true
  fi
  # A signal ends `wait`, not the run.
  for (( ; ; )); do
    signals=$grove_signals code=0
    wait "$grove_process" || code=$?
    if [[ $signals -eq $grove_signals ]]; then break; fi
  done
  trap - USR1 TERM
  # The launcher and the ranks die of the signal until they are ready for it.
  if [[ $code -eq $((128 + $(kill -l USR1))) && $grove_signals_passed_on -gt 0 ]]; then
    echo "$stopped_early"
    exit 75
  fi
  case "$code" in
    0 | 2 | 3) grove_job_end_chain ;;
    75) echo "the run is to be continued: submit the same job again, or a chain of jobs (jobscripts/chain.sh)" ;;
  esac
  exit "$code"
}
