# Inner loops of the CPU for several levels of x86-64 in one program (kernels/space/cpu_level.hpp). Sets GROVE_CPU_LEVELS: the levels, or
# nothing if all code is compiled for one kind of processor.
#
# The objects of a level are joined into one, in which all symbols except that of its table are made local. Otherwise the linker would keep one
# copy of functions that exist in every level, such as templates of the C++ library, and older processors would fail on its instructions.
# tests/structure/levels_test.sh checks the result.

function(grove_find_levels result)
  set(${result} "" PARENT_SCOPE)
  # The sanitizers report functions and variables that exist twice.
  if(NOT GROVE_CPU_ARCH STREQUAL "DEFAULT" OR GROVE_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_OBJCOPY)
    return()
  endif()
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=x86-64-v4 GROVE_COMPILER_KNOWS_X86_64_V4)
  execute_process(COMMAND "${CMAKE_LINKER}" --help OUTPUT_VARIABLE linker_options ERROR_QUIET)
  if(GROVE_COMPILER_KNOWS_X86_64_V4 AND linker_options MATCHES "--force-group-allocation")
    set(${result} x86-64 x86-64-v3 x86-64-v4 PARENT_SCOPE)
  endif()
endfunction()
grove_find_levels(GROVE_CPU_LEVELS)

# Adds one object file for each level to `library`. grove_sources() adds the sources of a level to the object library grove_cpu_LEVEL.
function(grove_add_levels library)
  foreach(level IN LISTS GROVE_CPU_LEVELS)
    string(REPLACE "-" "_" name "${level}")
    set(table "level_kernels_${name}")
    set(objects "grove_cpu_${level}")
    add_library(${objects} OBJECT "${PROJECT_SOURCE_DIR}/kernels/walks/level_table.cpp")
    target_link_libraries(${objects} PRIVATE grove_common)
    target_compile_options(${objects} PRIVATE "-march=${level}" -fno-lto)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Without optimisation inline variables would be unique symbols, which objcopy leaves visible.
      target_compile_options(${objects} PRIVATE -fno-gnu-unique)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND level STREQUAL "x86-64-v4")
      # GCC 12 warns about its own AVX-512 functions (GCC bug 105593).
      target_compile_options(${objects} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(${objects} PRIVATE "GROVE_CPU_LEVEL_TABLE=${table}")
    set(joined "${PROJECT_BINARY_DIR}/levels/${level}_joined.o")
    set(local "${PROJECT_BINARY_DIR}/levels/${level}.o")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/levels")
    # The linker keeps one copy of each section group: groups become ordinary sections.
    add_custom_command(OUTPUT "${local}"
      COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${joined}" "$<TARGET_OBJECTS:${objects}>"
      COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=_ZN5grove*${table}E" "${joined}" "${local}"
      DEPENDS "$<TARGET_OBJECTS:${objects}>" ${objects}
      COMMENT "Joining the code for ${level}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties("${local}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${library} PRIVATE "${local}")
  endforeach()
  if(GROVE_CPU_LEVELS)
    target_sources(grove_objects PRIVATE "${PROJECT_SOURCE_DIR}/kernels/walks/level_kernels.cpp")
  endif()
endfunction()
