# Run by CPack between installing and packing: what Debian's policy asks of a package beyond what is installed elsewhere.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

file(GLOB components LIST_DIRECTORIES true "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*")
foreach(component ${components})
  set(package ptxscope)
  if(component MATCHES "/gui$")
    set(package ptxscope-gui)
  endif()
  # Policy 12.5; the viewer's package depends on the other one, whose libraries are its own.
  set(folder "${component}/usr/share/doc/${package}")
  file(WRITE "${folder}/copyright" "ptxscope, licensed under the Apache License, Version 2.0.
The licence is in /usr/share/common-licenses/Apache-2.0 on Debian systems.
")
  if(EXISTS "${folder}/THIRD-PARTY.txt")
    file(READ "${folder}/THIRD-PARTY.txt" third_party)
    file(APPEND "${folder}/copyright" "\n${third_party}")
    file(REMOVE "${folder}/THIRD-PARTY.txt")
  else()
    file(APPEND "${folder}/copyright" "Libraries that are a part of it: /usr/share/doc/ptxscope/copyright.\n")
  endif()
  # Policy 12.1
  file(GLOB pages "${component}/usr/share/man/man1/*.1")
  if(pages)
    execute_process(COMMAND gzip -9n ${pages} RESULT_VARIABLE result ERROR_VARIABLE problem)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "Manual pages cannot be compressed: ${problem}")
    endif()
  endif()
endforeach()
