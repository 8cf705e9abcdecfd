#!/usr/bin/env bash
# What nvcc compiles otherwise than C++ says stands in no source that it compiles. Usage: nvcc_test.sh ROOT
set -u
root=$(cd "$1" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"

# Sources of the library that both compilers see, of a tree.
sources_for_both() {
  (cd "$1" && find kernels decomposition src -name CMakeLists.txt | sort | while read -r list; do
    tr -s ' \n()' '\n' <"$list" | awk -v room="${list%/*}" '
      /^(HOST|BACK_ENDS|LEVELS|CPU|CPU_LEVELS|CUDA)$/ { kind = $0; next }
      (kind == "BACK_ENDS" || kind == "LEVELS") && /\.cpp$/ { print room "/" $0 }'
  done)
}
# nvcc 13.0 forgets the names in { .member = value } where a value depends on the parameters of a template, and gives the values to the first
# members instead.
designated() { (cd "$1" && sources_for_both . | xargs -r grep -nE '[{,] *\.[a-z_]+ = ' /dev/null); }

tests_follow
no_source_for_both_names_the_members_that_it_sets() {
  designated "$root" | { ! grep .; }
}
a_named_member_is_found() {
  mkdir -p kernels/space && echo 'grove_sources(HOST a.cpp BACK_ENDS b.cpp)' >kernels/space/CMakeLists.txt
  echo 'const Work w{.seconds = 1};' | tee kernels/space/a.cpp >kernels/space/b.cpp
  mkdir decomposition src
  designated . >found.txt
  contains found.txt "kernels/space/b.cpp:1:" && lacks found.txt "a.cpp"
}
run_tests
