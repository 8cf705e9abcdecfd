#!/usr/bin/env bash
# Spheres of Grove against galpy's distribution functions. Where no Python has galpy, the test is skipped.
#
#   galpy_test.sh GROVE VENV
#
# VENV: where tests/io/readers_venv.sh has put galpy.
set -euo pipefail
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/galpy_check.py"
for python in "${GROVE_READERS_PYTHON:-}" "$2/bin/python" python3; do
  if [[ -n "$python" ]] && "$python" -c "import galpy, h5py" 2>/dev/null; then
    "$python" "$check" "$1" "$directory"
    exit
  fi
done
echo "no Python here has the module galpy: spheres are not compared with its distribution functions. tests/run.sh installs it where there is a network"
exit 77
