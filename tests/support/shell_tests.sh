# shellcheck shell=bash
# What the tests in shell share. To be sourced: makes $directory, which is removed at the end.
#
# A test is a function whose name says what holds. It runs in a directory of its own, after config(), which may put files there. Functions
# that are defined before `tests_follow` are no tests.
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

config() { :; }

# holds COMMAND...: what must be true; says what was not.
holds() { "$@" || { echo "does not hold: $*"; return 1; }; }
# contains FILE TEXT
contains() { grep -qF -- "$2" "$1" || { echo "'$2' is missing in $1:"; cat "$1"; return 1; }; }
lacks() { ! grep -qF -- "$2" "$1" || { echo "'$2' is in $1:"; cat "$1"; return 1; }; }
# The error messages in err.txt are one.
one_message() { [ "$(grep -c '^grove: error: ' err.txt)" -eq 1 ] || { echo "not one message:"; cat err.txt; return 1; }; }

# ranks N ARGUMENT...: Grove on N ranks. Needs $mpirun, ${mpirun_flags[@]} and $grove.
ranks() { local n=$1; shift; "$mpirun" -n "$n" "${mpirun_flags[@]}" "$grove" "$@"; }

# fails_with CODE TEXT COMMAND...: the command exits with CODE, and its standard error has one error message, which contains TEXT.
fails_with() {
  local code=$1 text=$2 status
  shift 2
  "$@" >out.txt 2>err.txt
  status=$?
  [ "$status" -eq "$code" ] || { echo "exit code $status, not $code, of: $*"; cat err.txt; return 1; }
  contains err.txt "$text" && one_message
}

in_its_directory() { mkdir "$directory/$1" && cd "$directory/$1" && config && "$1"; }

# run_test NAME: prints a line, and what the test has printed if it fails.
run_test() {
  local result began=$SECONDS
  if result=$(in_its_directory "$1" 2>&1); then echo "ok   $1 ($((SECONDS - began)) s)"; return 0; fi
  echo "FAIL $1"
  printf '%s\n' "$result" | sed 's/^/     /'
  return 1
}

tests_follow() { no_tests=$(declare -F | cut -d' ' -f3); }

# Runs all tests; its status is 1 if one fails.
run_tests() {
  local test failed=0
  for test in $(declare -F | cut -d' ' -f3 | grep -vxF "$no_tests"); do run_test "$test" || failed=1; done
  return $failed
}
