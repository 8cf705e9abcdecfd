# shellcheck shell=bash
# What the tests in shell share. To be sourced: makes $directory, which is removed at the end.
#
# A test is a function whose name says what holds. It runs in a directory of its own, after config(), which may put files there. Functions
# that are defined before `tests_follow` are no tests. GROVE_TEST_ONLY and GROVE_TEST_NOT are patterns of the names to run and to leave out.
#
# A test that cannot be tried here ends with `is_not_tried REASON`; then the script ends with $skipped, which CTest shows as skipped
# (SKIP_RETURN_CODE), unless another test fails. So that this does not hide the others, such tests are an entry of their own.
skipped=77
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

# ends_with CODE COMMAND...: output goes to out.txt and err.txt. The command may begin with `ranks N`.
ends_with() {
  local code=$1 status
  shift
  if [ "$1" = ranks ]; then set -- "$mpirun" -n "$2" "${mpirun_flags[@]}" "$grove" "${@:3}"; fi
  timeout -s KILL 120 "$@" >out.txt 2>err.txt
  status=$?
  [ $status -eq "$code" ] || { echo "exit code $status, not $code, of: $*"; cat out.txt err.txt; return 1; }
}

# fails_with CODE TEXT COMMAND...: the command exits with CODE, and its standard error has one error message, which contains TEXT.
fails_with() {
  local code=$1 text=$2 status
  shift 2
  "$@" >out.txt 2>err.txt
  status=$?
  [ "$status" -eq "$code" ] || { echo "exit code $status, not $code, of: $*"; cat err.txt; return 1; }
  contains err.txt "$text" && one_message
}

# A process and all below it: processes_of PROCESS.
processes_of() { local child; echo "$1"; for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do processes_of "$child"; done; }

# The run in output/ has the energies and snapshots of the one in whole/, to the last bit.
has_the_bits_of_whole() {
  local file
  holds cmp whole/energy.csv output/energy.csv || return 1
  for file in whole/snapshot_*.hdf5; do holds cmp "$file" "output/${file#whole/}" || return 1; done
}

# Ends a test: REASON is what is missing here.
is_not_tried() { echo "$1"; exit $skipped; }

in_its_directory() { mkdir "$directory/$1" && cd "$directory/$1" && config && "$1"; }

# run_test NAME: prints a line, and what the test has printed if it fails or is not tried.
run_test() {
  local result status began=$SECONDS
  result=$(in_its_directory "$1" 2>&1)
  status=$?
  [ $status -ne 0 ] || { echo "ok   $1 ($((SECONDS - began)) s)"; return 0; }
  if [ $status -eq $skipped ]; then echo "skip $1"; else echo "FAIL $1"; fi
  printf '%s\n' "$result" | sed 's/^/     /'
  return $status
}

# python_with MODULES: the path of a Python that has them; Debian's, if another one comes first in PATH.
python_with() {
  local python
  for python in "${GROVE_PYTHON:-python3}" /usr/bin/python3; do
    "$python" -c "import $1" 2>/dev/null && { command -v "$python"; return 0; }
  done
  return 1
}

is_wanted() { [[ $1 =~ ${GROVE_TEST_ONLY:-.} && ! $1 =~ ${GROVE_TEST_NOT:-^$} ]]; }

tests_follow() { no_tests=$(declare -F | cut -d' ' -f3); }

# Runs all tests that are wanted; its status is 1 if one fails or none is wanted, else $skipped if one is not tried.
run_tests() {
  local test status result=0 count=0
  for test in $(declare -F | cut -d' ' -f3 | grep -vxF "$no_tests"); do
    is_wanted "$test" || continue
    count=$((count + 1))
    run_test "$test"
    status=$?
    if [ $status -eq $skipped ]; then [ $result -ne 0 ] || result=$skipped; elif [ $status -ne 0 ]; then result=1; fi
  done
  [ $count -gt 0 ] || { echo "FAIL no test is called '${GROVE_TEST_ONLY:-}'"; return 1; }
  return $result
}
