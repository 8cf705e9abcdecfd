#!/usr/bin/env bash
# grove profile and grove compare. Usage: analysis_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=$tests/data
source "$tests/support/shell_tests.sh"

# by_python MODULES SCRIPT: the script must succeed with a Python that has them.
by_python() {
  local python
  python=$(python_with "$1") || is_not_tried "no Python here has $1"
  "$python" -c "$2"
}
plummer() { "$grove" ic plummer --n 3000 --seed "$1" --out "$2" >ic.txt; }

# Two fast rows for a table that can be damaged or shifted by hand: "id m x y z vx vy vz".
table() { printf '# id m x y z vx vy vz\n'; printf '%s\n' "$@"; }

# Two stars of a disc at the ends of a bar, at an angle in degrees, and four that turn about it.
bar_at() {
  echo "# time: $1"
  awk -v angle="$2" 'BEGIN { a = angle * atan2(0, -1) / 180; x = cos(a); y = sin(a)
    for (k = 1; k <= 40; ++k) {
      r = (k % 2 ? 1 : -1) * (0.9 + k / 400)
      printf "%d 1 %.15g %.15g 0 %.15g %.15g 0\n", k, r * x, r * y, -r * y, r * x
    }
    print "43 1 1.5 0 0.1 0 1 0\n44 1 0 1.5 -0.1 -1 0 0\n45 1 -1.5 0 0.1 0 -1 0\n46 1 0 -1.5 -0.1 1 0 0" }'
}

# is_picture FILE INK...: a picture of grove profile with so many panels; in each, so much of it is drawn at least (per mille of the area).
is_picture() {
  by_python matplotlib "
import matplotlib.image
picture = matplotlib.image.imread('$1')[:, :, :3]
inks = '${*:2}'.split()
columns = len(inks) // 2
assert picture.shape == (1000, 650 * columns, 3), picture.shape
for k, ink in enumerate(inks):
    # Within the frame: lines are coloured or black, the grid is light grey.
    y, x = 90 + 455 * (k // columns), 90 + 650 * (k % columns)
    panel = picture[y:y + 320, x:x + 500]
    drawn = ((panel.max(axis=2) - panel.min(axis=2) > 0.3) | (panel.max(axis=2) < 0.3)).mean()
    assert drawn >= float(ink) / 1000, (k, drawn)"
}

tests_follow

one_snapshot_gives_its_profile_and_says_centre_and_G() {
  "$grove" ic disc --n 4000 --out d.hdf5 >ic.txt && "$grove" profile d.hdf5 >d.txt && contains d.txt "centre: densest point" && contains d.txt "G = 1 (" &&
    contains d.txt "the mean of the" && contains d.txt "halo: 2,000 particles" && contains d.txt "disc: 2,000 particles" && contains d.txt "anisotropy" &&
    "$grove" profile d.hdf5 --set gravity.G=4 --centre mass >g.txt && contains g.txt "G = 4 (--set)" && contains g.txt "centre of mass" &&
    "$grove" profile d.hdf5 --disc disc >r.txt && contains r.txt "surface_density" && contains r.txt "axis: angular momentum of 'disc'"
}

results_are_the_same_bytes_on_one_and_on_three_ranks() {
  "$grove" ic merger --n 3000 --mass-ratio 0.2 --out m.hdf5 >ic.txt && "$grove" profile m.hdf5 --csv 1.csv --lagrangian-csv l1.csv --hdf5 1.hdf5 --json 1.json >1.txt &&
    ranks 3 profile m.hdf5 --csv 3.csv --lagrangian-csv l3.csv --hdf5 3.hdf5 --json 3.json >3.txt &&
    for pair in "1.csv 3.csv" "l1.csv l3.csv" "1.hdf5 3.hdf5" "1.json 3.json" "1.txt 3.txt"; do
      # shellcheck disable=SC2086
      holds cmp $pair || return 1
    done
}

a_series_gives_radii_over_time_and_all_profiles_in_files() {
  plummer 1 a.hdf5 && plummer 2 b.hdf5 && "$grove" profile a.hdf5 b.hdf5 --shells 5 --lagrangian 0.125,0.5 --csv p.csv --lagrangian-csv l.csv --hdf5 p.hdf5 >s.txt &&
    contains s.txt "12.5 %" && contains s.txt "b.hdf5" && lacks s.txt "anisotropy" && contains l.csv "radius_12_5_percent,radius_50_percent" &&
    holds [ "$(wc -l <p.csv)" -eq 21 ] && holds [ "$(wc -l <l.csv)" -eq 5 ] || return 1
}

python_reads_a_series() {
  plummer 1 a.hdf5 && plummer 2 b.hdf5 && "$grove" profile a.hdf5 b.hdf5 --shells 5 --lagrangian 0.125,0.5 --csv p.csv --lagrangian-csv l.csv --hdf5 p.hdf5 --json p.json >s.txt &&
    "$grove" compare a.hdf5 b.hdf5 --json c.json >c.txt && by_python "json, numpy, pandas, h5py" '
import h5py, json, numpy, pandas
for name in ("p.json", "c.json"): json.load(open(name))
for name in ("p.csv", "l.csv"):
    rows = numpy.genfromtxt(name, delimiter=",", names=True)
    assert rows.dtype.names == tuple(open(name).readline().strip().split(",")), rows.dtype
    assert set(rows["snapshot"]) == {0, 1} and numpy.isfinite(rows["time"]).all()
rows = pandas.read_csv("p.csv")
assert rows.shape == (20, 18) and (rows.dtypes != object).all(), rows.dtypes
density = h5py.File("p.hdf5")["snapshot_0001/PartType1/density"]
assert density.shape == (5,) and density.attrs["unit"] == b"mass length^-3"'
}

a_series_of_a_disc_gives_the_pattern_speed() {
  bar_at 0 160 >0.txt && bar_at 0.5 10 >1.txt && bar_at 2.5 10 >2.txt &&
    set -- profile 0.txt 1.txt 2.txt --columns "id m x y z vx vy vz" --centre 0,0,0 --velocity-within 9 --disc halo --shells 3 --to 1.8
  "$grove" "$@" --lagrangian-csv 1.csv >1.out && ranks 3 "$@" --lagrangian-csv 3.csv >3.out && holds cmp 1.csv 3.csv && holds cmp 1.out 3.out || return 1
  # 30 degrees in half a unit of time.
  holds grep -qE "^1.txt +0.5 +1 .* 10 +1\.047$" 1.out && holds grep -qE "^0.txt .* 160 +-$" 1.out && holds [ "$(grep -c "pattern speed since .* is unknown" 1.out)" -eq 1 ] &&
    contains 1.out "2.txt: the pattern speed since 1.txt is unknown" && "$grove" profile 0.txt --columns "id m x y z vx vy vz" --centre 0,0,0 --velocity-within 9 --disc halo --shells 3 --to 1.8 >one.out &&
    contains one.out "bar: A2 = 1 (noise 0.16) inside" && contains one.out "phase 160 degrees"
}

any_format_is_read() {
  "$grove" profile "$data/input/pynbody_fp32.tipsy" >t.txt && contains t.txt "TIPSY" && "$grove" profile "$data/input/unsio_fp64.nemo" >n.txt &&
    contains n.txt "NEMO" && "$grove" profile "$data/hdf5/swift_cosmological.hdf5" >c.txt && contains c.txt "note: the file is of a cosmological simulation" &&
    table "7 1 0 0 0 0 0 0" "8 1 2 0 0 0 1 0" | grep -v '#' >x.txt && "$grove" profile x.txt --columns "id m x y z vx vy vz" >x.out && contains x.out "2 particles"
}

every_column_is_in_the_documentation() {
  local name docs=$tests/../docs/analysis.md
  "$grove" ic disc --n 100 --out d.hdf5 >ic.txt && "$grove" profile d.hdf5 --csv s.csv >s.txt && "$grove" profile d.hdf5 --disc all --csv r.csv >r.txt || return 1
  for name in $(head -qn 1 s.csv r.csv | tr , ' '); do holds grep -qF "\`$name\`" "$docs" || return 1; done
}

files_that_are_there_are_not_replaced() {
  plummer 1 a.hdf5 && echo mine >mine.csv && cp a.hdf5 mine.hdf5 &&
    fails_with 2 "mine.csv exists" ranks 2 profile a.hdf5 --csv mine.csv && fails_with 2 "mine.csv exists" "$grove" profile a.hdf5 --lagrangian-csv mine.csv &&
    fails_with 2 "--hdf5 mine.hdf5 exists already" "$grove" profile a.hdf5 --hdf5 mine.hdf5 && fails_with 2 "is the input" "$grove" profile a.hdf5 --hdf5 ./a.hdf5 &&
    fails_with 2 "another result" "$grove" profile a.hdf5 --csv same --json same &&
    holds [ "$(cat mine.csv)" = mine ] && holds cmp a.hdf5 mine.hdf5
}

a_profile_that_fails_leaves_no_file() {
  plummer 1 a.hdf5 && fails_with 3 "absent.hdf5" ranks 2 profile a.hdf5 absent.hdf5 --csv 1.csv --lagrangian-csv 2.csv --hdf5 3.hdf5 --json 4.json || return 1
  fails_with 2 "another result" "$grove" profile a.hdf5 --csv same --json same && fails_with 4 "no file can be made in nowhere" ranks 2 profile a.hdf5 --csv nowhere/1.csv &&
    fails_with 4 "no file can be made in nowhere" "$grove" profile a.hdf5 --hdf5 nowhere/1.hdf5 || return 1
  local limited=(bash -c 'ulimit -f 20480; exec "$@"' limited "$grove" profile a.hdf5 --shells 100000)
  fails_with 4 "1.csv.partial: cannot be written: File too large" "${limited[@]}" --csv 1.csv &&
    fails_with 4 "1.hdf5.partial: cannot be written: File too large" "${limited[@]}" --hdf5 1.hdf5 &&
    holds [ "$(echo [1-4same]*)" = "a.hdf5 err.txt" ] && touch 1.csv.partial && fails_with 2 "1.csv.partial is there" "$grove" profile a.hdf5 --csv 1.csv
}

csv_goes_to_standard_output_in_place_of_the_table() {
  plummer 1 a.hdf5 && "$grove" profile a.hdf5 --csv p.csv --lagrangian-csv l.csv >t.txt && "$grove" profile a.hdf5 --csv - >p.txt && ranks 2 profile a.hdf5 --lagrangian-csv=- >l.txt &&
    holds cmp p.csv p.txt && holds cmp l.csv l.txt && holds [ ! -e - ] &&
    fails_with 2 "--lagrangian-csv -: another result goes to standard output" "$grove" profile a.hdf5 --csv - --lagrangian-csv - &&
    fails_with 2 "--csv -: another result goes to standard output" "$grove" profile a.hdf5 --csv - --json
}

files_without_units_have_those_of_the_others() {
  local kpc='units.system="kpc, km/s, 1e10 Msun"' rows="1 1 0 0 0 0 0 0"
  "$grove" ic plummer --n 50 --set "$kpc" --out k.hdf5 >ic.txt && "$grove" ic plummer --n 50 --out n.hdf5 >ic.txt && table "$rows" "2 1 1 0 0 0 0 0" >x.txt || return 1
  for files in "k.hdf5 x.txt" "x.txt k.hdf5"; do
    # shellcheck disable=SC2086
    ranks 2 compare $files >c.txt && contains c.txt "note: x.txt does not name its units: they are taken for those of k.hdf5" &&
      "$grove" profile $files --json p.json >p.txt && contains p.txt "x.txt does not name its units: they are taken for those of k.hdf5" &&
      contains p.json "does not name its units" && holds [ "$(grep -c '"G": 43009' p.json)" -eq 2 ] && rm p.json || return 1
  done
  "$grove" profile x.txt x.txt >p.txt && lacks p.txt "does not name" && "$grove" profile n.hdf5 x.txt >p.txt && contains p.txt "those of n.hdf5" &&
    fails_with 3 "n.hdf5 has N-body units, k.hdf5 has units of" "$grove" profile x.txt n.hdf5 k.hdf5 && fails_with 3 "n.hdf5 has N-body units, k.hdf5 has units of" "$grove" compare n.hdf5 k.hdf5 &&
    fails_with 3 "n.hdf5 has N-body units, k.hdf5 has units of" "$grove" profile n.hdf5 k.hdf5 --set units.system=file &&
    "$grove" profile n.hdf5 k.hdf5 x.txt --set "$kpc" --json p.json >p.txt && lacks p.txt "does not name" && holds [ "$(grep -c '"G": 43009' p.json)" -eq 3 ] &&
    "$grove" profile n.hdf5 --set "$kpc" >p.txt && contains p.txt "(the physical constant; for the units of --set)"
}

mistakes_are_named() {
  plummer 1 a.hdf5 && head -c 5000 a.hdf5 >cut.hdf5
  fails_with 3 "cut.hdf5" ranks 2 profile cut.hdf5 && fails_with 3 "absent.hdf5" "$grove" profile a.hdf5 absent.hdf5 &&
    fails_with 2 "--centre here" "$grove" profile a.hdf5 --centre here &&
    fails_with 2 "--spacing cubic" "$grove" profile a.hdf5 --spacing cubic && fails_with 2 "--from 3: must be less" "$grove" profile a.hdf5 --from 3 --to 2 &&
    fails_with 2 "--from 0: must be > 0" "$grove" profile a.hdf5 --from 0 &&
    fails_with 2 "--lagrangian 50" "$grove" profile a.hdf5 --lagrangian 50 &&
    fails_with 2 "--bar-radius has no effect without --disc" "$grove" profile a.hdf5 --bar-radius 2 && fails_with 2 "--bar-radius 0" "$grove" profile a.hdf5 --disc halo --bar-radius 0 &&
    fails_with 2 "has no effect on a profile" "$grove" profile a.hdf5 --set time.dt=1 && fails_with 2 "SNAPSHOT is required" "$grove" profile &&
    fails_with 2 "is taken as the file" "$grove" profile --json a.hdf5 &&
    fails_with 3 "their numbers cannot stand beside each other" "$grove" profile a.hdf5 "$data/hdf5/swift_ics.hdf5"
}

sums_that_do_not_fit_are_refused_in_words() {
  plummer 1 a.hdf5 && export OMP_NUM_THREADS=8 &&
    fails_with 2 "the sums of 100,000 shells, 1 component and 8 threads need 4.07 GiB" bash -c 'ulimit -v 2000000; exec "$@"' limited "$grove" profile a.hdf5 --shells 100000 &&
    contains err.txt "ulimit -v" && "$grove" profile a.hdf5 --shells 2000 --csv 8.csv >8.txt && OMP_NUM_THREADS=1 "$grove" profile a.hdf5 --shells 2000 --csv 1.csv >1.txt &&
    holds cmp 1.csv 8.csv
}

equal_particles_in_other_formats_and_orders_compare_as_equal() {
  plummer 1 a.hdf5 && "$grove" compare a.hdf5 a.hdf5 --max-position 0 --max-velocity 0 --max-mass 0 >same.txt &&
    table "7 1 1 2 3 0 0 0" "9 1 4 5 6 0 0 0" "8 2 0 0 1 1 2 3" >x.txt && table "9 1 4 5 6 0 0 0" "8 2 0 0 1 1 2 3" "7 1 1 2 3.5 0 0 0" >y.txt &&
    ranks 3 compare x.txt y.txt >xy.txt && contains xy.txt "3 particles in both files, 0 only in A, 0 only in B" &&
    holds grep -qE '^position +0\.2887 +0 +0\.5 +0\.5 +7 ' xy.txt && "$grove" compare x.txt y.txt --json xy.json >xy1.txt && contains xy.json '"particles"' && holds cmp xy.txt xy1.txt
}

accelerations_that_python_has_damaged_are_left_out_and_the_reason_is_said() {
  "$grove" ic disc --n 400 --out d.hdf5 >ic.txt && by_python h5py '
import h5py
with h5py.File("d.hdf5", "r+") as f: f["PartType1/Potential"] = [0.0] * len(f["PartType1/Coordinates"])' || return 1
  ranks 2 compare d.hdf5 d.hdf5 --max-position 0 >o.txt && contains o.txt "accelerations and potentials are not compared: d.hdf5" && contains o.txt Potential
}

limits_decide_the_exit_code() {
  table "1 1 1 2 3 0 0 0" "2 1 4 5 6 0 0 0" >x.txt && table "1 1 1 2 3 0 0 0" "2 1 4 5 6.5 0 0 0" >y.txt && table "1 1 1 2 3 0 0 0" >z.txt &&
    "$grove" compare x.txt y.txt --max-position 0.6 --max-velocity 0 >o.txt || return 1
  "$grove" compare x.txt y.txt --max-position 0.4 >o.txt 2>e.txt
  holds [ $? -eq 1 ] && contains e.txt "exceeds --max-position" && "$grove" compare x.txt z.txt >o.txt && contains o.txt "1 (lowest id 2) only in A" || return 1
  "$grove" compare x.txt z.txt --max-position 1 >o.txt 2>e.txt
  holds [ $? -eq 1 ] && contains e.txt "1 particles are in one of the files alone" || return 1
  "$grove" compare x.txt x.txt --max-potential 1 >o.txt 2>e.txt
  holds [ $? -eq 1 ] && contains e.txt "not both files have the field potential"
}

files_that_cannot_be_compared_are_named() {
  plummer 1 a.hdf5 && table "7 1 1 2 3 0 0 0" "7 1 4 5 6 0 0 0" >twice.txt &&
    fails_with 3 "twice.txt: particle id 7 occurs more than once" ranks 2 compare twice.txt twice.txt && contains err.txt "--renumber" &&
    ranks 2 compare twice.txt twice.txt --renumber --max-position 0 >out.txt &&
    fails_with 3 "their numbers cannot stand beside each other" "$grove" compare a.hdf5 "$data/hdf5/swift_ics.hdf5" && fails_with 3 "absent.hdf5" "$grove" compare a.hdf5 absent.hdf5 &&
    fails_with 2 "B is required" "$grove" compare a.hdf5 && fails_with 2 "--max-position" "$grove" compare a.hdf5 a.hdf5 --max-position=-1
}

python_draws_profiles_as_pictures() {
  local drawing
  drawing=$(python_with "matplotlib") || is_not_tried "no Python with matplotlib"
  export GROVE_PYTHON=$drawing
  "$grove" ic disc --n 20000 --out d.hdf5 >ic.txt && "$grove" profile d.hdf5 --picture shells.png >out.txt && contains out.txt "centre:" &&
    ranks 2 profile d.hdf5 --disc disc --picture rings.png >out.txt && is_picture shells.png 3 3 3 3 && is_picture rings.png 1.5 3 1 3 3 1 || return 1
  # A bar that turns: its strength and pattern speed over time. One of the files has no time.
  for k in 0 1 2; do bar_at $k $((20 * k)) >bar$k.txt; done
  "$grove" profile bar?.txt --columns "id m x y z vx vy vz" --disc all --shells 3 --from 0.9 --to 1.01 --picture series.png >out.txt && is_picture series.png 1 1 1 1 1 1 &&
    grep -v time: bar0.txt >timeless.txt && "$grove" profile timeless.txt bar1.txt --columns "id m x y z vx vy vz" --shells 3 --spacing linear --picture timeless.png >out.txt && is_picture timeless.png 1 1 1 1 || return 1
  # No shell with ten particles, a name that is not UTF-8 and one of quotes, and one that matplotlib would leave out.
  "$grove" ic plummer --n 100 --out few.hdf5 >ic.txt && mv few.hdf5 "$(printf 'b\344r \047"""$.hdf5')" && "$grove" profile b*.hdf5 --picture few.png >out.txt && is_picture few.png 1 0 0 1 || return 1
  "$grove" profile d.hdf5 --json 1.json >1.txt && "$grove" profile d.hdf5 --json 2.json --picture again.png >2.txt && holds cmp 1.json 2.json && holds cmp 1.txt 2.txt
}

a_picture_of_profiles_that_cannot_be_made_is_refused_before_any_work() {
  plummer 1 a.hdf5 && echo mine >mine.png && fails_with 2 "must end in .png" "$grove" profile a.hdf5 --picture p.pdf &&
    fails_with 2 "mine.png exists already" ranks 2 profile a.hdf5 --picture mine.png && contains mine.png mine &&
    fails_with 2 "another result goes to this file" "$grove" profile a.hdf5 --csv p.png --picture p.png && holds [ ! -e p.png ] || return 1
  printf '#!/bin/sh\ncat >/dev/null\nexit 4\n' >bare && chmod +x bare
  GROVE_PYTHON=$PWD/bare fails_with 4 "lacks a package that plots need" "$grove" profile a.hdf5 --picture p.png && holds [ ! -e p.png ]
}

the_centre_of_a_disc_is_that_of_the_disc_and_not_of_the_denser_galaxy() {
  "$grove" ic merger --model disc --n 4000 --separation 60 --size-ratio 0.3 --out pair.hdf5 >out.txt || return 1
  # The second, smaller galaxy is the denser one; it begins at x = 30, the first at x = -30.
  "$grove" profile pair.hdf5 --json all.json >out.txt && "$grove" profile pair.hdf5 --disc "disc 1" >disc.txt &&
    ranks 2 profile pair.hdf5 --centre-on "disc 1" >on.txt && contains disc.txt "centre: centre of the inner half of 'disc 1' (-" &&
    contains on.txt "centre: densest point of 'disc 1' (-" && grep -q "centre: densest point (2[0-9]\|centre: densest point (3[0-9]" out.txt || { cat out.txt disc.txt; return 1; }
  fails_with 2 "--centre-on bar: there are all, halo 1, disc 1" "$grove" profile pair.hdf5 --centre-on bar &&
    fails_with 2 "--centre-on has no effect" "$grove" profile pair.hdf5 --centre-on "disc 1" --centre 1,2,3
}

run_tests
