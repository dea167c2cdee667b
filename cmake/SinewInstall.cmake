# An installed Sinew: find_package(sinew) and sinew::sinew. Component `development` is the library,
# component `runtime` the command.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(sinew_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

install(TARGETS sinew EXPORT sinewTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${sinew_config_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sinewConfig.cmake.in sinewConfig.cmake
                              INSTALL_DESTINATION ${sinew_config_dir})
write_basic_package_version_file(sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/SinewHdf5.cmake
        DESTINATION ${sinew_config_dir} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
if(TARGET sinew_app)
  install(TARGETS sinew_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
