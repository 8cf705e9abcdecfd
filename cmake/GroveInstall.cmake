# cmake --install: the program, the library with its headers, the job scripts, a CMake package, and
# files for pkg-config and environment modules.
#
# A program that uses the library:
#
#   find_package(Grove REQUIRED)
#   target_link_libraries(my_program PRIVATE Grove::libgrove)          # or Grove::libgrove_shared
#
# and #include <grove/grove.hpp>; from C, Grove::grove_c and #include <grove.h>.
install(TARGETS grove RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS libgrove libgrove_shared grove_c grove_mpi EXPORT GroveTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT GroveTargets NAMESPACE Grove:: DESTINATION "${GROVE_INSTALL_PACKAGE}")

# Headers include each other by their places in the repository.
foreach(room IN ITEMS kernels decomposition src/solver src/external src/integrators src/simulation)
  install(DIRECTORY "${room}/" DESTINATION "${GROVE_INSTALL_HEADERS}/${room}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
endforeach()
if(NOT GROVE_MPI)
  install(FILES decomposition/alone/mpi.h DESTINATION "${GROVE_INSTALL_HEADERS}/decomposition/alone")
endif()
install(FILES src/grove.hpp DESTINATION "${GROVE_INSTALL_HEADERS}")
install(FILES src/session/grove.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# Finds the library by its own place.
install(DIRECTORY python/grove DESTINATION "${CMAKE_INSTALL_DATADIR}/grove/python" FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
# pip install . (pyproject.toml): the library beside the package.
install(FILES "$<TARGET_FILE:grove_c>" DESTINATION grove RENAME libgrove_c.so COMPONENT python EXCLUDE_FROM_ALL)

# setup.sh, quickstart.sh and scaling.sh build Grove in its repository.
install(PROGRAMS jobscripts/cpu.sbatch jobscripts/gpu_node.sbatch jobscripts/multi_node.sbatch jobscripts/chain.sh jobscripts/job.sh
  DESTINATION "${CMAKE_INSTALL_DATADIR}/grove/jobscripts")
install(FILES jobscripts/andromeda.toml jobscripts/collision.toml DESTINATION "${CMAKE_INSTALL_DATADIR}/grove/jobscripts")

include(CMakePackageConfigHelpers)
set(GROVE_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
configure_package_config_file(cmake/GroveConfig.cmake.in "${GROVE_PACKAGE_DIRECTORY}/GroveConfig.cmake" INSTALL_DESTINATION "${GROVE_INSTALL_PACKAGE}")
write_basic_package_version_file("${GROVE_PACKAGE_DIRECTORY}/GroveConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${GROVE_PACKAGE_DIRECTORY}/GroveConfig.cmake" "${GROVE_PACKAGE_DIRECTORY}/GroveConfigVersion.cmake"
  DESTINATION "${GROVE_INSTALL_PACKAGE}")

# pkg-config and environment modules: both find the installation by their own place.
set(GROVE_MODULES "${CMAKE_INSTALL_DATADIR}/modulefiles")
file(RELATIVE_PATH GROVE_PREFIX_FROM_PKGCONFIG "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
file(RELATIVE_PATH GROVE_PREFIX_FROM_MODULE "/prefix/${GROVE_MODULES}/grove" "/prefix")
configure_file(cmake/grove_c.pc.in "${GROVE_PACKAGE_DIRECTORY}/grove_c.pc" @ONLY)
configure_file(cmake/modulefile.in "${GROVE_PACKAGE_DIRECTORY}/${PROJECT_VERSION}" @ONLY)
install(FILES "${GROVE_PACKAGE_DIRECTORY}/grove_c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${GROVE_PACKAGE_DIRECTORY}/${PROJECT_VERSION}" DESTINATION "${GROVE_MODULES}/grove")
