#!/usr/bin/env bash
# Input files as a user brings them: tables with columns, binary files of other programs. Usage: input_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds, and finds a small run of a table of two galaxies in run.toml.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../data/input" && pwd)

config() {
  printf '1 0 0 0 0 0 0 0\n1 1 0 0 0 0.5 0 1\n1 0 2 0 0.25 0 0 1\n' >stars.tab
  cat >run.toml <<END
[initial_conditions]
file = "stars.tab"
columns = "m x y z vx vy vz galaxy"
[gravity]
method = "direct"
softening = 0.05
[time]
end = 0.5
dt = 0.125
[output]
snapshot_every = 0.25
[run]
device = "cpu"
END
}

tests_follow

a_galaxy_with_the_number_0_does_not_become_gas() {
  grep -v columns run.toml >unnamed.toml
  fails_with 3 'columns = "m x y z vx vy vz galaxy"' ranks 3 run unnamed.toml && holds [ ! -e output ] || return 1
  ranks 3 run run.toml >out.txt && "$grove" info output/snapshot_0000.hdf5 >info.txt && contains info.txt "galaxy 0" &&
    contains info.txt "galaxy 1" && ! grep -q gas info.txt
}

columns_are_taken_by_all_commands_that_read_a_table() {
  "$grove" check run.toml >out.txt && "$grove" check stars.tab --set initial_conditions.columns="m x y z vx vy vz -" >out.txt &&
    "$grove" bench --file stars.tab --set initial_conditions.columns="m x y z vx vy vz -" --repeats 1 --device cpu >out.txt
}

columns_without_effect_are_refused() {
  fails_with 2 "initial_conditions.columns" "$grove" run run.toml --set initial_conditions.columns="m x y z vx vy" &&
    fails_with 2 "'speed' is no column" "$grove" run run.toml --set initial_conditions.columns="m x y z vx vy vz speed" || return 1
  fails_with 2 "for text tables" ranks 3 run run.toml --set initial_conditions.file="$data/unsio.gadget2" || return 1
  sed 's/^file.*/generator = "plummer"/' run.toml >generated.toml
  fails_with 2 "initial_conditions.columns" "$grove" run generated.toml
}

a_run_of_a_table_is_repeated_and_continued() {
  "$grove" run run.toml --set output.checkpoints=no >out.txt && "$grove" run output/used_parameters.toml --set output.directory=again >out.txt &&
    "$grove" run run.toml --set output.checkpoints=no --continue --set time.end=1 >out.txt && contains out.txt "t = 1" || return 1
  grep -v columns run.toml >plain.toml
  cut -d' ' -f1-7 stars.tab >plain.tab
  "$grove" run plain.toml --set initial_conditions.file=plain.tab --set output.directory=plain >out.txt &&
    "$grove" run plain/used_parameters.toml --set output.directory=plain_again >out.txt
}

binary_files_of_other_programs_run() {
  grep -v columns run.toml >binary.toml
  local file
  for file in "$data"/*.gadget2 "$data"/*.nemo "$data"/*.tipsy; do
    ranks 3 run binary.toml --set initial_conditions.file="$file" --set output.directory="of_$(basename "$file")" >out.txt ||
      { echo "$file"; return 1; }
  done
}

files_that_are_not_read_are_refused_with_advice() {
  printf 'REBOUND Binary File. Version: 5.2.2\0rest' >archive.bin
  fails_with 3 "rebound.Simulation('archive.bin')" ranks 3 run run.toml --set initial_conditions.file=archive.bin &&
    fails_with 3 "rebound.Simulation('archive.bin')" "$grove" info archive.bin
}

damage_that_hdf5_does_not_survive_is_put_down_to_the_file() {
  local damaged=$data/../hdf5/damaged
  fails_with 3 "damaged_attribute.hdf5: /PartType0/InternalEnergy, attribute U_M exponent: is larger than the file" "$grove" info "${damaged}_attribute.hdf5" &&
    fails_with 3 "damaged_links.hdf5" "$grove" info "${damaged}_links.hdf5"
}

ids_that_occur_twice_are_replaced_on_demand() {
  printf 'id m x y z vx vy vz\n0 1 0 0 0 0 0 0\n0 1 1 0 0 0 0.5 0\n0 1 0 2 0 0.25 0 0\n' >zero.tab && grep -v columns run.toml >plain.toml &&
    fails_with 3 "particle id 0 occurs more than once; ids must be unique. initial_conditions.renumber = true" ranks 3 run plain.toml \
      --set initial_conditions.file=zero.tab && fails_with 3 "initial_conditions.renumber = true" "$grove" info zero.tab || return 1
  set -- plain.toml --set initial_conditions.file=zero.tab --set initial_conditions.renumber=true --set output.checkpoints=no
  ranks 3 run "$@" --set output.order=morton >out.txt && ranks 2 run "$@" --set output.order=morton --continue --set time.end=1 >out.txt &&
    contains out.txt "t = 1" && "$grove" run "$@" --set time.end=1 --set output.directory=alone >out.txt &&
    "$grove" compare output/snapshot_0004.hdf5 alone/snapshot_0004.hdf5 >out.txt &&
    "$grove" ic join zero.tab zero.tab --shift 9,0,0 --renumber --out pair.hdf5 >out.txt && "$grove" info --all pair.hdf5 >out.txt &&
    contains out.txt "--renumber"
}

units_and_time_of_a_file_that_names_none_are_given() {
  printf '# time: 2\n1e3 0 0 0 0 0 0\n1e3 1000 0 0 0 1 0\n' >pc.tab
  set -- run --set initial_conditions.file=pc.tab --set "initial_conditions.units=pc, km/s, 1e6 Msun" --set time.begin=file --set gravity.softening=0.1 \
    --set time.dt=0.0005 --device cpu
  ranks 3 "$@" --set "units.system=kpc, km/s, 1e9 Msun" --set time.end=0.004 >out.txt && contains out.txt "converted from pc, km/s, 1e6 Msun" &&
    "$grove" info --all output/snapshot_0000.hdf5 >out.txt && grep -q "^total mass  *2$" out.txt &&
    grep -q "^time  *0.002 (1.956 Myr)$" out.txt && grep -q "^highest position  *1  " out.txt && "$grove" info pc.tab >out.txt && grep -q "^time  *2$" out.txt || return 1
  ranks 2 "$@" --set time.end=2.0005 --set output.directory=own >out.txt && lacks out.txt converted || return 1
  cp output/snapshot_0000.hdf5 named.hdf5
  fails_with 2 "is for files that name no units" "$grove" "$@" --set time.end=3 --set initial_conditions.file=named.hdf5 --set output.directory=none
}

a_count_before_the_rows_is_taken_where_it_fits() {
  { echo "3 0.125" && cut -d' ' -f1-7 stars.tab; } >counted.tab && grep -v columns run.toml >plain.toml
  set -- plain.toml --set initial_conditions.file=counted.tab --set time.begin=file --set time.end=0.625
  ranks 2 run "$@" >out.txt && contains out.txt "line 1 (3 0.125) is taken as the number of rows and the time" || return 1
  sed -i 's/^3 /4 /' counted.tab && fails_with 3 "line 1 (4 0.125) is too short for a row" ranks 2 run "$@" --overwrite
}

a_directory_stands_for_the_snapshot_in_it() {
  mkdir snapdir_000 && cp "$data/unsio.gadget2" snapdir_000/snapshot_000 && grep -v columns run.toml >binary.toml &&
    ranks 2 run binary.toml --set initial_conditions.file=snapdir_000 >out.txt
}

initial_conditions_are_written_as_hdf5_alone() {
  fails_with 2 "must end in .hdf5 or .h5" "$grove" ic plummer --n 10 --out x.tipsy && holds [ ! -e x.tipsy ] &&
    fails_with 2 "must end in .hdf5 or .h5" ranks 2 ic plummer --n 10 --out x && "$grove" ic plummer --n 10 --out x.h5 >out.txt &&
    fails_with 2 "must end in .hdf5 or .h5" "$grove" ic join x.h5 x.h5 --out pair.tipsy
}

run_tests
