# Installs the build into a scratch folder, builds the projects beside this file against it, and runs them.
# cmake -DBUILD=<build tree> -DWORK=<scratch folder> -DCOMPILER=<c++> -DFLAGS=<flags> -P run.cmake
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
# Moved once, as packages are: nothing in it may depend on where it was made.
file(RENAME "${WORK}/installed" "${WORK}/moved")
# The program that docs/api.md shows, and what it writes there.
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/moved"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer" "${CMAKE_CURRENT_LIST_DIR}/../../samples/vecadd/vecadd.ptx")
file(READ "${CMAKE_CURRENT_LIST_DIR}/main.expected" expected)
if(NOT out STREQUAL expected)
  message(FATAL_ERROR "consumer wrote\n${out}\ninstead of what main.expected says:\n${expected}")
endif()
# Every header, and every library.
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/all" -B "${WORK}/all" "-DCMAKE_PREFIX_PATH=${WORK}/moved"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=None)
run("${CMAKE_COMMAND}" --build "${WORK}/all" --parallel 2)
run("${WORK}/all/uses")
run("${WORK}/moved/bin/ptxscope" --version)
# What the executable holds of others, with their notices.
file(READ "${WORK}/moved/share/doc/ptxscope/THIRD-PARTY.txt" third_party)
foreach(library "ANTLR 4 C\\+\\+ runtime" CLI11 fmt "GNU libiberty" LZ4 Zstandard libsodium nlohmann-json)
  if(NOT third_party MATCHES "\n  ${library}, [A-Za-z]+")
    message(FATAL_ERROR "THIRD-PARTY.txt does not name ${library}")
  endif()
  if(EXISTS /etc/debian_version AND NOT third_party MATCHES "\n==== ${library}\n\n.*Copyright")
    message(FATAL_ERROR "THIRD-PARTY.txt has no notice of ${library}")
  endif()
endforeach()
foreach(path man/man1/ptxscope.1 man/man1/ptxscope-check.1 bash-completion/completions/ptxscope fish/vendor_completions.d/ptxscope.fish
        ptxscope/editors/neovim/ftplugin/ptx.lua)
  if(NOT EXISTS "${WORK}/moved/share/${path}")
    message(FATAL_ERROR "share/${path} was not installed")
  endif()
endforeach()
