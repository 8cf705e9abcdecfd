# Text files that are compiled into the program.
#
#   grove_embed(NAME file)
#
# adds a source to grove_app that defines `extern const std::string_view NAME` in namespace grove: the text of the file. A header of the same
# folder declares it. The file must not contain the characters )grove_text".

function(grove_embed name file)
  set(file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${file}.cpp")
  set(source "${PROJECT_BINARY_DIR}/embedded/${source}")
  file(CONFIGURE OUTPUT "${source}"
    CONTENT "#include <string_view>\nnamespace grove {\nextern const std::string_view @name@;\nconst std::string_view @name@ = R\"grove_text(@text@)grove_text\";\n}  // namespace grove\n"
    @ONLY)
  target_sources(grove_app PRIVATE "${source}")
endfunction()
