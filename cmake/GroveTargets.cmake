# The targets, and how their source files are declared.
#
#   grove_objects  kernels/, decomposition/ and the rooms of src/ up to simulation/, for both back ends
#   libgrove       these and the levels of the CPU: the library (libgrove.a)
#   grove_io       io/: readers and writers of files
#   grove_app      the other rooms of src/: the program without its main. grove_app_front are those of them whose time is not in loops
#   grove_c        the C interface to all of these, a shared library that shows nothing else
#   grove          the program
#
# The CMakeLists.txt of each room lists its files by the way they are compiled; they belong to the target that grove_target names:
#
#   grove_sources([HOST files] [BACK_ENDS files] [LEVELS files] [CPU files] [CPU_LEVELS files] [CUDA files])
#
# HOST: code without a back end. BACK_ENDS: compiled by the C++ compiler for the CPU and, where CUDA is built, by nvcc for the GPU.
# LEVELS, CPU_LEVELS: like BACK_ENDS and CPU, but compiled for the CPU once for each level of x86-64. kernels/walks/level_kernels.hpp has
# their functions.

# A .cu file that includes the sources (absolute, below the repository's root), so that nvcc compiles the same code. `name` is its place below
# cuda/ in the build, without .cu.
function(grove_cuda_wrapper result name)
  set(wrapper "${PROJECT_BINARY_DIR}/cuda/${name}.cu")
  set(includes "")
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
    string(APPEND includes "#include \"${source}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${wrapper}" CONTENT "${includes}" @ONLY)
  set(${result} "${wrapper}" PARENT_SCOPE)
endfunction()

# Those for the sources of a folder: one, or with GROVE_UNITY_BUILD one for all.
function(grove_cuda_wrappers result folder)
  set(wrappers "")
  if(GROVE_UNITY_BUILD AND ARGN)
    grove_cuda_wrapper(wrappers "${folder}" ${ARGN})
  else()
    foreach(source IN LISTS ARGN)
      cmake_path(GET source STEM name)
      grove_cuda_wrapper(wrapper "${folder}/${name}" "${source}")
      list(APPEND wrappers "${wrapper}")
    endforeach()
  endif()
  set(${result} "${wrappers}" PARENT_SCOPE)
endfunction()

function(grove_sources)
  set(kinds HOST BACK_ENDS LEVELS CPU CPU_LEVELS CUDA)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "${kinds}")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "grove_sources: ${arg_UNPARSED_ARGUMENTS} stand behind no keyword")
  endif()
  foreach(kind IN LISTS kinds)
    list(TRANSFORM arg_${kind} PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  endforeach()
  target_sources(${grove_target} PRIVATE ${arg_HOST} ${arg_BACK_ENDS} ${arg_CPU})
  # GROVE_UNITY_BUILD compiles the files of a folder together, but inner loops and .cu files, which take long enough each.
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REPLACE "/" "_" group "${folder}")
  set_source_files_properties(${arg_HOST} ${arg_BACK_ENDS} ${arg_CPU} TARGET_DIRECTORY ${grove_target} PROPERTIES UNITY_GROUP "${group}")
  foreach(level IN LISTS GROVE_CPU_LEVELS)
    target_sources(grove_cpu_${level} PRIVATE ${arg_LEVELS} ${arg_CPU_LEVELS})
  endforeach()
  if(NOT GROVE_CPU_LEVELS)
    target_sources(${grove_target} PRIVATE ${arg_LEVELS} ${arg_CPU_LEVELS})
  endif()
  if(GROVE_HAS_CUDA)
    grove_cuda_wrappers(wrappers "${folder}" ${arg_BACK_ENDS} ${arg_LEVELS})
    target_sources(${grove_target} PRIVATE ${wrappers} ${arg_CUDA})
  endif()
endfunction()

function(grove_library name)
  add_library(${name} STATIC)
  target_link_libraries(${name} PUBLIC ${ARGN})
endfunction()

# Apart from libgrove so that nothing waits for the levels, which are joined before libgrove is made.
add_library(grove_objects OBJECT)
target_link_libraries(grove_objects PRIVATE grove_common)
target_compile_definitions(grove_objects PRIVATE $<$<BOOL:${GROVE_CPU_LEVELS}>:GROVE_CPU_HAS_LEVELS>)
if(GROVE_HAS_CUDA)
  target_link_libraries(grove_objects PRIVATE CUDA::cudart_static)
endif()

# What a program needs that links libgrove; grove_common has the flags that Grove itself is compiled with. Headers include each other by their
# places in the repository, and users include <grove/grove.hpp>.
add_library(libgrove STATIC $<TARGET_OBJECTS:grove_objects>)
add_library(Grove::libgrove ALIAS libgrove)
set_target_properties(libgrove PROPERTIES OUTPUT_NAME grove)
target_compile_features(libgrove PUBLIC cxx_std_20)
target_include_directories(libgrove PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR};${GROVE_INSTALL_HEADERS}>")
target_link_libraries(libgrove PUBLIC "$<BUILD_INTERFACE:grove_common>" grove_mpi fmt::fmt OpenMP::OpenMP_CXX Threads::Threads)
if(GROVE_HAS_CUDA)
  target_link_libraries(libgrove PUBLIC CUDA::cudart_static)
endif()
grove_add_levels(libgrove)

# The same as a shared library.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/libgrove_shared.cpp" CONTENT "// All of libgrove_shared comes from libgrove.\n" @ONLY)
add_library(libgrove_shared SHARED "${PROJECT_BINARY_DIR}/libgrove_shared.cpp")
add_library(Grove::libgrove_shared ALIAS libgrove_shared)
set_target_properties(libgrove_shared PROPERTIES OUTPUT_NAME grove VERSION "${PROJECT_VERSION}"
  SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
target_link_libraries(libgrove_shared PRIVATE "$<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,libgrove>>"
  PUBLIC grove_mpi fmt::fmt OpenMP::OpenMP_CXX Threads::Threads)
target_compile_features(libgrove_shared PUBLIC cxx_std_20)
target_include_directories(libgrove_shared PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR};${GROVE_INSTALL_HEADERS}>")

grove_library(grove_io libgrove grove_hdf5 ZLIB::ZLIB)
set(app_libraries grove_io libgrove grove_tomlplusplus grove_nlohmann_json PNG::PNG Freetype::Freetype grove_CLI11
  grove_Random123 grove_boost_math grove_version_header)
add_library(grove_app_front OBJECT)
target_link_libraries(grove_app_front PRIVATE ${app_libraries})
target_compile_options(grove_app_front PRIVATE "${grove_quick_to_compile}")
grove_library(grove_app ${app_libraries})
target_sources(grove_app PRIVATE $<TARGET_OBJECTS:grove_app_front>)

add_library(grove_c SHARED src/session/c_interface.cpp)
target_compile_options(grove_c PRIVATE "${grove_quick_to_compile}")
add_library(Grove::grove_c ALIAS grove_c)
set_target_properties(grove_c PROPERTIES VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
target_link_libraries(grove_c PRIVATE grove_app)
target_link_options(grove_c PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/src/session/grove_c.map")
target_include_directories(grove_c INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/session>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
