# Files that are compiled into the program.
#
#   grove_embed(NAME file)
#
# adds a source to grove_app that defines `extern const std::string_view NAME` in namespace grove: the bytes of the file, which the assembler
# reads. A header of the same folder declares it. It can be used when main() has begun.

function(grove_embed name file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set(source "${PROJECT_BINARY_DIR}/embedded/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include <string_view>
asm(R"(
  .pushsection .rodata
  .globl grove_@name@_begin, grove_@name@_end
  .hidden grove_@name@_begin, grove_@name@_end
grove_@name@_begin:
  .incbin "@file@"
grove_@name@_end:
  .popsection
)");
extern "C" const char grove_@name@_begin[], grove_@name@_end[];
namespace grove {
extern const std::string_view @name@;
const std::string_view @name@{grove_@name@_begin, static_cast<std::size_t>(grove_@name@_end - grove_@name@_begin)};
}  // namespace grove
]])
  target_sources(grove_app PRIVATE "${source}")
  set_source_files_properties("${source}" TARGET_DIRECTORY grove_app PROPERTIES OBJECT_DEPENDS "${file}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
