#!/usr/bin/env bash
# Who may include whom, and that every header has its source of the same name, or none. Usage: includes_test.sh ROOT
#
#   kernels          kernels alone: space <- particles <- gravity <- tree <- walks, each room itself and those before it
#   decomposition    kernels and decomposition
#   io               io, kernels/particles, and the two headers in `lent_to_io`
#   src              all of these, src, and the header that CMake makes
#
# Tests may include what they like; nothing includes them. Each test is a function whose name says what holds; it prints what does not.
set -u
root=$(cd "$1" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"

kernel_rooms="space particles gravity tree walks"
lent_to_io="kernels/space/error.hpp decomposition/communicator.hpp"
made_by_cmake="grove_version.hpp"

# Headers whose functions are defined in files of another name, and why.
declare -A defined_elsewhere=(
  [src/simulation/devices.hpp]="devices_cpu.cpp without CUDA, devices_cpu_cuda.cpp with it"
)

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
  includes "$1" | awk -F: -v rooms="$kernel_rooms" -v lent="$lent_to_io" -v made="$made_by_cmake" '
    BEGIN {
      count = split(rooms, name, " ")
      for (i = 1; i <= count; ++i) level["kernels/" name[i]] = i
      split(lent, header, " ")
      for (i in header) is_lent[header[i]] = 1
    }
    function room(path, part, parts) {
      parts = split(path, part, "/")
      return part[1] == "kernels" && parts > 2 ? "kernels/" part[2] : part[1]
    }
    function is_allowed(from, to, path) {
      if (from in level) return to in level && level[to] <= level[from]
      if (from == "decomposition") return to == from || to in level
      if (from == "io") return to == from || to == "kernels/particles" || path in is_lent
      if (from == "src") return to == from || to == "decomposition" || to == "io" || to in level || path == made
      return 0
    }
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
    has_source_of_its_name "$1/$header" || [ -n "${defined_elsewhere[$header]:-}" ] || (cd "$1" && declared_only "$header")
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

exceptions_are_headers_that_still_need_one() {
  local header
  for header in "${!defined_elsewhere[@]}"; do
    [ -e "$root/$header" ] || { echo "$header is no longer there"; return 1; }
    ! has_source_of_its_name "$root/$header" || { echo "$header has its source now"; return 1; }
  done
}

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
kernels/space/a.hpp kernels/particles/b.hpp
kernels/particles/a.cpp kernels/gravity/b.hpp
kernels/gravity/a.hpp kernels/tree/b.hpp
kernels/tree/a.cpp kernels/walks/b.hpp
kernels/walks/a.cu decomposition/b.hpp
kernels/walks/a.cuh src/b.hpp
kernels/new_room/a.cpp kernels/space/b.hpp
kernels/space/a.cpp io/b.hpp
kernels/space/a.cpp b.hpp
decomposition/a.cpp io/b.hpp
decomposition/a.hpp src/b.hpp
io/a.cpp src/b/c.hpp
io/a.cpp kernels/space/space.hpp
io/a.cpp kernels/tree/b.hpp
io/a.cpp decomposition/sort_by_id.hpp
src/a.cpp tests/support/b.hpp
io/a/b.cpp tests/support/b.hpp
io/a.cpp grove_version.hpp
END
  found=$(upward_arrows "$(tree io/a.cpp '  #  include <src/b.hpp>  // why')")
  [ "$found" = "io/a.cpp:1: io may not include src/b.hpp" ] || { echo "angle brackets: '$found'"; return 1; }
}

arrows_downwards_are_allowed() {
  local from to
  while read -r from to; do
    nothing "$(upward_arrows "$(tree "$from" '#include <vector>' '#include <io.h>' "#include \"$to\"")")" || return 1
  done <<END
kernels/space/a.hpp kernels/space/b.hpp
kernels/walks/a.cu kernels/space/b.hpp
kernels/tree/a.cpp kernels/gravity/b.hpp
decomposition/a.cpp kernels/walks/b.hpp
decomposition/a.cpp decomposition/b.hpp
io/a.cpp io/b.hpp
io/a.cpp kernels/particles/b.hpp
io/a.cpp kernels/space/error.hpp
io/a.hpp decomposition/communicator.hpp
src/a/b.cpp io/b.hpp
src/a/b.cpp kernels/walks/b.hpp
src/a/b.cpp src/c/d.hpp
src/a.cpp grove_version.hpp
tests/a.cpp src/c/d.hpp
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
