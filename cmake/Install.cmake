# cmake --install: the executable with its manual pages, completions and editor files; the libraries with their headers
# and what find_package(ptxscope) reads. Components: runtime, dev, gui (gui/CMakeLists.txt).
include(CMakePackageConfigHelpers)

install(TARGETS ptxscope RUNTIME COMPONENT runtime)
install(TARGETS ptxscope_grammar ptxscope_parser ptxscope_containers ptxscope_isa ptxscope_analysis ptxscope_driver
                ptxscope_report ptxscope_antlr4_runtime
        EXPORT ptxscopeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
# The headers that are documented, no others; cuda_entries.def is a part of one of them.
file(STRINGS "${PROJECT_SOURCE_DIR}/docs/public_headers" public_headers REGEX "^INPUT")
list(TRANSFORM public_headers REPLACE "^INPUT \\+= " "")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/public_headers)
foreach(header IN LISTS public_headers ITEMS driver/cuda_entries.def)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ptxscope/${folder}" COMPONENT dev)
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ptxscope")
foreach(library ANTLR4_LIBRARY PTXSCOPE_LIBIBERTY ZSTD_LIBRARY LZ4_LIBRARY SODIUM_LIBRARY)
  get_filename_component(${library}_FOLDER "${${library}}" DIRECTORY)
endforeach()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ptxscopeConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/ptxscopeConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/ptxscopeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/ptxscopeConfig.cmake" "${PROJECT_BINARY_DIR}/package/ptxscopeConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT dev)
install(EXPORT ptxscopeTargets NAMESPACE ptxscope:: DESTINATION "${package_folder}" COMPONENT dev)
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
install(DIRECTORY editors DESTINATION "${CMAKE_INSTALL_DATADIR}/ptxscope" COMPONENT runtime)
