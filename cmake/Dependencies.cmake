# Everything that comes from the system's packages.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
include(Antlr)

# Plain libraries, as the targets ptxscope::zstd, ptxscope::lz4 and ptxscope::sodium. NAME is that of the variables
# NAME_INCLUDE_DIR and NAME_LIBRARY, with which one that is elsewhere is named.
function(ptxscope_system_library name what package header)
  string(TOLOWER ${name} library)
  set(static_names lib${library}.a ${library}_static)
  find_path(${name}_INCLUDE_DIR ${header})
  if(PTXSCOPE_PORTABLE)
    find_library(${name}_LIBRARY NAMES ${static_names} ${library})
  else()
    find_library(${name}_LIBRARY NAMES ${library} ${static_names})
  endif()
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "${what} was not found (package ${package}); scripts/setup.sh installs it on Debian and Ubuntu. "
                        "If it is elsewhere: -D${name}_INCLUDE_DIR=<folder of ${header}> -D${name}_LIBRARY=<lib${library}.a>")
  endif()
  if(PTXSCOPE_PORTABLE AND NOT ${name}_LIBRARY MATCHES "\\.(a|lib)$")
    message(WARNING "No static ${what} was found: the executable will need ${${name}_LIBRARY} where it runs")
  endif()
  add_library(ptxscope::${library} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ptxscope::${library} PROPERTIES IMPORTED_LOCATION "${${name}_LIBRARY}"
                                                        INTERFACE_INCLUDE_DIRECTORIES "${${name}_INCLUDE_DIR}")
endfunction()
# The images in fat binaries are compressed by the first two; scan names files and modules by their SHA-256.
ptxscope_system_library(ZSTD Zstandard libzstd-dev zstd.h)
ptxscope_system_library(LZ4 LZ4 liblz4-dev lz4frame.h)
ptxscope_system_library(SODIUM libsodium libsodium-dev sodium.h)
