#!/usr/bin/env bash
# What Grove has written, read by a program of others with the lines of docs/reading-snapshots.md, against what `grove info` says.
#
#   readers_test.sh READER MODULE DIRECTORY DOCUMENT VENV
#
# READER: h5py, yt, ...: a heading of the document. MODULE: what it must be able to import. DIRECTORY: as readers_files.sh made it.
# VENV: where readers_venv.sh has put those of the Python package index. Where no Python has the module, the test is skipped.
set -euo pipefail
reader=$1 module=$2 files=$3 document=$4 venv=$5
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/readers_check.py"

for python in "${GROVE_READERS_PYTHON:-}" "$venv/bin/python" /usr/bin/python3 python3; do
  if [[ -n "$python" ]] && "$python" -c "import $module" 2>/dev/null; then
    failed=0
    for run in "$files"/*/; do
      cd "$run"
      "$python" "$check" "$reader" "$document" || { echo "FAIL $reader reads $(basename "$run")"; failed=1; }
    done
    exit $failed
  fi
done
echo "no Python here has the module $module: $reader is not tried. tests/run.sh installs it where there is a network"
exit 77
