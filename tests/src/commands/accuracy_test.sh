#!/usr/bin/env bash
# What a run says of its accuracy, where the total energy tells nothing of it. Usage: accuracy_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

halo=(--set external.potential=nfw --set external.mass="1e12 Msun" --set external.scale_radius="16 kpc"
  --set external_2.potential=miyamoto_nagai --set external_2.mass="6e10 Msun" --set external_2.scale_length="3 kpc"
  --set external_2.scale_height="280 pc")
units=(--set "units.system=kpc, km/s, 1e10 Msun" --set gravity.G=cgs)

# run_in_halo DT END ARGUMENT...
run_in_halo() { "$grove" run --device cpu --overwrite "${units[@]}" "${halo[@]}" --set time.dt="$1 Myr" --set time.end="$2 Myr" "${@:3}" >out.txt 2>&1; }

tests_follow

# A Plummer sphere of 5e4 Msun and 5 pc, 8 kpc from the centre of a galaxy, on its orbit: the energy of the orbit is 9,000 times its own.
a_cluster_that_long_steps_destroy_is_told() {
  awk 'function isotropic(r) { z = 2 * rand() - 1; p = 6.283185307 * rand(); q = r * sqrt(1 - z * z); x = q * cos(p); y = q * sin(p); z *= r }
    BEGIN {
      srand(1); n = 400; m = 5e-6; a = 0.005
      for (i = 0; i < n; ++i) {
        s = 1 / sqrt((0.95 * rand())^(-2 / 3) - 1)
        isotropic(a * s); place = 8 + x " " y " " z
        do { u = rand() } while (0.1 * rand() > u^2 * (1 - u^2)^3.5)
        isotropic(u * sqrt(2 * 43009.17 * m / a) / (1 + s^2)^0.25)
        print m / n, place, x, 220 + y, z
      }
    }' >cluster.txt
  local input=(--set initial_conditions.file=cluster.txt --set gravity.softening="0.5 pc")
  run_in_halo 2 40 "${input[@]}" && contains out.txt "not accurate: the energy was wrong by up to" &&
    contains out.txt "of the system's own energy" || return 1
  run_in_halo 0.05 40 "${input[@]}" && lacks out.txt "not accurate" && contains out.txt "own energy " || { cat out.txt; return 1; }
}

# Their total energy is 0.
tracers_whose_orbits_are_wrong_are_told() {
  awk 'BEGIN { srand(1); for (i = 0; i < 300; ++i) print 0, 2 + 10 * rand(), 0, 4 * rand() - 2, 50 * rand(), 100 + 100 * rand(), 0 }' >tracers.txt
  local input=(--set initial_conditions.file=tracers.txt)
  run_in_halo 20 1000 "${input[@]}" && contains out.txt "not accurate: v^2 / 2 + potential of a particle" &&
    contains out.txt "energy     of each particle" && lacks out.txt "relative error 0.00e+00" || return 1
  run_in_halo 0.5 1000 "${input[@]}" && lacks out.txt "not accurate"
}

# Two black holes of 1e6 in a cluster of stars of 1: the energy is that of the two.
a_heavy_pair_that_hides_the_others_is_told() {
  awk 'BEGIN { srand(1); print 1e6, -0.01, 0, 0, 0, -5000, 0; print 1e6, 0.01, 0, 0, 0, 5000, 0
    for (i = 0; i < 30; ++i) print 1, 5 + rand(), rand(), rand(), 0, 0, 0 }' >pair.txt
  "$grove" run --device cpu --set initial_conditions.file=pair.txt --set gravity.softening=0.001 --set time.dt=1e-8 --set time.end=1e-8 \
    >out.txt && contains out.txt "note: 2 of 32 particles have 99.9 % of the potential energy" || { cat out.txt; return 1; }
}

# At the end of a collapse the energy is right again.
an_error_in_the_middle_of_a_run_is_told() {
  "$grove" run --device cpu --set initial_conditions.generator=uniform_sphere --set initial_conditions.n=1000 --set gravity.softening=0.01 \
    --set time.dt=0.01 --set time.end=2 >out.txt && contains out.txt "not accurate: the energy was wrong by up to" &&
    contains out.txt "note: at t = " && contains out.txt "is long for" || { cat out.txt; return 1; }
}

run_tests
