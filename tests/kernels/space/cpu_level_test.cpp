// Which level of x86-64 is chosen, and what is said of a wrong one.
#include "kernels/space/cpu_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/space/space_cpu.hpp"

namespace grove {

namespace {

const std::vector<CpuLevel> all{CpuLevel::x86_64, CpuLevel::x86_64_v3, CpuLevel::x86_64_v4};

std::string mistake_of(const std::string& name, const std::vector<CpuLevel>& usable) {
  try {
    cpu_level_named(name, usable);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(CpuLevel, EachHasItsName) {
  for (const CpuLevel level : all) EXPECT_EQ(cpu_level_named(name_of(level), all), level);
}

TEST(CpuLevel, AWrongNameIsAnErrorThatSaysWhatIsAllowed) {
  EXPECT_EQ(mistake_of("avx2", all), "GROVE_CPU_LEVEL = \"avx2\": allowed on this processor are x86-64, x86-64-v3, x86-64-v4");
  EXPECT_EQ(mistake_of("", {CpuLevel::x86_64}), "GROVE_CPU_LEVEL = \"\": allowed on this processor are x86-64");
}

TEST(CpuLevel, OneThatTheProcessorLacksIsAnErrorThatSaysWhatItHas) {
  EXPECT_EQ(mistake_of("x86-64-v4", {CpuLevel::x86_64, CpuLevel::x86_64_v3}),
            "GROVE_CPU_LEVEL = \"x86-64-v4\": this processor lacks the instructions; it has x86-64, x86-64-v3");
}

TEST(CpuLevel, ABuildWithoutLevelsSaysSo) { EXPECT_NE(mistake_of("x86-64", {}).find("one kind of processor"), std::string::npos); }

TEST(CpuLevel, TheHighestUsableOneIsChosenAndNamedWithTheDevice) {
  const std::vector<CpuLevel> usable = usable_cpu_levels();
  if (usable.empty()) GTEST_SKIP() << "a build without levels";
  EXPECT_TRUE(std::is_sorted(usable.begin(), usable.end()));
  EXPECT_EQ(usable.front(), CpuLevel::x86_64);
  const char* const chosen = std::getenv("GROVE_CPU_LEVEL");
  EXPECT_EQ(cpu_level(), chosen ? cpu_level_named(chosen, usable) : usable.back());
  const std::string device = HostSpace().description(), name = name_of(cpu_level());
  EXPECT_EQ(device.substr(device.size() - name.size()), name) << device;
}

}  // namespace

}  // namespace grove
