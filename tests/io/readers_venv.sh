#!/usr/bin/env bash
# Puts what tests use of the Python package index into a virtual environment: the programs that read Grove's snapshots, for
# readers_test.sh, galpy, for galpy_test.sh, sphinx with its theme, for site_test.sh, and Open MPI 5, for other_mpi_test.sh.
#
#   readers_venv.sh DIRECTORY
set -euo pipefail
packages="pynbody unsio vtk galpy h5py sphinx furo myst-parser openmpi==5.*"
[[ "$(cat "$1/complete" 2>/dev/null)" == "$packages" ]] && exit 0
rm -rf "$1"
/usr/bin/python3 -m venv "$1"
# What must be compiled first would take longer than all tests.
timeout 300 "$1/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: $packages
echo "$packages" >"$1/complete"
