#!/usr/bin/env bash
# Runs whose steps are divided: their log, snapshots, summary and continuation. Usage: time_steps_test.sh GROVE MPIRUN [MPIRUN_FLAGS...]
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run.
set -u
grove=$1 mpirun=$2
shift 2
mpirun_flags=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../../support/shell_tests.sh"

config() {
  cat >run.toml <<LINES
[initial_conditions]
generator = "hernquist"
n = 400
[gravity]
softening = 0.01
[time]
end = 0.5
dt = 0.0625
steps = "block"
accuracy = 0.005
[output]
snapshot_every = 0.25
[run]
device = "cpu"
LINES
}

# sums FILE COLUMN_PATTERN: the sum of these columns in each row.
sums() {
  awk -F, -v pattern="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i ~ pattern) wanted[i] = 1; next }
    { sum = 0; for (i in wanted) sum += $i; printf "%d ", sum }' "$1"
}
# column FILE NAME ROW
column() { awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i } NR == row + 1 { print $c }' "$1"; }

# step_of DIRECTORY: the step in the configuration that a run has left.
step_of() { sed -n 's/^dt = \([0-9.e-]*\) .*/\1/p' "$1/used_parameters.toml"; }

tests_follow

block_steps_have_a_log_and_a_summary() {
  local n
  for n in 1 3; do
    ranks $n run run.toml --overwrite >out.txt || return 1
    holds [ "$(sums output/time_bins.csv '_particles$')" = "400 400 400 400 400 400 400 400 " ] &&
      holds [ "$(column output/time_bins.csv step 8)" = 8 ] && holds [ "$(column output/time_bins.csv time 8)" = 0.5 ] &&
      holds [ "$(column output/time_bins.csv rung_0_updates 1)" = 400 ] && holds [ "$(column output/time_bins.csv rung_3_updates 1)" -gt 0 ] &&
      holds grep -qE "^rung +step +particles +in the core +time$" out.txt && contains out.txt "time_bins.csv" || return 1
  done
  "$grove" info output/time_bins.csv >info.txt && contains info.txt "rung 2 (steps of time.dt / 2^2)"
}

adaptive_steps_are_the_same_for_all() {
  "$grove" run run.toml --quiet --set time.steps=adaptive || return 1
  # All particles are on one rung, and get a force at the end of each sub-step.
  local row rung
  for row in 1 8; do
    for rung in 0 1 2 3 4 5; do
      case "$(column output/time_bins.csv rung_${rung}_particles $row)" in 0 | 400) ;; *) echo "row $row, rung $rung"; return 1 ;; esac
    done
  done
}

the_faster_steps_are_chosen() {
  "$grove" run run.toml --set time.steps=auto >out.txt && holds grep -qE "^from step 2 on: (block steps, |the same step for all)" out.txt &&
    "$grove" run run.toml --overwrite --set time.steps=auto --set time.accuracy=1000 >out.txt &&
    contains out.txt "from step 2 on: the same step for all particles: none wants one that is shorter than time.dt"
}

a_run_chooses_its_step() {
  local n dt before=
  for n in 1 3; do
    ranks $n run run.toml --overwrite --set 'time.dt="auto"' >out.txt && dt=$(step_of output) && contains out.txt "note: time.dt = ${dt:0:10}" && contains out.txt "by the forces at the start" ||
      return 1
    [ -z "$before" ] || holds [ "$dt" = "$before" ] || return 1
    before=$dt
  done
  # It divides the time between snapshots; half of the particles or less want a shorter one.
  awk -v dt="$dt" 'BEGIN { steps = 0.25 / dt; exit !(steps >= 1 && steps - int(steps + 0.5) < 1e-9 && int(steps + 0.5) - steps < 1e-9) }' ||
    { echo "$dt does not divide 0.25"; return 1; }
  holds [ "$(column output/time_bins.csv rung_0_particles 1)" -ge 200 ] || return 1
  "$grove" run run.toml --overwrite --quiet --set "time.dt=$dt" --set output.directory=given &&
    "$grove" run run.toml --overwrite --quiet --set 'time.dt="auto"' && holds cmp given/energy.csv output/energy.csv || return 1
  # All take the same step: the one that notes advise.
  "$grove" run run.toml --overwrite --set 'time.dt="auto"' --set time.steps=shared --set 'time.end=0.25' >out.txt && ! grep -q "is long for" out.txt ||
    return 1
  [ "$(step_of output)" != "$dt" ] || { echo "shared steps are as long as base steps"; return 1; }
  "$grove" run run.toml --print-config --set 'time.dt="auto"' >printed.toml && contains printed.toml 'dt = "auto"'
}

a_run_that_chose_its_step_keeps_it() {
  local dt
  "$grove" run run.toml --quiet --set 'time.dt="auto"' && mv output whole &&
    "$grove" run run.toml --quiet --set 'time.dt="auto"' --set time.end=0.25 && dt=$(step_of output) &&
    "$grove" run run.toml --set 'time.dt="auto"' --continue >out.txt && contains out.txt "the step of the run so far, is kept" &&
    holds [ "$(step_of output)" = "$dt" ] &&
    holds cmp whole/energy.csv output/energy.csv || return 1
  # Where nothing tells the step, the run says so; where there is no state, it chooses anew.
  rm output/used_parameters.toml && fails_with 2 "before $dt" "$grove" run run.toml --set 'time.dt="auto"' --set time.end=1 --continue &&
    fails_with 2 "which says the step of the run so far" "$grove" run run.toml --set 'time.dt="auto"' --set time.end=1 --continue --force-config || return 1
  mkdir empty && "$grove" run run.toml --continue --set output.directory=empty --set 'time.dt="auto"' >out.txt && contains out.txt "forces at the start" &&
    "$grove" run run.toml --overwrite --set 'time.dt="auto"' --set time.end=0 >out.txt && lacks out.txt "forces at the start"
}

without_softening_or_mass_no_step_is_chosen() {
  sed -i '/accuracy/d; /steps/d; s/^dt.*/dt = "auto"/' run.toml
  fails_with 2 "time.dt = \"auto\"" "$grove" run run.toml --set gravity.softening=0 && contains err.txt "softening length" && ! [ -e output ] &&
    "$grove" run run.toml --quiet --set gravity.softening=0 --set time.steps=block --set time.criterion=potential &&
    fails_with 2 "time.dt" "$grove" run run.toml --overwrite --set 'time.dt="automatic"'
}

a_run_continues_with_the_same_bits() {
  "$grove" run run.toml --quiet && mv output whole &&
    "$grove" run run.toml --quiet --set time.end=0.25 && "$grove" run run.toml --quiet --continue >out.txt &&
    "$grove" compare whole/snapshot_0002.hdf5 output/snapshot_0002.hdf5 >compare.txt && holds grep -qE "^position +0 +0 +0 +0 " compare.txt &&
    holds cmp whole/energy.csv output/energy.csv && holds [ "$(sums output/time_bins.csv '_updates$')" = "$(sums whole/time_bins.csv '_updates$')" ]
}

# Also through a part of the run in which steps were not divided.
no_row_of_the_time_bins_is_lost() {
  "$grove" run run.toml --quiet --set time.end=0.25 && cp output/time_bins.csv first.csv &&
    sed '/^steps = /d; /^accuracy = /d; /^fields = /d' run.toml >shared.toml &&
    "$grove" run shared.toml --quiet --set time.end=0.5 --continue --force-config && holds cmp first.csv output/time_bins.csv &&
    "$grove" run run.toml --quiet --set time.end=0.75 --continue --force-config &&
    holds [ "$(head -n "$(wc -l <first.csv)" output/time_bins.csv)" = "$(cat first.csv)" ] &&
    holds [ "$(wc -l <output/time_bins.csv)" -gt "$(wc -l <first.csv)" ]
}

the_steps_of_the_particles_are_in_snapshots_that_ask_for_them() {
  "$grove" run run.toml --quiet --set output.fields=time_step || return 1
  h5dump -d /PartType1/TimeStep output/snapshot_0002.hdf5 | tr -cs '0-9.e-' '\n' | grep -c '^0.0625$' >longest.txt
  h5dump -d /PartType1/TimeStep output/snapshot_0002.hdf5 | grep -q "0.03125" || { echo "no step is half of time.dt"; return 1; }
  holds [ "$(cat longest.txt)" -lt 400 ] && fails_with 2 "time_step" "$grove" run run.toml --overwrite --set time.steps=shared --set output.fields=time_step
}

a_particle_that_wants_a_shorter_step_is_named() {
  fails_with 3 "time.dt_min = 0.03" "$grove" run run.toml --set time.dt_min=0.03 && contains err.txt "the particle with id"
}

keys_without_effect_are_refused() {
  sed -i '/accuracy/d; /steps/d' run.toml
  fails_with 2 "time.accuracy" "$grove" run run.toml --set time.accuracy=0.1 && contains err.txt "steps" &&
    fails_with 2 "time.steps" "$grove" run run.toml --set time.steps=block --set time.integrator=yoshida4 &&
    fails_with 2 "potential" "$grove" run run.toml --set time.steps=block --set gravity.softening=0 &&
    fails_with 2 "did you mean" "$grove" run run.toml --set time.steps=blocks
}

embedded_pairs_choose_their_steps() {
  sed -i '/accuracy/d; /steps/d' run.toml
  local pair=(--set time.integrator=fehlberg7 --set time.error=1e-6 --set gravity.method=direct) n
  for n in 1 3; do
    ranks $n run run.toml "${pair[@]}" --set output.directory=whole_$n >out.txt && contains out.txt "in the core" && ! grep "is long for" out.txt || return 1
    # Snapshots fall on their times exactly, and there are steps of several lengths.
    holds [ "$(column whole_$n/time_bins.csv time 8)" = 0.5 ] && holds [ "$(column whole_$n/energy.csv time 5)" = 0.25 ] &&
      holds [ "$(column whole_$n/time_bins.csv rung_2_updates 1)" -gt 0 ] &&
      ranks $n run run.toml "${pair[@]}" --set output.directory=part_$n --set time.end=0.25 --quiet &&
      ranks $n run run.toml "${pair[@]}" --set output.directory=part_$n --continue --quiet && holds cmp whole_$n/energy.csv part_$n/energy.csv || return 1
  done
  fails_with 3 "time.dt_min = 0.06" "$grove" run run.toml --overwrite "${pair[@]}" --set time.dt_min=0.06 && contains err.txt "the particle with id" &&
    fails_with 3 "after 1 iterations (time.iterations)" "$grove" run run.toml --overwrite --set time.integrator=lobatto4 --set time.iterations=1 &&
    fails_with 2 "time.dt_min" "$grove" run run.toml --overwrite --set time.dt_min=0.001 && contains err.txt "time.error" &&
    "$grove" run run.toml --overwrite --set time.integrator=yoshida6 --set gravity.all_pairs_up_to=0 >out.txt && contains out.txt "has order 6"
}

pairs_of_components_have_a_softening_of_their_own() {
  cat >pair.toml <<LINES
[initial_conditions]
generator = "galaxy"
n = 500
[galaxies.own]
halo = {kind = "plummer", mass = 1.0, scale_radius = 1.0}
bulge = {kind = "plummer", mass = 0.1, scale_radius = 0.3}
[gravity]
softening = 0.1
softening_between = {"halo, bulge" = 0.02}
[time]
end = 0.01
dt = 0.01
[run]
device = "cpu"
LINES
  "$grove" run pair.toml >out.txt && contains out.txt 'between components {"halo, bulge" = 0.02}' &&
    fails_with 2 'no component called "disc"' "$grove" run pair.toml --overwrite --set 'gravity.softening_between={"halo, disc" = 0.1}' &&
    fails_with 2 "two different components" "$grove" run pair.toml --overwrite --set 'gravity.softening_between={halo = 0.1}'
}

run_tests
