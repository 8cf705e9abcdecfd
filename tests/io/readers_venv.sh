#!/usr/bin/env bash
# Puts the programs of the Python package index that read Grove's snapshots into a virtual environment, for readers_test.sh.
#
#   readers_venv.sh DIRECTORY
set -euo pipefail
[[ -e "$1/complete" ]] && exit 0
rm -rf "$1"
/usr/bin/python3 -m venv "$1"
# What must be compiled first would take longer than all tests.
timeout 300 "$1/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: pynbody unsio vtk
touch "$1/complete"
