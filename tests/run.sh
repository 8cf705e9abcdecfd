#!/usr/bin/env bash
# Builds Grove with its tests and runs those that this machine can run.
#
#   tests/run.sh [--all] [--label LABEL] [--build-dir DIR] [--no-install] [--cmake OPTION]...
#
#   --all             the long ones, too, as continuous integration does: they ask more of what the others ask (see `long` below)
#   --label LABEL     only the tests with this label, the long ones, too: unit, mpi, physics, nodes, slurm or gpu
#   --build-dir DIR   where to build (default: build/tests in the repository)
#   --no-install      install no packages, take the machine as it is
#   --cmake OPTION    passed on to CMake, e.g. --cmake -DGROVE_CUDA=OFF
#
# Missing packages are installed with apt, as root or through sudo. Tests that need a GPU are not built where there is none, or fail there
# when GROVE_REQUIRE_GPU=1 is set. GROVE_CUDA_ARCHITECTURES (e.g. 80;90) sets what the GPU code is compiled for.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../jobscripts/setup.sh"

build_directory="$grove_root/build/tests"
label=""
all=false
# On 3 and 4 ranks, and where 1 rank is asked also on 2 in tests of the whole program; on 1 rank what takes long and is asked on 2; code for
# processors without AVX2; what takes long by itself: all recipes, energies of block steps, all mutations, additions that are built, memory,
# other programs, SLURM, several nodes, other MPIs, runs that are stopped (those that are killed are asked for), names of components and
# units in all commands, all that the script for scaling can do.
long='_[34]ranks$|^physics_.*_2ranks$|_x86-64$'
long+='|^(background_output|centre|divided_steps|fields_journey|force_solver|integrator|join|memory_model|profile|run_loop)_test_1ranks$'
long+='|^(session|simulation|snapshot|watchdog)_test_1ranks$'
long+='|^(alone|block_steps_energy|component_softening|components|continuation|force_memory|generator_disc|generator_statistics)_test'
long+='|^(guide|models|mutation|physics_force_error|physics_robustness|pictures|recentring|seams|series|slurm|tree_reuse|units_commands)_test'
long+='|^readers_|^(nodes|other_mpi)_test|^(continue_test_stops|scaling_test)$'
no_install=false
cmake_options=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --all) all=true; shift ;;
    --label) grove_need_value "$1" $#; label="$2" all=true; shift 2 ;;
    --build-dir) grove_need_value "$1" $#; build_directory="$2"; shift 2 ;;
    --no-install) no_install=true; shift ;;
    --cmake) grove_need_value "$1" $#; cmake_options+=("$2"); shift 2 ;;
    --help | -h) grove_help_of "${BASH_SOURCE[0]}"; exit 0 ;;
    *) grove_fail "unknown option '$1' (--help shows the options)" ;;
  esac
done

# Without a GPU the GPU code is only compiled, so one architecture is enough.
if [[ "$(grove_gpu_count)" -eq 0 ]]; then
  export GROVE_CUDA_ARCHITECTURES="${GROVE_CUDA_ARCHITECTURES:-90}"
  if [[ -z "${GROVE_REQUIRE_GPU:-}" ]]; then
    cmake_options=(-DGROVE_GPU_TESTS=OFF "${cmake_options[@]}")
    grove_say "no GPU was found: the tests that need one are not built, and do not run"
  fi
fi

grove_packages+=(hdf5-tools) # h5dump shows tests what is in a file
grove_set_up

# For tests that are skipped without them: install_if_possible WHAT_IS_NOT_TRIED PACKAGE...
install_if_possible() {
  local package
  for package in "${@:2}"; do
    grove_package_is_installed "$package" && continue
    if [[ "$no_install" == true || "$(id -u)" -ne 0 ]] || ! command -v apt-get >/dev/null ||
      ! DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${@:2}"; then
      grove_say "$package is not installed: $1"
    fi
    return 0
  done
}
install_if_possible "the tests with the label slurm are skipped" slurm-wlm munge
install_if_possible "the tests with the label nodes are skipped" iproute2
install_if_possible "whether pandas reads logs, and what grove plot draws, is not tried" python3-matplotlib python3-pandas
install_if_possible "the commands of the tutorial are not tried" ffmpeg
# In Ubuntu Chromium is no package of apt.
install_if_possible "the test of the page of 'grove view' is skipped" chromium chromium-driver python3-selenium
install_if_possible "tests of what other programs read in Grove's files are skipped" python3-yt python3-h5py python3-venv
if [[ "$no_install" == false && "$label" =~ ^(|unit|mpi)$ ]]; then
  mkdir -p "$build_directory"
  "$grove_root/tests/io/readers_venv.sh" "$build_directory/readers_venv" ||
    grove_say "pynbody, unsio, vtk, galpy, sphinx and Open MPI 5 cannot be installed here: tests that need them are skipped"
fi
grove_build "$build_directory" -DCMAKE_BUILD_TYPE=Release -DGROVE_TESTS=ON -DGROVE_WERROR=ON "${cmake_options[@]}"

grove_say "running the tests"
ctest_options=(--test-dir "$build_directory" --output-on-failure --no-tests=error --parallel "$(grove_cores)")
if [[ "$all" == false ]]; then
  ctest_options+=(--exclude-regex "$long")
  export GROVE_TEST_KILLS="${GROVE_TEST_KILLS:-1}" # of each kind of run, not three
fi
if [[ -n "$label" ]]; then ctest_options+=(--label-regex "^$label\$"); fi
exec ctest "${ctest_options[@]}"
