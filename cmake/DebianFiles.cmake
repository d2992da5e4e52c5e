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
  # Policy 12.5
  file(WRITE "${component}/usr/share/doc/${package}/copyright" "ptxscope, licensed under the Apache License, Version 2.0.
The licence is in /usr/share/common-licenses/Apache-2.0 on Debian systems.
")
  # Policy 12.1
  file(GLOB pages "${component}/usr/share/man/man1/*.1")
  if(pages)
    execute_process(COMMAND gzip -9n ${pages} RESULT_VARIABLE result ERROR_VARIABLE problem)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "Manual pages cannot be compressed: ${problem}")
    endif()
  endif()
endforeach()
