#!/usr/bin/env bash
# The steps of grove.def and Dockerfile, in an image of Ubuntu 24.04, as root.
#
#   packaging/container.sh build       # compiles Grove and installs it in /opt/grove; with CUDA if nvcc is there
#   packaging/container.sh libraries   # what the installed program needs to run
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
case "${1:-}" in
  build)
    source "$(dirname "${BASH_SOURCE[0]}")/../jobscripts/setup.sh"
    cd "$grove_root"
    grove_set_up
    grove_build build/container -DGROVE_TESTS=OFF
    cmake --install build/container --prefix /opt/grove --strip
    ;;
  libraries)
    apt-get update
    apt-get install -y --no-install-recommends openmpi-bin libhdf5-openmpi-103-1t64 libpng16-16t64 libfreetype6 libfmt9 libcpp-httplib0.14t64 libgomp1 python3-numpy python3-h5py
    rm -rf /var/lib/apt/lists/*
    ;;
  *)
    echo "usage: packaging/container.sh build|libraries" >&2
    exit 2
    ;;
esac
