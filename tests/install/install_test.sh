#!/usr/bin/env bash
# cmake --install, and a program of somebody else that uses what is installed.
#
#   install_test.sh SOURCE_DIR BUILD_DIR CMAKE "MPIRUN FLAGS..." [-DOPTION=VALUE ...]
#
# The options go to CMake. Each test is a function whose name says what holds.
set -u
source_directory=$1 build=$2 cmake=$3 mpirun=$4
shift 4
cmake_options=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"
prefix=$directory/prefix example=$directory/example

# Energies and forces that the example prints, without the name of the device.
numbers() { sed 's/ on .*: t = / t = /' "$1"; }

tests_follow

a_build_is_installed() {
  "$cmake" --install "$build" --prefix "$prefix" >install.log 2>&1 || { tail install.log; return 1; }
  local file
  for file in bin/grove include/grove/grove.hpp include/grove.h share/grove/jobscripts/gpu_node.sbatch share/grove/jobscripts/job.sh; do
    [ -e "$prefix/$file" ] || { echo "$file is missing"; return 1; }
  done
  "$prefix/bin/grove" --version | grep -q '^Grove ' || { echo "the installed program does not run"; return 1; }
}

an_example_is_built_with_the_installed_package() {
  "$cmake" -S "$source_directory/tests/install" -B "$example" "-DCMAKE_PREFIX_PATH=$prefix" "${cmake_options[@]}" >configure.log 2>&1 &&
    "$cmake" --build "$example" >build.log 2>&1 || { tail configure.log build.log; return 1; }
}

both_libraries_step_particles_twice_in_one_process() {
  local library ranks
  for ranks in 1 2; do
    for library in libgrove libgrove_shared; do
      $mpirun -n $ranks "$example/example_$library" cpu >"$library.$ranks" 2>&1 || { cat "$library.$ranks"; return 1; }
      [ "$(grep -c '^run [12] on CPU.*: t = 0.1, energy' "$library.$ranks")" -eq 2 ] || { cat "$library.$ranks"; return 1; }
      [ "$(sed 's/^run .//' "$library.$ranks" | sort -u | wc -l)" -eq 1 ] || { echo "two runs differ"; cat "$library.$ranks"; return 1; }
    done
    [ "$(numbers libgrove.$ranks)" = "$(numbers libgrove_shared.$ranks)" ] || { echo "the libraries differ"; return 1; }
  done
}

the_c_interface_runs_a_c_program() {
  local ranks
  for ranks in 1 2; do
    $mpirun -n $ranks "$example/example_c" >c.$ranks 2>&1 || { cat c.$ranks; return 1; }
    [ "$(grep -c '^Grove .*: 2 particles, . here, energy -0.125000, potential -0.894427$' c.$ranks)" -eq $ranks ] || { cat c.$ranks; return 1; }
  done
  # Nothing else is visible: a program may bring other versions of what is in it.
  [ -z "$(nm -D --defined-only "$prefix"/lib*/libgrove_c.so "$prefix"/lib*/*/libgrove_c.so 2>/dev/null | grep ' [TDBRVW] ' | grep -v ' grove_')" ] || { echo "libgrove_c shows more than its interface"; return 1; }
}

pkg_config_names_the_c_interface() {
  command -v pkg-config >/dev/null || { echo "not tried without pkg-config"; return 0; }
  local flags
  flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name grove_c.pc)") pkg-config --cflags --libs grove_c) || return 1
  # shellcheck disable=SC2086
  cc "$source_directory/tests/install/example.c" $flags -lm -o pc_example || return 1
  LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libgrove_c.so)") $mpirun -n 1 ./pc_example >pc.txt 2>&1 && grep -q ': 2 particles' pc.txt || { cat pc.txt; return 1; }
}

the_module_sets_paths_that_exist() {
  command -v tclsh >/dev/null || { echo "not tried without tclsh"; return 0; }
  local place
  # The commands of a module, of which each prints the place that it names.
  tclsh >places.txt <<TCL || return 1
proc module-whatis args {}
proc conflict args {}
proc prepend-path {variable place} { puts \$place }
proc setenv {variable place} { puts \$place }
set ModulesCurrentModulefile [glob $prefix/share/modulefiles/grove/*]
source \$ModulesCurrentModulefile
TCL
  [ "$(wc -l <places.txt)" -eq 6 ] || { cat places.txt; return 1; }
  while read -r place; do
    [ -d "$place" ] && [[ "$place" == "$prefix"* ]] || { echo "$place is no directory of the installation"; return 1; }
  done <places.txt
}

the_python_package_finds_its_library() {
  local python
  python=$(python_with numpy) || is_not_tried "no Python here has numpy"
  PYTHONPATH=$prefix/share/grove/python "$python" -c "import grove; print(grove.version(), len(grove.generate('plummer', n=100)))" >python.txt 2>&1
  grep -q "^Grove .* 100$" python.txt || { cat python.txt; return 1; }
}

what_pip_installs_finds_its_library() {
  local python
  python=$(python_with numpy) || is_not_tried "no Python here has numpy"
  # As pyproject.toml says it.
  "$cmake" --install "$build" --component python --prefix "$directory/site" >component.log 2>&1 || { cat component.log; return 1; }
  cp "$source_directory"/python/grove/*.py "$directory/site/grove" || return 1
  [ "$(ls "$directory/site")" = grove ] || { echo "more than the package is installed"; ls "$directory/site"; return 1; }
  PYTHONPATH=$directory/site "$python" -c "import grove; from grove import _library; print(_library.library()._name, grove.version())" >pip.txt 2>&1
  grep -q "^$directory/site/grove/libgrove_c.so Grove " pip.txt || { cat pip.txt; return 1; }
}

it_needs_no_hdf5() {
  ! ldd "$example/example_libgrove_shared" | grep -i hdf5 || { echo "the library brings HDF5"; return 1; }
}

run_tests
