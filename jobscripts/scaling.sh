#!/usr/bin/env bash
# Measures how Grove scales: whole steps of `grove run` on 1, 2, 4, 8 ranks, as a table and a picture of efficiency against ranks.
#
#   jobscripts/scaling.sh [options]                                       # the GPUs of this machine, or its cores
#   sbatch --nodes=1 --gpus-per-node=4 jobscripts/scaling.sh [options]    # those of a job of SLURM; inside one of salloc as above
#
#   --ranks LIST          numbers of ranks, as 1,2,4 (default: 1,2,4,8 up to the number of GPUs; without a GPU, cores)
#   --case SCALING:MODEL:N
#                         a case in place of the four that are measured by default; can be given several times. SCALING is
#                           weak        N particles a rank
#                           strong      N particles in all
#                           largest     N particles a rank, on the most ranks alone: 3 steps
#                           encounter   N particles in all, on the most ranks alone: 400 steps of 0.05 with softening 0.01
#                         MODEL is a generator of Grove. N is a number like 5000, 16Ki, 64Mi (2^10, 2^20 each) or 750M (10^6 each)
#                         Default: weak:plummer:16Mi, weak:plummer:64Mi, strong:plummer:64Mi, strong:merger:16Mi
#   --largest             largest:plummer:750M as well: 3 billion particles on 4 GPUs, 6 billion on 8
#   --encounter           encounter:merger:64Mi as well: how even the walks are while two galaxies merge
#   --repeats R           how often each run is made, in turn (default: 3)
#   --steps S, --skip K   steps of a run, and how many of them are omitted at its beginning (default: 40 and 8:
#                         a tree is reused for up to 32 steps)
#   --dt DT               time step (default: 0.001)
#   --set key=value       changes any other setting; can be given several times
#   --device D            gpu, cpu, or auto (default): GPUs when there are any
#   --time-limit SECONDS  a run that takes longer has failed (default: 1800)
#   --output DIR          where results go, a directory without any so far (default: output_scaling in the current directory)
#   --no-picture          tables alone
#   --draw DIR            draws the picture of earlier results again, and measures nothing
#
# Results: DIR/scaling.csv has a line for each case and number of ranks, DIR/runs.csv one for each run, DIR/scaling.png is the picture, and
# DIR/runs has what each run wrote. A case that does not fit into memory is omitted, which its line says; a run that fails is shown, and the
# exit code is then 1, as it is where the picture cannot be drawn. docs/scaling.md explains the columns. Needs Python 3, and matplotlib for the picture.
# In the environment: GROVE is the program (default: build/release/grove), GROVE_LAUNCHER mpirun (default) or srun, GROVE_MPIRUN_FLAGS options
# of mpirun in place of mapping and binding, GROVE_PYTHON a Python other than python3, GROVE_ROOT the root of the repository.
#SBATCH --job-name=grove-scaling
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --hint=nomultithread
#SBATCH --time=01:00:00
#SBATCH --output=grove-scaling-%j.log
set -euo pipefail

# SLURM runs a copy of the script from its own directory.
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[[ -r "$here/scaling.py" ]] || here="${GROVE_ROOT:-${SLURM_SUBMIT_DIR:-$PWD}}/jobscripts"
source "$here/setup.sh" || { echo "set GROVE_ROOT to the root of Grove's repository" >&2; exit 2; }
source "$here/job.sh"
trap - USR1 TERM # there is no run yet that a signal could be passed on to

grove="${GROVE:-$grove_root/build/release/grove}"
python="${GROVE_PYTHON:-python3}"
ranks_asked=() cases=() further_cases=() settings=()
repeats=3 steps=40 skip=8 dt=0.001
device=auto time_limit=1800 output=output_scaling picture=true draw_only=false
# What scaling.py says of a run.
readonly run_does_not_fit=10 run_failed=11
# And scaling_picture.py of tables without weak and strong scaling.
readonly nothing_to_draw=12

read_options() {
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --ranks | --case | --repeats | --steps | --skip | --dt | --set | --device | --time-limit | --output | --draw) grove_need_value "$1" $# ;;
    esac
    case "$1" in
      --ranks) IFS=, read -ra ranks_asked <<<"$2,"; shift ;;
      --case) cases+=("$2"); shift ;;
      --largest) further_cases+=(largest:plummer:750M) ;;
      --encounter) further_cases+=(encounter:merger:64Mi) ;;
      --repeats) repeats="$2"; shift ;;
      --steps) steps="$2"; shift ;;
      --skip) skip="$2"; shift ;;
      --dt) dt="$2"; shift ;;
      --set) settings+=("$2"); shift ;;
      --device) device="$2"; shift ;;
      --time-limit) time_limit="$2"; shift ;;
      --output) output="$2"; shift ;;
      --no-picture) picture=false ;;
      --draw) output="$2" draw_only=true; shift ;;
      --help | -h) grove_help_of "${BASH_SOURCE[0]}" | sed '/^SBATCH/d'; exit 0 ;;
      *) grove_fail "unknown option '$1' (--help shows the options)" ;;
    esac
    shift
  done
  [[ ${#cases[@]} -gt 0 ]] || cases=(weak:plummer:16Mi weak:plummer:64Mi strong:plummer:64Mi strong:merger:16Mi)
  cases+=("${further_cases[@]}")
}

# need_count OPTION VALUE: a whole number from 1 on.
need_count() { [[ "$2" =~ ^[1-9][0-9]{0,8}$ ]] || grove_fail "$1 is '$2'; it must be a whole number from 1 on"; }

check_options() {
  local number setting entry
  for number in "${ranks_asked[@]}"; do
    [[ "$number" =~ ^[1-9][0-9]{0,4}$ ]] || grove_fail "--ranks has '$number'; it must be numbers from 1 on, with commas between them, as 1,2,4"
  done
  need_count --repeats "$repeats"
  need_count --steps "$steps"
  need_count --time-limit "$time_limit"
  [[ "$skip" =~ ^(0|[1-9][0-9]{0,8})$ && "$skip" -lt "$steps" ]] || grove_fail "--skip is '$skip'; it must be a whole number below that of --steps, $steps"
  [[ "$dt" =~ ^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$ && "${dt%%[eE]*}" =~ [1-9] ]] || grove_fail "--dt is '$dt'; it must be a positive number"
  [[ "$device" =~ ^(auto|gpu|cpu)$ ]] || grove_fail "--device is '$device'; allowed: auto, gpu, cpu"
  for entry in "${cases[@]}"; do
    [[ "$entry" =~ ^(weak|strong|largest|encounter):[a-z_]+:([1-9][0-9]{0,2}G|[1-9][0-9]{0,5}(Ki|Mi|k|M)|[1-9][0-9]{0,11})$ ]] ||
      grove_fail "--case is '$entry'; it must be weak, strong, largest or encounter, a model and a number of particles, as weak:plummer:16Mi"
  done
  [[ -z "$(printf '%s\n' "${cases[@]}" | sort | uniq -d)" ]] || grove_fail "--case is given twice: $(printf '%s\n' "${cases[@]}" | sort | uniq -d)"
  for setting in "${settings[@]}"; do
    case "$setting" in
      initial_conditions.generator=* | initial_conditions.n=* | initial_conditions.file=* | time.* | output.* | run.device=*)
        grove_fail "--set $setting: this setting is chosen by --case, --steps, --dt, --output or --device" ;;
      *.*=*) ;;
      *) grove_fail "--set is '$setting'; it must be key=value, as gravity.order=5" ;;
    esac
  done
}

# need_programs: before anything is measured.
need_programs() {
  command -v "$python" >/dev/null || grove_fail "there is no $python: install it (Debian, Ubuntu: apt-get install python3), or name another Python in GROVE_PYTHON"
  if $draw_only; then return; fi
  [[ -x "$grove" && ! -d "$grove" ]] || grove_fail "no program at $grove: build it (cmake --preset release && cmake --build --preset release), or set GROVE to its path"
  command -v "${GROVE_LAUNCHER:-mpirun}" >/dev/null || grove_fail "there is no ${GROVE_LAUNCHER:-mpirun}, which starts the ranks"
  version="$("$grove" --version)" || grove_fail "$grove --version fails; see its message above"
  if $picture && ! "$python" -c "import matplotlib" 2>/dev/null; then
    grove_say "note: $python has no matplotlib, without which there will be tables and no picture (Debian, Ubuntu: apt-get install python3-matplotlib)"
  fi
}

# GPUs of this node that the job or the user gives to this script.
gpus_here() {
  local visible entry count=0
  if [[ -n "${SLURM_GPUS_ON_NODE:-}" ]]; then
    echo "$SLURM_GPUS_ON_NODE"
  elif [[ "${SLURM_GPUS_PER_NODE:-}" =~ (^|:)([0-9]+)$ ]]; then
    # In the shell of salloc, which may be on another node: 4, or h200:4.
    echo "${BASH_REMATCH[2]}"
  elif [[ -n "${CUDA_VISIBLE_DEVICES+set}" ]]; then
    # Numbers or names, as GPU-8932f937-d72c-1106; CUDA takes those before the first that is -1.
    IFS=, read -ra visible <<<"$CUDA_VISIBLE_DEVICES"
    for entry in "${visible[@]}"; do
      if [[ "$entry" == -1 ]]; then break; fi
      count=$((count + 1))
    done
    echo "$count"
  else
    grove_gpu_count
  fi
}

# Sets `device`, how many `places` for ranks each of the `nodes` has (GPUs, or cores), `ranks_asked` and the threads of a rank: as many
# whatever the number of ranks, so that a rank is always the same.
look_at_machine() {
  local gpus=0 cores number most=0
  if [[ "$device" != cpu && "$version" == *"back ends: cuda"* ]]; then gpus="$(gpus_here)"; fi
  [[ "$device" != gpu || "$gpus" -gt 0 ]] || grove_fail "--device gpu: this program, or this machine, has no GPU"
  if [[ "$gpus" -gt 0 ]]; then device=gpu; else device=cpu; fi
  if [[ -n "${SLURM_JOB_ID:-}" ]]; then cores="$(grove_job_cores)"; else cores="$(grove_cores)"; fi
  nodes="$(grove_job_nodes)"
  if [[ "$device" == gpu ]]; then places="$gpus"; else places="$(grove_job_ranks_per_node "$cores")"; fi
  if [[ ${#ranks_asked[@]} -eq 0 ]]; then
    for number in 1 2 4 8; do if [[ "$number" -le $((nodes * places)) ]]; then ranks_asked+=("$number"); fi; done
  fi
  readarray -t ranks_asked < <(printf '%s\n' "${ranks_asked[@]}" | sort -nu)
  for number in "${ranks_asked[@]}"; do most="$(ranks_per_node "$number")"; done
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((cores / most > 0 ? cores / most : 1))}"
  if [[ "${ranks_asked[-1]}" -gt $((nodes * places)) ]]; then
    grove_say "note: ${ranks_asked[-1]} ranks take turns on $((nodes * places)) places (GPUs or cores): this shows that they run, not how fast more hardware is"
  fi
}

# ranks_per_node RANKS: nodes are filled one after the other.
ranks_per_node() {
  if [[ "$1" -gt $((nodes * places)) ]]; then echo $((($1 + nodes - 1) / nodes)); else echo $(($1 < places ? $1 : places)); fi
}

# in_full NUMBER: 16Ki as 16384.
in_full() {
  local number="${1%%[!0-9]*}"
  case "${1#"$number"}" in
    Ki) echo $((number << 10)) ;;
    Mi) echo $((number << 20)) ;;
    k) echo $((number * 1000)) ;;
    M) echo $((number * 1000000)) ;;
    G) echo $((number * 1000000000)) ;;
    *) echo "$number" ;;
  esac
}

# Results of others are never replaced: the directory has none yet. `mkdir` tells of two scripts that begin at the same time.
begin_output() {
  local name
  mkdir -p -- "$output" || grove_fail "the directory $output cannot be made; see the message above"
  for name in runs scaling.csv runs.csv scaling.png; do
    if [[ -e "$output/$name" || -L "$output/$name" ]]; then
      grove_fail "$output/$name is there already, and is not replaced: name another directory with --output"
    fi
  done
  mkdir -- "$output/runs" || grove_fail "$output/runs cannot be made; see the message above"
}

# set_launch RANKS: sets `launch`, what starts so many ranks.
set_launch() {
  local each used_nodes mpirun_flags=(--map-by :OVERSUBSCRIBE --bind-to none) srun_flags=()
  each="$(ranks_per_node "$1")"
  used_nodes=$((($1 + each - 1) / each))
  srun_flags=(--nodes="$used_nodes" --distribution=block --cpu-bind=none)
  if [[ -n "${GROVE_MPIRUN_FLAGS:-}" ]]; then
    read -ra mpirun_flags <<<"$GROVE_MPIRUN_FLAGS"
  elif [[ "$nodes" -gt 1 ]]; then
    mpirun_flags=(--map-by "ppr:$each:node:OVERSUBSCRIBE" --bind-to none)
  fi
  if [[ "$device" == cpu ]]; then srun_flags+=(--cpus-per-task="$OMP_NUM_THREADS"); fi
  grove_job_launch "$1" "$each"
}

# set_run_settings SCALING MODEL PARTICLES RUN: sets `run_settings`; those of the user come last, and hold.
set_run_settings() {
  local run_steps="$steps" run_dt="$dt" softening=0 setting
  if [[ "$1" == largest ]]; then run_steps=3; fi
  if [[ "$1" == encounter ]]; then run_steps=400 run_dt=0.05 softening=0.01; fi
  # One rank shall not sum all pairs where several walk trees.
  physics=("initial_conditions.generator=$2" "initial_conditions.n=$3" gravity.method=fmm gravity.tolerance=2.6e-3 "gravity.softening=$softening"
    gravity.all_pairs_up_to=0 "time.dt=$run_dt" "time.end=$(LC_ALL=C awk "BEGIN { printf \"%.15g\", $run_steps * $run_dt }")" "${settings[@]}")
  run_settings=()
  for setting in "${physics[@]}" output.snapshots=none "output.directory=$4" "run.device=$device"; do run_settings+=(--set "$setting"); done
}

# The run that is at work, or nothing.
process=""

# Whether anything is left of the session of the run. Without pgrep, this is known of its first process alone.
# shellcheck disable=SC2317 # called by a signal
is_at_work() { if command -v pgrep >/dev/null; then pgrep --session "$process" >/dev/null; else kill -0 "$process" 2>/dev/null; fi; }

# Ends what this script has started, and the script.
# shellcheck disable=SC2317 # called by a signal
stop() {
  trap '' INT TERM HUP USR1
  if [[ -n "$process" ]]; then
    grove_say "stopped; ending the run that is at work"
    # Once, to mpirun alone, which gives its ranks a few seconds: at a second one it would leave them behind.
    kill -TERM "$process" 2>/dev/null || true
    for ((i = 0; i < 150; ++i)); do
      is_at_work || break
      sleep 0.1
    done
    pkill -KILL --session "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  fi
  if [[ -e "$output/scaling.csv" ]]; then grove_say "what was measured before is in $output/scaling.csv"; fi
  exit $((128 + $1))
}

# measure CASE RANKS REPEAT: one run, and its row in the tables. Sets `code` to what scaling.py says of it.
measure() {
  local scaling model number particles name run ended=0 began launch physics run_settings left_out="$skip"
  IFS=: read -r scaling model number <<<"$1"
  particles="$(in_full "$number")"
  if [[ "$scaling" =~ ^(weak|largest)$ ]]; then particles=$((particles * $2)); fi
  if [[ "$scaling" == largest ]]; then left_out=1; fi
  name="${scaling}_${model}_$number" run="$output/runs/${scaling}_${model}_${number}_on_${2}_repeat_$3"
  mkdir -- "$run"
  set_launch "$2"
  set_run_settings "$scaling" "$model" "$particles" "$run"
  began="$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  printf '%q ' "${launch[@]}" "$grove" run "${run_settings[@]}" --verbose >"$run/log.txt"
  printf '\n' >>"$run/log.txt"
  # A session of its own, which Ctrl-C does not reach: stop() ends it.
  setsid timeout --foreground --kill-after=30 "$time_limit" "${launch[@]}" "$grove" run "${run_settings[@]}" --verbose </dev/null >>"$run/log.txt" 2>&1 &
  process=$!
  wait "$process" || ended=$?
  # What starts the ranks may have been killed without them; the next run must not share the machine with what is left.
  if [[ "$ended" -ne 0 ]]; then pkill -KILL --session "$process" 2>/dev/null || true; fi
  process=""
  code=0
  "$python" -B "$here/scaling.py" add "$output" "case=$name" "scaling=$scaling" "model=$model" "ranks=$2" "particles=$particles" "repeat=$3" \
    "directory=$run" "exit_code=$ended" "skip=$left_out" "date=$began" "host=${SLURM_JOB_NODELIST:-$(hostname)}" "threads=$OMP_NUM_THREADS" \
    "reference_ranks=${ranks_asked[0]}" "time_limit=$time_limit" "settings=${physics[*]}" || code=$?
  [[ "$code" =~ ^(0|$run_does_not_fit|$run_failed)$ ]] || grove_fail "the tables cannot be written; see the message above"
}

# All runs of a case follow each other before the next case begins, and all cases before the next repeat: their ratios are of one sitting.
measure_all() {
  local repeat entry ranks key
  local -A left_out=()
  for ((repeat = 1; repeat <= repeats; ++repeat)); do
    for entry in "${cases[@]}"; do
      for ranks in "${ranks_asked[@]}"; do
        key="$entry $ranks"
        if [[ "$entry" =~ ^(largest|encounter): && ("$repeat" -gt 1 || "$ranks" -ne "${ranks_asked[-1]}") || -n "${left_out[$key]:-}" ]]; then continue; fi
        measure "$entry" "$ranks" "$repeat"
        # What has failed once is not tried again.
        if [[ "$code" -ne 0 ]]; then left_out[$key]=true; fi
        if [[ "$code" -eq "$run_failed" ]]; then exit_code=1; fi
      done
    done
  done
}

draw() {
  local code=0
  "$python" -B "$here/scaling_picture.py" "$output" || code=$?
  case "$code" in
    0) grove_say "written $output/scaling.png" ;;
    "$nothing_to_draw") if $draw_only; then exit_code=1; fi ;;
    *) exit_code=1 ;;
  esac
}

read_options "$@"
check_options
need_programs
exit_code=0
if $draw_only; then
  draw
  exit $exit_code
fi
look_at_machine
begin_output
grove_let_root_use_mpi
trap 'stop 1' HUP
trap 'stop 2' INT
trap 'stop 10' USR1
trap 'stop 15' TERM
grove_say "${cases[*]} on ${ranks_asked[*]} ranks ($device, $OMP_NUM_THREADS threads each), $repeats times; results go to $output"
measure_all
"$python" -B "$here/scaling.py" show "$output"
if $picture; then draw; fi
exit $exit_code
