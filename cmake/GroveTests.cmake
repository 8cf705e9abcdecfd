# Declaration of tests, one line for each file, in the CMakeLists.txt of its folder:
#
#   grove_test(NAME [BACK_ENDS|DEVICES] [LEVELS] [LABELS unit|mpi|physics|gpu ...] [RANKS 1 2 3 4] [TIMEOUT seconds] [SOURCES more.cpp ...] [LINK libraries])
#
# NAME.cpp becomes the executable NAME (with tests/support/mpi_main.cpp) and the ctest entries NAME, or NAME_Pranks for each P of RANKS.
# BACK_ENDS: with CUDA, the source is also compiled by nvcc into NAME_cuda with the label gpu.
# DEVICES: a test of the simulation. With CUDA it also runs with GROVE_TEST_DEVICE=gpu: entries NAME_gpu or NAME_gpu_Pranks with the label gpu.
# LEVELS: the test runs once for each level of x86-64 that there is code for: entries NAME_LEVEL, skipped if the processor lacks the level.
# LABELS gpu: skipped without a GPU (tests/support/mpi_main.cpp), or failed if GROVE_REQUIRE_GPU=1 is set.

option(GROVE_GPU_TESTS "Build the tests that need a GPU" ON)
set(grove_has_gpu_tests FALSE)
if(GROVE_HAS_CUDA AND GROVE_GPU_TESTS)
  set(grove_has_gpu_tests TRUE)
endif()

# For Open MPI 4 and 5. Small machines have fewer cores than ranks, and containers often cannot bind.
set(GROVE_MPIRUN_FLAGS --map-by :OVERSUBSCRIBE --bind-to none CACHE STRING "Flags of mpirun in tests")

# All ranks are on this machine: Open MPI need not look for networks at each start, which takes 0.2 s.
set(grove_test_environment OMPI_MCA_pml=ob1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMP_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1 "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0")

function(grove_add_entry entry target ranks)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "TIMEOUT" "LABELS;ARGUMENTS;ENVIRONMENT")
  if(ranks)
    set(command "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${GROVE_MPIRUN_FLAGS} "$<TARGET_FILE:${target}>" ${arg_ARGUMENTS})
    set(processors ${ranks})
  else()
    set(command "$<TARGET_FILE:${target}>" ${arg_ARGUMENTS})
    set(processors 1)
  endif()
  add_test(NAME ${entry} COMMAND ${command})
  set_tests_properties(${entry} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${processors}
    SKIP_RETURN_CODE 77 SKIP_REGULAR_EXPRESSION "All of this test is skipped\\." ENVIRONMENT "${grove_test_environment};${arg_ENVIRONMENT}")
  if("gpu" IN_LIST arg_LABELS)
    # One at a time: some tests measure or fill the memory of the GPU.
    set_tests_properties(${entry} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

# The main function of the tests, compiled once for all tests and once for those that need a GPU.
foreach(main IN ITEMS grove_test_main grove_test_main_gpu)
  add_library(${main} STATIC "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp")
  target_link_libraries(${main} PUBLIC grove_app GTest::gtest)
  target_compile_definitions(${main} PUBLIC $<$<BOOL:${GROVE_HAS_CUDA}>:GROVE_TEST_HAS_CUDA>)
endforeach()
target_compile_definitions(grove_test_main_gpu PUBLIC GROVE_TEST_NEEDS_GPU)

# The headers of all tests are precompiled once, for an executable that does nothing else.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers.cpp" CONTENT "int main() { return 0; }\n" @ONLY)
add_executable(grove_test_headers "${PROJECT_BINARY_DIR}/test_headers.cpp")
target_link_libraries(grove_test_headers PRIVATE grove_common GTest::gtest)
target_compile_options(grove_test_headers PRIVATE "${grove_quick_to_compile}")
grove_precompile(grove_test_headers <gtest/gtest.h>)

# The entries of a target: one for each number of ranks, or a single one without mpirun.
function(grove_add_entries entry target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;RANKS;ENVIRONMENT")
  set(common LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
  if(NOT arg_RANKS)
    grove_add_entry(${entry} ${target} 0 ${common})
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    grove_add_entry(${entry}_${ranks}ranks ${target} ${ranks} ${common})
  endforeach()
endfunction()

function(grove_add_test_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LEVELS" "" "SOURCES;LABELS;RANKS;TIMEOUT;LINK")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set(main grove_test_main)
  if("gpu" IN_LIST arg_LABELS)
    set(main grove_test_main_gpu)
  elseif("mpi" IN_LIST arg_LABELS)
    # For tests/jobscripts/nodes_test.sh: what messages are made of.
    foreach(ranks IN ITEMS 2 4)
      if(ranks IN_LIST arg_RANKS AND CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/decomposition/")
        set_property(GLOBAL APPEND PROPERTY grove_tests_of_messages ${ranks}:${name})
      endif()
    endforeach()
  endif()
  target_link_libraries(${name} PRIVATE ${main} ${arg_LINK})
  target_compile_options(${name} PRIVATE "${grove_quick_to_compile}")
  grove_precompiled_as(${name} grove_test_headers)
  target_compile_definitions(${name} PRIVATE "GROVE_TEST_DATA=\"${GROVE_TEST_DATA}\"")
  set(common LABELS ${arg_LABELS} RANKS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT})
  if(NOT arg_LEVELS OR NOT GROVE_CPU_LEVELS)
    grove_add_entries(${name} ${name} ${common})
    return()
  endif()
  foreach(level IN LISTS GROVE_CPU_LEVELS)
    grove_add_entries(${name}_${level} ${name} ${common} ENVIRONMENT GROVE_CPU_LEVEL=${level})
  endforeach()
endfunction()

function(grove_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BACK_ENDS;DEVICES;LEVELS" "TIMEOUT" "LABELS;RANKS;SOURCES;LINK")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(common RANKS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT} LINK ${arg_LINK})
  set(levels "")
  if(arg_LEVELS)
    set(levels LEVELS)
  endif()
  grove_add_test_executable(${name} ${levels} SOURCES ${name}.cpp ${arg_SOURCES} LABELS ${arg_LABELS} ${common})
  if(arg_BACK_ENDS AND grove_has_gpu_tests)
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    grove_cuda_wrapper(wrapper "${folder}/${name}" "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp")
    grove_add_test_executable(${name}_cuda SOURCES ${wrapper} ${arg_SOURCES} LABELS ${arg_LABELS} gpu ${common})
  endif()
  if(arg_DEVICES AND grove_has_gpu_tests)
    grove_add_entries(${name}_gpu ${name} LABELS ${arg_LABELS} gpu RANKS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT GROVE_TEST_DEVICE=gpu)
  endif()
endfunction()
