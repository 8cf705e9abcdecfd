# The libraries of Grove and how their source files are declared.
#
#   grove_base   host code without a back end: errors, the communicator, all that does not use particles on the device
#   grove_io     readers and writers of files
#   grove_cpu    kernels and decomposition, compiled for the CPU
#   grove_cuda   the same code compiled by nvcc; only with CUDA
#   grove_app    the program without its main, for all back ends
#
# The CMakeLists.txt of each folder lists its files by the way they are compiled:
#
#   grove_sources([BASE files] [IO files] [BACK_ENDS files] [LEVELS files] [CPU files] [CPU_LEVELS files] [CUDA files] [APP files])
#
# BACK_ENDS: compiled by both compilers. These, CPU and CUDA files go to the libraries GROVE_CPU_LIBRARY and GROVE_CUDA_LIBRARY.
# LEVELS, CPU_LEVELS: like BACK_ENDS and CPU, but compiled for the CPU once for each level of x86-64; kernels/walks/level_kernels.hpp
# declares their functions.

function(grove_library name)
  add_library(${name} STATIC)
  target_link_libraries(${name} PUBLIC grove_common ${ARGN})
endfunction()

# For each source (absolute path in the repository) a .cu file that includes it, so that nvcc compiles the same code.
function(grove_cuda_wrappers result)
  set(wrappers "")
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
    string(REGEX REPLACE "\\.cpp$" ".cu" wrapper "${PROJECT_BINARY_DIR}/cuda/${source}")
    file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"${source}\"\n" @ONLY)
    list(APPEND wrappers "${wrapper}")
  endforeach()
  set(${result} "${wrappers}" PARENT_SCOPE)
endfunction()

function(grove_sources)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "BASE;IO;BACK_ENDS;LEVELS;CPU;CPU_LEVELS;CUDA;APP")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "grove_sources: ${arg_UNPARSED_ARGUMENTS} stand behind no keyword")
  endif()
  foreach(kind IN ITEMS BASE IO BACK_ENDS LEVELS CPU CPU_LEVELS CUDA APP)
    list(TRANSFORM arg_${kind} PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  endforeach()
  target_sources(grove_base PRIVATE ${arg_BASE})
  target_sources(grove_io PRIVATE ${arg_IO})
  target_sources(${GROVE_CPU_LIBRARY} PRIVATE ${arg_BACK_ENDS} ${arg_CPU})
  target_sources(grove_app PRIVATE ${arg_APP})
  foreach(level IN LISTS GROVE_CPU_LEVELS)
    target_sources(grove_cpu_${level} PRIVATE ${arg_LEVELS} ${arg_CPU_LEVELS})
  endforeach()
  if(NOT GROVE_CPU_LEVELS)
    target_sources(grove_cpu PRIVATE ${arg_LEVELS} ${arg_CPU_LEVELS})
  endif()
  if(GROVE_HAS_CUDA)
    grove_cuda_wrappers(wrappers ${arg_BACK_ENDS} ${arg_LEVELS})
    # Source properties of the wrappers belong to the folder that made them.
    target_sources(${GROVE_CUDA_LIBRARY} PRIVATE ${wrappers} ${arg_CUDA})
  endif()
endfunction()

set(GROVE_CPU_LIBRARY grove_cpu)
set(GROVE_CUDA_LIBRARY grove_cuda)
grove_library(grove_base)
target_compile_definitions(grove_base PRIVATE $<$<BOOL:${GROVE_CPU_LEVELS}>:GROVE_CPU_HAS_LEVELS>)
grove_library(grove_io grove_base grove_hdf5 ZLIB::ZLIB)
grove_library(grove_cpu grove_base)
grove_add_levels(grove_cpu)
set(grove_back_ends grove_cpu)
if(GROVE_HAS_CUDA)
  grove_library(grove_cuda grove_base CUDA::cudart_static)
  list(PREPEND grove_back_ends grove_cuda)
endif()
grove_library(grove_app ${grove_back_ends} grove_io grove_base grove_tomlplusplus grove_nlohmann_json PNG::PNG grove_CLI11 grove_version_header)
