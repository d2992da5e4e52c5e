# Does cmake/Antlr.cmake tell tool and runtime versions apart, and say the way out? Made-up tools and headers:
# cmake -DSOURCE=<source tree> -DWORK=<scratch folder> -P antlr_versions.cmake
cmake_minimum_required(VERSION 3.22)
include("${SOURCE}/cmake/Antlr.cmake")

set(failures 0)
function(expect what actual expected)
  if(NOT actual STREQUAL expected)
    message("${what}: expected '${expected}', got '${actual}'")
    math(EXPR failures "${failures} + 1")
    set(failures ${failures} PARENT_SCOPE)
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")

# Pairs that are known to work or not.
foreach(row "4.7.2 4.9 ON" "4.9.2 4.9 ON" "4.9.2 4.10.0 OFF" "4.7.2 4.13.2 OFF" "4.13.2 4.9 OFF" "4.10.1 4.9.3 OFF"
            "4.10 4.10.0 ON" "4.13.2 4.10.0 ON" "4.13.2 4.13.2 ON" "4.5.3 4.9 OFF")
  separate_arguments(row)
  list(GET row 0 tool)
  list(GET row 1 runtime)
  list(GET row 2 expected)
  ptxscope_antlr_fits(${tool} ${runtime} fits)
  expect("tool ${tool} with runtime ${runtime}" "${fits}" "${expected}")
endforeach()

# Headers as the releases have them.
file(WRITE "${WORK}/4.9/antlr4-runtime.h" "")
file(WRITE "${WORK}/4.10/antlr4-runtime.h" "")
file(WRITE "${WORK}/4.10/Version.h"
     "#define ANTLRCPP_VERSION_MAJOR 4\n#define ANTLRCPP_VERSION_MINOR 10\n#define ANTLRCPP_VERSION_PATCH 0\n")
file(WRITE "${WORK}/4.11/internal/Synchronization.h" "")
foreach(row "4.9 4.9" "4.10 4.10.0" "4.11 4.11")
  separate_arguments(row)
  list(GET row 0 folder)
  list(GET row 1 expected)
  ptxscope_antlr_runtime_version("${WORK}/${folder}" version)
  expect("version of runtime headers ${folder}" "${version}" "${expected}")
endforeach()

# Tools that print a banner, and one that is something else.
foreach(version 4.7.2 4.9.2 4.13.2)
  file(WRITE "${WORK}/antlr4-${version}" "#!/bin/sh\necho 'ANTLR Parser Generator  Version ${version}'\n")
  file(CHMOD "${WORK}/antlr4-${version}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  ptxscope_antlr_tool_version(seen "${WORK}/antlr4-${version}")
  expect("version of tool ${version}" "${seen}" "${version}")
endforeach()
ptxscope_antlr_tool_version(seen "${CMAKE_COMMAND}" -E true)
expect("version of something that is not ANTLR" "${seen}" "")

# The whole choice, in a process of its own, since it may stop: Ubuntu 24.04's pair, and the same with a jar that fits.
function(choose tool runtime result)
  file(WRITE "${WORK}/choose.cmake" "
    cmake_minimum_required(VERSION 3.22)
    set(PROJECT_SOURCE_DIR \"${WORK}/no_cache\")
    set(ANTLR4_TOOL \"${WORK}/antlr4-${tool}\")
    set(ANTLR4_INCLUDE_DIR \"${WORK}/${runtime}\")
    set(ANTLR4_LIBRARY \"${WORK}/libantlr4-runtime.a\")
    include(\"${SOURCE}/cmake/Antlr.cmake\")
    ptxscope_choose_antlr()
    message(STATUS \"chosen \${ANTLR4_TOOL_VERSION} \${ANTLR4_RUNTIME_VERSION}\")")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P "${WORK}/choose.cmake" OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(REGEX REPLACE "[ \n]+" " " out "${out}")
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

choose(4.7.2 4.9 said)
expect("Debian 12" "${said}" "-- chosen 4.7.2 4.9 ")
choose(4.13.2 4.10 said)
expect("Ubuntu 24.04 with a fitting tool" "${said}" "-- chosen 4.13.2 4.10.0 ")
choose(4.9.2 4.10 said)
foreach(word "do not go together" "version 4.9.2" "4.10 or newer" "scripts/setup.sh" "-DANTLR4_JAR=<antlr-4.10.0-complete.jar>")
  string(FIND "${said}" "${word}" place)
  if(place EQUAL -1)
    message("Ubuntu 24.04 as it comes: the message lacks '${word}': ${said}")
    math(EXPR failures "${failures} + 1")
  endif()
endforeach()
choose(4.13.2 4.9 said)
string(FIND "${said}" "4.7 to 4.9.3" place)
if(place EQUAL -1)
  message("a tool newer than the runtime: the message lacks the version that fits: ${said}")
  math(EXPR failures "${failures} + 1")
endif()

if(failures GREATER 0)
  message(FATAL_ERROR "${failures} expectation(s) failed")
endif()
