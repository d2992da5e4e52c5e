# The ANTLR tool (Java, writes the parser) and its C++ runtime (what that parser is linked with).
#
# They come in two packages whose versions differ on every distribution, and they do not go together at will: the
# tables in a generated parser changed with 4.10, and a runtime of the other side refuses them when the program
# starts. So both versions are read here and the build stops early, with the version that fits.
#   Debian 12:     tool 4.7.2, runtime 4.9    fit
#   Debian 13:     tool 4.9.2, runtime 4.9    fit
#   Ubuntu 24.04:  tool 4.9.2, runtime 4.10   do not; scripts/setup.sh gets a tool that does

set(ANTLR4_JAR "" CACHE FILEPATH "The ANTLR tool as antlr-4.x-complete.jar; empty: the system's antlr4")
find_program(ANTLR4_JAVA java)
find_program(ANTLR4_TOOL antlr4)
find_path(ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime)
if(PTXSCOPE_PORTABLE)
  find_library(ANTLR4_LIBRARY NAMES libantlr4-runtime.a antlr4-runtime-static antlr4-runtime)
else()
  find_library(ANTLR4_LIBRARY NAMES antlr4-runtime libantlr4-runtime.a antlr4-runtime-static)
endif()
# For what is loaded into other programs (targets with PTXSCOPE_SHARED_RUNTIME): distributions build the static one
# without -fPIC.
find_library(ANTLR4_SHARED_LIBRARY NAMES antlr4-runtime)
mark_as_advanced(ANTLR4_SHARED_LIBRARY)

# The version of the runtime with these headers, as far as they tell: "4.10.1", "4.9".
function(ptxscope_antlr_runtime_version include_dir result)
  set(version)
  foreach(header Version.h)   # since 4.10
    if(EXISTS "${include_dir}/${header}")
      file(READ "${include_dir}/${header}" text)
      string(REGEX MATCH "VERSION_MAJOR +([0-9]+)" _ "${text}")
      set(major "${CMAKE_MATCH_1}")
      string(REGEX MATCH "VERSION_MINOR +([0-9]+)" _ "${text}")
      set(minor "${CMAKE_MATCH_1}")
      string(REGEX MATCH "VERSION_PATCH +([0-9]+)" _ "${text}")
      if(NOT major STREQUAL "" AND NOT minor STREQUAL "")
        set(version "${major}.${minor}.${CMAKE_MATCH_1}")
      endif()
    endif()
  endforeach()
  if(NOT version)
    if(EXISTS "${include_dir}/internal/Synchronization.h")
      set(version "4.11")
    elseif(EXISTS "${include_dir}/atn/SerializedATNView.h")
      set(version "4.10")
    else()
      set(version "4.9")   # or before: one side of the divide
    endif()
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# The version the tool says it has: it prints a banner when called without arguments. "" when it does not run.
function(ptxscope_antlr_tool_version result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE ignored TIMEOUT 60)
  string(REGEX MATCH "Version +([0-9]+\\.[0-9.]*[0-9])" _ "${out}${err}")
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# Whether a parser written by that tool runs with that runtime.
function(ptxscope_antlr_fits tool runtime result)
  set(fits OFF)
  if(tool VERSION_GREATER_EQUAL 4.7 AND tool VERSION_LESS 4.10 AND runtime VERSION_LESS 4.10)
    set(fits ON)
  elseif(tool VERSION_GREATER_EQUAL 4.10 AND tool VERSION_LESS 5 AND runtime VERSION_GREATER_EQUAL 4.10)
    set(fits ON)
  endif()
  set(${result} ${fits} PARENT_SCOPE)
endfunction()

# Sets ANTLR4_COMMAND, ANTLR4_TOOL_VERSION and ANTLR4_RUNTIME_VERSION in the caller, or stops with the way out.
function(ptxscope_choose_antlr)
  set(setup "scripts/setup.sh installs what is needed on Debian and Ubuntu.")
  if(NOT ANTLR4_INCLUDE_DIR OR NOT ANTLR4_LIBRARY)
    message(FATAL_ERROR "The ANTLR C++ runtime was not found (package libantlr4-runtime-dev). ${setup}\n"
                        "If it is elsewhere: -DANTLR4_INCLUDE_DIR=<folder of antlr4-runtime.h> -DANTLR4_LIBRARY=<libantlr4-runtime.a>")
  endif()
  ptxscope_antlr_runtime_version("${ANTLR4_INCLUDE_DIR}" runtime)

  set(candidates)
  if(ANTLR4_JAR)
    if(NOT EXISTS "${ANTLR4_JAR}")
      message(FATAL_ERROR "-DANTLR4_JAR=${ANTLR4_JAR}: no such file")
    endif()
    list(APPEND candidates "${ANTLR4_JAR}")
  else()
    if(ANTLR4_TOOL)
      list(APPEND candidates "${ANTLR4_TOOL}")
    endif()
    if(EXISTS "${PROJECT_SOURCE_DIR}/.cache/antlr4.jar")   # put there by scripts/setup.sh
      list(APPEND candidates "${PROJECT_SOURCE_DIR}/.cache/antlr4.jar")
    endif()
  endif()

  set(seen)
  foreach(candidate IN LISTS candidates)
    set(command "${candidate}")
    if(candidate MATCHES "\\.jar$" OR candidate STREQUAL ANTLR4_JAR)
      if(NOT ANTLR4_JAVA)
        message(FATAL_ERROR "${candidate} needs Java, which was not found (package default-jre-headless). ${setup}")
      endif()
      set(command "${ANTLR4_JAVA}" -cp "${candidate}" org.antlr.v4.Tool)
    endif()
    ptxscope_antlr_tool_version(tool ${command})
    if(NOT tool)
      string(APPEND seen "  ${candidate}: does not run as the ANTLR tool\n")
      continue()
    endif()
    ptxscope_antlr_fits("${tool}" "${runtime}" fits)
    if(fits)
      set(ANTLR4_COMMAND ${command} PARENT_SCOPE)
      set(ANTLR4_TOOL_VERSION "${tool}" PARENT_SCOPE)
      set(ANTLR4_RUNTIME_VERSION "${runtime}" PARENT_SCOPE)
      return()
    endif()
    string(APPEND seen "  ${candidate}: version ${tool}\n")
  endforeach()

  if(runtime VERSION_LESS 4.10)
    set(wanted "4.7 to 4.9.3, best ${runtime}")
  else()
    set(wanted "4.10 or newer, best ${runtime}")
  endif()
  if(NOT seen)
    set(seen "  none\n")
  endif()
  message(FATAL_ERROR "The ANTLR tool and its C++ runtime do not go together.\n"
                      "Runtime: ${runtime} (${ANTLR4_INCLUDE_DIR})\nTool:\n${seen}"
                      "This runtime takes parsers written by a tool of version ${wanted}. Either run scripts/setup.sh, which "
                      "gets a fitting one, or name one: -DANTLR4_JAR=<antlr-${runtime}-complete.jar>")
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)   # tests/antlr_versions.cmake calls the functions alone
  ptxscope_choose_antlr()
  message(STATUS "ANTLR: tool ${ANTLR4_TOOL_VERSION}, runtime ${ANTLR4_RUNTIME_VERSION} (${ANTLR4_LIBRARY})")

  if(PTXSCOPE_PORTABLE AND NOT ANTLR4_LIBRARY MATCHES "\\.a$")
    message(WARNING "No static ANTLR runtime was found: the executable will need ${ANTLR4_LIBRARY} where it runs")
  endif()

  # Runtime 4.9 has const vectors without initialisers, which clang (rightly) does not take: it gets a copy of the
  # headers with the braces added. The layout of the classes stays the same.
  set(antlr_headers "${ANTLR4_INCLUDE_DIR}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND ANTLR4_RUNTIME_VERSION VERSION_LESS 4.10)
    set(antlr_headers "${PROJECT_BINARY_DIR}/antlr4-runtime")
    file(COPY "${ANTLR4_INCLUDE_DIR}/" DESTINATION "${antlr_headers}" PATTERN Vocabulary.h EXCLUDE)
    file(READ "${ANTLR4_INCLUDE_DIR}/Vocabulary.h" text)
    string(REGEX REPLACE "(const _[a-z]+Names);" "\\1{};" text "${text}")
    file(CONFIGURE OUTPUT "${antlr_headers}/Vocabulary.h" CONTENT "${text}" @ONLY)
  endif()

  add_library(ptxscope_antlr4_runtime INTERFACE)
  target_include_directories(ptxscope_antlr4_runtime SYSTEM INTERFACE "$<BUILD_INTERFACE:${antlr_headers}>")
  # Where it is installed, cmake/ptxscopeConfig.cmake finds the runtime again.
  set(library "${ANTLR4_LIBRARY}")
  if(ANTLR4_SHARED_LIBRARY)
    set(library "$<IF:$<BOOL:$<TARGET_PROPERTY:PTXSCOPE_SHARED_RUNTIME>>,${ANTLR4_SHARED_LIBRARY},${ANTLR4_LIBRARY}>")
  endif()
  target_link_libraries(ptxscope_antlr4_runtime INTERFACE "$<BUILD_INTERFACE:${library}>"
                        $<INSTALL_INTERFACE:ptxscope::antlr4_library> Threads::Threads)
  set_target_properties(ptxscope_antlr4_runtime PROPERTIES EXPORT_NAME antlr4_runtime)
endif()

# ptxscope_generate_parser(TARGET LEXER.g4 PARSER.g4 NAMESPACE): static library TARGET of the generated sources.
# They are included as "PtxLexer.h" and "PtxParser.h", only from .cpp files: the runtime's headers are heavy.
function(ptxscope_generate_parser target lexer parser namespace)
  get_filename_component(lexer "${lexer}" ABSOLUTE)
  get_filename_component(parser "${parser}" ABSOLUTE)
  get_filename_component(lexer_name "${lexer}" NAME_WE)
  get_filename_component(parser_name "${parser}" NAME_WE)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${out}")
  set(flags -Dlanguage=Cpp -Werror -no-listener -no-visitor -package "${namespace}" -Xexact-output-dir -o "${out}" -lib "${out}")
  add_custom_command(
    OUTPUT "${out}/${lexer_name}.h" "${out}/${lexer_name}.cpp" "${out}/${lexer_name}.tokens"
    COMMAND ${ANTLR4_COMMAND} ${flags} "${lexer}"
    DEPENDS "${lexer}" COMMENT "ANTLR: ${lexer_name}" VERBATIM)
  add_custom_command(
    OUTPUT "${out}/${parser_name}.h" "${out}/${parser_name}.cpp"
    COMMAND ${ANTLR4_COMMAND} ${flags} "${parser}"
    DEPENDS "${parser}" "${out}/${lexer_name}.tokens" COMMENT "ANTLR: ${parser_name}" VERBATIM)
  add_library(${target} STATIC "${out}/${lexer_name}.cpp" "${out}/${parser_name}.cpp"
                               "${out}/${lexer_name}.h" "${out}/${parser_name}.h")
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${out}>")
  # Tools before 4.10 write names as u8"…", which C++20 would make char8_t.
  target_compile_options(${target} PRIVATE -w -fno-char8_t)
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
  if(ANTLR4_TOOL_VERSION VERSION_GREATER_EQUAL 4.11 AND ANTLR4_RUNTIME_VERSION VERSION_LESS 4.11)
    target_compile_options(${target} PRIVATE -include "${PROJECT_SOURCE_DIR}/cmake/antlr/once_flag.h")
  endif()
  target_link_libraries(${target} PUBLIC ptxscope_antlr4_runtime)
endfunction()
