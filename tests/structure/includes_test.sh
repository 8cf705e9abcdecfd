#!/usr/bin/env bash
# Who may include whom, and that every header has its source of the same name, or none. Usage: includes_test.sh ROOT
#
# The rooms stand in an order, `rooms`: each may include itself and those before it, unless a row of `narrower` names fewer. A file in no
# room is an error. Tests may include what they like; nothing includes them. Each test is a function whose name says what holds; it prints
# what does not.
set -u
root=$(cd "$1" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"

rooms="kernels/base kernels/space kernels/particles kernels/gravity kernels/tree kernels/walks
  decomposition/ranks decomposition/domain
  src/solver src/external src/integrators src/simulation
  io/files io/hdf5 io/formats io/snapshots
  src/galaxies src/generators src/pictures src/config src/process
  src/run/files src/advice src/run/observers src/run/start src/run/resume src/run/loop
  src/session src/analysis src/bench src/plot src/view src/commands"

# Rooms that may not include all before them, with what they may beside themselves. The library ends with src/simulation.
narrower="
  decomposition/ranks: kernels/base kernels/space
  io/files: kernels/base kernels/particles decomposition/ranks
  io/hdf5: kernels/base kernels/particles decomposition/ranks io/files
  io/formats: kernels/base kernels/particles decomposition/ranks io/files io/hdf5
  io/snapshots: kernels/base kernels/particles decomposition/ranks io/files io/hdf5 io/formats
  src/process: kernels/base decomposition/ranks io/files"

# The two files of src that stand in no room: what users of the library include, and the program's main.
library_header="src/grove.hpp"
program="src/main.cpp"
made_by_cmake="grove_version.hpp"

# Headers and sources of a tree: sources ROOT [NAME...], relative to ROOT.
sources() { (cd "$1" && shift && find kernels decomposition io src -type f \( "$@" \) 2>/dev/null | sort); }
all_sources() { sources "$1" -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh'; }

# Lines of #include of a tree's own files: "file:line:path". Own files stand between quotation marks, or between angle brackets by mistake.
includes() {
  (cd "$1" && all_sources . | xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<(kernels|decomposition|io|src|tests)/)') |
    sed -E 's/^([^:]*:[0-9]+:)[^"<]*["<]([^">]*)[">].*$/\1\2/'
}

# Arrows upwards in a tree: "file:line: text".
upward_arrows() {
  includes "$1" | awk -F: -v rooms="$rooms" -v narrower="$narrower" -v header="$library_header" -v program="$program" -v made="$made_by_cmake" '
    BEGIN {
      count = split(rooms, name, " ")
      for (i = 1; i <= count; ++i) level[name[i]] = i
      level[program] = count + 1
      rows = split(narrower, row, "\n")
      for (i = 1; i <= rows; ++i) {
        if (split(row[i], side, ": ") != 2) continue
        gsub(/ /, "", side[1])
        is_narrow[side[1]] = 1
        words = split(side[2], word, " ")
        for (k = 1; k <= words; ++k) may[side[1], word[k]] = 1
      }
    }
    function room(path) {
      if (path == header) return "src/simulation"
      if (path == program) return program
      sub(/\/[^\/]*$/, "", path)
      return path
    }
    function is_allowed(from, to, path) {
      if (path == made) return from == "src/run/files"
      if (!(to in level)) return 0
      if (from in is_narrow) return to == from || (from, to) in may
      return level[to] <= level[from]
    }
    !(room($1) in level) { printf "%s:%s: %s is no room\n", $1, $2, room($1); next }
    !is_allowed(room($1), room($3), $3) { printf "%s:%s: %s may not include %s\n", $1, $2, room($1), $3 }'
}

has_source_of_its_name() {
  local stem=${1%.*}
  [ -e "$stem.cpp" ] || [ -e "$stem.cu" ] || { [ -e "${stem}_cpu.cpp" ] && [ -e "${stem}_cuda.cu" ]; }
}

# Functions that a header declares and does not define: "file:line: declaration". Reads the statements of namespaces and classes, skips the
# bodies of functions. It knows the C++ of this repository, not all of C++.
declared_only() {
  awk '
    function name_of(text) {
      sub(/\(.*/, "", text)
      sub(/(<[^<>]*>)?[ \t]*$/, "", text)
      sub(/^.*[ *&:~]/, "", text)
      return text
    }
    function is_declaration(text, flat) {
      if (text ~ /^(using|typedef|static_assert|friend|extern)/ || text ~ /\(\*/) return 0
      if (text !~ /\)( const)?( noexcept)?( override)?$/) return 0
      flat = text
      sub(/operator *[^ (]+/, "operator", flat)
      while (gsub(/\([^()]*\)/, "", flat)) {}
      return flat !~ /=/
    }
    function add(c) {
      if (text == "" && (c == " " || c == "\t")) return
      if (text == "") first = FNR
      text = text c
    }
    function read(c) {
      if (skipped > 0) {
        skipped += (c == "{") - (c == "}")
        return
      }
      if (c == "{") {
        if (parentheses == 0 && text ~ /^(template *<.*> *)?(requires .* )?(inline )?(namespace|class|struct)( |$)/) {
          text = ""
        } else {
          if (parentheses == 0 && text ~ /\(/) defined[name_of(text)] = 1
          if (parentheses == 0) text = ""
          skipped = 1
        }
      } else if (c == "}") {
        text = ""
      } else if (c == ";" && parentheses == 0) {
        if (is_declaration(text)) { declaration[++count] = text; line[count] = first }
        text = ""
      } else {
        parentheses += (c == "(") - (c == ")")
        add(c)
      }
    }
    /^ *#/ { continued = /\\$/; next }
    continued { continued = /\\$/; next }
    {
      sub(/\/\/.*/, "")
      gsub(/"([^"\\]|\\.)*"/, "")
      gsub(/^ *(public|private|protected):/, "")
      gsub(/[ \t]+/, " ")
      for (i = 1; i <= length($0); ++i) read(substr($0, i, 1))
      add(" ")
    }
    END {
      for (i = 1; i <= count; ++i)
        if (!(name_of(declaration[i]) in defined)) printf "%s:%d: %s\n", FILENAME, line[i], declaration[i]
    }' "$1"
}

# Headers of a tree that declare functions and have no source of their name.
headers_without_their_source() {
  local header
  sources "$1" -name '*.hpp' -o -name '*.cuh' | while read -r header; do
    has_source_of_its_name "$1/$header" || (cd "$1" && declared_only "$header")
  done
}

# nothing FOUND: passes when there is nothing, prints it otherwise.
nothing() { [ -z "$1" ] || { printf '%s\n' "$1"; return 1; }; }

# tree FILE LINE...: a tree of one file with these lines, in a fresh directory; prints its path.
tree() {
  local at file=$1
  at=$(mktemp -d -p "$directory")
  shift
  mkdir -p "$at/$(dirname "$file")" && printf '%s\n' "$@" >"$at/$file"
  echo "$at"
}

tests_follow

no_include_points_upwards() { nothing "$(upward_arrows "$root")"; }

every_header_has_its_source_of_the_same_name_or_declares_nothing() { nothing "$(headers_without_their_source "$root")"; }

many_includes_are_read() {
  local count
  count=$(includes "$root" | wc -l)
  [ "$count" -ge 300 ] || { echo "only $count includes are found below $root"; return 1; }
  [ "$(includes "$root" | grep -cE '^(kernels|decomposition|io|src)/[^:]*:[0-9]+:[^:"<>]+$')" -eq "$count" ] || { includes "$root" | head; return 1; }
}

an_arrow_upwards_is_named_with_file_and_line() {
  local from to found
  while read -r from to; do
    found=$(upward_arrows "$(tree "$from" '// A comment.' "#include \"$to\"")")
    case $found in
      "$from:2: "*" may not include $to") ;;
      *) echo "$from may include $to, or its message is wrong: '$found'"; return 1 ;;
    esac
  done <<END
kernels/base/a.hpp kernels/space/b.hpp
kernels/space/a.hpp kernels/particles/b.hpp
kernels/particles/a.cpp kernels/gravity/b.hpp
kernels/gravity/a.hpp kernels/tree/b.hpp
kernels/tree/a.cpp kernels/walks/b.hpp
kernels/walks/a.cu decomposition/domain/b.hpp
kernels/walks/a.cuh src/solver/b.hpp
kernels/space/a.cpp io/files/b.hpp
kernels/space/a.cpp b.hpp
decomposition/ranks/a.hpp kernels/particles/b.hpp
decomposition/ranks/a.hpp decomposition/domain/b.hpp
decomposition/domain/a.cpp io/files/b.hpp
decomposition/domain/a.hpp src/solver/b.hpp
src/solver/a.hpp src/simulation/b.hpp
src/simulation/a.hpp io/snapshots/b.hpp
src/simulation/a.hpp src/run/observers/b.hpp
src/simulation/a.hpp src/config/b.hpp
src/grove.hpp src/config/b.hpp
io/files/a.cpp io/hdf5/b.hpp
io/formats/a.cpp src/simulation/b.hpp
io/formats/a.cpp kernels/space/space.hpp
io/formats/a.cpp decomposition/domain/sort_by_id.hpp
src/generators/a.cpp src/config/b.hpp
src/pictures/a.cpp src/run/files/b.hpp
src/process/a.cpp src/config/b.hpp
src/run/files/a.cpp src/run/observers/b.hpp
src/run/loop/a.cpp src/commands/b.hpp
src/commands/a.cpp tests/support/b.hpp
src/main.cpp tests/support/b.hpp
io/files/a.cpp grove_version.hpp
END
  found=$(upward_arrows "$(tree io/files/a.cpp '  #  include <src/config/b.hpp>  // why')")
  [ "$found" = "io/files/a.cpp:1: io/files may not include src/config/b.hpp" ] || { echo "angle brackets: '$found'"; return 1; }
  found=$(upward_arrows "$(tree src/new_room/a.cpp '#include "kernels/base/b.hpp"')")
  [ "$found" = "src/new_room/a.cpp:1: src/new_room is no room" ] || { echo "a new room: '$found'"; return 1; }
}

arrows_downwards_are_allowed() {
  local from to
  while read -r from to; do
    nothing "$(upward_arrows "$(tree "$from" '#include <vector>' '#include <io.h>' "#include \"$to\"")")" || return 1
  done <<END
kernels/space/a.hpp kernels/space/b.hpp
kernels/walks/a.cu kernels/space/b.hpp
kernels/tree/a.cpp kernels/gravity/b.hpp
decomposition/ranks/a.cpp kernels/space/b.hpp
decomposition/domain/a.cpp kernels/walks/b.hpp
decomposition/domain/a.cpp decomposition/ranks/b.hpp
src/simulation/a.cpp src/solver/b.hpp
src/grove.hpp src/simulation/b.hpp
io/snapshots/a.cpp io/hdf5/b.hpp
io/formats/a.cpp kernels/particles/b.hpp
io/files/a.cpp kernels/base/error.hpp
io/files/a.hpp decomposition/ranks/communicator.hpp
src/run/loop/b.cpp io/snapshots/b.hpp
src/bench/b.cpp kernels/walks/b.hpp
src/commands/b.cpp src/view/d.hpp
src/run/files/version.cpp grove_version.hpp
src/main.cpp src/commands/program.hpp
tests/a.cpp src/commands/d.hpp
END
}

a_declared_function_without_a_source_is_named() {
  local found text
  while read -r text; do
    found=$(headers_without_their_source "$(tree io/a.hpp 'namespace grove {' "$text" '}')")
    [ "${found%%: *}" = "io/a.hpp:2" ] || { echo "not seen: $text ($found)"; return 1; }
  done <<'END'
int f();
template <class T> std::vector<T> g(Span<const T> a, int b = {}, double c = 1);
class A { public: explicit A(int n); int size() const { return 1; } };
struct B { int n = 0; const B& grown(int by) const; };
struct C { bool operator==(const C& other) const noexcept; };
END
}

headers_that_need_no_source_are_left_alone() {
  local text at
  while read -r text; do
    nothing "$(headers_without_their_source "$(tree io/a.hpp 'namespace grove {' "$text" '}')")" || return 1
  done <<'END'
inline int f() { return g(1); }
struct A { virtual int f() const = 0; A() = default; A(const A&) = delete; int n = f(3); std::function<int(int)> h; };
struct B { explicit B(int n) : n_{n}, m_(n) { use(n); } int n_; int m_{3}; };
template <class T> T f(); template <> inline int f<int>() { return 1; }
struct C { int f(); }; inline int C::f() { return 2; }
using Close = int (*)(int); struct D { int (*call)(int) = nullptr; }; static_assert(sizeof(D) > 0);
// int commented(int);
enum class E { a, b }; constexpr int x = f(2);
END
  for text in a.cpp a.cu "a_cpu.cpp a_cuda.cu"; do
    at=$(tree io/a.hpp 'int f();')
    (cd "$at/io" && touch $text)
    nothing "$(headers_without_their_source "$at")" || return 1
  done
  at=$(tree io/a.hpp 'int f();') && touch "$at/io/a_cpu.cpp"
  [ -n "$(headers_without_their_source "$at")" ] || { echo "a source for the CPU alone is taken for both"; return 1; }
}

run_tests
