#!/usr/bin/env bash
# Builds Grove and runs its main example: the collision of two galaxies.
#
#   jobscripts/quickstart.sh [--n N] [--ranks P] [--output DIR] [--device auto|gpu|cpu] [--build-dir DIR] [--no-install]
#                            [--set key=value]...
#
#   --n N             number of particles (default: as in jobscripts/collision.toml)
#   --ranks P         MPI ranks (default: one for each GPU; without a GPU one, with all cores)
#   --output DIR      where the snapshots go (default: output_collision in the current directory). Earlier results there are set aside
#   --device D        gpu, cpu, or auto (default): GPUs when there are any
#   --build-dir DIR   where to build (default: build/release in the repository)
#   --no-install      install no packages, take the machine as it is
#   --set key=value   changes any other key of the configuration, e.g. --set time.end=10
#
# On a machine without a GPU, code for GPUs is built only with --device gpu, or where GROVE_CUDA_ARCHITECTURES (e.g. 80;90) is set. The
# build is for processors with the instructions of the one here (x86-64-v3, or -v4 with AVX-512), which takes less long than one for all
# (GROVE_CPU_ARCH in docs/building.md).
# Missing packages are installed with apt, as root or through sudo. What apt, CMake and compilers print goes to quickstart.log in the
# directory of the build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

configuration="$grove_root/jobscripts/collision.toml"
build_directory="$grove_root/build/release"
output="output_collision"
device=auto
ranks=""
no_install=false
settings=()

read_options() {
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --n) grove_need_value "$1" $#; settings+=(--set "initial_conditions.n=$2"); shift 2 ;;
      --ranks) grove_need_value "$1" $#; ranks="$2"; shift 2 ;;
      --output) grove_need_value "$1" $#; output="$2"; shift 2 ;;
      --device) grove_need_value "$1" $#; device="$2"; shift 2 ;;
      --build-dir) grove_need_value "$1" $#; build_directory="$2"; shift 2 ;;
      --no-install) no_install=true; shift ;;
      --set) grove_need_value "$1" $#; settings+=(--set "$2"); shift 2 ;;
      --help | -h) grove_help_of "${BASH_SOURCE[0]}"; exit 0 ;;
      *) grove_fail "unknown option '$1' (--help shows the options)" ;;
    esac
  done
  [[ "$device" =~ ^(auto|gpu|cpu)$ ]] || grove_fail "--device is '$device'; allowed: auto, gpu, cpu"
  [[ -z "$ranks" || "$ranks" =~ ^[1-9][0-9]*$ ]] || grove_fail "--ranks is '$ranks'; it must be a positive number"
}

# Code for GPUs takes longer to compile than all the rest: where nothing here could run it, it is built only if it is asked for. A build
# that is there already stays as it is configured.
choose_back_ends() {
  back_ends=()
  if [[ "$device" == gpu || -n "${GROVE_CUDA_ARCHITECTURES:-}" ]]; then
    back_ends=(-DGROVE_CUDA=ON)
  elif [[ ! -e "$build_directory/CMakeCache.txt" && ("$device" == cpu || "$(grove_gpu_count)" -eq 0) ]]; then
    back_ends=(-DGROVE_CUDA=OFF)
    if [[ "$device" == auto ]]; then grove_say "no GPU was found: Grove is built for CPUs alone (--help tells how to build it for GPUs, too)"; fi
  fi
}

# has_instructions NAME...: as the processor here calls them.
has_instructions() {
  local name
  for name in "$@"; do grep -m 1 -qw "^flags.*$name" /proc/cpuinfo || return 1; done
}

choose_processor() {
  processor=()
  if [[ -e "$build_directory/CMakeCache.txt" || ! -r /proc/cpuinfo ]] || ! has_instructions avx2 fma bmi2; then return; fi
  processor=(-DGROVE_CPU_ARCH=x86-64-v3)
  if has_instructions avx512f avx512bw avx512cd avx512dq avx512vl; then processor=(-DGROVE_CPU_ARCH=x86-64-v4); fi
}

# From the CPU time of a build from nothing (AMD EPYC).
say_how_long() {
  if [[ -e "$build_directory/grove" ]]; then return; fi
  local cpu_minutes=41 cores # with code for two kinds of GPUs
  cores=$(grove_cores)
  if [[ "${back_ends[*]}" == *OFF* ]]; then
    if [[ ${#processor[@]} -gt 0 ]]; then cpu_minutes=8; else cpu_minutes=10; fi
  fi
  grove_say "the build takes about $(((cpu_minutes + cores - 1) / cores)) minutes of the $cores cores here"
}

# One rank for each GPU that the build can use; otherwise one with all cores.
choose_ranks() {
  local gpus=0 built
  built="$("$build_directory/grove" --version)"
  if [[ "$device" != cpu ]]; then gpus="$(grove_gpu_count)"; fi
  if [[ "$gpus" -gt 0 && "$built" != *cuda* ]]; then
    grove_say "this build has no code for the $gpus GPUs here (--device gpu adds it)"
    gpus=0
  fi
  if [[ -z "$ranks" ]]; then
    if [[ "$gpus" -gt 0 ]]; then ranks="$gpus"; else ranks=1; fi
  fi
  local threads=$(($(grove_cores) / ranks))
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((threads > 0 ? threads : 1))}"
  grove_say "running the collision; ranks: $ranks, threads of each: $OMP_NUM_THREADS, GPUs: $gpus"
}

say_what_next() {
  local files=("$output"/snapshot_*.hdf5) pictures=("$output"/picture_density_z_*.png) grove="$build_directory/grove"
  cat <<TEXT

The collision is done: ${#pictures[@]} pictures and ${#files[@]} snapshots (HDF5, as GADGET-4 writes it) are in $output. What next:
  ffmpeg -framerate 12 -i $output/picture_density_z_%04d.png -pix_fmt yuv420p collision.mp4   # a movie
  $grove view $output   # the run in your browser, also while it goes on
  $grove plot $output   # energies and times as a picture (needs python3-matplotlib)
  $grove run --print-config   # every key of a configuration, with its default
  $0 --n 1000000   # the same with more particles
Your own run: copy jobscripts/collision.toml, change it, and start it with  $grove run FILE.toml
TEXT
}

read_options "$@"
mkdir -p "$build_directory"
grove_log="$build_directory/quickstart.log"
: >"$grove_log"
grove_set_up
choose_back_ends
choose_processor
say_how_long
grove_build "$build_directory" -DCMAKE_BUILD_TYPE=Release -DGROVE_TESTS=OFF "${back_ends[@]}" "${processor[@]}"
choose_ranks
grove_mpirun "$ranks" "$build_directory/grove" run "$configuration" --device "$device" --overwrite --set "output.directory=$output" "${settings[@]}"
say_what_next
