#!/usr/bin/env bash
# Submits jobs that each continue from the last: a run that takes longer than a job may.
#
#   jobscripts/chain.sh CONFIG.toml N [SCRIPT [OPTIONS OF sbatch...]] [-- MORE ARGUMENTS OF grove run...]
#
#   SCRIPT   jobscripts/cpu.sbatch, gpu_node.sbatch (the default) or multi_node.sbatch; called from anywhere
#
# e.g.  jobscripts/chain.sh galaxy.toml 10 jobscripts/multi_node.sbatch --nodes=4 --time=24:00:00
#
# Each job begins when the one before has ended, however it did. When the run has finished, or has met a mistake in its settings or data, the
# jobs that are left are taken back. A file `stop` in the output directory ends the present job alone; `scancel --name=NAME`, with the name that
# is printed, ends the chain.
set -euo pipefail

if [[ $# -lt 2 || ! "$2" =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
config="$1" jobs="$2"
shift 2
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export GROVE_ROOT="${GROVE_ROOT:-$root}"
script="$root/jobscripts/gpu_node.sbatch" options=()
if [[ $# -gt 0 && "$1" != -- ]]; then
  script="$1"
  shift
fi
while [[ $# -gt 0 && "$1" != -- ]]; do
  options+=("$1")
  shift
done
if [[ $# -gt 0 ]]; then shift; fi
if [[ ! -r "$config" ]]; then
  echo "$(basename "$0"): cannot read the configuration $config" >&2
  exit 2
fi

# The name by which the jobs of this chain know each other.
GROVE_CHAIN="grove-chain-$(date +%s)-$$"
export GROVE_CHAIN
echo "chain $GROVE_CHAIN"
before=""
for ((job = 1; job <= jobs; ++job)); do
  after=()
  if [[ -n "$before" ]]; then after=(--dependency="afterany:$before"); fi
  before="$(sbatch --parsable --export=ALL --job-name="$GROVE_CHAIN" "${after[@]}" "${options[@]}" "$script" "$config" "$@")"
  before="${before%%;*}"
  echo "job $job of $jobs: $before"
done
