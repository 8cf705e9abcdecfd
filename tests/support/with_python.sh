#!/usr/bin/env bash
# Starts a script with a Python that has the modules it needs: the user's (GROVE_PYTHON), the one in PATH, or Debian's.
#
#   with_python.sh MODULES SCRIPT [ARGUMENT...]
#
# MODULES: as after `import`. Skipped (77) where none has them; tests/run.sh installs them where it can.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/shell_tests.sh"
python=$(python_with "$1") || { echo "no Python here has $1: $(basename "$2") is not tried"; exit $skipped; }
exec "$python" "${@:2}"
