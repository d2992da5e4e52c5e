# What a person may choose, and the settings every target of ours shares.

option(PTXSCOPE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PTXSCOPE_BENCH "Build the benchmarks, if Google Benchmark is installed" ${PROJECT_IS_TOP_LEVEL})
option(PTXSCOPE_WERROR "Warnings are errors" OFF)
option(PTXSCOPE_PORTABLE "Link all but the C library statically, so that the executable runs on other Linux machines" ON)
option(PTXSCOPE_GUI "Build the viewer, if Qt 6 is installed" ON)
option(PTXSCOPE_PYTHON "Build the Python module, if Python's headers and pybind11 are installed" ${PROJECT_IS_TOP_LEVEL})
option(PTXSCOPE_FUZZ "Build the libFuzzer targets beside the tests (needs clang)" OFF)
option(PTXSCOPE_TIDY "Run clang-tidy on every source while compiling" OFF)
set(PTXSCOPE_SANITIZE "" CACHE STRING "Sanitizers to build with, for -fsanitize=: address,undefined; or thread")
set(PTXSCOPE_SHARED "" CACHE PATH "Folder of the test corpus; empty: ../shared beside the source tree")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PTXSCOPE_CCACHE ccache)
  if(PTXSCOPE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PTXSCOPE_CCACHE}")
  endif()
endif()

if(PTXSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${PTXSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PTXSCOPE_SANITIZE})
endif()

if(PTXSCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PTXSCOPE_FUZZ needs clang, for its libFuzzer: -DCMAKE_CXX_COMPILER=clang++ (or cmake --preset asan+ubsan)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(PTXSCOPE_TIDY)
  find_program(PTXSCOPE_CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${PTXSCOPE_CLANG_TIDY}" --quiet)
endif()

# Warnings for our own sources; generated ones and other people's headers go without.
add_library(ptxscope_warnings INTERFACE)
target_compile_options(ptxscope_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                   $<$<BOOL:${PTXSCOPE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # "text" + std::string: a false alarm of g++ 12 alone (GCC PR 105329).
  target_compile_options(ptxscope_warnings INTERFACE -Wno-restrict)
endif()
