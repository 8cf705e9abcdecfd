#!/usr/bin/env bash
# Models as their user meets them: components with names and centres, files joined, two discs on an orbit, external potentials.
# Usage: models_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]. Each test is a function whose name says what holds.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../data/hdf5" && pwd)

# column NAME FILE: the numbers of a column of energy.csv.
column() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) k = i; next } { print $k }' "$2"
}

# energy_error_below LIMIT: of the run in output.
energy_error_below() {
  column relative_energy_error output/energy.csv | awk -v limit="$1" '{ e = $1 < 0 ? -$1 : $1; if (e > worst) worst = e }
    END { print "largest energy error " worst; exit !(NR > 1 && worst < limit) }'
}

# same_data A B: all datasets of both snapshots have the same bytes.
same_data() {
  for file in "$1" "$2"; do
    for type in 1 2 3 4; do h5dump -g /PartType$type "$file" 2>/dev/null; done | grep -v "^HDF5" >"$file.txt"
  done
  holds [ "$(wc -l <"$1.txt")" -gt 100 ] && cmp "$1.txt" "$2.txt"
}

config() {
  cat >run.toml <<END
[initial_conditions]
generator = "hernquist"
n = 500
[gravity]
softening = 0.05
[external]
potential = "nfw"
mass = 100
scale_radius = 5
x = 1
[external_2]
potential = "miyamoto_nagai"
mass = 5
scale_length = 2
[time]
end = 0.5
dt = 0.0078125
[output]
snapshot_every = 0.25
[run]
device = "cpu"
END
}

tests_follow

components_have_their_names_in_files_and_in_snapshots_of_runs() {
  "$grove" ic merger --n 200 --out spheres.hdf5 >out.txt && h5dump -a /PartType1/ComponentName -a /PartType2/ComponentName spheres.hdf5 >names.txt &&
    contains names.txt '"galaxy 1"' && contains names.txt '"galaxy 2"' &&
    "$grove" run run.toml --quiet --set initial_conditions.generator=plummer --set time.end=0.0078125 --set output.snapshot_every=0 &&
    h5dump -a /PartType1/ComponentName output/snapshot_0000.hdf5 >names.txt && contains names.txt '"stars"'
}

recentred_models_do_not_depend_on_the_number_of_ranks() {
  for n in 1 3; do
    ranks $n ic disc --n 1001 --seed 3 --out $n.hdf5 >out.txt && ranks $n ic disc --n 1001 --seed 3 --recentre false --out raw$n.hdf5 >out.txt || return 1
  done
  same_data 1.hdf5 3.hdf5 && same_data raw1.hdf5 raw3.hdf5 && ! cmp -s 1.hdf5.txt raw1.hdf5.txt &&
    fails_with 2 "true or false" "$grove" ic disc --n 10 --out x.hdf5 --recentre maybe
}

# The centre of mass of a disc of 8,000 in a run, in units of its size: 0.1 without recentring.
a_disc_galaxy_is_at_the_origin_and_at_rest() {
  "$grove" run --quiet --device cpu --set initial_conditions.generator=disc --set initial_conditions.n=8000 --set time.end=0 \
    --set output.snapshots=none --set gravity.softening=0.1 || return 1
  for name in momentum_x momentum_y momentum_z centre_of_mass_x centre_of_mass_y centre_of_mass_z; do
    column $name output/energy.csv | awk -v name=$name '{ if ($1 < -1e-13 || $1 > 1e-13) { print name, $1; exit 1 } }' || return 1
  done
}

two_discs_on_an_orbit_run_and_keep_their_energy() {
  "$grove" ic merger --model disc --n 3000 --inclination-1 0 --inclination-2 70 --node-2 45 --pericentre 1 --separation 15 --out pair.hdf5 >out.txt &&
    h5dump -a /PartType4/ComponentName -a /PartType3/ComponentName pair.hdf5 >names.txt && contains names.txt '"disc 2"' &&
    contains names.txt '"halo 2"' &&
    ranks 2 run --quiet --device cpu --set initial_conditions.file=pair.hdf5 --set gravity.softening=0.1 --set time.end=2 --set time.dt=0.05 \
      --set gravity.softening_kernel=wendland_c2 && energy_error_below 1e-3 &&
    fails_with 2 'left out unless model = "disc"' "$grove" ic merger --n 100 --inclination-1 20 --out x.hdf5
}

files_are_joined_and_run() {
  "$grove" ic disc --n 800 --out primary.hdf5 >out.txt && "$grove" ic plummer --n 200 --mass 0.1 --out satellite.hdf5 >out.txt || return 1
  for n in 1 3; do
    ranks $n ic join primary.hdf5 satellite.hdf5 --rotate 60,0,30 --shift -20,0,5 --boost 0,0.4,0 --recentre --out both$n.hdf5 >out.txt || return 1
  done
  same_data both1.hdf5 both3.hdf5 && contains out.txt "ids are raised by 800" &&
    contains out.txt 'stars of satellite.hdf5 is now "stars", type 3' && contains out.txt "1,000 particles of 2 files" &&
    h5dump -a /PartType3/ComponentName both3.hdf5 >names.txt && contains names.txt '"stars"' &&
    "$grove" run --quiet --device cpu --set initial_conditions.file=both3.hdf5 --set gravity.softening=0.1 --set time.end=0.05 &&
    column centre_of_mass_x output/energy.csv | awk '{ limit = NR == 1 ? 1e-14 : 1e-7; if ($1 < -limit || $1 > limit) { print "at", $1; exit 1 } }'
}

components_are_named_and_stay_apart_or_are_merged() {
  printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' >two.tab && "$grove" ic plummer --n 10 --name bulge --type 3 --out b.hdf5 >out.txt || return 1
  ranks 2 ic join b.hdf5 b.hdf5 two.tab --name - --name "old bulge" --type - --type 4 --out all.hdf5 >out.txt &&
    contains out.txt 'type 1 of two.tab, which has no name there, is "halo", type 1' && contains out.txt 'bulge of b.hdf5 is "bulge", type 3' &&
    contains out.txt 'bulge of b.hdf5 is now "old bulge", type 4' && "$grove" info --all all.hdf5 >info.txt && contains info.txt "old bulge" &&
    contains info.txt "--name - --name old bulge --type - --type 4" &&
    "$grove" ic join b.hdf5 b.hdf5 --merge --out one.hdf5 >out.txt && contains out.txt 'bulge of b.hdf5 is now part of "bulge", type 3' &&
    "$grove" ic join b.hdf5 b.hdf5 --out two.hdf5 >out.txt && contains out.txt 'bulge of b.hdf5 is now "bulge 2", type 1' || return 1
  fails_with 2 "--name is given 3 times for 2 files" "$grove" ic join b.hdf5 b.hdf5 --name a --name b --name c --out x.hdf5 &&
    fails_with 2 "--type 6: must be a particle type" "$grove" ic join b.hdf5 b.hdf5 --type 6 --out x.hdf5 &&
    fails_with 2 "--name has 2 for b.hdf5" ranks 2 ic join b.hdf5 b.hdf5 --name a,b --out x.hdf5 && holds [ ! -e x.hdf5 ]
}

a_sphere_has_the_name_and_type_that_it_is_given() {
  for model in plummer hernquist uniform_sphere uniform_cube; do
    ranks 3 ic $model --n 1 --name bulge --type 3 --out $model.hdf5 >out.txt &&
      h5dump -a /PartType3/ComponentName $model.hdf5 >names.txt && contains names.txt '"bulge"' || return 1
  done
  fails_with 2 "--name is for models of one component and must go: disc makes halo, disc" ranks 2 ic disc --n 10 --name bulge --out x.hdf5 &&
    fails_with 2 "--type is for models of one component" "$grove" ic merger --n 10 --type 3 --out x.hdf5 &&
    fails_with 2 "--type gas: must be a particle type" "$grove" ic plummer --n 10 --type gas --out x.hdf5 &&
    fails_with 2 'a name has 1 to 255 bytes' "$grove" ic plummer --n 10 --name "" --out x.hdf5 && holds [ ! -e x.hdf5 ]
}

mistakes_in_joining_are_named() {
  "$grove" ic plummer --n 10 --out a.hdf5 >out.txt &&
    "$grove" ic plummer --n 10 --out b.hdf5 --set units.length_in_cm=3.0857e21 --set units.mass_in_g=2e43 --set units.velocity_in_cm_per_s=1e5 >out.txt &&
    fails_with 2 "two files" "$grove" ic join a.hdf5 --out x.hdf5 && fails_with 2 "three numbers" "$grove" ic join a.hdf5 a.hdf5 --shift 1,2 --out x.hdf5 &&
    fails_with 2 "three numbers" "$grove" ic join a.hdf5 a.hdf5 --boost 1,2,nan --out x.hdf5 &&
    fails_with 2 "--shift is given 2 times" "$grove" ic join a.hdf5 a.hdf5 --shift 1,2,3 --shift 1,2,3 --out x.hdf5 &&
    fails_with 3 "files must agree" ranks 2 ic join a.hdf5 b.hdf5 --out x.hdf5 && fails_with 3 "absent.hdf5" ranks 2 ic join a.hdf5 absent.hdf5 --out x.hdf5 &&
    fails_with 2 "exists already" "$grove" ic join a.hdf5 a.hdf5 --out b.hdf5 && holds [ ! -e x.hdf5 ]
}

joined_files_do_not_replace_their_inputs() {
  "$grove" ic plummer --n 10 --out a.hdf5 >out.txt && "$grove" ic plummer --n 10 --out s.0.hdf5 >out.txt && cp a.hdf5 s.1.hdf5 &&
    ln -s a.hdf5 soft.hdf5 && ln a.hdf5 hard.hdf5 && cp a.hdf5 before.hdf5 || return 1
  for out in a.hdf5 ./a.hdf5 soft.hdf5 hard.hdf5; do
    fails_with 2 "--out $out is the input a.hdf5" "$grove" ic join a.hdf5 a.hdf5 --out "$out" --overwrite || return 1
  done
  fails_with 2 "is the input s.0.hdf5" ranks 2 ic join a.hdf5 s.0.hdf5 --out s.1.hdf5 --overwrite && holds cmp a.hdf5 before.hdf5 &&
    "$grove" ic join a.hdf5 a.hdf5 --out before.hdf5 --overwrite >out.txt
}

joined_files_have_the_constant_of_gravity_of_their_units() {
  printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' >two.tab && "$grove" ic join two.tab two.tab --shift 3,0,0 --out pair.hdf5 >out.txt &&
    contains out.txt "no file names its units and G: the new file says N-body units, G = 1" &&
    "$grove" ic plummer --n 10 --out a.hdf5 --set units.system="kpc, km/s, 1e10 Msun" --set gravity.G=cgs >out.txt &&
    "$grove" ic join a.hdf5 a.hdf5 --out b.hdf5 >out.txt && ! grep -q "no file names" out.txt || return 1
  "$grove" ic join "$data/swift_ics.hdf5" "$data/swift_ics.hdf5" --shift 3,0,0 --out swift.hdf5 >out.txt && contains out.txt "no file names G" &&
    ! grep -q "is not the gravitational constant" out.txt
}

words_of_ic_and_set_do_not_contradict_each_other() {
  fails_with 2 "initial_conditions.n=50: the command says n = 3000 already" ranks 2 ic disc --n 3000 --set initial_conditions.n=50 --out x.hdf5 &&
    fails_with 2 "mass = 100 already" "$grove" ic disc --n 30 --mass 100 --set initial_conditions.mass=7 --out x.hdf5 &&
    fails_with 2 "generator = disc already" "$grove" ic disc --n 30 --set initial_conditions.generator=plummer --out x.hdf5 &&
    holds [ ! -e x.hdf5 ] && "$grove" ic plummer --n 30 --set initial_conditions.n=30 --set initial_conditions.mass=7 --out x.hdf5 >out.txt
}

external_potentials_are_in_the_forces_and_energies_of_a_run() {
  ranks 2 run run.toml >out.txt && contains out.txt "external potential nfw: mass 100, scale_radius 5, concentration 10, x 1" &&
    contains out.txt "external potential miyamoto_nagai" && energy_error_below 2e-3 &&
    column external output/energy.csv | awk '{ if (!($1 < -1)) exit 1 }' &&
    ! grep -q "not bound" out.txt && mv output first && "$grove" profile first/snapshot_0000.hdf5 >profile.txt &&
    contains profile.txt "circular_velocity of all particles counts what the file records: external potential nfw: mass 100" &&
    "$grove" run run.toml --quiet && column total output/energy.csv >total.txt && column total first/energy.csv | paste - total.txt |
    awk '{ d = $1 - $2; if (d * d > 1e-8 * $1 * $1) exit 1 }' &&
    contains output/energy.csv ",virial_ratio,external" &&
    "$grove" run --quiet --device cpu --overwrite --set initial_conditions.generator=plummer --set initial_conditions.n=100 --set time.end=0 &&
    ! grep -q external output/energy.csv
}

a_run_in_external_potentials_goes_on_bit_for_bit() {
  "$grove" run run.toml --quiet && mv output whole && "$grove" run run.toml --quiet --set time.end=0.25 &&
    "$grove" run run.toml --quiet --continue && same_data whole/snapshot_0002.hdf5 output/snapshot_0002.hdf5 && holds cmp whole/energy.csv output/energy.csv &&
    fails_with 2 "external.mass = 90.0, before 100.0" "$grove" run run.toml --continue --set external.mass=90 --set time.end=1
}

a_potential_moves_on_the_orbit_of_a_file() {
  printf '# t x y z\n-0.1, 0.9, 0, 0\n\n0.2 1.2 0 0\n0.5 1.5 0 0\n' >orbit.txt
  local moving=(--set external_2.orbit=orbit.txt --set time.integrator=yoshida4)
  "$grove" run run.toml "${moving[@]}" >out.txt && contains out.txt "scale_height 0.1, on the orbit orbit.txt" &&
    contains out.txt "which changes, since an external potential moves" && ! grep -q "not accurate" out.txt && mv output whole &&
    "$grove" run run.toml --quiet "${moving[@]}" --set time.end=0.25 && "$grove" run run.toml --quiet --continue "${moving[@]}" &&
    same_data whole/snapshot_0002.hdf5 output/snapshot_0002.hdf5 && "$grove" profile output/snapshot_0002.hdf5 >out.txt &&
    contains out.txt "circular_velocity counts no external potential that moves" &&
    fails_with 2 'external_2.orbit = "orbit.txt": has times from -0.1 to 0.5; those from 0 to 1 are needed' \
      "$grove" run run.toml "${moving[@]}" --overwrite --set time.end=1 &&
    echo "0.6 1 2" >>orbit.txt && fails_with 2 'line 6: 3 words; a row is t x y z' ranks 2 run run.toml "${moving[@]}" --overwrite &&
    fails_with 3 "nowhere.txt" "$grove" run run.toml --overwrite --set external.orbit=nowhere.txt
}

mistakes_in_external_potentials_are_named() {
  fails_with 2 'did you mean "nfw"' "$grove" run run.toml --set external.potential=nwf &&
    fails_with 2 "external.scale_height" "$grove" run run.toml --set external.scale_height=1 &&
    fails_with 2 "external_2.scale_height" "$grove" run run.toml --set external_2.scale_height=0 &&
    fails_with 2 "potential none is chosen" "$grove" run run.toml --set external_3.mass=1 &&
    fails_with 2 "bench measures the gravity of particles alone" "$grove" bench --set external.potential=point --n 100 --device cpu &&
    "$grove" check run.toml --targets 100 >out.txt && contains out.txt "external potentials are exact and left out"
}

galaxies_are_checked_alike_on_any_number_of_ranks() {
  for n in 1 3; do ranks $n ic galaxy --preset sagittarius --n 2000 --name dwarf --type 3 --out $n.hdf5 --check >all.txt && tail -n +2 all.txt >$n.txt || return 1; done
  cmp 1.txt 3.txt && contains 1.txt "stars, 2,000 particles: virial ratio" && contains 1.txt "sagittarius is in equilibrium" &&
    holds [ "$(grep -cE '^[0-9.]+ .*[+-][0-9]\.[0-9]$' 1.txt)" -ge 7 ] && fails_with 2 "--check" "$grove" ic uniform_cube --n 100 --out x.hdf5 --check &&
    "$grove" ic plummer --n 2000 --taper 1 --out p.hdf5 --check >p.txt && contains p.txt "plummer is in equilibrium"
}

particles_of_a_configuration_are_written_and_checked_as_a_run_has_them() {
  config && cat >>run.toml <<'END' &&
[galaxies.own]
halo = { kind = "hernquist", mass = 5, scale_radius = 3 }
bulge = { kind = "hernquist", mass = 1, scale_radius = 0.5 }
END
    sed -i 's/generator = "hernquist"/generator = "galaxy"/; s/^softening = .*/softening = { halo = 0.1, bulge = 0.02 }/' run.toml &&
    ranks 2 ic config run.toml --out a.hdf5 --check --set initial_conditions.seed=3 >out.txt && contains out.txt "own is in equilibrium" &&
    h5dump -a /Parameters/SofteningComovingClass0 -a /Parameters/SofteningComovingClass1 a.hdf5 >s.txt && contains s.txt "0.1" && contains s.txt "0.02" &&
    "$grove" run run.toml --set initial_conditions.seed=3 --set time.end=0 >run.txt || return 1
  contains run.txt "half-mass radius" && holds grep -qE '^halo +1 .* 0.1$' run.txt && holds grep -qE '^bulge +3 .* 0.02$' run.txt || return 1
  for data in /PartType1/Coordinates /PartType1/Velocities /PartType3/Coordinates; do
    h5diff a.hdf5 output/snapshot_0000.hdf5 $data || return 1
  done
  fails_with 2 "has no effect on initial conditions" "$grove" ic config run.toml --out b.hdf5 --set time.dt=1 &&
    sed -i '/^n = /d; s/generator = "galaxy"/file = "a.hdf5"/; /^.galaxies/,$d' run.toml &&
    fails_with 2 "not for a.hdf5" "$grove" ic config run.toml --out b.hdf5 --check &&
    fails_with 2 "is the input a.hdf5" "$grove" ic config run.toml --out a.hdf5 --overwrite
}

galaxies_of_a_merger_are_checked_each_by_itself() {
  "$grove" ic merger --n 4000 --separation 1 --out pair.hdf5 --check >out.txt && contains out.txt "1 is in equilibrium" && contains out.txt "2 is in equilibrium"
}

a_galaxy_out_of_equilibrium_ends_the_check_with_1() {
  # The model has the softening of Plummer.
  "$grove" ic hernquist --n 20000 --set gravity.softening=1 --set gravity.softening_kernel=wendland_c2 --out h.hdf5 --check >out.txt
  holds [ $? = 1 ] && contains out.txt "hernquist is not in equilibrium"
}

files_of_galaxies_have_the_softening_of_each_component() {
  ranks 2 ic galaxy --preset lmc --n 3000 --out l.hdf5 >/dev/null &&
    "$grove" run --set initial_conditions.file=l.hdf5 --set units.system=file --set time.end=0 >out.txt 2>&1 &&
    contains out.txt "has softening 0.189" && contains out.txt "of disc" && contains out.txt "has softening 1.365" && contains out.txt "of halo" &&
    lacks out.txt "steps) would do" || return 1
  # A note has the setting that takes them.
  local softening
  softening=$(sed -n 's/^note: gravity.softening = \({.*}\) is that of the file$/\1/p' out.txt)
  "$grove" run --overwrite --set initial_conditions.file=l.hdf5 --set units.system=file --set time.end=0 --set "gravity.softening=$softening" >out.txt 2>&1 &&
    lacks out.txt "has softening"
}

a_density_table_makes_a_sphere() {
  awk 'BEGIN { for (r = 1e-3; r < 1e3; r *= 1.2) print r, 1 / (r * (1 + r) ^ 3) }' >density.txt
  fails_with 2 'density_file = "" (the default): must be given' "$grove" ic table --n 3000 --out t.hdf5 &&
    ranks 2 ic table --n 20000 --density-file density.txt --mass 2 --taper 100 --out t.hdf5 --check >out.txt && contains out.txt "table is in equilibrium" ||
    return 1
  # The same density as that of a kind.
  "$grove" ic hernquist --n 20000 --mass 2 --taper 100 --out h.hdf5 --name stars >out.txt &&
    "$grove" compare h.hdf5 t.hdf5 --max-position 1e-3 >out.txt
}

density_tables_that_are_no_files_are_told() {
  mkfifo pipe
  for table in pipe /dev/zero /tmp; do
    fails_with 2 "$table is not a regular file" timeout 20 "$grove" ic galaxy --n 1000 --out t.hdf5 --set galaxies.g.h.kind=table \
      --set galaxies.g.h.mass=1 --set galaxies.g.h.file="$table" || return 1
  done
}

a_picture_that_cannot_be_made_is_refused_before_any_work() {
  draw() { fails_with "$1" "$2" "$grove" ic galaxy --n 1000 --out new.hdf5 "${@:3}" && holds [ ! -e new.hdf5 ]; }
  echo mine >mine.png
  draw 2 "must end in .png" --preset sagittarius --picture sag.jpg && draw 4 "no directory" --preset sagittarius --picture nowhere/sag.png &&
    draw 2 "mine.png exists already: name another file, or give --overwrite" --preset sagittarius --picture mine.png && contains mine.png mine &&
    draw 2 "--picture is for one galaxy, not for 2" --set galaxies.a.preset=sagittarius --set galaxies.b.preset=sagittarius --set galaxies.b.stars.type=5 --picture two.png || return 1
  printf '#!/bin/sh\necho "No module named matplotlib" >&2\nexit 1\n' >bare_python && chmod +x bare_python
  GROVE_PYTHON=$PWD/bare_python draw 4 "lacks a package that plots need (No module named matplotlib): install it" --preset sagittarius --picture sag.png
}

galaxies_are_drawn_as_pictures() {
  local drawing
  drawing=$(python_with "matplotlib") || is_not_tried "no Python with matplotlib"
  export GROVE_PYTHON=$drawing
  echo mine >lmc.png
  "$grove" ic galaxy --preset lmc --n 3000 --out lmc.hdf5 --picture lmc.png --overwrite >out.txt && lacks out.txt "virial ratio" &&
    ranks 2 ic galaxy --preset sagittarius --n 1000 --out s.hdf5 --picture sphere.png --check >out.txt && contains out.txt "virial ratio" || return 1
  for file in lmc.png sphere.png; do
    holds [ "$(od -An -tx1 -N8 $file | tr -d ' ')" = 89504e470d0a1a0a ] &&
      holds [ "$(od -An -tu1 -j16 -N8 $file | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')" = "1300 1000" ] || return 1
  done
}

run_tests
