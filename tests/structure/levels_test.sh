#!/usr/bin/env bash
# That code for a newer processor is used on such a processor alone. Usage: levels_test.sh BUILD NM READELF OBJDUMP LEVEL...
#
# The code for each level of x86-64 is one object file in BUILD/levels; LEVEL_joined.o is the same before its symbols were made local. Each
# test is a function whose name says what holds; it prints what does not.
set -u
build=$1 nm=$2 readelf=$3 objdump=$4
shift 4
levels=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"

# What other objects can see of an object: names of symbols.
visible() { "$nm" --defined-only --extern-only --format=posix "$1" | cut -d' ' -f1; }
table_of() { echo "level_kernels_${1//-/_}"; }

# Functions of Grove's libraries, without the objects of the levels, that use registers which not every x86-64 processor has: "object: line".
wide_registers() {
  "$objdump" -d --no-show-raw-insn "$@" |
    awk -v names="${levels[*]}" '
      BEGIN { count = split(names, level, " "); for (i = 1; i <= count; ++i) skipped[level[i] ".o"] = 1 }
      /:     file format / { object = $1; sub(/:$/, "", object); next }
      !(object in skipped) && /%[yz]mm/ { print object ": " $0 }'
}

tests_follow

each_level_shows_its_table_alone() {
  local level seen
  for level in "${levels[@]}"; do
    seen=$(visible "$build/levels/$level.o")
    [[ $seen == _ZN5grove*"$(table_of "$level")"E && $seen != *$'\n'* ]] || { echo "$level shows:"; echo "$seen"; return 1; }
  done
}

what_is_shared_with_other_objects_would_be_seen() {
  local level
  for level in "${levels[@]}"; do
    [ "$(visible "$build/levels/${level}_joined.o" | grep -c '^_ZNSt')" -gt 0 ] || { echo "$level has nothing of the C++ library"; return 1; }
  done
}

no_section_of_a_level_is_kept_for_another() {
  local level
  for level in "${levels[@]}"; do
    "$readelf" --section-groups "$build/levels/$level.o" | grep -q 'There are no section groups' || { echo "$level has groups"; return 1; }
  done
}

no_code_of_a_level_runs_before_it_is_chosen() {
  local level
  for level in "${levels[@]}"; do
    ! "$readelf" --sections --wide "$build/levels/$level.o" | grep -E '\.(init_array|ctors|init)' || { echo "in $level"; return 1; }
  done
}

the_rest_of_the_program_runs_on_every_processor() {
  local found
  found=$(wide_registers "$build"/libgrove*.a | head -3)
  [ -z "$found" ] || { echo "$found"; return 1; }
}

registers_of_newer_processors_would_be_seen() {
  cp "$build/levels/x86-64-v3.o" renamed.o
  [ -n "$(wide_registers renamed.o | head -1)" ] || { echo "no register of AVX is found in the code for x86-64-v3"; return 1; }
}

run_tests
