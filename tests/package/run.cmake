# Installs the build into a scratch folder, builds the project beside this file against it, and runs that.
# cmake -DBUILD=<build tree> -DWORK=<scratch folder> -DCOMPILER=<c++> -DFLAGS=<flags> -P run.cmake
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
# Moved once, as packages are: nothing in it may depend on where it was made.
file(RENAME "${WORK}/installed" "${WORK}/moved")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/moved"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer")
run("${WORK}/moved/bin/ptxscope" --version)
foreach(path man/man1/ptxscope.1 man/man1/ptxscope-check.1 bash-completion/completions/ptxscope fish/vendor_completions.d/ptxscope.fish
        ptxscope/editors/neovim/ftplugin/ptx.lua)
  if(NOT EXISTS "${WORK}/moved/share/${path}")
    message(FATAL_ERROR "share/${path} was not installed")
  endif()
endforeach()
