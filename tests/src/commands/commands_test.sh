#!/usr/bin/env bash
# The program as its user meets it: commands, messages, exit codes, files. Usage: commands_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds, and finds a small run in run.toml.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 200
[gravity]
softening = 0.05
[time]
end = 1.0
dt = 0.125
[output]
snapshot_every = 0.5
[run]
device = "cpu"
END
}

tests_follow

help_and_version_are_printed_once_under_mpirun() {
  "$grove" --help >help.txt && contains help.txt bench && "$grove" ic merger --help >help.txt && contains help.txt --pericentre &&
    ranks 2 --version >version.txt && holds [ "$(grep -c '^Grove ' version.txt)" -eq 1 ] && contains version.txt "back ends" &&
    contains version.txt HDF5
}

mistakes_in_the_command_line_are_named() {
  fails_with 2 "grove needs one of run" "$grove" && fails_with 2 "'rnu'" "$grove" rnu && fails_with 2 "--fast" "$grove" run run.toml --fast &&
    fails_with 2 "'plumer'" "$grove" ic plumer --n 10 --out x.hdf5 && fails_with 2 "--out" "$grove" ic plummer --n 10 &&
    fails_with 2 "mass" "$grove" ic plummer --n 10 --out x.hdf5 --mass -1 && fails_with 2 "CONFIG" "$grove" run
}

a_level_of_the_cpu_that_is_not_there_is_named() {
  GROVE_CPU_LEVEL=avx fails_with 2 'GROVE_CPU_LEVEL = "avx": ' ranks 2 run run.toml && holds [ ! -e output ] &&
    GROVE_CPU_LEVEL=avx "$grove" --version >version.txt && contains version.txt "back ends"
}

mistakes_in_the_configuration_are_named_once_over_all_ranks() {
  fails_with 2 "gravity.thta" ranks 3 run run.toml --set gravity.thta=0.5 && fails_with 2 "time.dt = 0.3" "$grove" run run.toml --set time.dt=0.3 &&
    fails_with 2 "absent.toml" ranks 2 run absent.toml && holds [ ! -e output ]
}

bad_input_names_file_field_and_row() {
  printf '1 0 0 0 0 0 0\n1 0 nan 0 0 0 0\n' >bad.tab
  sed -e '/generator/d; /^n =/d; /initial_conditions/a file = "bad.tab"' run.toml >bad.toml
  fails_with 3 "bad.tab" ranks 2 run bad.toml && contains err.txt "row 1" && fails_with 3 "absent.hdf5" "$grove" info absent.hdf5 &&
    fails_with 3 "absent.tab" ranks 2 check absent.tab
}

forces_that_are_not_finite_end_a_run_with_a_list_and_leave_its_checkpoint() {
  # Two of them are at one place after the first step.
  printf '1e-200 0 0 0 0 0 0\n1e-200 1 0 0 -0.25 0 0\n1e-200 0 1 0 0 0 0\n' >meet.tab
  local settings="--set initial_conditions.file=meet.tab --set time.dt=4 --set time.end=40 --device cpu"
  # shellcheck disable=SC2086
  fails_with 3 "is not finite" ranks 2 run $settings && contains err.txt "; output/not_finite_step_1.csv lists all such particles: 3" &&
    holds [ "$(cut -d, -f4 output/not_finite_step_1.csv | sort)" = "$(printf '%s\n' 0 1 2 id)" ] &&
    "$grove" info output/not_finite_step_1.csv >info.txt && contains info.txt "particles whose numbers are not finite" && cp output/checkpoint_0.hdf5 before.hdf5 || return 1
  # The checkpoint can be used: the run continues from it, to the same end.
  # shellcheck disable=SC2086
  fails_with 3 "output/not_finite_step_1_1.csv" ranks 2 run $settings --continue && holds cmp before.hdf5 output/checkpoint_0.hdf5
}

processes_of_srun_that_are_no_ranks_of_one_run_are_an_error_told_once() {
  # What srun sets for its tasks, where MPI does not hear of them.
  local other
  fails_with 2 "srun started 4 processes that MPI sees as single ones: use 'srun --mpi=pmix' or mpirun" \
    env SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=0 "$grove" run run.toml || return 1
  fails_with 2 "srun started 4" env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 PMI_SIZE=4 PMI_RANK=0 "$grove" run run.toml || return 1
  for other in 1 3; do
    SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=$other "$grove" run run.toml >out.txt 2>err.txt
    holds [ $? -eq 2 ] && holds [ ! -s out.txt ] && holds [ ! -s err.txt ] || return 1
  done
  holds [ ! -e output ] || return 1
  # Fewer ranks than tasks, on purpose; also a single one.
  SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=0 ranks 1 run run.toml >out.txt && contains out.txt "note: the SLURM job has 4 tasks, and this run 1 rank"
}

an_unwritable_directory_is_an_error() {
  touch file
  fails_with 4 "file/output" "$grove" run run.toml --set output.directory=file/output
}

gpu_without_a_gpu_is_an_error() {
  nvidia-smi -L >/dev/null 2>&1 && return 0
  fails_with 2 'run.device = "gpu"' ranks 2 run run.toml --device gpu
}

a_run_writes_snapshots_and_logs_of_every_step() {
  for n in 1 3; do
    rm -rf output && ranks $n run run.toml >out.txt && contains out.txt "finished: step 8 of 8" &&
      contains out.txt "method fmm, opening relative, tolerance 0.001, softening 0.05 (plummer)" || return 1
    holds [ "$(ls output)" = "$(printf '%s\n' checkpoint_{0,1}.hdf5 energy.csv snapshot_000{0,1,2}.hdf5 snapshots.xdmf timings.csv used_parameters.toml)" ] || return 1
    for log in energy timings; do holds [ "$(wc -l <output/$log.csv)" -eq 10 ] || return 1; done
    "$grove" info --all output/snapshot_0002.hdf5 >info.txt && contains info.txt "PartType1/Acceleration" && contains info.txt "200" || return 1
    holds [ "$(tail -n 1 output/energy.csv | cut -d, -f1)" = 1 ] || return 1
  done
}

output_into_a_file_has_no_control_characters() {
  "$grove" run run.toml >out.txt 2>&1 && ! grep -q $'[\r\033]' out.txt
}

a_verbose_run_shows_its_ranks() {
  ranks 2 run run.toml --verbose >out.txt && holds [ "$(grep -cE "^[01] +$(hostname) +CPU, (1 thread|[0-9]+ threads)(, [^ ]+)? +[0-9]+$" out.txt)" -eq 2 ] &&
    fails_with 2 "--quiet" "$grove" run run.toml --verbose --quiet
}

a_disk_that_is_too_small_is_named_before_the_first_step() {
  "$grove" run run.toml --set initial_conditions.n=1000 --set time.end=1e9 --set output.snapshot_every=0.125 --set run.max_wall_time=0.01 >out.txt 2>err.txt
  contains out.txt "note: the snapshots and checkpoints of this run take about" && contains out.txt "free"
}

a_disk_without_room_for_a_beginning_refuses_the_run() {
  mkdir small && mount -t tmpfs -o size=1m none small 2>/dev/null || is_not_tried "nothing can be mounted here"
  local settings="--set initial_conditions.n=5000 --set time.end=0.125 --set output.directory=small/output" status
  # shellcheck disable=SC2086
  fails_with 2 'output.directory = "small/output": the first snapshot and the checkpoints take about' ranks 2 run run.toml $settings &&
    contains err.txt "has 1" && contains err.txt "free" && holds [ ! -e small/output ] &&
    { "$grove" run run.toml $settings --set output.on_error=continue >out.txt 2>err.txt; holds [ $? -eq 4 ]; } &&
    contains out.txt "note: the snapshots and checkpoints" && contains out.txt "finished: step" && contains err.txt "is not on the disk"
  status=$?
  umount small
  return $status
}

quiet_runs_print_nothing() {
  "$grove" run run.toml --quiet >out.txt 2>&1 && holds [ ! -s out.txt ]
}

earlier_results_are_kept_unless_told_to_overwrite() {
  "$grove" run run.toml --quiet && cp output/energy.csv before.csv || return 1
  fails_with 2 "--overwrite" ranks 2 run run.toml --set time.end=0.5 && holds cmp output/energy.csv before.csv || return 1
  "$grove" run run.toml --quiet --overwrite --set time.end=0.5 && holds [ ! -e output/snapshot_0002.hdf5 ]
}

the_same_run_twice_gives_the_same_bits() {
  for n in 1 3; do
    rm -rf output first && ranks $n run run.toml --quiet && mv output first && ranks $n run run.toml --quiet || return 1
    for i in 0 1 2; do holds cmp first/snapshot_000$i.hdf5 output/snapshot_000$i.hdf5 || return 1; done
    holds cmp first/energy.csv output/energy.csv || return 1
  done
}

a_run_goes_on_from_a_snapshot() {
  "$grove" run run.toml --quiet &&
    ranks 2 run --set initial_conditions.file=output/snapshot_0002.hdf5 --set output.directory=next --set time.begin=1 --set time.end=1.5 \
      --set time.dt=0.125 --set gravity.softening=0.05 --device cpu >out.txt &&
    contains out.txt "200 particles from output/snapshot_0002.hdf5" && holds [ -e next/snapshot_0001.hdf5 ]
}

a_signal_ends_a_run_without_checkpoints_with_a_last_snapshot() {
  "$grove" run run.toml --quiet --set time.end=125000 --set output.snapshot_every=0 --set output.checkpoints=no 2>err.txt &
  local process=$! status
  for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <output/energy.csv || echo 0)" -gt 30 ] && break; sleep 0.05; done
  kill -TERM $process
  wait $process
  status=$?
  holds [ $status -eq 143 ] && contains err.txt "stopped by SIGTERM" && "$grove" info output/snapshot_0001.hdf5 >/dev/null &&
    holds [ "$(tail -c 1 output/energy.csv | od -An -c | tr -d ' ')" = '\n' ]
}

a_signal_that_is_repeated_at_once_is_one() {
  local process code=0
  "$grove" run run.toml --set time.end=100000 --quiet 2>err.txt &
  process=$!
  for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <output/energy.csv || echo 0)" -gt 5 ] && break; sleep 0.05; done
  for _ in $(seq 60); do kill -USR1 $process 2>/dev/null || break; sleep 0.01; done
  wait $process || code=$?
  holds [ $code -eq 75 ] && contains err.txt "stopped by SIGUSR1"
}

a_directory_that_is_replaced_ends_the_run() {
  local process code=0
  "$grove" run run.toml --set time.end=100000 --set output.snapshot_every=0 --quiet 2>err.txt &
  process=$!
  for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <output/energy.csv || echo 0)" -gt 5 ] && break; sleep 0.05; done
  mv output moved && mkdir output && echo mine >output/mine.txt
  wait $process || code=$?
  holds [ $code -eq 4 ] && contains err.txt "removed or replaced" && holds [ "$(ls output)" = mine.txt ] && one_message
}

numbers_beyond_those_of_trees_are_refused_on_any_number_of_ranks() {
  local ranks options=(--set gravity.softening=0.05 --set time.dt=0.01 --set time.end=0.02)
  printf '1 %s 0 0 0 0 0\n' 0 1 2 3 4 1e60 >far.tab
  printf '1 %s 0 0 0 0 0\n' 0 1e-320 2e-320 3e-320 >near.tab
  printf '1 %s 0 0 1e300 0 0\n' 0 1 2 3 >fast.tab
  for ranks in 1 3; do
    fails_with 3 "extend over 1e+60 code units" ranks $ranks run --set initial_conditions.file=far.tab "${options[@]}" --overwrite &&
      fails_with 3 "choose smaller units" ranks $ranks run --set initial_conditions.file=near.tab "${options[@]}" --overwrite &&
      fails_with 3 "the energy after step 0 is not finite" ranks $ranks run --set initial_conditions.file=fast.tab "${options[@]}" --overwrite || return 1
  done
}

files_that_look_like_results_are_never_written_over() {
  # A snapshot of somebody's, under a name that a run would use, and initial conditions that are a link to one.
  "$grove" ic plummer --n 100 --out ic.hdf5 && mkdir output && cp ic.hdf5 output/snapshot_0000.hdf5 &&
    "$grove" run run.toml --continue --quiet && holds cmp ic.hdf5 output.1/snapshot_0000.hdf5 || return 1
  mkdir other && cp ic.hdf5 other/snapshot_0000.hdf5 && ln -s other/snapshot_0000.hdf5 link.hdf5 || return 1
  fails_with 2 "lies in output.directory" "$grove" run --set initial_conditions.file=link.hdf5 --set gravity.softening=0.05 --set time.dt=0.1 \
    --set time.end=0.2 --set output.directory=other --overwrite && holds cmp ic.hdf5 other/snapshot_0000.hdf5
}

links_in_the_place_of_used_parameters_are_replaced_and_not_followed() {
  "$grove" run run.toml --quiet || return 1
  echo mine >../mine.toml && ln -sf "$PWD/../mine.toml" output/used_parameters.toml && mkdir output/stop
  "$grove" run run.toml --continue --set time.end=1.5 --quiet && holds [ "$(cat ../mine.toml)" = mine ] && holds [ ! -L output/used_parameters.toml ] &&
    contains output/used_parameters.toml "end = 1.5"
}

what_is_left_of_used_parameters_is_removed_and_files_of_the_user_are_not() {
  mkdir output && echo mine >output/used_parameters.toml.partial && fails_with 4 "used_parameters.toml.partial" ranks 2 run run.toml &&
    holds [ "$(cat output/used_parameters.toml.partial)" = mine ] && rm output/used_parameters.toml.partial && rm -f output/*.csv || return 1
  "$grove" run run.toml --print-config | head -c 2000 >output/used_parameters.toml.partial && "$grove" run run.toml >out.txt &&
    contains out.txt "removed what an earlier run had not finished: used_parameters.toml.partial" && holds [ -s output/used_parameters.toml ] &&
    holds [ ! -e output/used_parameters.toml.partial ]
}

pipes_in_the_place_of_results_are_refused() {
  mkdir output && mkfifo output/energy.csv && fails_with 4 "output/energy.csv" timeout 20 "$grove" run run.toml
}

paths_of_any_length_are_written() {
  local long
  long=$(printf 'd%.0s' {1..120})
  for n in 1 2; do
    ranks $n run run.toml --quiet --set output.directory="$long/$long/$long$n" && holds [ -s "$long/$long/$long$n/snapshot_0000.hdf5" ] || return 1
  done
}

a_run_without_snapshots_keeps_energies_and_timings() {
  "$grove" run run.toml --set output.snapshots=none >out.txt && contains out.txt "no snapshots" &&
    holds [ ! -e output/snapshot_0000.hdf5 ] && holds [ -s output/energy.csv ] && holds [ -s output/timings.csv ]
}

fewer_particles_than_ranks_run() {
  for n in 1 2; do
    rm -rf output && ranks 3 run run.toml --quiet --set initial_conditions.n=$n && "$grove" info output/snapshot_0002.hdf5 >info.txt || return 1
  done
}

initial_conditions_do_not_depend_on_the_number_of_ranks() {
  for n in 1 3; do
    ranks $n ic merger --n 501 --seed 7 --mass-ratio 0.5 --out ic.hdf5 >out.txt && "$grove" info --all ic.hdf5 | grep -v Ranks >info$n.txt || return 1
    "$grove" check ic.hdf5 --targets 501 --device cpu --set gravity.method=direct --json >check$n.txt && mv ic.hdf5 ic$n.hdf5 || return 1
  done
  holds cmp info1.txt info3.txt && holds cmp check1.txt check3.txt && cp ic1.hdf5 ic.hdf5 &&
    fails_with 2 "--overwrite" "$grove" ic plummer --n 10 --out ic.hdf5
}

initial_conditions_take_the_place_of_no_file_of_others() {
  echo mine >x.hdf5.partial && echo mine >x.hdf5_of_mine.partial && mkfifo pipe.hdf5 && ln -s nowhere link.hdf5 || return 1
  fails_with 2 "x.hdf5.partial is there" ranks 2 ic plummer --n 10 --out x.hdf5 --overwrite &&
    fails_with 2 "x.hdf5.partial is there" "$grove" ic join a.tab b.tab --out x.hdf5 &&
    fails_with 2 "not a regular file" "$grove" ic plummer --n 10 --out pipe.hdf5 --overwrite &&
    fails_with 2 "is a link" "$grove" ic plummer --n 10 --out link.hdf5 --overwrite || return 1
  holds [ "$(cat x.hdf5.partial x.hdf5_of_mine.partial)" = "$(printf 'mine\nmine')" ] && holds [ -p pipe.hdf5 ] && holds [ -L link.hdf5 ] &&
    rm x.hdf5.partial && "$grove" ic plummer --n 10 --out x.hdf5 >out.txt && "$grove" ic plummer --n 20 --out x.hdf5 --overwrite >out.txt
}

check_reports_errors_and_fails_beyond_the_limit() {
  ranks 2 check run.toml --targets 50 --set initial_conditions.n=2000 --max-99 0.01 >out.txt && contains out.txt "99.9 %" || return 1
  "$grove" check run.toml --targets 50 --json errors.json --max-99 1e-12 >out.txt 2>err.txt
  holds [ $? -eq 1 ] && contains err.txt "--max-99" && contains errors.json '"p99"'
}

files_of_the_user_are_not_overwritten() {
  cp run.toml before.toml && echo mine >curves.svg || return 1
  fails_with 2 "run.toml exists" "$grove" check run.toml --json run.toml && fails_with 2 "run.toml exists" ranks 2 bench --n 100 --json run.toml &&
    fails_with 2 "curves.svg exists" "$grove" bench --n 100 --sweep --picture curves.svg && cmp run.toml before.toml && contains curves.svg mine
}

bench_writes_a_table_or_json() {
  ranks 2 bench --n 2e3 --repeats 3 --check 20 --device cpu >out.txt && contains out.txt "whole force" && contains out.txt "bytes a particle" && contains out.txt "net force" &&
    "$grove" bench --n 1000 --ic uniform_cube --repeats 2 --device cpu --json >bench.json && contains bench.json '"walk_particles_per_s"' &&
    contains bench.json '"net_force_over_sum_of_forces"' && contains bench.json '"order": 4' && contains bench.json '"tolerance": 0.001' || return 1
  ! command -v python3 >/dev/null || python3 -m json.tool bench.json >/dev/null
}

json_names_the_keys_of_gravity_that_have_an_effect() {
  "$grove" bench --n 300 --repeats 1 --device cpu --set gravity.method=tree --set gravity.opening=barnes --json >bench.json &&
    contains bench.json '"theta": 0.6' && ! grep -q '"order"\|"tolerance"' bench.json
}

json_is_valid_for_any_name_of_a_file() {
  local name=$'p\xff.hdf5'
  "$grove" ic plummer --n 300 --out "$name" >out.txt && "$grove" bench --file "$name" --repeats 1 --device cpu --json >bench.json || return 1
  ! command -v python3 >/dev/null || python3 -m json.tool bench.json >/dev/null
}

a_sweep_draws_the_curves_of_all_generators() {
  ranks 2 bench --n 1500 --ic plummer,disc --sweep 1e-2,1e-3 --repeats 1 --check 200 --device cpu --set gravity.method=fmm \
    --set gravity.opening=relative --picture curves.svg --json curves.json >out.txt && contains out.txt "1,500 particles of generator disc" || return 1
  for setting in 0.01 0.001; do holds [ "$(grep -c "^$setting  " out.txt)" -eq 2 ] || return 1; done
  contains curves.json '"net_force_over_sum_of_forces"' && holds [ "$(grep -c '"p99"' curves.json)" -eq 8 ] || return 1
  for name in plummer disc; do contains curves.svg ">$name</text>" || return 1; done
  holds [ "$(grep -c '<polyline' curves.svg)" -eq 2 ] && holds [ "$(tail -n 1 curves.svg)" = "</svg>" ] || return 1
  ! command -v python3 >/dev/null || { python3 -m json.tool curves.json >/dev/null && python3 -c 'import xml.dom.minidom as x; x.parse("curves.svg")'; }
}

a_sweep_without_values_takes_the_default_ones() {
  "$grove" bench --n 300 --sweep --repeats 1 --device cpu --set gravity.method=tree --set gravity.opening=barnes --json >out.json &&
    contains out.json '"setting": "theta"' && holds [ "$(grep -c '"whole_force_s"' out.json)" -eq 7 ] && contains out.json '"targets": 300'
}

bench_counts_what_many_ranks_would_exchange() {
  "$grove" bench --n 2000 --virtual-ranks 1,4 >out.txt && contains out.txt "2,000 particles of generator plummer" && contains out.txt "senders" &&
    holds [ "$(grep -cE '^ +[14] ' out.txt)" -eq 2 ] && "$grove" bench --n 2000 --virtual-ranks 2 --json ranks.json >out.txt || return 1
  contains ranks.json '"virtual_ranks"' && contains ranks.json '"imported_particles"' && contains ranks.json '"particles": 2000' && contains out.txt senders &&
    "$grove" bench --n 2000 --virtual-ranks 2 --json | cmp - ranks.json
}

virtual_ranks_that_cannot_be_are_refused() {
  fails_with 2 "--virtual-ranks needs one process" ranks 2 bench --virtual-ranks 2 &&
    fails_with 2 'gravity.method = "direct" has no trees' "$grove" bench --virtual-ranks 2 --set gravity.method=direct &&
    fails_with 2 "--virtual-ranks" "$grove" bench --virtual-ranks 0 && fails_with 2 "--virtual-ranks" "$grove" bench --virtual-ranks 2,x &&
    fails_with 2 "--sweep" "$grove" bench --virtual-ranks 2 --sweep
}

mistakes_in_a_sweep_are_named_before_it_starts() {
  touch file
  fails_with 2 'gravity.tolerance = "x"' "$grove" bench --sweep 1e-2,x --set gravity.method=fmm --set gravity.opening=relative &&
    fails_with 2 "--sweep 0.5,,0.4" ranks 2 bench --sweep 0.5,,0.4 && fails_with 2 "gravity.theta = 9" "$grove" bench --sweep 9 --set gravity.opening=barnes &&
    fails_with 2 '"plumer"' "$grove" bench --sweep --ic disc,plumer && fails_with 2 "several generators need --sweep" ranks 2 bench --ic plummer,disc &&
    fails_with 2 'gravity.method = "direct" has no setting' ranks 2 bench --sweep --set gravity.method=direct &&
    fails_with 2 "--sweep" "$grove" bench --picture curves.svg && fails_with 4 "file/curves.svg" ranks 2 bench --sweep --picture file/curves.svg &&
    fails_with 4 "file/curves.json" "$grove" bench --sweep --json file/curves.json
}

the_printed_configuration_is_a_configuration() {
  "$grove" run --print-config >all.toml && "$grove" run all.toml --print-config >again.toml && holds cmp all.toml again.toml
}

run_tests
