# Precompiled headers: most files take longer to parse those of the C++ library, fmt, MPI and GoogleTest than for all else. Each file still
# includes what it uses: a build with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows what is missing. nvcc has none.

# With precompiled headers GCC 12 warns about its own std::string once more (GCC bug 105651).
function(grove_warnings_of_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
  endif()
endfunction()

# grove_precompile(TARGET [further headers])
function(grove_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map> <memory>
    <optional> <span> <string> <utility> <vector> <fmt/format.h> <fmt/ranges.h> <mpi.h> ${ARGN})
  grove_warnings_of_precompiled(${target})
endfunction()

# The same headers as those of another target.
function(grove_precompiled_as target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  grove_warnings_of_precompiled(${target})
endfunction()

foreach(target IN ITEMS grove_objects grove_io grove_app grove_app_front)
  grove_precompile(${target})
endforeach()

# What precompiled headers leave to parse, the files of a folder share, too.
option(GROVE_UNITY_BUILD "Compile the files of a folder together: for a build that begins from nothing" OFF)
if(GROVE_UNITY_BUILD)
  foreach(target IN ITEMS grove_objects grove_io grove_app grove_app_front)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC takes the unnamed namespaces of a file that is included for those of a header.
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>")
    endif()
  endforeach()
endif()
