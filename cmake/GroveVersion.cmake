# grove_version.hpp, rewritten at build time if the commit or the state of the working tree has changed.

find_package(Git QUIET)
set(version_directory "${CMAKE_BINARY_DIR}/generated")
set(compiler_text "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(GROVE_HAS_CUDA)
  string(APPEND compiler_text ", nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
add_custom_target(grove_version
  COMMAND "${CMAKE_COMMAND}" "-DGIT=${GIT_EXECUTABLE}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DOUTPUT=${version_directory}/grove_version.hpp"
    "-DVERSION=${PROJECT_VERSION}" "-DCOMPILER=${compiler_text}" "-DBUILD_TYPE=$<CONFIG>" -P "${CMAKE_SOURCE_DIR}/cmake/grove_version.cmake"
  BYPRODUCTS "${version_directory}/grove_version.hpp"
  COMMENT "Version and git commit"
  VERBATIM)
add_library(grove_version_header INTERFACE)
target_include_directories(grove_version_header INTERFACE "${version_directory}")
add_dependencies(grove_version_header grove_version)
