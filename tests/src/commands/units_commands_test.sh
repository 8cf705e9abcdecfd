#!/usr/bin/env bash
# Units, G and physics recorded in files, and settings that cannot be, as a user of the program meets them.
# Usage: units_commands_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function whose name says what holds, and finds a galaxy in kpc, km/s, 1e10 Msun in run.toml.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

# virial_ratio LOG: of its last row.
virial_ratio() { tail -n 1 "$1" | cut -d, -f15; }
is_near() { awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { exit !(a - b < d && b - a < d) }' || { echo "$1 is not $2 to $3"; return 1; }; }

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 300
mass = 5.0
scale_radius = 3.0
[gravity]
softening = "200 pc"
[time]
end = "20 Myr"
dt = "2 Myr"
[output]
snapshot_every = "10 Myr"
[units]
system = "kpc, km/s, 1e10 Msun"
[run]
device = "cpu"
END
}

tests_follow

a_galaxy_in_physical_units_needs_no_G() {
  local n
  for n in 1 3; do
    ranks $n run run.toml --overwrite >out.txt && contains out.txt "to 20 Myr" &&
      contains out.txt "units of kpc, 1e10 Msun, km/s, time in units of 977.8 Myr; G = 43009.2" && lacks out.txt "note: gravity.G" &&
      contains output/used_parameters.toml "G = 43009.17" && is_near "$(virial_ratio output/energy.csv)" 1 0.15 || return 1
  done
  # What was used repeats the run, and continues it.
  "$grove" run output/used_parameters.toml --print-config | cmp - output/used_parameters.toml &&
    "$grove" run run.toml --continue --set "time.end=30 Myr" >out.txt && contains out.txt "finished: step 15 of 15"
}

another_G_than_the_physical_one_is_noted() {
  "$grove" run run.toml --set gravity.G=1 >out.txt && contains out.txt "note: gravity.G = 1 is not the gravitational constant in [units], which is 43009.2" &&
    "$grove" run run.toml --set gravity.G=cgs --overwrite >out.txt && lacks out.txt "is not the gravitational" &&
    "$grove" ic plummer --n 10 --out ic.hdf5 --set "units.system=pc, km/s, Msun" --set gravity.G=1 >out.txt && contains out.txt "note: gravity.G = 1"
}

velocities_without_their_G_name_units_as_the_cause() {
  "$grove" ic plummer --n 300 --mass 5 --scale-radius 3 --out galaxy.hdf5 --set "units.system=kpc, km/s, 1e10 Msun" >out.txt &&
    "$grove" run --set initial_conditions.file=galaxy.hdf5 --set gravity.softening=0.2 --set time.end=0.001 --set time.dt=0.001 --device cpu >out.txt &&
    contains out.txt "galaxy.hdf5 has units of kpc" && contains out.txt 'units.system = "file" takes those of the file' &&
    contains out.txt "The likely cause are units or a gravity.G that do not fit"
}

a_run_continues_with_its_G_alone() {
  rm -rf output && "$grove" run run.toml --set gravity.G=1 --quiet &&
    fails_with 2 "gravity.G = 43009.17" "$grove" run run.toml --continue --set "time.end=30 Myr" || return 1
  rm output/checkpoint_*
  fails_with 2 "gravity.G = 43009.17" "$grove" run run.toml --continue --set "time.end=30 Myr" &&
    "$grove" run run.toml --continue --set "time.end=30 Myr" --set gravity.G=1 >out.txt && contains output/used_parameters.toml "G = 1.0 "
}

the_units_of_the_input_file_are_taken() {
  local n
  "$grove" ic plummer --n 300 --mass 5 --scale-radius 3 --out galaxy.hdf5 --set "units.system=kpc, km/s, 1e10 Msun" >out.txt || return 1
  printf 'units = "file"\n[initial_conditions]\nfile = "galaxy.hdf5"\n[gravity]\nsoftening = "200 pc"\n[time]\nend = "4 Myr"\ndt = "2 Myr"\n' >file.toml
  for n in 1 3; do
    ranks $n run file.toml --overwrite --device cpu >out.txt && lacks out.txt "note: galaxy.hdf5 has unit" && lacks out.txt "note: galaxy.hdf5 has N-body" && contains output/used_parameters.toml "G = 43009.17" &&
      is_near "$(virial_ratio output/energy.csv)" 1 0.15 || return 1
  done
  printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' >two.tab
  fails_with 2 "two.tab (text table) does not say its units" ranks 3 run file.toml --set initial_conditions.file=two.tab &&
    fails_with 2 "takes the units of initial_conditions.file" ranks 3 run run.toml --set units.system=file &&
    fails_with 3 "absent.hdf5" ranks 3 run file.toml --set initial_conditions.file=absent.hdf5
}

snapshots_in_N_body_units_are_known_as_such() {
  local n file=output/snapshot_0001.hdf5
  sed -i '/system =/d; /\[units\]/d; s/"200 pc"/0.2/; s/"20 Myr"/0.5/; s/"2 Myr"/0.25/; s/"10 Myr"/0.5/' run.toml
  for n in 1 3; do
    ranks $n run run.toml --overwrite --quiet && "$grove" info $file >info.txt && contains info.txt "N-body units" && rm -rf next &&
      ranks $n run --set initial_conditions.file=$file --set time.begin=0.5 --set time.end=0.75 --set time.dt=0.25 --set gravity.softening=0.2 \
        --set output.directory=next --device cpu >out.txt && lacks out.txt "note: $file" || return 1
  done
  fails_with 2 "N-body units" ranks 3 run --set initial_conditions.file=$file --set units.system=file --set "time.end=1 Gyr" &&
    "$grove" run --set initial_conditions.file=$file --set "units.system=kpc, km/s, Msun" --set "time.dt=1 Myr" --set "time.end=1 Myr" --set time.begin=0 \
      --set gravity.softening=1 --set output.directory=other --device cpu >out.txt && contains out.txt "$file has N-body units, the configuration has units of"
}

check_and_bench_use_the_physics_of_the_file() {
  local file=output/snapshot_0002.hdf5 n
  "$grove" run run.toml --set gravity.G=43022 --set gravity.softening_kernel=wendland_c2 --quiet || return 1
  for n in 1 3; do
    ranks $n check $file --targets 20 --device cpu >out.txt &&
      contains out.txt "physics that $file records: gravity.G = 43022.0, gravity.softening = 0.2, gravity.softening_kernel = \"wendland_c2\", units of kpc" &&
      contains out.txt "softening 0.2 (wendland_c2)" || return 1
  done
  "$grove" check $file --targets 20 --device cpu --json >check.json && contains check.json '"G": 43022.0' && contains check.json '"softening": 0.2' || return 1
  "$grove" check $file --targets 20 --device cpu --set "gravity.softening=70 pc" >out.txt &&
    contains out.txt "note: gravity.softening = 0.07 here, the file records 0.2" && contains out.txt "softening 0.07 (wendland_c2)" || return 1
  ranks 3 bench --file $file --repeats 1 --device cpu >out.txt && contains out.txt "physics that $file records: gravity.G = 43022.0" &&
    contains out.txt "softening 0.2 (wendland_c2)" && "$grove" bench --file $file --repeats 1 --sweep 1e-2 --check 20 --device cpu >out.txt &&
    contains out.txt "physics that $file records" || return 1
  "$grove" check $file --targets 20 --device cpu --set gravity.G=1 >out.txt && contains out.txt "note: gravity.G = 1 is not the gravitational constant" || return 1
  # Units of the command line have a G of their own.
  "$grove" check $file --targets 20 --device cpu --set "units.system=kpc, km/s, Msun" >out.txt && contains out.txt "note: gravity.G = 4.3009" &&
    contains out.txt "the file records units of kpc" || return 1
  printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' >two.tab
  "$grove" check two.tab --device cpu >out.txt && contains out.txt "not from two.tab but of --set or by default: gravity.softening = 0.0, gravity.G = 1.0"
}

particles_that_do_not_fit_are_refused_before_they_are_made() {
  local n
  for n in 1 3; do
    fails_with 2 "900,000,000,000 particles do not fit" ranks $n run run.toml --set initial_conditions.n=9e11 && contains err.txt TiB &&
      fails_with 2 "so many particles do not fit" ranks $n ic plummer --n 9e11 --out ic.hdf5 && contains err.txt TiB || return 1
  done
  fails_with 2 "900,000,000,000 particles do not fit" ranks 3 bench --n 9e11 --device cpu &&
    fails_with 2 "900,000,000,000 particles do not fit" "$grove" check run.toml --set initial_conditions.n=9e11 &&
    fails_with 2 "so many particles do not fit" "$grove" bench --sweep --n 9e11 --device cpu || return 1
  fails_with 2 "so many particles do not fit" "$grove" bench --n 9e11 --virtual-ranks 4 && holds [ ! -e ic.hdf5 ]
}

units_are_taken_wherever_there_is_a_dimension() {
  "$grove" ic disc --n 20 --mass "1e12 Msun" --scale-length "3000 pc" --out disc.hdf5 --set "units.system=kpc, km/s, 1e10 Msun" >out.txt &&
    "$grove" info disc.hdf5 >info.txt && grep -q "total mass  *100$" info.txt &&
    fails_with 2 'initial_conditions.mass = "1e12 Msun"' "$grove" ic disc --n 20 --mass "1e12 Msun" --out none.hdf5 &&
    "$grove" run run.toml --print-config --set external.potential=nfw --set external.mass="1e12 Msun" --set external.scale_radius="20 kpc" \
      --set 'gravity.softening={stars="50 pc"}' >out.txt && contains out.txt "scale_radius = 20.0" && contains out.txt "softening = {stars = 0.05}" &&
    fails_with 2 "2.5 Myr (8 steps) and 3.333333333 Myr (6 steps)" "$grove" run run.toml --set "time.dt=3 Myr"
}

keys_of_a_run_have_no_effect_on_initial_conditions() {
  local key
  for key in time.end=3 output.directory=foo external.potential=nfw gravity.method=tree run.device=cpu; do
    fails_with 2 "command line: ${key%%=*} = " "$grove" ic disc --n 20 --out ic.hdf5 --set $key && contains err.txt "has no effect on initial conditions" || return 1
  done
  fails_with 2 "has no effect" ranks 3 ic disc --n 20 --out ic.hdf5 --set time.end=3 && holds [ ! -e ic.hdf5 ]
}

times_and_counts_that_cannot_be_are_refused() {
  local n bad
  for n in 1 3; do
    fails_with 2 "output.snapshot_every = 1 Myr" ranks $n run run.toml --set "output.snapshot_every=1 Myr" && contains err.txt "is shorter than time.dt" &&
      fails_with 2 "must be a text that is not empty" ranks $n run run.toml --set output.directory= || return 1
  done
  for bad in time.end=nan time.end=inf "time.end=nan Gyr" "time.dt=-1 Myr" time.dt=0 time.dt=1e-30 "time.end=3 Gyears" "time.end=3 kpc" "gravity.softening=3 Myr" \
    initial_conditions.n=-1 initial_conditions.n=nan output.snapshot_every=-1 units.system=kpc "units.system=kpc, km/s, 0 Msun" gravity.G=0; do
    fails_with 2 "${bad%%=*}" "$grove" run run.toml --set "$bad" || return 1
  done
  fails_with 2 "9e+15 steps; at most" "$grove" run run.toml --set time.dt=1e-12 --set time.end=9000 && holds [ ! -e output ]
}

options_that_cannot_be_are_refused() {
  "$grove" ic plummer --n 50 --out ic.hdf5 >out.txt || return 1
  local bad
  for bad in 0 -1 nan 1.5 1e3 99999999999999999999 ''; do
    fails_with 2 "--targets: $bad must be a whole number" "$grove" check ic.hdf5 --targets "$bad" && fails_with 2 "--check: $bad must be" "$grove" bench --n 50 --check "$bad" &&
      fails_with 2 "--repeats: $bad must be" "$grove" bench --n 50 --repeats "$bad" || return 1
  done
  fails_with 2 "--targets: 0 must be" ranks 3 check ic.hdf5 --targets 0 && fails_with 2 "--seed: -1 must be" "$grove" check ic.hdf5 --seed -1 && fails_with 2 "--max-99: nan must be" "$grove" check ic.hdf5 --max-99 nan &&
    fails_with 2 "--n excludes --file" ranks 3 bench --file ic.hdf5 --n 10 && fails_with 2 "--seed excludes --file" "$grove" bench --file ic.hdf5 --seed 10 &&
    fails_with 2 "initial_conditions.n = 10" "$grove" check ic.hdf5 --set initial_conditions.n=10 &&
    fails_with 2 "not both" ranks 3 run run.toml --set initial_conditions.file=ic.hdf5 && fails_with 2 "no file is named" "$grove" bench --file '' &&
    fails_with 2 "--out x.tipsy: snapshots are HDF5 files" ranks 3 ic plummer --n 10 --out x.tipsy && holds [ ! -e x.tipsy ] &&
    fails_with 2 "must end in .hdf5" "$grove" ic plummer --n 10 --out ''
}

run_tests
