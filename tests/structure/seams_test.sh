#!/usr/bin/env bash
# The seams of CONTRIBUTING.md, tried as someone new to Grove would: one addition by each row of its table, with the lines that the row names
# and no others, in a copy of the sources. Then the copy is built, for the CPU alone, and run.
#
#   seams_test.sh SOURCE_DIR CMAKE "MPIRUN FLAGS..." [-DOPTION=VALUE ...]
#
# The options go to CMake. Each test is a function whose name says what holds.
set -u
source_directory=$1 cmake=$2 mpirun=$3
shift 3
cmake_options=("$@")
source "$(dirname "${BASH_SOURCE[0]}")/../support/shell_tests.sh"
copy=$directory/copy before=$directory/before
grove=$directory/build/grove

# What is in the repository or will be; where there is no git, all but builds.
copy_sources() {
  mkdir "$copy" && cd "$source_directory" || return 1
  if git ls-files --error-unmatch CMakeLists.txt >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ -f "$file" ] && printf '%s\0' "$file"; done |
      tar --null --files-from=- -cf - | tar -xf - -C "$copy"
  else
    tar --exclude=./build --exclude=./.git -cf - . | tar -xf - -C "$copy"
  fi
  cp -r "$copy" "$before"
}

# insert_before FILE REGEX: puts standard input before the one line that matches and the comment above it.
insert_before() {
  local line
  line=$(grep -n -- "$2" "$1" | cut -d: -f1)
  [ "$(wc -w <<<"$line")" -eq 1 ] || { echo "'$2' does not stand in one line of $1"; return 1; }
  while sed -n "$((line - 1))p" "$1" | grep -q '^ *//'; do line=$((line - 1)); done
  cat >"$directory/lines" && sed -i "$((line - 1))r $directory/lines" "$1"
}
# change FILE REGEX BY: changes one line.
change() {
  [ "$(grep -c -- "$2" "$1")" -eq 1 ] || { echo "'$2' does not stand in one line of $1"; return 1; }
  sed -i "s|$2|$3|" "$1"
}

# --- the additions --------------------------------------------------------------------------------------------------------------------

add_softening_kernel() {
  insert_before kernels/gravity/softening.hpp '^using SofteningKernels = ' <<'LINES' &&
/// The force of a homogeneous sphere of radius 1.5 eps: Newtonian beyond it.
struct HomogeneousKernel {
  static constexpr const char* name = "homogeneous";
  static constexpr bool harmonic = true;
  static constexpr bool zero_at_zero = false;
  static constexpr double least_length = 1e-12;
  Constant radius, per_radius;
  explicit HomogeneousKernel(double softening) : radius(1.5 * softening), per_radius(1 / (1.5 * softening)) {}
  double support() const { return radius.exact; }

  template <class T>
  GROVE_HD void point(T r2, T& f, T& p) const {
    const T smallest = T(NewtonKernel::smallest<T>());
    attract(r2, reciprocal_sqrt(select(r2 > smallest, r2, smallest)), f, p);
  }
  template <class T>
  GROVE_HD void point_apart(T r2, T& f, T& p) const {
    attract(r2, reciprocal_sqrt(r2), f, p);
  }
  template <class T>
  GROVE_HD void attract(T r2, T inverse, T& f, T& p) const {
    const T scale = per_radius.template as<T>();
    const T u2 = r2 * scale * scale;
    p = select(u2 < T(1), (T(3) - u2) * T(0.5F) * scale, inverse);
    f = select(u2 < T(1), scale * scale * scale, inverse * inverse * inverse);
  }
  template <class T>
  GROVE_HD T squared(T dx, T dy, T dz) const {
    return dx * dx + dy * dy + dz * dz;
  }
};

LINES
    change kernels/gravity/softening.hpp '^using SofteningKernels = std::tuple<\(.*\)>;' 'using SofteningKernels = std::tuple<\1, HomogeneousKernel>;' &&
    insert_before tests/support/physics_reference.hpp 'if (gravity.softening_kernel != "wendland_c2")' <<'LINES'
  if (const double R = 1.5 * e; gravity.softening_kernel == "homogeneous")
    return r < R ? Attraction{std::pow(R, -3), (3 - r * r / (R * R)) / (2 * R)} : Attraction{std::pow(r, -3), 1 / r};
LINES
}

add_opening_criterion() {
  insert_before kernels/gravity/opening.hpp '^using OpeningCriteria = ' <<'LINES' &&
/// The geometric criterion for cells made larger by a part of their size.
struct InflatedOpening : AngleOpening {
  static constexpr std::array names{"inflated"};
  static constexpr double default_inflation = 0.5;
  float factor;
  explicit InflatedOpening(const GravityParameters& p)
      : AngleOpening(p), factor(static_cast<float>(1 + p.parameter("inflation", default_inflation))) {}

  template <class Cell, class T>
  GROVE_HD auto accepts(const Cell& cell, const Separation<T>& s, const TargetBox&) const {
    const T opening = cell.longest_side * T(per_theta * factor);
    return s.centre_of_mass2 > opening * opening;
  }
};

LINES
    change kernels/gravity/opening.hpp '^using OpeningCriteria = std::tuple<\(.*\)>;' 'using OpeningCriteria = std::tuple<\1, InflatedOpening>;'
}

add_parameter_of_criterion() {
  insert_before src/config/config_table.cpp 'add(&Gravity::softening_kernel, ' <<'LINES'
  rows.push_back(gravity_parameter({"inflation", InflatedOpening::default_inflation, {0.0, 10.0}, "cells count as larger by this part"},
                                   {"opening", {"inflated"}}));
LINES
}

add_external_potential() {
  insert_before src/external/external_potentials.hpp '^using ExternalPotentials =' <<'LINES' &&
/// A harmonic well.
struct HarmonicPotential {
  static ExternalInfo info() {
    return {.name = "harmonic",
            .meaning = "harmonic well",
            .source = "",
            .settings = {{"frequency", 0.5, positive, "of oscillations"}},
            .holds_all = true};
  }
  double w2;
  HarmonicPotential(const ExternalParameters& p, double) : w2(p.number("frequency") * p.number("frequency")) {}
  GROVE_HD FieldAt at(const Double3& d) const { return spherical_field(d, w2, 0.5 * w2 * dot(d, d)); }
};

LINES
    change src/external/external_potentials.hpp '^    std::tuple<\(.*Potential\)>;' '    std::tuple<\1, HarmonicPotential>;'
}

add_integrator() {
  insert_before src/integrators/tableaux.cpp 'row("rk4"' <<'LINES'
          row("heun", "second order, two force evaluations a step", "Heun 1900", 2, {{}, {1}}, {0.5, 0.5}),
LINES
}

add_particle_field() {
  insert_before kernels/particles/fields.cpp '^  };$' <<<'      {.name = "age", .dataset = "Ages", .type = f4, .snapshot = always, .initial = 2.5},'
}

add_generator() {
  cat >src/generators/shell.cpp <<'LINES' &&
// A thin spherical shell round the origin, at rest.
#include "src/generators/generator.hpp"
#include "src/galaxies/random.hpp"

namespace grove {
namespace {

Model prepare(const InitialConditions& conditions, double) {
  const double radius = conditions.number("radius"), particle_mass = 1 / static_cast<double>(conditions.n);
  return {[=, seed = conditions.seed](std::uint64_t id) {
    RandomStream random(seed, id);
    ModelParticle particle;
    particle.mass = particle_mass;
    random.isotropic(radius, particle.position);
    return particle;
  }};
}

}  // namespace

Generator shell() {
  return {"shell", "thin shell of mass 1 round the origin, at rest", "", {{"radius", 1.0, positive, "of the shell"}}, nullptr, prepare};
}

}  // namespace grove
LINES
    change src/generators/generator.cpp '^Generator galaxy();' 'Generator galaxy();\nGenerator shell();' &&
    change src/generators/generator.cpp ', galaxy()};' ', galaxy(), shell()};'
}

add_observer() {
  cat >src/run/files/extent_log.hpp <<'LINES' &&
// The columns of extent.csv.
#pragma once

#include <string>
#include <vector>

#include "src/run/files/log_kinds.hpp"

namespace grove {

inline const std::vector<CsvColumn> extent_log{{"time", "time of the state"}, {"extent", "largest distance from the origin"}};
inline std::vector<CsvColumn> extent_columns(const std::vector<std::string>& names) { return columns_if_named(extent_log, names); }

}  // namespace grove
LINES
    cat >src/run/observers/extent.hpp <<'LINES' &&
// Observer: the largest distance of a particle from the origin after every step, in extent.csv.
#pragma once

#include <cmath>
#include <memory>
#include <optional>

#include "src/run/files/csv_log.hpp"
#include "src/run/files/extent_log.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

struct SquaredDistance {
  const Double4* position;
  GROVE_HD double operator()(std::size_t i) const {
    const Double4 p = position[i];
    return p.x * p.x + p.y * p.y + p.z * p.z;
  }
};
struct Larger {
  GROVE_HD double operator()(double a, double b) const { return a > b ? a : b; }
};

template <class Space>
class ExtentObserver final : public Observer {
 public:
  explicit ExtentObserver(const ObserverContext<Space>& context) : context_(context), path_(context.setup.directory.path() + "/extent.csv") {
    if (context.comm.is_root()) log_.emplace(path_, extent_log);
  }
  bool due(const RunState&) const override { return true; }
  void observe(const RunState& state) override {
    const auto& particles = context_.particles;
    const double here = context_.space.transform_reduce(particles.size(), 0.0, SquaredDistance{particles.position.data()}, Larger{});
    const double extent = std::sqrt(context_.comm.max(here));
    context_.comm.agree([&] {
      if (log_) log_->add({state.time, extent});
    });
  }
  std::string written() const override { return path_; }

 private:
  const ObserverContext<Space> context_;
  std::string path_;
  std::optional<CsvLog> log_;
};

template <class Space>
std::unique_ptr<Observer> make_extent(const ObserverContext<Space>& context) {
  return std::make_unique<ExtentObserver<Space>>(context);
}

}  // namespace grove
LINES
    insert_before src/run/observers/observers.cpp '^#include "src/run/observers/progress.hpp"' <<<'#include "src/run/observers/extent.hpp"' &&
    change src/run/observers/observers.cpp '^    make_energies<Space>,' '    make_energies<Space>,\n    make_extent<Space>,' &&
    insert_before src/run/files/log_kinds.cpp '^#include "src/run/files/timings_log.hpp"' <<<'#include "src/run/files/extent_log.hpp"' &&
    insert_before src/run/files/log_kinds.cpp '^      {not_finite_files' <<<'      {"extent.csv", "largest distance of a particle from the origin", extent_columns},'
}

add_force_method() {
  cat >src/solver/monopole_solver.hpp <<'LINES' &&
// A force method: all particles together act like one at the origin.
#pragma once

#include "src/solver/force_method.hpp"
#include "src/solver/force_solver.hpp"

namespace grove {

struct MonopoleField {
  const Double4* position;
  double mass;
  Double4* acceleration;
  GROVE_HD void operator()(std::size_t i) const {
    const Double4 p = position[i];
    const double r2 = p.x * p.x + p.y * p.y + p.z * p.z + 1e-4, f = -mass / (r2 * sqrt(r2));
    acceleration[i] = {f * p.x, f * p.y, f * p.z, f * r2};
  }
};
struct MassOf {
  const Double4* position;
  GROVE_HD double operator()(std::size_t i) const { return position[i].w; }
};
struct PlusMass {
  GROVE_HD double operator()(double a, double b) const { return a + b; }
};

template <class Space>
class MonopoleSolver final : public ForceSolver<Space> {
 public:
  MonopoleSolver(Space& space, const Communicator& comm) : space_(space), comm_(comm) {}
  void prepare(Particles<Space>& particles, PhaseClock<Space>&, double, Targets) override {
    mass_ = comm_.sum(space_.transform_reduce(particles.size(), 0.0, MassOf{particles.position.data()}, PlusMass{}));
    particles.has_acceleration = false;
  }
  void forces(Particles<Space>& particles, const std::uint8_t*, PhaseClock<Space>&, const std::function<void()>& meanwhile) override {
    space_.for_each(particles.size(), MonopoleField{particles.position.data(), mass_, particles.acceleration.data()});
    particles.has_acceleration = true;
    if (meanwhile && comm_.size() == 1) meanwhile();
  }
  WorkCounts work_counts() override { return {}; }

 private:
  Space& space_;
  const Communicator& comm_;
  double mass_ = 0;
};

struct MonopoleMethod {
  static ForceMethod info() { return {.name = "monopole", .walks_trees = false}; }
  template <class Space>
  static std::unique_ptr<ForceSolver<Space>> make(const SolverParts<Space>& parts) {
    return std::make_unique<MonopoleSolver<Space>>(parts.space, parts.comm);
  }
};

}  // namespace grove
LINES
    change src/solver/force_methods.hpp '^using ForceMethods = std::tuple<\(.*\)>;' 'using ForceMethods = std::tuple<\1, MonopoleMethod>;' &&
    insert_before src/solver/force_methods.hpp '^#include "src/solver/tree_solver.hpp"' <<<'#include "src/solver/monopole_solver.hpp"'
}

# --- the tests ------------------------------------------------------------------------------------------------------------------------

ranks() { local n=$1; shift; $mpirun -n "$n" "$grove" "$@"; }

# Files that differ from those before, in order.
changed_files() {
  diff -rq "$before" "$copy" | sed -e "s|^Files $before/\(.*\) and .* differ\$|\1|" -e "s|^Only in $copy/\(.*\): \(.*\)\$|\1/\2 (new)|" | LC_ALL=C sort
}

every_addition_touches_the_files_that_its_row_names() {
  cd "$copy" || return 1
  local name files
  : >"$directory/named"
  while IFS=: read -r name files; do
    "add_$name" || return 1
    tr ' ' '\n' <<<"$files" | sed -e '/^$/d' -e 's/+$/ (new)/' | tee -a "$directory/named" | sed "s/^/$name: /"
    changed_files >"$directory/changed"
    holds diff <(LC_ALL=C sort "$directory/named") "$directory/changed" || return 1
  done <<'ROWS'
softening_kernel: kernels/gravity/softening.hpp tests/support/physics_reference.hpp
opening_criterion: kernels/gravity/opening.hpp
parameter_of_criterion: src/config/config_table.cpp
external_potential: src/external/external_potentials.hpp
integrator: src/integrators/tableaux.cpp
particle_field: kernels/particles/fields.cpp
generator: src/generators/shell.cpp+ src/generators/generator.cpp
observer: src/run/observers/extent.hpp+ src/run/observers/observers.cpp src/run/files/extent_log.hpp+ src/run/files/log_kinds.cpp
force_method: src/solver/monopole_solver.hpp+ src/solver/force_methods.hpp
ROWS
}

every_addition_includes_only_rooms_before_its_own() {
  GROVE_TEST_ONLY=no_include_points_upwards bash "$source_directory/tests/structure/includes_test.sh" "$copy"
}

# build_copy ON|OFF: several files at a time, or each by itself. With ccache, files without an addition are compiled once for all times that
# this test runs: their paths count from the build directory.
build_copy() {
  export CCACHE_BASEDIR=$directory
  "$cmake" -S "$copy" -B "$directory/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DGROVE_CUDA=OFF -DGROVE_TESTS=ON \
    -DCMAKE_UNITY_BUILD="$1" -DCMAKE_UNITY_BUILD_BATCH_SIZE=6 "${cmake_options[@]}" >cmake.txt 2>&1 || { cat cmake.txt; return 1; }
  "$cmake" --build "$directory/build" --target grove softening_test direct_sum_test --parallel "$(source "$source_directory/jobscripts/setup.sh" && grove_cores)" >build.txt 2>&1
}

# Several files at a time take little more than half of the time. Where names of two files meet, that is no fault of the additions.
all_of_them_build_at_once() {
  build_copy ON && return
  grep -m 3 'error:' build.txt
  echo "not several files at a time: now each by itself"
  build_copy OFF || { tail -n 40 build.txt; return 1; }
}

tests_of_all_kernels_hold_for_the_added_one() {
  local test
  for test in softening_test 'direct_sum_test --gtest_filter=*WithEverySoftening'; do
    # shellcheck disable=SC2086  # with its option
    "$directory"/build/tests/$test >out.txt 2>&1 && ! grep -q 'Running 0 tests' out.txt && continue
    grep -vE 'OK|RUN' out.txt
    return 1
  done
}

the_configuration_knows_their_names() {
  "$grove" run --print-config >config.txt || return 1
  for name in homogeneous inflated heun shell harmonic monopole; do contains config.txt "$name" || return 1; done
  contains config.txt "inflation = 0.5" && contains config.txt "only with opening = inflated" &&
    contains config.txt "# shell: thin shell of mass 1"
}

a_run_on_two_ranks_uses_all_of_them() {
  ranks 2 run run.toml >out.txt && contains out.txt "500 particles of generator shell" && contains out.txt "finished: step 8 of 8" &&
    contains out.txt "opening inflated, theta 0.6, inflation 0.25" && contains out.txt "(homogeneous)" && contains out.txt "external potential harmonic: frequency 0.25" && contains out.txt "output/extent.csv"
}

the_observer_sees_every_state() {
  # The shell has a radius of 2 and falls inwards from rest: the names of the columns, the first state and eight steps.
  ranks 2 run run.toml --quiet && holds [ "$(wc -l <output/extent.csv)" -eq 10 ] &&
    holds awk -F, 'NR == 2 && ($1 != 0 || $2 < 1.999999 || $2 > 2.000001) || NR > 2 && $2 >= last { exit 1 } { last = $2 }' output/extent.csv || return 1
  # Its log is known as one of Grove, and is set aside with the other results.
  cp output/extent.csv first.csv && ranks 2 run run.toml --quiet --overwrite --set time.end=0.25 && holds cmp first.csv output.1/extent.csv &&
    "$grove" info output/extent.csv >info.txt && contains info.txt "largest distance from the origin"
}

the_field_is_in_the_snapshot() {
  ranks 2 run run.toml --quiet && "$grove" info --all output/snapshot_0001.hdf5 >info.txt && contains info.txt "PartType1/Ages"
}

the_method_gives_forces_of_its_own() {
  # From rest at a radius of 2, a step of 1/16 with the forces of a mass of 1 at the origin, 1/4, and of the well, 1/8.
  ranks 2 run run.toml --quiet --set gravity.method=monopole --set time.end=0.0625 &&
    holds awk -F, 'NR == 3 && ($2 < 1.99925 || $2 > 1.99928) { exit 1 }' output/extent.csv
}

the_kernel_and_the_criterion_give_the_forces_of_direct_sums() {
  "$grove" check run.toml --targets 200 --max-99 0.01 >out.txt || { cat out.txt; return 1; }
}

their_parameters_have_an_effect() {
  "$grove" run run.toml --quiet && mv output first && "$grove" run run.toml --quiet && holds cmp first/energy.csv output/energy.csv || return 1
  for setting in gravity.inflation=5 gravity.softening_kernel=plummer initial_conditions.radius=1 \
    external.frequency=1; do
    "$grove" run run.toml --quiet --overwrite --set $setting || return 1
    ! cmp -s first/energy.csv output/energy.csv || { echo "$setting has no effect"; return 1; }
  done
  ! "$grove" run run.toml --quiet --set gravity.inflation=-1 2>err.txt && contains err.txt "gravity.inflation = -1"
}

config() {
  cat >run.toml <<'LINES'
[initial_conditions]
generator = "shell"
radius = 2
n = 500
recentre = false
[gravity]
method = "tree"
opening = "inflated"
inflation = 0.25
all_pairs_up_to = 0
softening = 0.1
softening_kernel = "homogeneous"
[external]
potential = "harmonic"
frequency = 0.25
[time]
end = 0.5
dt = 0.0625
integrator = "heun"
[run]
device = "cpu"
LINES
}

copy_sources || { echo "the sources cannot be copied"; exit 1; }
for test in every_addition_touches_the_files_that_its_row_names every_addition_includes_only_rooms_before_its_own all_of_them_build_at_once the_configuration_knows_their_names \
  tests_of_all_kernels_hold_for_the_added_one \
  a_run_on_two_ranks_uses_all_of_them the_observer_sees_every_state the_field_is_in_the_snapshot the_method_gives_forces_of_its_own \
  the_kernel_and_the_criterion_give_the_forces_of_direct_sums their_parameters_have_an_effect; do
  run_test "$test" || failed=1
  # Without the files or the program, the others have nothing to say.
  [ -z "${failed:-}" ] || [ -x "$grove" ] || exit 1
done
exit ${failed:-0}
