# Runs at every build (cmake -P): writes the header OUTPUT with version and commit, if it changes.
# Input: GIT (may be empty), SOURCE (repository), OUTPUT (header), VERSION, COMPILER, BUILD_TYPE.
set(commit "unknown")
set(date "")
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE head RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit "${head}")
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" log -1 --no-show-signature --format=%cI OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()

set(header "// Generated at build time.
#pragma once

namespace grove::build_info {

inline constexpr const char* version = \"${VERSION}\";
inline constexpr const char* git_commit = \"${commit}\";  // \"unknown\" outside a git clone
inline constexpr const char* git_date = \"${date}\";  // of that commit, as 2026-01-31T12:00:00+00:00; empty outside a git clone
inline constexpr const char* compiler = \"${COMPILER}\";
inline constexpr const char* build_type = \"${BUILD_TYPE}\";

}  // namespace grove::build_info
")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${header}" @ONLY)
