#!/usr/bin/env bash
# Makes the runs that the readers_test_* read: model galaxies on 1 and 3 ranks, with and without physical units, whole and packed.
#
#   readers_files.sh DIRECTORY GROVE MPIRUN [FLAG]...
set -euo pipefail
files=$1 grove=$2 mpirun=$3
shift 3
rm -rf "$files"

# make NAME RANKS SETTING...
make() {
  local name=$1 n=$2 options=()
  shift 2
  for setting in "$@"; do options+=(--set "$setting"); done
  mkdir -p "$files/$name"
  cd "$files/$name"
  "$mpirun" -n "$n" "${flags[@]}" "$grove" run "$files/run.toml" --quiet --device cpu "${options[@]}"
  "$grove" info --all --json=info.json output/snapshot_0002.hdf5 >/dev/null
}

flags=("$@")
mkdir -p "$files"
cat >"$files/run.toml" <<'TOML'
[initial_conditions]
generator = "disc"
n = 6000
disc_particles = 0.25
[gravity]
softening = 0.05
[time]
end = 0.1
dt = 0.025
[output]
snapshot_every = 0.05
TOML
parsecs=('units.system="pc, km/s, Msun"' initial_conditions.scale_length=3000 initial_conditions.mass=5e10 gravity.softening=50
  'time.end="0.02 Gyr"' 'time.dt="0.005 Gyr"' 'output.snapshot_every="0.01 Gyr"')
make n_body_1 1
make n_body_3 3
make parsecs_1 1 "${parsecs[@]}"
make parsecs_packed_3 3 "${parsecs[@]}" output.compression=4 'output.single_precision="velocity, acceleration, potential"'
