#!/usr/bin/env bash
# grove info, and files that a run refuses or takes with a note. Usage: info_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=$tests/data/hdf5
source "$tests/support/shell_tests.sh"

is_json() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null; }

# a_run_from FILE [OPTION...]: two short steps of its particles.
settings="--set gravity.softening=0.1 --set time.dt=0.001 --set time.end=0.002 --device cpu"
a_run_from() {
  local file=$1
  shift
  # shellcheck disable=SC2086
  ranks "$ranks" run --set initial_conditions.file="$file" $settings --overwrite "$@"
}

tests_follow

info_is_short_unless_all_is_asked_for() {
  "$grove" info "$data/swift_snapshot.hdf5" >short.txt && contains short.txt "SWIFT, 2025.04" && contains short.txt "black holes" &&
    contains short.txt "total mass" && contains short.txt "highest position" && lacks short.txt "PartType1" &&
    holds [ "$(wc -l <short.txt)" -lt 20 ] && "$grove" info --all "$data/swift_snapshot.hdf5" >all.txt && contains all.txt "PartType1/Softenings" &&
    contains all.txt "InitialConditions:periodic" && contains all.txt "centre of mass"
}

info_of_several_files_goes_on_after_one_that_is_none() {
  "$grove" info "$data/swift_ics.hdf5" "$data/swift_snapshot.hdf5" >two.txt && holds [ "$(grep -c '^format ' two.txt)" -eq 2 ] &&
    fails_with 3 "absent.hdf5" ranks 2 info "$data/swift_ics.hdf5" absent.hdf5 "$data/swift_snapshot.hdf5" &&
    holds [ "$(grep -c '^format ' out.txt)" -eq 2 ]
}

info_is_json_on_demand() {
  "$grove" info "$data/gadget_by_h5py.hdf5" "$data/swift_snapshot.hdf5" --json >info.json && is_json info.json &&
    contains info.json '"name": "inner halo"' && contains info.json '"particles": 10' && lacks info.json '"attributes"' &&
    "$grove" info "$data/swift_snapshot.hdf5" --all --json all.json >all.txt && is_json all.json && contains all.json '"InitialConditions:periodic": "0"' &&
    contains all.txt "black holes"
}

info_as_json_shows_no_scale_of_n_body_units() {
  "$grove" ic plummer --n 10 --out n.hdf5 >out.txt && "$grove" info n.hdf5 --json >n.json && is_json n.json &&
    contains n.json '"system": "N-body units"' && lacks n.json "_in_cm" && "$grove" info "$data/swift_ics.hdf5" --json >cgs.json &&
    contains cgs.json '"system": "cgs"' && contains cgs.json "length_in_cm"
}

a_file_that_json_took_is_named() {
  cp "$data/swift_ics.hdf5" a.hdf5 && fails_with 2 "a.hdf5 is taken as the file that --json writes" "$grove" info --json a.hdf5 --all &&
    fails_with 2 "a.hdf5 is taken as the file that --json writes" ranks 2 check --json a.hdf5 && fails_with 2 "FILE is required" "$grove" info &&
    "$grove" info --json=- a.hdf5 >out.json && is_json out.json && holds cmp a.hdf5 "$data/swift_ics.hdf5"
}

info_takes_columns_of_tables() {
  printf '# r v m\n1 2 3 4 5 6 0.25\n-1 2 3 4 5 6 0.5\n' >stars.tab && fails_with 3 "--columns" "$grove" info stars.tab &&
    "$grove" info stars.tab --columns "x y z vx vy vz m" --all >out.txt && contains out.txt "column 7 (m)" && contains out.txt "0.75" &&
    fails_with 2 "--columns: vx is missing" "$grove" info stars.tab --columns "x y z m" &&
    fails_with 2 "--columns, has no effect" "$grove" info "$data/swift_ics.hdf5" --columns "x y z vx vy vz m"
}

no_escape_sequence_of_a_file_reaches_the_terminal() {
  printf '1 0 0 0 0 0 0\n1 0 \033[31m 0 0 0 0\n' >red.tab
  "$grove" info --all "$data/gadget_by_h5py.hdf5" >out.txt && contains out.txt '\x1b[31m' && lacks out.txt $'\033' &&
    fails_with 3 "red.tab" "$grove" info red.tab && lacks err.txt $'\033' && cp "$data/swift_ics.hdf5" $'\033[31m.hdf5' &&
    "$grove" info $'\033[31m.hdf5' >out.txt && lacks out.txt $'\033'
}

cosmological_files_are_refused_unless_they_are_allowed() {
  local what="is of a cosmological simulation"
  for ranks in 1 3; do
    fails_with 3 "$what" a_run_from "$data/swift_cosmological.hdf5" && contains err.txt "a = 0.5 (redshift 1)" && contains err.txt "box of side 8" &&
      contains err.txt "initial_conditions.allow_cosmological = true" && fails_with 3 "$what" ranks $ranks check "$data/swift_cosmological.hdf5" &&
      a_run_from "$data/swift_cosmological.hdf5" --set initial_conditions.allow_cosmological=true >out.txt && contains out.txt "$what" &&
      contains out.txt "taken as they are" || return 1
  done
  "$grove" info "$data/swift_cosmological.hdf5" >out.txt && contains out.txt "$what" && contains out.txt "A run refuses it"
}

allow_cosmological_is_true_or_false_and_for_files() {
  local key=initial_conditions.allow_cosmological
  fails_with 2 "$key = 1: must be true or false" "$grove" run --print-config --set initial_conditions.file=x --set $key=1 &&
    fails_with 2 "with a generator it has no effect" "$grove" run --print-config --set initial_conditions.generator=plummer --set $key=true &&
    "$grove" run --print-config --set initial_conditions.file=x --set $key=true >all.toml && contains all.toml "allow_cosmological = true" &&
    "$grove" run all.toml --print-config >again.toml && holds cmp all.toml again.toml
}

files_on_which_hdf5_crashes_or_never_ends_are_refused() {
  local damaged=$tests/data/damaged
  fails_with 3 "endless_heap.hdf5: HDF5 does not come to an end while it reads the file" timeout 60 "$grove" info "$damaged/endless_heap.hdf5" || return 1
  for ranks in 1 2; do
    fails_with 3 "crashes_library.hdf5: HDF5 crashed while it read the file" a_run_from "$damaged/crashes_library.hdf5" || return 1
  done
}

pipes_in_the_place_of_files_are_refused_at_once() {
  mkfifo pipe.hdf5 && fails_with 3 "pipe.hdf5" timeout 20 "$grove" info pipe.hdf5 &&
    fails_with 3 "pipe.hdf5" timeout 20 "$grove" run --set initial_conditions.file=pipe.hdf5 --device cpu
}

gas_and_softenings_of_a_file_are_told() {
  ranks=1
  a_run_from "$data/swift_ics.hdf5" >out.txt && contains out.txt "has gas: 3 of 8 particles" && a_run_from "$data/swift_snapshot.hdf5" >out.txt &&
    contains out.txt "has softening 0.125 of halo (PartType1/Softenings)" && contains out.txt "has softening 0.5 of stars " &&
    a_run_from "$data/swift_snapshot.hdf5" --set gravity.softening=0.125 >out.txt && contains out.txt "has softening 0.5 of stars" && lacks out.txt "of halo"
}

names_of_components_stay_through_a_run_that_is_continued() {
  for ranks in 1 3; do
    a_run_from "$data/gadget_by_h5py.hdf5" --quiet && "$grove" info output/snapshot_0001.hdf5 >out.txt && contains out.txt "inner halo" &&
      contains out.txt 'thin disc \x1b[0m' || return 1
    # shellcheck disable=SC2086
    ranks $ranks run --set initial_conditions.file="$data/gadget_by_h5py.hdf5" $settings --set time.end=0.003 --continue --quiet &&
      "$grove" info output/snapshot_0002.hdf5 >out.txt && contains out.txt "inner halo" && "$grove" info output/checkpoint_0.hdf5 >out.txt &&
      contains out.txt "checkpoint of Grove" && lacks out.txt "inner halo" && "$grove" info --all output/checkpoint_0.hdf5 >out.txt &&
      contains out.txt "inner halo" || return 1
  done
}

run_tests
