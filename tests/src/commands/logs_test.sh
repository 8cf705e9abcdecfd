#!/usr/bin/env bash
# The logs of runs: other programs read them, grove info describes them, grove plot draws them. Usage: logs_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run. What needs pandas, NumPy or
# matplotlib is not tried where Python lacks them; tests/run.sh installs them where it can.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

readers=$(python_with "numpy, pandas") || readers=""
drawing=$(python_with "numpy, matplotlib") || drawing=""
[ -z "$drawing" ] || export GROVE_PYTHON=$drawing

config() {
  cat >run.toml <<LINES
[initial_conditions]
generator = "plummer"
n = 300
[gravity]
softening = 0.05
[time]
end = 0.5
dt = 0.03125
[output]
snapshot_every = 0.5
[run]
device = "cpu"
LINES
}
external=(--set external.potential=nfw --set external.mass=10 --set external.scale_radius=2)
physical=(--set "units.system=kpc, km/s, 1e10 Msun" --set "time.end=1 Gyr" --set "time.dt=50 Myr" --set "output.snapshot_every=1 Gyr")

# is_picture FILE PANELS: a PNG file of grove plot with so many panels, in rows of three; in each there is ink within the frame.
is_picture() {
  "$drawing" - "$1" "$2" <<'LINES'
import struct, sys
import numpy, matplotlib.image
path, panels = sys.argv[1], int(sys.argv[2])
data = open(path, "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", "no whole PNG file"
assert b"tEXtSoftware\0Grove" in data and b"tEXtSource\0grove plot" in data, "does not say who made it"
width, height = struct.unpack(">II", data[16:24])
picture = matplotlib.image.imread(path)[:, :, :3]
assert picture.shape == (height, width, 3) and width == 1760 and height > 400 * panels // 3, picture.shape
for panel in range(panels):
    row, column = divmod(panel, 3)
    middle = picture[height * row // (panels // 3):height * (row + 1) // (panels // 3), width * column // 3:width * (column + 1) // 3]
    middle = middle[middle.shape[0] // 5:-middle.shape[0] // 5, middle.shape[1] // 5:-middle.shape[1] // 5]
    ink = (middle.max(axis=2) < 0.6).sum() + (numpy.ptp(middle, axis=2) > 0.25).sum()
    assert ink > 20, f"panel {panel} is blank: {ink} dots"
LINES
}

tests_follow

pandas_and_numpy_read_the_logs_as_they_are() {
  [ -n "$readers" ] || is_not_tried "Python has no pandas or no NumPy"
  local n more
  for n in 1 3; do
    more=()
    [ $n -eq 1 ] || more=("${external[@]}")
    ranks $n run run.toml --quiet --overwrite "${more[@]}" && holds [ "$(cat output/*.csv | grep -c '#')" -eq 0 ] &&
      holds [ "$(head -n 1 output/energy.csv | cut -d, -f1-4)" = time,kinetic,potential,total ] || return 1
    "$readers" - output/energy.csv output/timings.csv <<'LINES' || return 1
import sys
import numpy, pandas
for path in sys.argv[1:]:
    lines = [line.split(",") for line in open(path).read().split("\n")[:-1]]
    names, rows = lines[0], numpy.array([[float(x) for x in line] for line in lines[1:]])
    by_pandas = pandas.read_csv(path, float_precision="round_trip")
    by_numpy = numpy.genfromtxt(path, delimiter=",", names=True)
    assert list(by_pandas.columns) == names and list(by_numpy.dtype.names) == names, path
    assert len(rows) == 17 and by_pandas.shape == rows.shape and by_numpy.shape == (17,)
    assert (by_pandas.to_numpy(dtype=float) == rows).all(), "not the same bits by pandas"
    assert all((by_numpy[name] == rows[:, i]).all() for i, name in enumerate(names)), "not the same bits by NumPy"
    assert pandas.read_csv(path).dtypes.map(lambda kind: kind.kind in "fi").all(), "a column that is no number"
LINES
  done
}

info_says_what_each_column_means() {
  ranks 2 run run.toml --quiet "${external[@]}" "${physical[@]}" || return 1
  local log name
  for log in energy timings; do
    "$grove" info output/$log.csv >info.txt && holds grep -Eq '^rows +21$' info.txt && contains info.txt "(0 to 1 Gyr)" && holds grep -Eq "^units +kpc, " info.txt ||
      return 1
    for name in $(head -n 1 output/$log.csv | tr , ' '); do holds grep -Eq "^$name +[-+.0-9e]+ {3}[^ ]" info.txt || return 1; done
    # Under any name; the units are those of the run whose settings lie beside it.
    cp output/$log.csv copy.csv && "$grove" info copy.csv >info.txt && contains info.txt "code units of the run" || return 1
  done
  "$grove" info output/energy.csv output/timings.csv --json >info.json && contains info.json '"name": "walk_max_s"' && contains info.json '"rows": 21' &&
    contains info.json '"system": "cgs"' || return 1
  # The same number, whichever digits it is written with.
  holds awk -v kinetic="$(tail -n 1 output/energy.csv | cut -d, -f2)" '/"last":/ && $2 + 0 == kinetic + 0 {seen = 1} END {exit !seen}' info.json
}

info_names_what_is_wrong_with_a_log() {
  "$grove" run run.toml --quiet && cp output/energy.csv whole.csv && printf '0.6,0.1' >>output/energy.csv && "$grove" info output/energy.csv >info.txt &&
    contains info.txt "the last line is not whole" && holds grep -Eq '^rows +17$' info.txt || return 1
  sed '$s/^0.5,/half,/' whole.csv >bad.csv && fails_with 3 "bad.csv: row 17: 'half' is no number" "$grove" info bad.csv &&
    sed '$s/$/,/' whole.csv >bad.csv && fails_with 3 "bad.csv: row 17: '' is no number" "$grove" info bad.csv &&
    sed '$s/,.*/,1/' whole.csv >bad.csv && fails_with 3 "bad.csv: row 17 has 2 numbers for 18 columns" ranks 2 info bad.csv || return 1
  sed 's/virial_ratio/ratio/' whole.csv >energy.csv && ! "$grove" info energy.csv >out.txt 2>&1 && lacks out.txt "log of Grove: energy"
}

tables_of_the_user_are_left_alone() {
  "$grove" run run.toml --quiet && head -n 4 output/energy.csv >output/early.csv && cut -d, -f1,4 output/energy.csv >output/total.csv &&
    cp output/early.csv early.csv && "$grove" run run.toml --quiet --overwrite && holds cmp early.csv output/early.csv && holds [ -e output/total.csv ] &&
    holds [ "$(ls output.1/*.csv)" = "$(printf '%s\n' output.1/energy.csv output.1/timings.csv)" ] || return 1
  # One with the name of a log.
  mkdir mine && cut -d, -f1,4 output/energy.csv >mine/energy.csv && cp mine/energy.csv energy.csv || return 1
  for option in --overwrite --quiet; do
    fails_with 4 "mine/energy.csv: cannot be created: there is a file of this name that Grove has not written" \
      ranks 2 run run.toml --set output.directory=mine $option && holds cmp energy.csv mine/energy.csv && holds [ "$(ls mine)" = energy.csv ] || return 1
  done
}

plot_draws_a_run() {
  [ -n "$drawing" ] || is_not_tried "Python has no matplotlib"
  ranks 3 run run.toml --quiet "${external[@]}" "${physical[@]}" && ranks 2 plot output >out.txt && holds [ "$(cat out.txt)" = "written output/plot.png" ] &&
    is_picture output/plot.png 9 && holds [ ! -e output/plot.png.partial ] || return 1
  # The next picture takes its place; one of the timings alone has three panels.
  rm output/energy.csv && "$grove" plot output >out.txt && is_picture output/plot.png 3 || return 1
  # It belongs to the results of its run.
  "$grove" run run.toml --quiet --overwrite && holds [ -e output.1/plot.png ] && holds [ ! -e output/plot.png ]
}

plot_draws_the_rungs_of_divided_steps() {
  [ -n "$drawing" ] || is_not_tried "Python has no matplotlib"
  "$grove" run run.toml --quiet --set time.steps=block --set time.accuracy=0.005 && "$grove" plot output >out.txt && is_picture output/plot.png 12
}

plot_draws_what_is_there_while_a_run_is_at_work() {
  [ -n "$drawing" ] || is_not_tried "Python has no matplotlib"
  "$grove" run run.toml --quiet && printf '0.6,0.1' >>output/energy.csv && printf '17,0.6' >>output/timings.csv &&
    "$grove" plot output --out torn.png >out.txt && is_picture torn.png 9 || return 1
  # The first state.
  head -n 2 output/energy.csv >energy.csv && head -n 2 output/timings.csv >timings.csv && "$grove" plot . >out.txt &&
    holds "$drawing" -c "import matplotlib.image as m; assert m.imread('plot.png').shape[1] == 1760"
}

plot_keeps_the_extremes_of_a_long_log() {
  [ -n "$drawing" ] || is_not_tried "Python has no matplotlib"
  "$grove" run run.toml --quiet && mkdir flat peak || return 1
  awk -F, -v OFS=, 'NR == 2 { for (i = 0; i < 20000; ++i) { $1 = i; $5 = 1e-5; print } next } NR == 1' output/energy.csv >flat/energy.csv
  awk -F, -v OFS=, '$1 == 12345 { $5 = 0.3 } { print }' flat/energy.csv >peak/energy.csv
  "$grove" plot flat >out.txt && "$grove" plot peak >out.txt || return 1
  # A dark line in the upper half of the second panel where the one row is.
  "$drawing" - <<'LINES'
import matplotlib.image
def dark(path):
    picture = matplotlib.image.imread(path)
    height, width = picture.shape[0] // 2, picture.shape[1] // 3
    part = picture[int(0.25 * height):int(0.6 * height), int(1.5 * width):int(1.85 * width), :3]
    return int(((part.max(axis=2) < 0.85).sum(axis=0) > 0.8 * part.shape[0]).sum())
print("columns with a line:", dark("flat/plot.png"), dark("peak/plot.png"))
assert dark("peak/plot.png") >= dark("flat/plot.png") + 1
LINES
}

plot_replaces_no_other_file() {
  "$grove" run run.toml --quiet && printf mine >output/plot.png && fails_with 2 "output/plot.png is no picture that grove plot has made" ranks 2 plot output &&
    holds [ "$(cat output/plot.png)" = mine ] && rm output/plot.png && fails_with 2 "must end in .png" "$grove" plot output --out output/energy.csv || return 1
  ln -s nowhere.png link.png && fails_with 2 "link.png is no picture" "$grove" plot output --out link.png && holds [ ! -e nowhere.png ] &&
    [ -n "$drawing" ] || return 0
  "$drawing" -c "import matplotlib.image as m, numpy; m.imsave('other.png', numpy.zeros((8, 8)), metadata={'Software': 'Grove'})" && cp other.png kept.png &&
    fails_with 2 "other.png is no picture that grove plot has made" "$grove" plot output --out other.png && holds cmp other.png kept.png &&
    fails_with 4 "absent/a.png" "$grove" plot output --out absent/a.png && printf mine >a.png.partial &&
    fails_with 2 "a.png.partial is there" "$grove" plot output --out a.png && holds [ "$(cat a.png.partial)" = mine ]
}

plot_says_what_it_cannot_draw() {
  mkdir empty && fails_with 2 "absent is no directory" "$grove" plot absent && fails_with 2 "nothing to draw" ranks 2 plot empty &&
    fails_with 2 "OUTPUT_DIR" "$grove" plot && printf 'time,total\n0,1\n' >empty/energy.csv && fails_with 3 "empty/energy.csv: is no log of Grove" "$grove" plot empty ||
    return 1
  "$grove" run run.toml --quiet && head -n 1 output/energy.csv >empty/energy.csv && fails_with 2 "nothing to draw" "$grove" plot empty || return 1
  [ -n "$drawing" ] || is_not_tried "Python has no matplotlib"
  cp output/energy.csv whole.csv && sed '9s/^\([^,]*\),[^,]*/\1,nan/' whole.csv >output/energy.csv &&
    fails_with 3 "output/energy.csv: row 8, column kinetic: nan cannot be drawn" ranks 2 plot output &&
    sed '9s/,/,x/' whole.csv >output/energy.csv && fails_with 3 "output/energy.csv: row 8: 'x0." "$grove" plot output && sed '9s/,.*//' whole.csv >output/energy.csv &&
    fails_with 3 "output/energy.csv: row 8 has 1 numbers for 18 columns" "$grove" plot output && holds [ ! -e output/plot.png ]
}

plot_names_the_package_that_is_missing() {
  "$grove" run run.toml --quiet && fails_with 4 "apt-get install python3)" env GROVE_PYTHON=/nowhere/python "$grove" plot output &&
    contains err.txt "/nowhere/python cannot be started" && fails_with 4 "could not draw the logs (exit code 1)" env GROVE_PYTHON=false "$grove" plot output || return 1
  command -v python3 >/dev/null || is_not_tried "there is no python3"
  # A Python without the packages of its distribution; no module of the present directory takes their place.
  printf '#!/bin/sh\nexec %s -S "$@"\n' "$(command -v python3)" >bare && chmod +x bare && echo 'print("mine")' >matplotlib.py && cp matplotlib.py numpy.py || return 1
  fails_with 4 "apt-get install python3-matplotlib" env GROVE_PYTHON=./bare "$grove" plot output && contains err.txt "GROVE_PYTHON" && lacks out.txt mine &&
    holds [ ! -e output/plot.png ]
}

run_tests
