# cpack -G DEB: the packages ptxscope and, where the viewer was built, ptxscope-gui; cpack -G TGZ: the same as archives.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(CPACK_PACKAGE_NAME ptxscope)
set(CPACK_PACKAGE_VENDOR ptxscope)
set(CPACK_PACKAGE_CONTACT "The ptxscope developers" CACHE STRING "Who maintains the packages that are built: a name <and an address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "reads NVIDIA PTX and says what it does")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime)
if(TARGET ptxscope-gui)
  list(APPEND CPACK_COMPONENTS_ALL gui)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ptxscope)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Explains which checks of a kernel can trap and when, what a module needs
and where it runs, what two modules differ in; a language server for
editors.")
set(CPACK_DEBIAN_GUI_PACKAGE_NAME ptxscope-gui)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "ptxscope (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_GUI_DESCRIPTION "The viewer: kernels, code, source, control flow, traps and launches
side by side and linked.")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
include(CPack)
