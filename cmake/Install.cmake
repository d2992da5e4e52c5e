# cmake --install: the executable with its manual pages, completions and editor files; the libraries with their headers
# and what find_package(ptxscope) reads. Components: runtime, dev, gui (gui/CMakeLists.txt).
include(CMakePackageConfigHelpers)

install(TARGETS ptxscope RUNTIME COMPONENT runtime)
install(TARGETS ptxscope_grammar ptxscope_parser ptxscope_isa ptxscope_analysis ptxscope_driver ptxscope_report ptxscope_antlr4_runtime
        EXPORT ptxscopeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
foreach(folder parser isa analysis driver report)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ptxscope" COMPONENT dev
          FILES_MATCHING PATTERN "*.h" PATTERN "cuda_entries.def" PATTERN grammar EXCLUDE PATTERN "container*" EXCLUDE)
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ptxscope")
get_filename_component(ANTLR4_LIBRARY_FOLDER "${ANTLR4_LIBRARY}" DIRECTORY)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ptxscopeConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/ptxscopeConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/ptxscopeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/ptxscopeConfig.cmake" "${PROJECT_BINARY_DIR}/package/ptxscopeConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT dev)
install(EXPORT ptxscopeTargets NAMESPACE ptxscope:: DESTINATION "${package_folder}" COMPONENT dev)
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
install(DIRECTORY editors DESTINATION "${CMAKE_INSTALL_DATADIR}/ptxscope" COMPONENT runtime)
