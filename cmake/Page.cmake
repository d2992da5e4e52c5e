# Builds the style and the script of `ptxscope report` into the program: report/page/* as C++ in ${output}.
# Called as a script when one of them changes: cmake -Doutput=FILE -Dfolder=report/page -P cmake/Page.cmake
#
# They are plain ASCII (other characters as escapes), so that the text can be cut anywhere, and into pieces: a literal
# must not be longer than 65,536 characters everywhere.

set(scripts dom.js overview.js needs.js code.js graph.js traps.js function.js keys.js page.js)

function(read_ascii file result)
  file(READ "${folder}/${file}" text)
  string(REGEX MATCH "[^\t\n -~]" other "${text}")
  if(NOT other STREQUAL "")
    message(FATAL_ERROR "report/page/${file}: '${other}' is not ASCII; write it as an escape")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# A function that returns the text.
function(write_function name text result)
  set(code "std::string ${name}() {\n  std::string text;\n")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND code "  text += R\"page(${piece})page\";\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${result} "${code}  return text;\n}\n\n" PARENT_SCOPE)
endfunction()

# The 64 hexadecimal digits of a SHA-256 in base 64 (RFC 4648), three of them at a time.
function(base64_of hex result)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 62 3)
    string(SUBSTRING "${hex}" ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING "${digits}" ${high} 1 first)
    string(SUBSTRING "${digits}" ${low} 1 second)
    string(APPEND text "${first}${second}")
  endforeach()
  string(SUBSTRING "${hex}" 63 1 one)
  math(EXPR last "0x${one} << 2")
  string(SUBSTRING "${digits}" ${last} 1 first)
  set(${result} "${text}${first}=" PARENT_SCOPE)
endfunction()

read_ascii(page.html skeleton)
read_ascii(page.css style)
set(script "'use strict';\n")
foreach(file IN LISTS scripts)
  read_ascii(${file} text)
  string(APPEND script "${text}")
endforeach()
string(SHA256 hex "${script}")
base64_of(${hex} hash)

write_function(page_skeleton "${skeleton}" skeleton_code)
write_function(page_style "${style}" style_code)
write_function(page_script "${script}" script_code)
file(WRITE "${output}" "#include \"report/page_assets.h\"\n\nnamespace ptxscope::report {\n\n"
     "${skeleton_code}${style_code}${script_code}"
     "std::string_view page_script_hash() { return \"sha256-${hash}\"; }\n\n}  // namespace ptxscope::report\n")
