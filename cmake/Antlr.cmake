# The ANTLR tool (Java, writes the parser) and its C++ runtime (what that parser is linked with).

find_program(ANTLR4_JAVA java REQUIRED)
set(ANTLR4_JAR "" CACHE FILEPATH "antlr-4.x-complete.jar; empty: the system's antlr4")
find_path(ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
find_library(ANTLR4_LIBRARY NAMES libantlr4-runtime.a antlr4-runtime-static antlr4-runtime REQUIRED)

if(ANTLR4_JAR)
  set(PTXSCOPE_ANTLR4_COMMAND "${ANTLR4_JAVA}" -cp "${ANTLR4_JAR}" org.antlr.v4.Tool)
else()
  find_program(ANTLR4_TOOL antlr4 REQUIRED)
  set(PTXSCOPE_ANTLR4_COMMAND "${ANTLR4_TOOL}")
endif()

add_library(ptxscope_antlr4_runtime INTERFACE)
target_include_directories(ptxscope_antlr4_runtime SYSTEM INTERFACE "${ANTLR4_INCLUDE_DIR}")
target_link_libraries(ptxscope_antlr4_runtime INTERFACE "${ANTLR4_LIBRARY}" Threads::Threads)

# ptxscope_generate_parser(TARGET LEXER.g4 PARSER.g4 NAMESPACE): object library TARGET of the generated sources.
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
    COMMAND ${PTXSCOPE_ANTLR4_COMMAND} ${flags} "${lexer}"
    DEPENDS "${lexer}" COMMENT "ANTLR: ${lexer_name}" VERBATIM)
  add_custom_command(
    OUTPUT "${out}/${parser_name}.h" "${out}/${parser_name}.cpp"
    COMMAND ${PTXSCOPE_ANTLR4_COMMAND} ${flags} "${parser}"
    DEPENDS "${parser}" "${out}/${lexer_name}.tokens" COMMENT "ANTLR: ${parser_name}" VERBATIM)
  add_library(${target} OBJECT "${out}/${lexer_name}.cpp" "${out}/${parser_name}.cpp"
                               "${out}/${lexer_name}.h" "${out}/${parser_name}.h")
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${out}>")
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${target} PUBLIC ptxscope_antlr4_runtime)
endfunction()
