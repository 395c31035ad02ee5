# cmake -D FOLDER=... -D FUNCTION=... -D HEADER=... -D OUT=... -P embed.cmake: writes the files of
# FOLDER as the C++ source that defines FUNCTION, namespace::name, which HEADER declares.
string(REGEX MATCH "^(.*)::([a-z_]+)$" matched "${FUNCTION}")
set(namespace ${CMAKE_MATCH_1})
set(function ${CMAKE_MATCH_2})
file(GLOB paths ${FOLDER}/*)
set(arrays "")
set(entries "")
set(index 0)
foreach(path IN LISTS paths)
  get_filename_component(name ${path} NAME)
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "constexpr std::uint8_t kFile${index}[] = {\n${bytes}};\n")
  string(APPEND entries "    {\"/${name}\", kFile${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "#include <array>
#include <cstdint>

#include \"${HEADER}\"

namespace ${namespace} {
namespace {

${arrays}
constexpr std::array<EmbeddedFile, ${index}> kFiles{{
${entries}}};

}  // namespace

std::span<const EmbeddedFile> ${function}() { return kFiles; }

}  // namespace ${namespace}
")
