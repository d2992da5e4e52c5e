# Manual pages and completions of shells, which the executable itself writes from its options.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(manual "${PROJECT_BINARY_DIR}/manual")
add_custom_command(OUTPUT "${manual}/done"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${manual}"
  COMMAND ptxscope man --folder "${manual}/man1"
  COMMAND ptxscope completion bash -o "${manual}/ptxscope"
  COMMAND ptxscope completion zsh -o "${manual}/_ptxscope"
  COMMAND ptxscope completion fish -o "${manual}/ptxscope.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${manual}/done"
  DEPENDS ptxscope COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(ptxscope_manual ALL DEPENDS "${manual}/done")

# Debian's zsh looks for what packages bring in a folder of its own.
if(EXISTS /etc/debian_version)
  set(zsh_folder vendor-completions)
else()
  set(zsh_folder site-functions)
endif()
set(PTXSCOPE_ZSH_FOLDER "${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}" CACHE STRING "Where the completion of zsh is installed")

# A build of single targets goes without.
install(DIRECTORY "${manual}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT runtime OPTIONAL)
install(FILES "${manual}/ptxscope" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT runtime OPTIONAL)
install(FILES "${manual}/_ptxscope" DESTINATION "${PTXSCOPE_ZSH_FOLDER}" COMPONENT runtime OPTIONAL)
install(FILES "${manual}/ptxscope.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT runtime OPTIONAL)
