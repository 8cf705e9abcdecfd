# Flags common to all targets: the interface library grove_common.

# With levels, all other code is for every x86-64 processor. Without levels the default is x86-64-v3 (AVX2, FMA), which processors since 2013
# (Intel) and 2015 (AMD) support, and no -march on older ones.
function(grove_cpu_arch result)
  set(${result} "${GROVE_CPU_ARCH}" PARENT_SCOPE)
  if(NOT GROVE_CPU_ARCH STREQUAL "DEFAULT")
    return()
  endif()
  set(${result} "" PARENT_SCOPE)
  if(GROVE_CPU_LEVELS)
    return()
  endif()
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=x86-64-v3 GROVE_COMPILER_KNOWS_X86_64_V3)
  set(processor "avx2 fma")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo processor REGEX "^flags" LIMIT_COUNT 1)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND GROVE_COMPILER_KNOWS_X86_64_V3 AND processor MATCHES "avx2" AND processor MATCHES "fma")
    set(${result} x86-64-v3 PARENT_SCOPE)
  endif()
endfunction()
grove_cpu_arch(cpu_arch)

# Without semantic interposition, position-independent functions are inlined like all others.
set(host_flags -fno-semantic-interposition -fno-math-errno -fno-trapping-math -ffp-contract=fast -fopenmp -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns about its own std::string (GCC bug 105651).
  list(APPEND host_flags -Wno-restrict)
endif()
if(cpu_arch)
  list(APPEND host_flags "-march=${cpu_arch}")
endif()
if(GROVE_WERROR)
  list(APPEND host_flags -Werror)
endif()
set(sanitizer_flags -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With sanitizers GCC takes members of its own std::regex for uninitialized.
  list(APPEND sanitizer_flags -Wno-maybe-uninitialized)
endif()
if(GROVE_SANITIZE)
  list(APPEND host_flags ${sanitizer_flags})
endif()
list(JOIN host_flags "," cuda_host_flags)

# For code that does not compute, such as tests, which wait for the library: it is compiled in two thirds of the time. A file takes the
# optimisation of its precompiled header.
set(grove_quick_to_compile "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")

add_library(grove_common INTERFACE)
target_include_directories(grove_common INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(grove_common INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${host_flags}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-lineinfo;-Xcompiler=${cuda_host_flags}>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GROVE_WERROR}>>:-Werror=all-warnings>")
target_link_libraries(grove_common INTERFACE grove_mpi OpenMP::OpenMP_CXX Threads::Threads fmt::fmt)
if(GROVE_SANITIZE)
  target_link_options(grove_common INTERFACE -fsanitize=address,undefined)
endif()
