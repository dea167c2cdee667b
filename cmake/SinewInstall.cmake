# An installed Sinew: find_package(sinew) and sinew::sinew. Components: `development` is the library, `runtime` the
# command with its manual pages and completions, `data` the models, `doc` the manual and the examples.
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

install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew COMPONENT data)
# Side by side, as in the repository, so that links between them lead somewhere.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT doc PATTERN "__pycache__" EXCLUDE)

if(TARGET sinew_app)
  install(TARGETS sinew_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  # Manual pages and completions are what the command itself prints.
  set(texts ${PROJECT_BINARY_DIR}/shell)
  install(CODE "
    file(REMOVE_RECURSE \"${texts}\")
    file(MAKE_DIRECTORY \"${texts}/man\")
    execute_process(COMMAND \"$<TARGET_FILE:sinew_app>\" man --out \"${texts}/man\" OUTPUT_QUIET
                    COMMAND_ERROR_IS_FATAL ANY)
    foreach(shell bash zsh fish)
      execute_process(COMMAND \"$<TARGET_FILE:sinew_app>\" completion \${shell} OUTPUT_FILE \"${texts}/\${shell}\"
                      COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT runtime)
  install(DIRECTORY ${texts}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${texts}/bash DESTINATION ${share}/bash-completion/completions RENAME sinew COMPONENT runtime)
  install(FILES ${texts}/zsh DESTINATION ${share}/zsh/vendor-completions RENAME _sinew COMPONENT runtime)
  install(FILES ${texts}/fish DESTINATION ${share}/fish/vendor_completions.d RENAME sinew.fish COMPONENT runtime)
endif()

# `make package`, or cpack in the build folder: a Debian package of all of it.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "The authors of Sinew <sinew@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Multibody dynamics and simulation with hard contact")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # What programs need that link the static library.
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, libtinyxml2-dev, libfmt-dev, libhdf5-dev, libpng-dev")
  include(CPack)
endif()
