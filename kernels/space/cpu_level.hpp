// Levels of x86-64: the inner loops of the CPU are compiled for several levels in one program, of which a process uses one.
//
// A level is a set of instructions (x86-64 psABI). A build for one kind of processor (GROVE_CPU_ARCH) has no levels.
#pragma once

#include <string>
#include <vector>

namespace grove {

enum class CpuLevel {
  x86_64,     ///< every processor: SSE2, vectors of 4 floats
  x86_64_v3,  ///< AVX2 and FMA, vectors of 8 floats
  x86_64_v4   ///< AVX-512, vectors of 16 floats
};

/// The name of a level in compilers.
const char* name_of(CpuLevel level);

/// The levels of this program that this processor supports, lowest first. Empty in a build without levels.
std::vector<CpuLevel> usable_cpu_levels();

/// The level of this name. Throws ConfigError, with the environment variable GROVE_CPU_LEVEL, when it is not in `usable`.
CpuLevel cpu_level_named(const std::string& name, const std::vector<CpuLevel>& usable);

/// Checks the environment variable GROVE_CPU_LEVEL. Throws ConfigError for a level that this processor or program lacks.
void require_usable_cpu_level();

/// The level in use, constant in a process: the one in GROVE_CPU_LEVEL, or the highest that this processor supports. Only for builds with
/// levels. Throws ConfigError like require_usable_cpu_level().
CpuLevel cpu_level();

/// The name of the level in use. Empty in a build without levels.
std::string cpu_level_text();

}  // namespace grove
