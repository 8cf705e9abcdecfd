# shellcheck shell=bash
# Functions shared by quickstart.sh, scaling.sh and tests/run.sh: what a machine needs to build Grove and to start it. Sourced, not run.

grove_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

grove_packages=(g++ make libopenmpi-dev openmpi-bin libhdf5-openmpi-dev zlib1g-dev libpng-dev libfreetype-dev fonts-dejavu-core libcli11-dev
  libfmt-dev librandom123-dev libboost-math-dev libgtest-dev nlohmann-json3-dev libcpp-httplib-dev)
cmake_wanted=3.25

# What Ubuntu 22.04 lacks, CMake 3.25 and toml++, goes here; CMakeLists.txt looks for toml++ here as well.
tools="$grove_root/build/tools"
cmake_environment="$tools/cmake"
# The headers of toml++ from Ubuntu 24.04, on the mirror that apt uses here; being headers alone, they serve any processor.
toml_package="pool/universe/t/tomlplusplus/libtomlplusplus-dev_3.4.0+ds-0.2build1_amd64.deb"
toml_package_hash="SHA256:e6d68dbb89f11c71fc33bd1397ab1b405e83e96b959e5c18ef82871c12051c46"

grove_say() { printf '==> %s\n' "$*" >&2; }

grove_fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Shows how far a build is, in steps of 25 %, from what it prints.
grove_show_progress() {
  local line shown=0
  while IFS= read -r line; do
    if [[ "$line" =~ ^\[\ *([0-9]+)%\] && "${BASH_REMATCH[1]}" -ge $((shown + 25)) ]]; then
      shown=$((BASH_REMATCH[1] / 25 * 25))
      printf '    %d %%\n' "$shown" >&2
    fi
  done
}

# Runs a command. Where a script has set `grove_log`, its output goes to this file, and the end of the file is shown if it fails.
grove_logged() {
  if [[ -z "${grove_log:-}" ]]; then
    "$@"
    return
  fi
  # Nobody sees a question.
  if "$@" </dev/null 2>&1 | tee -a "$grove_log" | grove_show_progress; then return; fi
  grep -n -m 5 -A 3 'error:' "$grove_log" >&2 || true
  tail -n 15 "$grove_log" >&2
  grove_say "all of its output is in $grove_log"
  return 1
}

# Stops unless an option has its value: grove_need_value OPTION ARGUMENTS_LEFT.
grove_need_value() { [[ $2 -ge 2 ]] || grove_fail "$1 needs a value (--help shows the options)"; }

# Prints the comment at the top of a script without its first line and its comment signs.
grove_help_of() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# nproc tells of the threads of OpenMP, not of cores, where these are set.
grove_cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }

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

# True on the distributions whose own CMake is older than Grove needs, and which have no toml++.
grove_distribution_is_old() {
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

# Sets `missing` to the packages that are not installed, `cmake_from_pip` when CMake has to come from PyPI, and `toml_from_archive`
# when toml++ has to be downloaded.
grove_list_missing() {
  local wanted=("${grove_packages[@]}") package
  missing=()
  cmake_from_pip=false
  toml_from_archive=false
  if ! grove_cmake_is_new_enough cmake && ! grove_cmake_is_new_enough "$cmake_environment/bin/cmake"; then
    if grove_distribution_is_old; then
      cmake_from_pip=true
      wanted+=(python3-venv ca-certificates)
    else
      wanted+=(cmake)
    fi
  fi
  if ! grove_distribution_is_old; then
    wanted+=(libtomlplusplus-dev)
  elif [[ ! -e "$tools/usr/include/toml++/toml.h" && ! -e /usr/include/toml++/toml.h && ! -e /usr/local/include/toml++/toml.h ]]; then
    toml_from_archive=true
  fi
  for package in "${wanted[@]}"; do
    grove_package_is_installed "$package" || missing+=("$package")
  done
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
  grove_logged "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update || grove_fail "apt-get update failed; nothing was installed"
  grove_logged "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" || grove_fail "apt-get install failed; see its message above"
}

grove_install_cmake_from_pip() {
  grove_say "installing CMake into $cmake_environment (this distribution's is older than $cmake_wanted)"
  python3 -m venv "$cmake_environment" || grove_fail "python3 -m venv failed; see its message above"
  "$cmake_environment/bin/pip" install --quiet "cmake>=$cmake_wanted,<4" || grove_fail "pip could not install CMake"
}

grove_download_toml() {
  grove_say "installing toml++ into $tools (this distribution has none)"
  mkdir -p "$tools"
  local mirror
  # shellcheck disable=SC2016
  mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)"
  /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file "${mirror%/}/$toml_package" "$tools/tomlplusplus.deb" "$toml_package_hash" ||
    grove_fail "could not download ${mirror%/}/$toml_package; put the headers of toml++ 3 into /usr/local/include and run this again"
  dpkg-deb -x "$tools/tomlplusplus.deb" "$tools"
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
  if [[ "$cmake_from_pip" == true ]]; then grove_install_cmake_from_pip; fi
  if [[ "$toml_from_archive" == true ]]; then grove_download_toml; fi
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
  grove_logged cmake -S "$grove_root" -B "$directory" -DGROVE_UNITY_BUILD=ON "$@"
  grove_logged cmake --build "$directory" --parallel "$(grove_cores)"
}

# mpirun refuses root, which is who one is in a container, unless it is told.
grove_let_root_use_mpi() {
  if [[ "$(id -u)" -ne 0 ]]; then return; fi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# Starts P ranks on this machine: grove_mpirun P COMMAND... More ranks than cores are allowed; root, as in a container, too.
grove_mpirun() {
  local ranks="$1"
  shift
  grove_let_root_use_mpi
  mpirun -n "$ranks" --map-by :OVERSUBSCRIBE --bind-to none "$@"
}
