#include "kernels/space/cpu_level.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

constexpr const char* variable = "GROVE_CPU_LEVEL";

std::string names_of(const std::vector<CpuLevel>& levels) {
  std::string names;
  for (const CpuLevel level : levels) names += (names.empty() ? "" : ", ") + std::string(name_of(level));
  return names;
}

CpuLevel chosen_level() {
  const std::vector<CpuLevel> usable = usable_cpu_levels();
  const char* const name = std::getenv(variable);
  return name ? cpu_level_named(name, usable) : usable.back();
}

}  // namespace

const char* name_of(CpuLevel level) {
  switch (level) {
    case CpuLevel::x86_64:
      return "x86-64";
    case CpuLevel::x86_64_v3:
      return "x86-64-v3";
    case CpuLevel::x86_64_v4:
      return "x86-64-v4";
  }
  return "";
}

std::vector<CpuLevel> usable_cpu_levels() {
  std::vector<CpuLevel> levels;
#if defined(GROVE_CPU_HAS_LEVELS)
  levels.push_back(CpuLevel::x86_64);
  // The latest instructions of each level. The operating system must support their registers as well.
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (v3) levels.push_back(CpuLevel::x86_64_v3);
  if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    levels.push_back(CpuLevel::x86_64_v4);
#endif
  return levels;
}

CpuLevel cpu_level_named(const std::string& name, const std::vector<CpuLevel>& usable) {
  const auto found = std::find_if(usable.begin(), usable.end(), [&](CpuLevel level) { return name == name_of(level); });
  if (found != usable.end()) return *found;
  const std::string given = std::string(variable) + " = \"" + name + "\": ";
  if (usable.empty()) throw ConfigError(given + "this Grove has code for one kind of processor alone (GROVE_CPU_ARCH of the build)");
  const bool is_known = name == name_of(CpuLevel::x86_64_v3) || name == name_of(CpuLevel::x86_64_v4);
  throw ConfigError(given + (is_known ? "this processor lacks the instructions; it has " : "allowed on this processor are ") +
                    names_of(usable));
}

void require_usable_cpu_level() {
  if (const char* const name = std::getenv(variable)) cpu_level_named(name, usable_cpu_levels());
}

CpuLevel cpu_level() {
  static const CpuLevel level = chosen_level();
  return level;
}

std::string cpu_level_text() { return usable_cpu_levels().empty() ? "" : name_of(cpu_level()); }

}  // namespace grove
