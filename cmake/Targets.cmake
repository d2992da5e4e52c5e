# ptxscope_library(NAME SOURCES…): the static library ptxscope_NAME, alias ptxscope::NAME.
function(ptxscope_library name)
  add_library(ptxscope_${name} STATIC ${ARGN})
  add_library(ptxscope::${name} ALIAS ptxscope_${name})
  set_target_properties(ptxscope_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(ptxscope_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                     "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ptxscope>")
  target_compile_features(ptxscope_${name} PUBLIC cxx_std_20)
  target_link_libraries(ptxscope_${name} PRIVATE $<BUILD_INTERFACE:ptxscope_warnings>)
endfunction()
