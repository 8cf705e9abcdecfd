#!/usr/bin/env bash
# The users' guide. Usage: guide_test.sh ROOT GROVE LIBRARY
#
# Every recipe of docs/guide/cookbook.md as it is written, in a directory of its own; then whether its result is what the recipe says. A
# recipe without a test here fails every_recipe_has_a_test. And the lines of README.md for a run of one's own.
# LIBRARY is libgrove_c.so, for the recipe in Python. Recipes are not tried where a program or a package that they need is missing.
set -u
root=$(cd "$1" && pwd) grove=$2
export GROVE_LIBRARY=$3 PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1
source "$root/tests/support/shell_tests.sh"
cookbook=$root/docs/guide/cookbook.md

# blocks PATTERN: the sh code below the heading that matches, up to the next heading.
blocks() {
  awk -v heading="$1" '/^```/ { inside = !inside && $0 == "```sh"; in_code = !in_code; next }
    inside { if (is_wanted) print; next }
    !in_code && /^##? / { is_wanted = $0 ~ heading }' "$cookbook"
}

python=""
config() {
  python=$(python_with "numpy, h5py") || is_not_tried "no Python here has numpy and h5py (apt install python3-numpy python3-h5py)"
  mkdir -p build/release bin && ln -s "$grove" build/release/grove && printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >bin/python3 &&
    chmod +x bin/python3 || return 1
  export PATH=$PWD/bin:$PATH
  # What stands above the first recipe: the path of the program.
  eval "$(blocks '^# ')"
}

# cook NUMBER: the commands of a recipe, each of which must succeed.
cook() {
  blocks "^## $1[.] " >recipe.sh
  holds [ "$(wc -l <recipe.sh)" -ge 5 ] || return 1
  bash -euo pipefail recipe.sh >out.txt 2>err.txt </dev/null || { echo "exit code $? of recipe $1"; tail -n 30 out.txt err.txt; return 1; }
}

# readme LANGUAGE: the code of README.md in this language below "Your own run".
readme() {
  awk -v fence="\`\`\`$1" '/^## / { is_wanted = $0 == "## Your own run" } /^```/ { inside = !inside && is_wanted && $0 == fence; next } inside' "$root/README.md"
}

# by_awk FILE PROGRAM: awk over the rows of a table without its comments; the program must exit with 0. Shows the table if it does not.
by_awk() { sed '/^#/d' "$1" | awk "$2" || { echo "not what the recipe says:"; cat "$1"; return 1; }; }

tests_follow

recipe_1_keeps_its_rotation_curve() {
  # Up to 25 kpc, within 5 %, and flat from 2 kpc on.
  cook 1 && by_awk curve.txt '
    { change = $3 / $2 - 1; if (change < -0.05 || change > 0.05 || $1 > 2 && ($3 < 180 || $3 > 260)) wrong = 1 }
    END { exit wrong || NR != 8 }'
}

recipe_2_merges() {
  # From 60 kpc, past each other, apart once more, and one at the end.
  cook 2 && by_awk distance.txt '
    NR == 1 { begin = last = $2 }
    $2 > last + 2 { is_apart_again = 1 }
    { last = $2 }
    END { exit !(NR == 11 && begin > 55 && begin < 65 && is_apart_again && last < 5) }'
}

recipe_3_loses_mass() {
  cook 3 && by_awk mass.txt '
    # At first the cluster settles in the tide.
    NR > 2 && $2 > 1.01 * before { wrong = 1 }
    { before = $2; if (NR == 1) begin = $2 }
    END { exit wrong || NR != 11 || !(begin > 8000 && before < 0.85 * begin && before > 0.3 * begin) }'
}

recipe_4_has_two_tails() {
  cook 4 && by_awk tails.txt '{ stars[$1] = $2; angle[$1] = $6 }
    END { exit !(stars["leading"] > 100 && stars["trailing"] > 100 && angle["leading"] > 5 && angle["trailing"] < -5) }' &&
    holds [ -s snapshot_0010_density_x.png ]
}

recipe_5_grows_a_bar() {
  cook 5 && by_awk bar.txt '
    NR == 1 { begin = $2 }
    { last = $2; speed = $3 }
    END { exit !(NR == 26 && last > 0.25 && last > 3 * begin && speed > 0.05 && speed < 0.4) }'
}

recipe_6_keeps_its_cusp() {
  cook 6 && by_awk dispersion.txt '
    # Some 100 particles in the innermost shell, more in the others
    { change = $3 / $2 - 1; limit = NR == 1 ? 0.25 : 0.1; if (change < -limit || change > limit) wrong = 1 }
    NR == 1 { innermost = $3 }
    { last = $3 }
    END { exit wrong || NR != 5 || !(innermost > 1.5 * last) }' && lacks out.txt "not accurate"
}

recipe_7_continues() {
  # Steps of 0.02 up to 4, then of 0.01 up to 6, each once.
  cook 7 && by_awk error.txt '
    { if (NR > 1 && $1 <= before || $2 > 1e-3 || $2 < -1e-3) wrong = 1; before = $1 }
    END { exit wrong || NR != 1 + 200 + 200 || before != 6 }' &&
    holds [ "$(ls sphere/snapshot_*.hdf5 | wc -l)" -eq 9 ] && contains out.txt "particles in both files, 0 only in A, 0 only in B"
}

recipe_8_has_the_right_units() {
  cook 8 && contains out.txt "converted" && by_awk virial.txt '
    $2 < 0.8 || $2 > 1.2 || $3 >= 0 { wrong = 1 }
    { last = $1 }
    END { exit wrong || NR < 400 }'
}

recipe_9_makes_a_movie() {
  command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null || is_not_tried "ffmpeg is not installed (apt install ffmpeg)"
  cook 9 && holds [ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 movie.mp4)" -eq 121 ]
}

recipe_10_collapses() {
  cook 10 && by_awk collapse.txt '
    NR == 1 { fall = $5; sub(";", "", fall); free = $NF }
    NR == 2 { least = $3; last = $7 }
    NR == 3 { error = $4 }
    END { exit !(fall > 0.9 * free && fall < 1.4 * free && least < 0.3 && last < 0.75 && last > 0.2 && error < 0.01) }'
}

the_readme_runs_as_it_says() {
  local command
  readme toml >my_galaxy.toml && command=$(readme sh | sed -n '1s/ *#.*//p')
  # With fewer particles and for a shorter time.
  holds [ "$command" = "build/release/grove run my_galaxy.toml" ] &&
    $command --quiet --set initial_conditions.n=3000 --set time.end="20 Myr" --set output.snapshot_every="10 Myr" &&
    holds [ -s output/picture_density_z_0001.png ] &&
    grove profile output/snapshot_0002.hdf5 --disc disc >rings.txt &&
    holds [ "$(wc -l <output/energy.csv)" -gt 20 ] || return 1
  readme python | sed -e 's/n=100_000/n=2_000/' -e 's/"100 Myr"/"5 Myr"/' >galaxy.py
  holds [ "$(grep -c '2_000\|"5 Myr"' galaxy.py)" -eq 2 ] && python3 -W error galaxy.py >out.txt 2>err.txt && contains out.txt "[[" ||
    { cat err.txt; return 1; }
}

every_recipe_has_a_test() {
  local number
  for number in $(sed -n 's/^## \([0-9]*\)[.] .*/\1/p' "$cookbook"); do
    declare -F | grep -q " recipe_${number}_" || { echo "recipe $number has no test"; return 1; }
  done
  holds [ "${number:-0}" -ge 10 ]
}

run_tests
