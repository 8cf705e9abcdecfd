#!/usr/bin/env bash
# Pictures as their user meets them: of runs, of files, over ranks, after an interruption, with files in the way.
# Usage: pictures_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]. Each test is a function whose name says what holds.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "disc"
n = 2000
[gravity]
softening = 0.05
[time]
end = 0.5
dt = 0.03125
[output]
snapshot_every = 0.25
[pictures]
show = "both"
every = 0.125
axes = "z, x"
width = 96
height = 64
[run]
device = "cpu"
END
}

# is_picture FILE WIDTH HEIGHT: a PNG file of this size.
is_picture() {
  holds [ "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ] &&
    holds [ "$(od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')" = "$2 $3" ]
}

pictures_of() { (cd "$1" && ls picture_*.png 2>/dev/null); }

# same_pixels A B: what follows the texts in both files is the same.
same_pixels() {
  local a b
  a=$(pixels_of "$1") b=$(pixels_of "$2")
  holds [ -n "$a" ] && holds [ "$a" = "$b" ]
}
pixels_of() { grep -abo IDAT "$1" | head -n 1 | cut -d: -f1 | { read -r at && tail -c +"$((at + 1))" "$1" | sha256sum; }; }

tests_follow

a_run_makes_each_picture_at_each_time() {
  "$grove" run run.toml >out.txt && holds [ "$(pictures_of output | wc -l)" -eq 20 ] || return 1
  for quantity in density speed; do
    for axis in x z; do
      for number in 0000 0001 0002 0003 0004; do is_picture "output/picture_${quantity}_${axis}_$number.png" 96 64 || return 1; done
    done
  done
  contains out.txt "picture_density_z_0000.png ... output/picture_density_z_0004.png, and 3 more of each time"
}

without_the_section_there_are_no_pictures() {
  sed -i '/^\[pictures\]/,/^height/d' run.toml && "$grove" run run.toml >out.txt && holds [ -z "$(pictures_of output)" ]
}

a_file_has_the_same_pictures_on_one_and_on_three_ranks() {
  "$grove" ic merger --n 3000 --out merger.hdf5 >out.txt || return 1
  for n in 1 3; do ranks "$n" render merger.hdf5 --out "on_$n" --show both --axes y --width 200 --height 120 >out.txt || return 1; done
  is_picture on_1/merger_density_y.png 200 120 && cmp on_1/merger_density_y.png on_3/merger_density_y.png &&
    cmp on_1/merger_speed_y.png on_3/merger_speed_y.png && contains out.txt on_3/merger_speed_y.png
}

the_pictures_of_a_run_and_of_its_snapshots_are_the_same() {
  for n in 1 3; do
    ranks "$n" run run.toml --overwrite >out.txt && "$grove" render output/snapshot_000[0-2].hdf5 --show both --axes z,x --width 96 --height 64 --out files --overwrite >out.txt || return 1
    for k in 0 1 2; do
      for picture in density_z density_x speed_z speed_x; do
        same_pixels "output/picture_${picture}_000$((2 * k)).png" "files/snapshot_000${k}_$picture.png" || return 1
      done
    done
  done
}
a_run_that_goes_on_has_the_pictures_of_a_whole_one() {
  "$grove" run run.toml --set output.directory=whole >out.txt || return 1
  for n in 1 2; do
    rm -rf output
    ranks "$n" run run.toml --set time.end=0.25 >out.txt && ranks "$n" run run.toml --continue >out.txt || return 1
    [ "$n" -eq 1 ] || continue
    for picture in $(pictures_of whole); do
      # The last picture of the shorter run is one of the longer.
      same_pixels "whole/$picture" "output/$picture" || return 1
    done
  done
  holds [ "$(pictures_of output)" = "$(pictures_of whole)" ]
}

a_run_that_goes_on_from_a_snapshot_numbers_its_pictures_on() {
  "$grove" run run.toml --set output.directory=whole >out.txt && "$grove" run run.toml --set output.checkpoints=no >out.txt || return 1
  rm output/snapshot_0002.hdf5
  "$grove" run run.toml --set output.checkpoints=no --continue >out.txt && holds [ "$(pictures_of output)" = "$(pictures_of whole)" ] &&
    contains out.txt "picture_density_z_0003.png ... output/picture_density_z_0004.png" && holds [ "$(pictures_of output.1 | wc -l)" -eq 8 ]
}

other_pictures_than_before_need_no_force_and_replace_none() {
  "$grove" run run.toml --set time.end=0.25 >out.txt && sha256sum output/energy.csv output/picture_*_z_000[0-2].png >sums.txt || return 1
  cp output/picture_density_z_0002.png output/picture_density_z_0003.png # as if a run had been killed after it
  "$grove" run run.toml --continue --set pictures.axes=x,z --set pictures.every=0.0625 >out.txt &&
    contains out.txt "pictures of the earlier run from picture_density_z_0003.png on, which other ones follow now, are in" &&
    holds [ -e output.1/picture_density_z_0003.png ] && holds [ ! -e output.1/snapshot_0001.hdf5 ] &&
    grep picture sums.txt | sha256sum --check --quiet && holds [ "$(pictures_of output | grep -c density_x)" -eq 7 ] || return 1
  "$grove" run run.toml --set output.directory=whole >out.txt && cmp output/energy.csv whole/energy.csv
}

earlier_pictures_are_set_aside_and_files_of_others_stay() {
  "$grove" run run.toml >out.txt && cp "$0" output/picture_of_my_cat.png && "$grove" run run.toml --overwrite >out.txt &&
    holds [ "$(pictures_of output.1 | wc -l)" -eq 20 ] && holds [ -e output/picture_of_my_cat.png ] && cmp "$0" output/picture_of_my_cat.png &&
    echo mine >files.txt && mkdir -p there && cp files.txt there/merger_density_z.png && "$grove" ic merger --n 100 --out merger.hdf5 >out.txt &&
    fails_with 2 "is no picture of Grove; move it away" "$grove" render merger.hdf5 --out there --overwrite && cmp files.txt there/merger_density_z.png
}

a_picture_that_is_there_is_replaced_only_when_asked_for() {
  "$grove" ic plummer --n 100 --out p.hdf5 >out.txt && "$grove" render p.hdf5 --width 32 --height 32 >out.txt &&
    fails_with 2 "p_density_z.png: is there already; --overwrite replaces it" "$grove" render p.hdf5 && is_picture p_density_z.png 32 32 &&
    "$grove" render p.hdf5 --width 48 --height 32 --overwrite >out.txt && is_picture p_density_z.png 48 32
}

a_file_in_the_way_ends_the_run_or_is_told() {
  for n in 1 3; do
    mkdir -p output && cp "$0" output/picture_speed_x_0002.png
    fails_with 4 "picture_speed_x_0002.png: cannot be written: there is a file of this name that Grove has not written" ranks "$n" run run.toml &&
      cmp "$0" output/picture_speed_x_0002.png || return 1
    ranks "$n" run run.toml --overwrite --set output.on_error=continue >out.txt 2>err.txt && contains err.txt "picture_speed_x_0002.png" &&
      contains out.txt "those of 1 times could not be written" && cmp "$0" output/picture_speed_x_0002.png || return 1
    rm -rf output output.1
  done
}

files_and_links_that_are_not_of_this_run_stay_as_they_are() {
  mkdir output && echo mine >mine.txt && ln -s ../mine.txt output/picture_density_z_0001.png || return 1
  fails_with 4 "picture_density_z_0001.png: cannot be written" ranks 2 run run.toml && holds [ -L output/picture_density_z_0001.png ] || return 1
  for name in snapshot_0000.hdf5.partial snapshots.xdmf.partial checkpoint_0.hdf5.partial picture_density_z_0000.png.partial; do
    rm -rf output && mkdir output && ln -s ../mine.txt "output/$name" || return 1
    fails_with 4 "$name: cannot be created: something has this name" ranks 2 run run.toml && holds [ -L "output/$name" ] || return 1
    holds [ "$(cat mine.txt)" = mine ] || return 1
  done
  rm -rf output && mkdir output && mkfifo output/snapshots.xdmf && fails_with 4 "snapshots.xdmf: cannot be created" timeout 20 "$grove" run run.toml
}

mistakes_are_named() {
  fails_with 2 'pictures.axes = "w": must be one or more of x, y, z' "$grove" run run.toml --set pictures.axes=w &&
    fails_with 2 'there is no component called "bar"; the particles have' ranks 2 run run.toml --set pictures.components=bar &&
    fails_with 2 "pictures.every = 0.01 is shorter than time.dt = 0.03125" "$grove" run run.toml --set pictures.every=0.01 &&
    fails_with 2 'with pictures.show = "density" it has no effect' "$grove" run run.toml --set pictures.show=density --set pictures.highest_speed=3 &&
    fails_with 2 "pictures.width = 8" "$grove" run run.toml --set pictures.width=8 &&
    fails_with 2 "SNAPSHOT" "$grove" render ||
    return 1
  "$grove" ic plummer --n 100 --out a.hdf5 >out.txt && fails_with 2 "pictures.every: is for runs" "$grove" render a.hdf5 --set pictures.every=1 &&
    head -c 3000 a.hdf5 >short.hdf5 && mkdir -p b && cp a.hdf5 b/ &&
    fails_with 3 "short.hdf5" ranks 3 render short.hdf5 && fails_with 2 "two files would have the picture" "$grove" render a.hdf5 b/a.hdf5 &&
    holds [ ! -e a_density_z.png ]
}

run_tests
