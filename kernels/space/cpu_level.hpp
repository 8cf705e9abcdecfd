// The levels of x86-64 that the inner loops of the CPU are compiled for, in one program, and the one that this process uses.
//
// A level is a set of instructions that processors have in common (x86-64 psABI). A build for one kind of processor has no levels: there,
// GROVE_CPU_ARCH says what all code is compiled for.
#pragma once

#include <string>
#include <vector>

namespace grove {

enum class CpuLevel {
  x86_64,     ///< every processor: SSE2, vectors of 4 floats
  x86_64_v3,  ///< AVX2 and FMA, vectors of 8 floats
  x86_64_v4   ///< AVX-512, vectors of 16 floats
};

/// The name of a level, as compilers know it.
const char* name_of(CpuLevel level);

/// The levels in this program that this processor has, lowest first. Empty in a build without levels.
std::vector<CpuLevel> usable_cpu_levels();

/// The level of that name. Throws ConfigError, which names the environment variable GROVE_CPU_LEVEL, when it is not one of `usable`.
CpuLevel cpu_level_named(const std::string& name, const std::vector<CpuLevel>& usable);

/// Checks the environment variable GROVE_CPU_LEVEL. Throws ConfigError when it names a level that this processor or program lacks.
void require_usable_cpu_level();

/// The level in use: the highest that this processor has, or the one that GROVE_CPU_LEVEL names. The same throughout a process. Only in
/// builds with levels. Throws ConfigError like require_usable_cpu_level().
CpuLevel cpu_level();

/// The name of the level in use, for users. Empty in a build without levels.
std::string cpu_level_text();

}  // namespace grove
