#!/usr/bin/env bash
# jobscripts/scaling.sh on CPU ranks with few particles, and quickstart.sh with a program that is built. Usage: scaling_test.sh ROOT GROVE
# Each test is a function, as tests/support/shell_tests.sh says.
set -u
root=$(cd "$1" && pwd) grove=$2
command -v python3 >/dev/null || { echo "Skipped: there is no python3 (apt install python3)"; exit 77; }
source "$root/tests/support/shell_tests.sh"

export GROVE=$grove OMP_NUM_THREADS=1
unset GROVE_LAUNCHER GROVE_MPIRUN_FLAGS GROVE_PYTHON GROVE_CUDA_ARCHITECTURES CUDA_VISIBLE_DEVICES SLURM_JOB_ID SLURM_JOB_NUM_NODES SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_NTASKS_PER_NODE
PATH=/usr/bin:$PATH

# measures CODE OPTIONS...: with a small case unless the options say otherwise; what is said goes to said.txt.
measures() {
  local code=$1
  shift
  "$root/jobscripts/scaling.sh" --device cpu --ranks 1,2 --steps 6 --skip 2 --no-picture "$@" >said.txt 2>&1
  local status=$?
  [ $status -eq "$code" ] || { echo "exit code $status, not $code, of: $*"; cat said.txt; return 1; }
}
# field FILE COLUMN CASE RANKS [REPEAT]: one value of a table, read without Python. Texts in which there are commas are the last columns.
field() {
  awk -F, -v name="$2" -v entry="$3" -v ranks="$4" -v repeat="${5:-}" '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; if (!(name in at)) exit 1; next }
    $at["case"] == entry && $at["ranks"] == ranks && (repeat == "" || $at["repeat"] == repeat) { print $at[name]; exit }' "$1"
}
# mean_of_run DIRECTORY COLUMN: over the four steps after the second.
mean_of_run() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $1 > 2 { sum += $at[name]; ++count } END { if (count == 4) print sum / 4 }' \
    OFMT=%.12g "$1/timings.csv"
}
median_of_three() { printf '%s\n' "$@" | LC_ALL=C sort -g | sed -n 2p; }
# agree A B: to six digits.
agree() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 <= 1e-12 * b ^ 2) }' || { echo "'$1' is not '$2'"; return 1; }; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.12g", a / b }'; }

is_png() { holds [ "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ]; }

# quickstart OPTIONS...: with a program that is built, where no GPU is found, and with a cmake that writes what it is called with to
# calls.txt, fails where the file broken is, and waits in the middle as long as the file waits is.
quickstart() {
  mkdir -p build bin && ln -sf "$grove" build/grove && cat >bin/cmake <<'END' && chmod +x bin/cmake || return 1
#!/bin/sh
echo "$@" >>calls.txt
if [ "$1" = --version ]; then echo cmake version 9.0; exit; fi
if [ -e broken ]; then echo "x.cpp:1: error: wrong"; exit 1; fi
for part in 1 30 60 100; do
  printf '[%3d%%] Building x.cpp\n' $part
  if [ $part = 30 ]; then
    for i in $(seq 200); do [ ! -e waits ] || sleep 0.1; done
  fi
done
END
  printf '#!/bin/sh\nexit 1\n' >bin/nvidia-smi && chmod +x bin/nvidia-smi &&
    CUDA_VISIBLE_DEVICES="" PATH=$PWD/bin:$PATH "$root/jobscripts/quickstart.sh" --build-dir build --no-install --ranks 1 --output out \
      --set initial_conditions.generator=plummer --set pictures.components= --set pictures.every=0.1 --set time.end=0.1 --set time.dt=0.1 "$@" >said.txt 2>&1
}

tests_follow

# As its last words propose, with more particles.
the_quickstart_can_be_run_again() {
  local n
  for n in 100 200; do quickstart --device cpu --n $n || { cat said.txt; return 1; }; done
  contains said.txt "The collision is done" && holds [ -e out/energy.csv ] && holds [ -e out.1/energy.csv ] && lacks said.txt "no GPU was found"
}

the_quickstart_builds_code_for_gpus_where_they_are_or_it_is_asked_for() {
  quickstart --n 100 && contains said.txt "no GPU was found" && contains calls.txt "-DGROVE_CUDA=OFF" || { cat said.txt; return 1; }
  touch build/CMakeCache.txt && rm calls.txt && quickstart --n 100 && lacks calls.txt "DGROVE_CUDA=" && lacks said.txt "no GPU was found" || return 1
  rm calls.txt && GROVE_CUDA_ARCHITECTURES=90 quickstart --n 100 && contains calls.txt "-DGROVE_CUDA=ON" || return 1
  # There is none on which the run could be.
  rm calls.txt && ! quickstart --n 100 --device gpu && contains calls.txt "-DGROVE_CUDA=ON"
}

the_quickstart_says_little_and_keeps_the_rest() {
  quickstart --n 100 && lacks said.txt Building && contains said.txt "100 %" && contains build/quickstart.log "[ 60%] Building x.cpp" &&
    holds [ "$(wc -l <said.txt)" -le 60 ] || return 1
  touch broken && ! quickstart --n 100 && contains said.txt "error: wrong" && contains said.txt "all of its output is in build/quickstart.log" &&
    lacks said.txt "The collision is done"
}

the_quickstart_shows_how_far_the_build_is() {
  touch waits
  quickstart --n 100 &
  local build=$! i
  for i in $(seq 100); do
    ! grep -qs "25 %" said.txt || break
    sleep 0.1
  done
  contains said.txt "25 %" && lacks said.txt "100 %"
  local shows=$?
  rm waits && wait $build && [ $shows = 0 ]
}

the_tables_have_the_medians_of_what_the_runs_wrote() {
  measures 0 --case weak:plummer:1k --case strong:merger:3000 --repeats 3 || return 1
  local entry ranks of_one value efficiency
  for entry in weak_plummer_1k strong_merger_3000; do
    of_one=""
    for ranks in 1 2; do
      value=$(median_of_three "$(mean_of_run "output_scaling/runs/${entry}_on_${ranks}_repeat_1" total_s)" \
        "$(mean_of_run "output_scaling/runs/${entry}_on_${ranks}_repeat_2" total_s)" "$(mean_of_run "output_scaling/runs/${entry}_on_${ranks}_repeat_3" total_s)")
      of_one=${of_one:-$value}
      efficiency=$(ratio "$of_one" "$value")
      if [ $entry = strong_merger_3000 ]; then efficiency=$(ratio "$efficiency" $ranks); fi
      agree "$(field output_scaling/scaling.csv step_s $entry $ranks)" "$value" &&
        agree "$(field output_scaling/scaling.csv efficiency $entry $ranks)" "$efficiency" &&
        holds [ "$(field output_scaling/scaling.csv status $entry $ranks)" = "done" ] &&
        holds [ "$(field output_scaling/scaling.csv repeats $entry $ranks)" = 3 ] || return 1
      value=$(mean_of_run "output_scaling/runs/${entry}_on_${ranks}_repeat_2" walk_max_s)
      agree "$(field output_scaling/runs.csv walk_max_s $entry $ranks 2)" "$value" || return 1
    done
  done
  holds [ "$(field output_scaling/scaling.csv particles weak_plummer_1k 2)" = 2000 ] && holds [ "$(field output_scaling/scaling.csv particles strong_merger_3000 2)" = 3000 ] &&
    holds [ "$(field output_scaling/scaling.csv communication_s weak_plummer_1k 1)" = 0 ] || return 1
  holds [ "$(wc -l <output_scaling/runs.csv)" -eq 13 ] && holds [ "$(wc -l <output_scaling/scaling.csv)" -eq 5 ] || return 1
  # The memory that the run reports: particles alone take 96 bytes.
  value=$(sed -n 's/^memory .* \([0-9.]*\) bytes a particle.*/\1/p' output_scaling/runs/weak_plummer_1k_on_2_repeat_1/log.txt)
  agree "$(field output_scaling/runs.csv bytes_per_particle weak_plummer_1k 2 1)" "$value" && holds [ "${value%.*}" -ge 96 ] &&
    contains output_scaling/scaling.csv "gravity.tolerance=2.6e-3" && contains output_scaling/scaling.csv "Grove 0."
}

the_cases_of_the_most_ranks_are_not_measured_on_fewer() {
  measures 0 --case largest:plummer:1k --case weak:plummer:500 --repeats 1 &&
    holds [ "$(wc -l <output_scaling/runs.csv)" -eq 4 ] && holds [ "$(field output_scaling/scaling.csv particles largest_plummer_1k 2)" = 2000 ] &&
    holds [ "$(wc -l <output_scaling/runs/largest_plummer_1k_on_2_repeat_1/timings.csv)" -eq 5 ] &&
    holds [ -z "$(field output_scaling/scaling.csv efficiency largest_plummer_1k 2)" ]
}

a_run_that_fails_is_a_row_and_the_others_go_on() {
  measures 1 --case weak:no_such_model:1k --case strong:plummer:1k --repeats 2 && contains said.txt "no_such_model" || return 1
  holds [ "$(field output_scaling/scaling.csv status weak_no_such_model_1k 1)" = failed ] && holds [ "$(field output_scaling/scaling.csv status weak_no_such_model_1k 2)" = failed ] &&
    holds [ -z "$(field output_scaling/scaling.csv step_s weak_no_such_model_1k 2)" ] && holds [ "$(field output_scaling/scaling.csv status strong_plummer_1k 2)" = "done" ] &&
    contains output_scaling/scaling.csv "initial_conditions.generator" || return 1
  # Once is enough for what fails.
  holds [ "$(wc -l <output_scaling/runs.csv)" -eq 7 ]
}

# shellcheck disable=SC2016
a_run_that_takes_too_long_is_ended_and_fails() {
  printf '#!/bin/sh\n[ "$1" = --version ] && exec "%s" --version\nexec sleep 1000\n' "$grove" >grove && chmod +x grove
  GROVE=$PWD/grove measures 1 --case weak:plummer:1k --ranks 1 --repeats 1 --time-limit 1 && contains output_scaling/scaling.csv "longer than 1 s"
}

memory_that_does_not_suffice_is_no_failure_of_a_run() {
  measures 0 --case strong:plummer:900G --ranks 1 && holds [ "$(field output_scaling/scaling.csv status strong_plummer_900G 1)" = "does not fit" ] &&
    contains output_scaling/scaling.csv "particles do not fit" && contains said.txt "particles do not fit"
}

files_that_are_there_stay() {
  local name
  for name in scaling.csv runs.csv scaling.png runs; do
    rm -rf output_scaling
    mkdir output_scaling && echo mine >output_scaling/$name && measures 1 --case weak:plummer:1k && contains said.txt "is there already" &&
      holds [ "$(cat output_scaling/$name)" = mine ] && holds [ "$(find output_scaling -mindepth 1 | wc -l)" -eq 1 ] || return 1
  done
  rm -rf output_scaling
  ln -s nowhere link && mkdir output_scaling && ln -s ../nowhere output_scaling/scaling.csv && measures 1 --case weak:plummer:1k && holds [ ! -e nowhere ]
}

wrong_options_are_named_before_anything_is_made() {
  local options
  while read -r options; do
    # shellcheck disable=SC2086
    measures 1 $options && contains said.txt "scaling.sh: ${options%% *}" && holds [ ! -e output_scaling ] || return 1
  done <<'END'
--ranks 1,x
--ranks 0
--case weak:plummer
--case wide:plummer:100
--case weak:plummer:1Ti
--set output.directory=elsewhere
--set initial_conditions.n=5
--set tolerance
--steps many
--skip 6
--dt 0
--dt -1
--repeats 0
--time-limit 0
--device tpu
--case
END
  measures 1 --unknown && contains said.txt "unknown option '--unknown'" && GROVE=/nowhere measures 1 && contains said.txt "no program at /nowhere" &&
    GROVE_PYTHON=/nowhere measures 1 && contains said.txt "there is no /nowhere" && holds [ ! -e output_scaling ]
}

# What the script has started ends with it.
a_signal_ends_the_run_and_keeps_the_table() {
  local script status=0
  setsid "$root/jobscripts/scaling.sh" --device cpu --ranks 2 --case strong:plummer:1k --case strong:plummer:200k --steps 300 --output "$PWD/results" >said.txt 2>&1 &
  script=$!
  for _ in $(seq 300); do grep -qs "^messages travel" results/runs/strong_plummer_200k_on_2_repeat_1/log.txt && break; sleep 0.1; done
  holds [ -n "$(pgrep -f "output.directory=$PWD/results")" ] || { kill -TERM $script; wait $script; return 1; }
  kill -TERM $script
  wait $script || status=$?
  holds [ $status -eq 143 ] && contains said.txt "stopped" && holds [ "$(field results/scaling.csv status strong_plummer_1k 2)" = "done" ] &&
    holds [ -z "$(pgrep -f "output.directory=$PWD/results")" ] && holds [ -z "$(find results -name '*.partial')" ]
}

# Where the program can use GPUs, the runs fail for lack of these; only how many there are is looked at. Another program has cores alone.
gpus_are_counted_by_their_names() {
  local expected="(cpu, " names=GPU-8932f937-d72c-1106,GPU-1aa2-1107,-1,GPU-3
  if "$grove" --version | grep -q "back ends: cuda"; then expected="on 1 2 ranks (gpu, "; fi
  CUDA_VISIBLE_DEVICES=$names "$root/jobscripts/scaling.sh" --steps 2 --skip 1 --repeats 1 --case weak:plummer:100 --no-picture >said.txt 2>&1
  contains said.txt "$expected" || return 1
  SLURM_GPUS_PER_NODE=h200:2 "$root/jobscripts/scaling.sh" --steps 2 --skip 1 --repeats 1 --case weak:plummer:100 --no-picture --output again >said.txt 2>&1
  contains said.txt "$expected"
}

cases_without_a_curve_need_no_picture() {
  "$root/jobscripts/scaling.sh" --device cpu --ranks 1 --steps 3 --skip 1 --repeats 1 --case largest:plummer:500 >said.txt 2>&1 || { cat said.txt; return 1; }
  contains said.txt "no weak or strong scaling" && holds [ ! -e output_scaling/scaling.png ] && holds [ "$(field output_scaling/scaling.csv status largest_plummer_500 1)" = "done" ]
}

the_model_is_that_of_the_document() {
  local python=${GROVE_PYTHON:-python3}
  # 16 Mi particles a GPU: transfer of 85 and 140 MB at 390 GB/s, boxes, collectives, exchange; docs/development/scaling_model.md.
  (cd "$root/jobscripts" && "$python" -B -c '
from scaling import model
for ranks, waits, trees in ((2, 0.72e-3, 0.86e-3), (8, 1.81e-3, 1.19e-3)):
    found = model(16777216 * ranks, ranks, "directly from GPU to GPU")
    assert abs(found["model_communication_s"] / waits - 1) < 0.02 and abs(found["model_essential_trees_s"] / trees - 1) < 0.02, found
assert model(16777216, 1, None) == {} and model(2000, 2, "through MPI") == {}
# Its steps on one GPU are those of the document on performance.
import scaling
rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in open("../docs/performance.md") if line.startswith("|")]
at = [row[0] for row in rows].index("H200: Plummer sphere")
small = dict(zip(rows[at - 2], rows[at]))
large = {row[0]: row[2] for row in rows if len(row) > 2}
for particles, seconds in scaling.STEPS_OF_ONE:
    number = format(particles, ",")
    told = small[number] + " ms" if number in small else large["Plummer, %s a GPU" % number]
    assert told == "%.3g ms" % (1e3 * seconds) or told == "%.3f ms" % (1e3 * seconds), (number, told, seconds)
waits = [model(4e6, 4, text)["model_communication_s"] for text in ("directly from GPU to GPU", "through host memory that ranks share", "through MPI and pinned host memory")]
assert waits == sorted(set(waits)), waits
mixed = "directly from GPU to GPU for 1 of 3 other ranks, through host memory that ranks share for 2 of 3 other ranks"
assert model(4e6, 4, mixed)["model_communication_s"] == waits[1]
')
}

pictures_are_drawn_of_tables() {
  local python
  python=$(python_with matplotlib) || is_not_tried "no Python with matplotlib"
  export GROVE_PYTHON=$python
  "$root/jobscripts/scaling.sh" --device cpu --ranks 1,2 --steps 3 --skip 1 --case weak:plummer:500 --case strong:plummer:1k --repeats 1 >said.txt 2>&1 || { cat said.txt; return 1; }
  is_png output_scaling/scaling.png || return 1
  # It is drawn again, and no other file is replaced.
  rm output_scaling/runs.csv && "$root/jobscripts/scaling.sh" --draw output_scaling >said.txt 2>&1 && contains said.txt "written output_scaling/scaling.png" || return 1
  cp output_scaling/scaling.png kept.png
  echo mine >output_scaling/scaling.png
  "$root/jobscripts/scaling.sh" --draw output_scaling >said.txt 2>&1
  holds [ $? -eq 1 ] && contains said.txt "is not replaced" && holds [ "$(cat output_scaling/scaling.png)" = mine ] || return 1
  if "$python" -c "import pandas" 2>/dev/null; then
    "$python" -c '
import pandas
table = pandas.read_csv("output_scaling/scaling.csv")
assert list(table.ranks) == [1, 2, 1, 2] and (table.efficiency[table.ranks == 1] == 1).all() and (table.efficiency > 0).all()
assert (abs(table.particles_per_s * table.step_s / table.particles - 1) < 1e-9).all()'
  fi
}

pictures_without_matplotlib_are_an_error_in_words_and_the_tables_are_there() {
  mkdir no && printf 'raise ImportError("No module named matplotlib")\n' >no/matplotlib.py
  PYTHONPATH=$PWD/no "$root/jobscripts/scaling.sh" --device cpu --ranks 1,2 --steps 3 --skip 1 --case weak:plummer:500 --repeats 1 >said.txt 2>&1
  holds [ $? -eq 1 ] && contains said.txt "python3-matplotlib" && contains said.txt "scaling.sh --draw" && holds [ -s output_scaling/scaling.csv ] &&
    holds [ ! -e output_scaling/scaling.png ]
}

run_tests
