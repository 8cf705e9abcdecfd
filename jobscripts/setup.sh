# shellcheck shell=bash
# Functions shared by jobscripts/quickstart.sh and tests/run.sh: what a machine needs to build Grove and to start it. Sourced, not run.

grove_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

grove_packages=(g++ make libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libtomlplusplus-dev libcli11-dev libfmt-dev librandom123-dev libgtest-dev)
cmake_wanted=3.25
cmake_environment="$grove_root/build/cmake-environment"

grove_say() { printf '==> %s\n' "$*" >&2; }

grove_fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Stops unless an option has its value: grove_need_value OPTION ARGUMENTS_LEFT.
grove_need_value() { [[ $2 -ge 2 ]] || grove_fail "$1 needs a value (--help shows the options)"; }

# Prints the comment at the top of a script without its first line and its comment signs.
grove_help_of() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

grove_cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }

# Number of NVIDIA GPUs that the driver shows; 0 without a driver.
grove_gpu_count() {
  local list=""
  if command -v nvidia-smi >/dev/null; then list="$(nvidia-smi -L 2>/dev/null)" || list=""; fi
  grep -c '^GPU ' <<<"$list" || true
}

grove_package_is_installed() { [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]; }

grove_cmake_is_new_enough() {
  local have
  have="$("$1" --version 2>/dev/null | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p')"
  [[ -n "$have" && "$(printf '%s\n' "$cmake_wanted" "$have" | sort -V | head -n 1)" == "$cmake_wanted" ]]
}

# True on the distributions whose own CMake is older than Grove needs.
grove_distribution_has_old_cmake() {
  local id="" version=""
  if [[ -r /etc/os-release ]]; then
    id="$(. /etc/os-release && printf '%s' "${ID:-}")"
    version="$(. /etc/os-release && printf '%s' "${VERSION_ID:-0}")"
  fi
  case "$id" in
    ubuntu) [[ "${version%%.*}" -lt 23 ]] ;;
    debian) [[ "${version%%.*}" -lt 12 ]] ;;
    *) false ;;
  esac
}

# Sets `missing` to the packages that are not installed, and `cmake_from_pip` when CMake has to come from PyPI.
grove_list_missing() {
  missing=()
  cmake_from_pip=false
  local package
  for package in "${grove_packages[@]}"; do
    grove_package_is_installed "$package" || missing+=("$package")
  done
  if grove_cmake_is_new_enough cmake || grove_cmake_is_new_enough "$cmake_environment/bin/cmake"; then return; fi
  if grove_distribution_has_old_cmake; then
    cmake_from_pip=true
    for package in python3-venv ca-certificates; do
      grove_package_is_installed "$package" || missing+=("$package")
    done
  else
    missing+=(cmake)
  fi
}

# Installs `missing` as root or through sudo; where neither is possible, prints the command and stops.
grove_install_missing() {
  local as_root=() install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if [[ "$(id -u)" -ne 0 ]]; then
    # Without a terminal sudo must not ask for a password: nobody could answer.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      as_root=(sudo)
    else
      printf 'These packages are missing, and installing them needs root. Please run\n\n  sudo apt-get update && sudo %s\n\nand then this script again.\n' \
        "${install[*]}" >&2
      exit 1
    fi
  fi
  grove_say "installing: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update || grove_fail "apt-get update failed; nothing was installed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" || grove_fail "apt-get install failed; see its message above"
}

# Makes the machine able to build Grove. Changes nothing where nothing is missing. `no_install=true` skips it all (for machines whose
# libraries come from elsewhere, such as environment modules).
grove_set_up() {
  if [[ "${no_install:-false}" == true ]]; then return; fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    grove_say "this is neither Debian nor Ubuntu: nothing is installed; CMake will name what is missing"
    return
  fi
  grove_list_missing
  if [[ ${#missing[@]} -gt 0 ]]; then grove_install_missing; fi
  if [[ "$cmake_from_pip" == true ]]; then
    grove_say "installing CMake into $cmake_environment (this distribution's is older than $cmake_wanted)"
    python3 -m venv "$cmake_environment"
    "$cmake_environment/bin/pip" install --quiet "cmake>=$cmake_wanted,<4" || grove_fail "pip could not install CMake"
  fi
}

# Puts a new enough CMake first on PATH.
grove_use_cmake() {
  if grove_cmake_is_new_enough cmake; then return; fi
  if grove_cmake_is_new_enough "$cmake_environment/bin/cmake"; then
    PATH="$cmake_environment/bin:$PATH"
  else
    grove_fail "CMake $cmake_wanted or newer is needed and not found"
  fi
}

# Configures and builds: grove_build DIRECTORY [cmake options].
grove_build() {
  local directory="$1"
  shift
  grove_use_cmake
  if [[ -n "${GROVE_CUDA_ARCHITECTURES:-}" ]]; then set -- "$@" "-DGROVE_CUDA_ARCHITECTURES=$GROVE_CUDA_ARCHITECTURES"; fi
  grove_say "building in $directory"
  cmake -S "$grove_root" -B "$directory" "$@"
  cmake --build "$directory" --parallel "$(grove_cores)"
}

# Starts P ranks on this machine: grove_mpirun P COMMAND... More ranks than cores are allowed; root, as in a container, too.
grove_mpirun() {
  local ranks="$1"
  shift
  if [[ "$(id -u)" -eq 0 ]]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  mpirun -n "$ranks" --map-by :OVERSUBSCRIBE --bind-to none "$@"
}
