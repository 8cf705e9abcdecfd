#!/usr/bin/env bash
# The Python package, with the library of this build. Usage: python_test.sh ROOT LIBRARY MPIRUN [FLAGS...]. Skipped (77) without numpy.
set -u
root=$1
export GROVE_LIBRARY=$2 PYTHONPATH=$1/python PYTHONDONTWRITEBYTECODE=1
shift 2
source "$root/tests/support/shell_tests.sh"
python=$(python_with "numpy, h5py" || python_with numpy) || { echo "no Python here has numpy"; exit 77; }
"$python" "$root/tests/python/test_grove.py" || exit 1
"$python" "$root/tests/python/test_analysis.py" || exit 1
# pynbody and others of the Python package index, where tests/io/readers_venv.sh has put them.
readers="$(dirname "$GROVE_LIBRARY")/readers_venv/bin/python"
if [[ -x "$readers" ]]; then "$readers" "$root/tests/python/test_analysis.py" Converters || exit 1; fi
run=$(mktemp -d)
trap 'rm -r "$run"' EXIT
for ranks in 1 2 3 4; do
  timeout 50 "$1" -n $ranks "${@:2}" "$(dirname "$GROVE_LIBRARY")/grove" run --quiet --device=cpu --set=output.directory="$run/$ranks" \
    --set=initial_conditions.generator=plummer --set=initial_conditions.n=2000 --set=gravity.softening=0.05 --set=time.dt=0.0078125 \
    --set=time.end=0.25 || exit 1
  timeout 50 "$1" -n $ranks "${@:2}" "$python" "$root/tests/python/ranks.py" "$run/$ranks" || exit 1
done
