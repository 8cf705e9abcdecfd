#!/usr/bin/env bash
# What the program says to mistakes that users make, and to streams and files of unusual kinds. Usage: messages_test.sh GROVE MPIRUN [FLAGS...]
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
n = 50
[gravity]
softening = 0.05
[time]
end = 1.0
dt = 0.125
[run]
device = "cpu"
END
}

# changed SED FILE: a configuration with a mistake.
changed() { sed -e "$1" run.toml >"$2"; }

# Reads a table from standard input: lines CODE | WORDS AFTER grove | TEXT | TEXT ... Each text must be in the message.
all_are_told() {
  local code words texts text rows=0
  while IFS='|' read -r code words texts; do
    rows=$((rows + 1))
    # shellcheck disable=SC2086
    fails_with "${code// /}" "grove: error: " timeout 20 "$grove" $words </dev/null || return 1
    IFS='|' read -ra texts <<<"$texts"
    for text in "${texts[@]}"; do
      text=${text# }
      contains err.txt "${text%"${text##*[! ]}"}" || { echo "of: $words"; return 1; }
    done
  done
  holds [ $rows -gt 2 ]
}

tests_follow

a_run_tells_what_it_will_write() {
  "$grove" run run.toml >out.txt && holds grep -qE "results go to output, about [0-9.]+ (B|KiB|MiB) of snapshots and checkpoints" out.txt &&
    "$grove" run run.toml --set output.directory=nothing --set output.snapshots=none >out.txt && lacks out.txt "of snapshots"
}

mistakes_in_the_command_line_tell_what_is_meant() {
  all_are_told <<'END'
2 | run.toml                   | 'grove run run.toml'
2 | rnu                        | 'rnu' | did you mean run?
2 | ic plumer --n 10           | 'plumer' | did you mean plummer?
2 | run run.toml other.toml    | 'other.toml' | 'grove run CONFIG'
2 | run --output foo run.toml  | --output | --set output.directory=VALUE
2 | run --n 500                | --n | --set initial_conditions.n=VALUE
2 | run run.toml --softening=1 | --softening: | --set gravity.softening=VALUE
2 | run run.toml --continu     | --continu: did you mean --continue?
2 | ic -n 100 plummer          | -n: did you mean --n
2 | ic plummer -n 100          | -n: did you mean --n
2 | ic -n 100                  | -n: the generator is a word of its own | grove ic GENERATOR --n N --out FILE
2 | ic --n 100                 | grove ic GENERATOR --n N --out FILE
2 | ic --generator plummer --n 100 | --generator: the generator is a word of its own
2 | ic plummer --softening=1 --n 9 | --softening: | --set gravity.softening=VALUE
2 | profile a.hdf5 --disc      | --disc: the word after it is missing: --disc COMPONENT | --disc disc
2 | run run.toml --set         | --set: the word after it is missing: --set SECTION.KEY=VALUE
2 | render --colors hot a.hdf5 | --colors: did you mean --colours?
2 | compare run.toml           | 'grove compare A B'
2 | info                       | 'grove info FILE'
4 | ic plummer --n 9 --out nodir/a.hdf5 | --out nodir/a.hdf5: no file can be made in nodir
4 | ic join a b --out nodir/a.hdf5      | --out nodir/a.hdf5: no file can be made in nodir
END
}

help_is_a_command() {
  "$grove" help >help.txt && "$grove" --help | cmp - help.txt && "$grove" help ic disc >help.txt && "$grove" ic disc --help | cmp - help.txt &&
    fails_with 2 "'rnu'" "$grove" help rnu
}

files_of_another_kind_are_told() {
  "$grove" ic plummer --n 9 --out a.hdf5 >out.txt && printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n' >a.tab && printf '\0\1\0\1' >a.bin &&
    printf 'InitCondFile  a.hdf5\nOutputDir  out\nTimeMax 3.0\n' >gadget.param && printf 'time:\n  end: 1.0\n' >run.yaml &&
    printf '{"time": {"end": 1}}\n' >run.json && printf '\377\376[\0t\0' >wide.toml &&
    "$grove" run run.toml --quiet --set time.end=0.25 || return 1
  all_are_told <<'END'
2 | run a.hdf5       | a.hdf5 is an HDF5 file | 'grove info a.hdf5' | initial_conditions.file = "a.hdf5"
2 | run a.tab        | a.tab is a table of numbers
2 | run a.bin        | a.bin is a binary file
2 | run wide.toml    | UTF-16
2 | run gadget.param | gadget.param:1: | parameter file of GADGET | 'grove run --print-config > run.toml'
2 | run run.yaml     | run.yaml:1: | YAML | --print-config
2 | run run.json     | run.json:1: | JSON | --print-config
3 | info run.toml    | run.toml: is a configuration | 'grove run run.toml'
3 | render run.toml  | run.toml: is a configuration
3 | compare run.toml a.hdf5 | run.toml: is a configuration
3 | profile output/energy.csv  | output/energy.csv: is a log of a run | 'grove info output/energy.csv' | 'grove plot
3 | compare a.hdf5 output/timings.csv | output/timings.csv: is a log of a run
3 | check output/energy.csv    | output/energy.csv: is a log of a run
3 | run --set initial_conditions.file=output/energy.csv | output/energy.csv: is a log of a run
END
}

mistakes_in_a_configuration_tell_line_and_remedy() {
  changed 's/"plummer"/"plummer/' quote.toml && changed 's/"plummer"/plummer/' bare.toml && changed 's/0.125/0,125/' comma.toml &&
    changed 's/0.125/.125/' point.toml && changed 's/0.125/1.25d-1/' fortran.toml && changed 's/^n = .*/n = 99999999999999999999/' whole.toml && changed 's/^n = .*/&\nrecentre = True/' true.toml && changed 's/^dt.*/&\nend = 2.0/' key.toml && changed '$a [time]\nbegin = 0.0' section.toml && changed '1i time.begin = 0.0' dotted.toml &&
    changed 's/^dt.*/dt 0.125/' equals.toml && changed 's/0.125//' empty.toml && changed 's/^dt/% a step\n&/' comment.toml &&
    changed 's/"plummer"/“plummer”/' curly.toml && changed 's/generator.*/file = "p.hdf5"/; /^n = /d' file.toml && changed 's/0.05/0.05 kpc/' unit.toml &&
    changed '$a [units]\nsystem = "kpc km/s 1e10 Msun"' blanks.toml && changed '$a [units]\nsystem = "kpc/h, km/s, 1e10 Msun/h"' hubble.toml &&
    sed '$a [units]\nsystem = "file"' file.toml >asked.toml || return 1
  all_are_told <<'END'
2 | run quote.toml   | quote.toml:2: not valid TOML: generator = "plummer: a quote is not closed
2 | run bare.toml    | bare.toml:2: | generator = "plummer"
2 | run comma.toml   | comma.toml:8: | dt = 0.125
2 | run point.toml   | point.toml:8: | written as 0.5
2 | run fortran.toml | fortran.toml:8: | written as 0.5 or 1e-3
2 | run whole.toml   | whole.toml:3: | a whole number is below 9.2e18
2 | run true.toml    | true.toml:4: | true is written in small letters
2 | run key.toml     | key.toml:9: | end has a value in line 7
2 | run section.toml | section.toml:11: | [time] begins in line 6
2 | run dotted.toml | dotted.toml:7: | [time] begins in line 1
2 | run equals.toml  | equals.toml:8: | '=' is missing
2 | run empty.toml   | empty.toml:8: | a value is missing
2 | run comment.toml | comment.toml:8: | comments begin with #
2 | run curly.toml   | curly.toml:2: | straight quotes
2 | run unit.toml    | unit.toml:5: | softening = "0.05 kpc"
3 | run file.toml    | file.toml:2: initial_conditions.file = "p.hdf5": p.hdf5: no such file in the current directory, /
3 | run asked.toml   | asked.toml:2: initial_conditions.file = "p.hdf5": p.hdf5: no such file in the current directory, /
3 | run file.toml --set time.begin=file | file.toml:2: initial_conditions.file = "p.hdf5": p.hdf5: no such file
2 | run run.toml --set time.begin=now   | time.begin = "now" | or "file": that of the input file
2 | run blanks.toml  | blanks.toml:12: | commas must separate the units: "kpc, km/s, 1e10 Msun"
2 | run hubble.toml  | hubble.toml:12: | "kpc/h" has Hubble's h | as "1.4286 kpc" for h = 0.7
2 | run run.toml --set time.dt=0,125         | time.dt = "0,125" | not a comma: 0.125
2 | run run.toml --set gravity.tolerance=0,1 | not a comma: 0.1
END
}

a_configuration_that_one_rank_lacks_names_the_rank() {
  mkdir elsewhere && fails_with 2 "rank 1: cannot read the configuration run.toml" \
    "$mpirun" -n 2 "${mpirun_flags[@]}" bash -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || cd elsewhere; exec "$0" run run.toml' "$grove"
}

an_output_directory_that_is_a_file_is_told() {
  touch file && fails_with 2 'output.directory = "file" is a file: name a directory' ranks 2 run run.toml --set output.directory=file
}

a_view_of_nothing_names_the_runs_beside_it() {
  "$grove" run run.toml --quiet || return 1
  timeout -s INT 2 "$grove" view outptu --port 0 >out.txt
  contains out.txt "outptu, which is not there yet: the page waits until a run makes it; in the same place are the runs output"
}

numbers_that_cannot_be_meant_are_told_in_short() {
  fails_with 3 "time 1e+290" "$grove" run run.toml --set time.dt=1e290 --set time.end=3e290 && holds [ "$(wc -L <out.txt)" -lt 400 ] &&
    holds [ "$(wc -L <err.txt)" -lt 400 ] && ! grep -E "[0-9]{30}" out.txt err.txt && rm -rf output || return 1
  timeout -s TERM 20 "$grove" run run.toml --set time.dt=1e-12 --set run.max_wall_time=0.001 >out.txt 2>err.txt
  contains out.txt "note: time.dt = 1e-12 makes 1,000,000,000,000 steps: 1,158 days even if each takes 0.0001 s"
}

advice_before_the_first_step_fits() {
  printf '1e300 0 0 0 0 0 0\n1e300 1e-10 0 0 0 0 0\n1e300 0 1 0 0 0 0\n' >huge.tab && printf '1 %s 0 0 0 0 0\n' 0 1 2 3 1e40 >far.tab
  fails_with 3 'gravity.method = "direct"' "$grove" run --set initial_conditions.file=huge.tab && lacks err.txt "smaller time step" &&
    fails_with 3 'or gravity.method = "direct", which takes them' "$grove" check far.tab --set gravity.all_pairs_up_to=0 &&
    "$grove" check far.tab --set gravity.method=direct >out.txt
}

another_external_potential_is_named_where_the_log_does_not_fit() {
  "$grove" run run.toml --quiet && fails_with 3 "as after an external potential was added or removed; move it away" \
    "$grove" run run.toml --set time.end=2 --continue --force-config --set external.potential=logarithmic || return 1
  rm output/energy.csv && "$grove" run run.toml --quiet --set time.end=2 --continue --force-config --set external.potential=logarithmic
}

a_plot_tries_the_python_of_the_system_and_names_those_that_it_tried() {
  mkdir bin broken && printf '#!/bin/sh\ncat >/dev/null\necho "No module named matplotlib" >&2\nexit 4\n' >bin/python3 && chmod +x bin/python3 &&
    echo 'raise ImportError("none here")' >broken/matplotlib.py && "$grove" run run.toml --quiet && unset GROVE_PYTHON || return 1
  local tried="$PWD/bin/python3 lacks a package"
  [ ! -x /usr/bin/python3 ] || tried="$PWD/bin/python3 and /usr/bin/python3 lack a package"
  PATH="$PWD/bin:$PATH" PYTHONPATH=$PWD/broken fails_with 4 "$tried" "$grove" plot output && holds [ ! -e output/plot.png ] || return 1
  # A Python that the user names is the only one.
  GROVE_PYTHON=$PWD/bin/python3 fails_with 4 "$PWD/bin/python3 lacks a package" "$grove" plot output || return 1
  /usr/bin/python3 -c "import matplotlib" 2>/dev/null || is_not_tried "the system's Python has no matplotlib"
  PATH="$PWD/bin:$PATH" "$grove" plot output >out.txt && holds [ -s output/plot.png ]
}

output_that_cannot_be_written_is_an_error() {
  "$grove" ic plummer --n 900 --out a.hdf5 >out.txt || return 1
  local words
  for words in --help --version "help run" "info a.hdf5" "info --all a.hdf5" "profile a.hdf5" "compare a.hdf5 a.hdf5" "check a.hdf5" "run run.toml --print-config" "bench --n 100 --repeats 1"; do
    # shellcheck disable=SC2086
    "$grove" $words 2>err.txt >/dev/full
    holds [ $? -eq 4 ] && one_message && contains err.txt "standard output could not be written: No space left on device" || { echo "of: $words"; return 1; }
    # shellcheck disable=SC2086
    "$grove" $words 2>err.txt >&-
    holds [ $? -eq 4 ] || { echo "of: $words"; return 1; }
  done
}

a_run_goes_on_without_its_standard_output() {
  local long="run.toml --set time.dt=0.001" kind
  # shellcheck disable=SC2086
  "$grove" run $long --set output.directory=whole >out.txt || return 1
  # shellcheck disable=SC2086
  { "$grove" run $long --set output.directory=head 2>err.txt; echo $? >code; } | head -3 >/dev/null
  holds [ "$(cat code)" -eq 0 ] && contains err.txt "standard output could not be written" || return 1
  # shellcheck disable=SC2086
  { "$grove" run $long --set output.directory=both 2>&1; echo $? >code; } | head -3 >/dev/null
  holds [ "$(cat code)" -eq 0 ] && "$grove" run $long --set output.directory=full >/dev/full 2>err.txt && contains err.txt "its files are complete" &&
    "$grove" run $long --set output.directory=closed >&- 2>&- || return 1
  for kind in head both full closed; do holds cmp whole/energy.csv $kind/energy.csv && "$grove" compare whole/snapshot_0001.hdf5 $kind/snapshot_0001.hdf5 --max-position 0 >out.txt || return 1; done
}

special_files_are_told_at_once() {
  mkfifo pipe && mkdir directory.toml && mkdir -p a/checkpoint_0.hdf5 b && mkfifo b/checkpoint_1.hdf5 && "$grove" run run.toml --quiet &&
    mkdir output/snapshot_0007.hdf5 && "$grove" run run.toml --quiet --set output.directory=c && rm c/energy.csv && mkfifo c/energy.csv || return 1
  all_are_told <<'END' || return 1
2 | run pipe           | pipe is not a regular file
2 | run directory.toml | directory.toml is not a regular file
2 | run /dev/zero      | /dev/zero is not a regular file
2 | run run.toml --set output.directory=a            | a/checkpoint_0.hdf5 is not a regular file | move it away
2 | run run.toml --set output.directory=a --continue | a/checkpoint_0.hdf5 is not a regular file
2 | run run.toml --set output.directory=b --continue | b/checkpoint_1.hdf5 is not a regular file
2 | run run.toml --continue --set time.end=2         | output/snapshot_0007.hdf5 is not a regular file
3 | run run.toml --set output.directory=c --continue --set time.end=2 | c/energy.csv: is not a regular file
END
  # That of the shell is read.
  "$grove" run <(cat run.toml) --print-config >out.txt && contains out.txt "n = 50"
}

signals_before_the_first_step_are_answered_in_words() {
  local process code delay
  for delay in 0 0.1 0.3; do
    rm -rf output
    "$grove" run run.toml --set time.end=100000 >out.txt 2>err.txt &
    process=$!
    # Until it has a handler for SIGUSR1, signal 10, it ends without words.
    until [ $((0x$(awk '/SigCgt/ { print $2 }' /proc/$process/status) >> 9 & 1)) -eq 1 ]; do sleep 0.01; done
    sleep $delay
    kill -USR1 $process
    wait $process
    code=$?
    holds [ $code -eq 75 ] && contains err.txt "stopped by SIGUSR1" || { echo "after $delay s"; return 1; }
  done
}

a_signal_ends_a_read_that_waits() {
  local process
  mkfifo particles.hdf5 && exec 3<>particles.hdf5 || return 1
  "$grove" run /dev/fd/3 >out.txt 2>err.txt &
  process=$!
  until ! kill -0 $process 2>/dev/null || [ $((0x$(awk '/SigCgt/ { print $2 }' /proc/$process/status) >> 14 & 1)) -eq 1 ]; do sleep 0.01; done
  sleep 0.3
  kill -TERM $process
  for _ in $(seq 100); do kill -0 $process 2>/dev/null || break; sleep 0.05; done
  kill -KILL $process 2>/dev/null
  wait $process
  holds [ $? -eq 75 ] && contains err.txt "stopped by SIGTERM before the first step" && holds [ ! -e output ]
}

# The least in which the program itself starts, to 20 MB.
too_little_memory_is_told_with_advice_that_fits() {
  local limit=120000 more words
  "$grove" ic plummer --n 9 --out a.hdf5 >out.txt || return 1
  until (ulimit -v $limit && "$grove" --version >/dev/null 2>&1); do
    limit=$((limit + 20000))
    [ $limit -lt 2000000 ] || is_not_tried "the program takes 2 GB of addresses for itself, as with sanitizers"
  done
  for words in "run run.toml" "info a.hdf5" "profile a.hdf5"; do
    # From there on MPI, and then the threads of a run, lack their memory.
    for more in 0 80000 140000 200000; do
      # shellcheck disable=SC2086
      (ulimit -v $((limit + more)) && fails_with 4 "the host is out of memory" "$grove" $words) && contains err.txt "'ulimit -v'" &&
        holds [ ! -e output ] || { echo "of: $words, $((limit + more))"; return 1; }
    done
  done
}

run_tests
