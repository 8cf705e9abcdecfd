# Target `lint`: clang-tidy with the rules in .clang-tidy over all sources of the C++ compiler except tests, and clang-format, which reports
# what it would change. Only if both are installed.
find_program(GROVE_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14 run-clang-tidy-15 run-clang-tidy-16 run-clang-tidy-18)
find_program(GROVE_CLANG_FORMAT NAMES clang-format)
mark_as_advanced(GROVE_RUN_CLANG_TIDY GROVE_CLANG_FORMAT)
if(GROVE_RUN_CLANG_TIDY AND GROVE_CLANG_FORMAT)
  file(GLOB_RECURSE lint_files CONFIGURE_DEPENDS kernels/*.[ch]pp kernels/*.cu kernels/*.cuh
    decomposition/*.[ch]pp io/*.[ch]pp src/*.[ch]pp src/*.h tests/*.[ch]pp tests/*.c)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/lint")
  # clang does not know one of the flags of g++.
  add_custom_target(lint
    COMMAND "${GROVE_CLANG_FORMAT}" --dry-run --Werror ${lint_files}
    COMMAND sh -c "sed 's/ -fno-gnu-unique//' compile_commands.json > lint/compile_commands.json"
    COMMAND "${GROVE_RUN_CLANG_TIDY}" -quiet -p lint "${PROJECT_SOURCE_DIR}/(kernels|decomposition|io|src)/.*\\.cpp$"
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}"
    COMMENT "clang-format and clang-tidy"
    VERBATIM)
endif()
