# THIRD-PARTY.txt: the libraries that are a part of the executables, with the notices that their licences ask to go along
# with them: on Debian and Ubuntu those of the packages they come from. Others name them, and where their licences are.
set(PTXSCOPE_THIRD_PARTY "${PROJECT_BINARY_DIR}/THIRD-PARTY.txt")

set(libraries
  "ANTLR 4 C++ runtime|libantlr4-runtime-dev|BSD-3-Clause|https://www.antlr.org"
  "CLI11|libcli11-dev|BSD-3-Clause|https://github.com/CLIUtils/CLI11"
  "fmt|libfmt-dev|MIT|https://fmt.dev"
  "GNU libiberty|libiberty-dev|LGPL-2.1-or-later|https://gcc.gnu.org"
  "libsodium|libsodium-dev|ISC|https://libsodium.org"
  "LZ4|liblz4-dev|BSD-2-Clause|https://lz4.org"
  "nlohmann-json|nlohmann-json3-dev|MIT|https://json.nlohmann.me"
  "Zstandard|libzstd-dev|BSD-3-Clause|https://facebook.github.io/zstd/")
if(SKBUILD)
  list(APPEND libraries "pybind11|pybind11-dev|BSD-3-Clause|https://github.com/pybind/pybind11")
endif()

set(text "ptxscope holds parts of these libraries:\n\n")
set(notices)
foreach(library IN LISTS libraries)
  string(REPLACE "|" ";" library "${library}")
  list(GET library 0 name)
  list(GET library 1 package)
  list(GET library 2 licence)
  list(GET library 3 page)
  string(APPEND text "  ${name}, ${licence}, ${page}\n")
  if(EXISTS "/usr/share/doc/${package}/copyright")
    file(READ "/usr/share/doc/${package}/copyright" notice)
    string(APPEND notices "\n==== ${name}\n\n${notice}")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${PTXSCOPE_THIRD_PARTY}" CONTENT "@text@@notices@" @ONLY)

install(FILES "${PTXSCOPE_THIRD_PARTY}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
if(SKBUILD)
  install(FILES "${PTXSCOPE_THIRD_PARTY}" DESTINATION ptxscope COMPONENT python)
endif()
