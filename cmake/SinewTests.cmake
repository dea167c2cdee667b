# sinew_tests: every tests/**/*_test.cpp; and the test of an installed Sinew.
find_package(GTest REQUIRED)
include(GoogleTest)

file(GLOB_RECURSE sinew_test_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
set(sinew_busy_tests ${sinew_test_sources})
list(FILTER sinew_busy_tests INCLUDE REGEX "/support/|/(collide|one_contact|least_constraint)_test.cpp$")
if(sinew_test_sources)
  # The busy ones first: of a template that several instantiate the linker takes the first.
  list(REMOVE_ITEM sinew_test_sources ${sinew_busy_tests})
  # Parts of the command that strangers talk to.
  find_package(nlohmann_json REQUIRED)
  find_package(fmt REQUIRED)
  set(sinew_tested_apps ${PROJECT_SOURCE_DIR}/apps/common/input_text.cpp ${PROJECT_SOURCE_DIR}/apps/view/door.cpp
                        ${PROJECT_SOURCE_DIR}/apps/view/orders.cpp)
  set(sinew_test_parts ${sinew_busy_tests} ${sinew_test_sources} ${sinew_tested_apps})
  if(SINEW_PLAIN_BUILD)  # tests/support replaces malloc unless there is a sanitizer
    sinew_plain_objects(sinew_test_parts sinew_tests)
    list(FILTER sinew_test_parts EXCLUDE REGEX "tests_support|tests/support")
    list(FILTER sinew_busy_tests INCLUDE REGEX "/support/")
    list(APPEND sinew_test_parts ${sinew_busy_tests})
  endif()
  add_executable(sinew_tests ${sinew_test_parts})
  sinew_list_objects(sinew_tests)
  sinew_options(sinew_tests)
  # What is tested is the library, which keeps its -O3. With -O0 the tests compile hardly faster and run six times slower.
  target_compile_options(sinew_tests PRIVATE $<$<CONFIG:Release>:-O1>)
  if(SINEW_SANITIZE)
    target_compile_definitions(sinew_tests PRIVATE SINEW_SANITIZED)
    # The optimizer takes half of the time to compile; only what calculates much is worth that.
    target_compile_options(sinew_tests PRIVATE -O0)
    set_source_files_properties(${sinew_busy_tests} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  # tests/support/no_alloc.cpp replaces new and delete. Clang's thread sanitizer has its own, which win.
  if(SINEW_SANITIZE STREQUAL thread)
    target_compile_definitions(sinew_tests PRIVATE SINEW_THREAD_SANITIZED)
    target_link_options(sinew_tests PRIVATE -Wl,--allow-multiple-definition)
  endif()
  # Tests may look inside: private headers of src/ and the libraries those use, and headers of the command.
  target_include_directories(sinew_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/apps)
  target_link_libraries(sinew_tests PRIVATE sinew::sinew GTest::gtest_main tinyxml2::tinyxml2 Eigen3::Eigen PNG::PNG ZLIB::ZLIB
                                            nlohmann_json::nlohmann_json fmt::fmt)
  # Only those who need the path of this checkout see it: ccache then serves every clone with the same objects.
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/tests/sim/scenes_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/scenario.cpp
               ${PROJECT_SOURCE_DIR}/tests/io/models_test.cpp
               APPEND PROPERTY COMPILE_DEFINITIONS SINEW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(SINEW_PCH)
    target_precompile_headers(sinew_tests PRIVATE <gtest/gtest.h> <Eigen/Dense>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(sinew_tests PRIVATE -fpch-preprocess)  # what ccache asks for
    endif()
  endif()
  # ROS's own URDF parser, as an oracle.
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(urdfdom IMPORTED_TARGET urdfdom)
    if(urdfdom_FOUND)
      target_link_libraries(sinew_tests PRIVATE PkgConfig::urdfdom)
      target_compile_definitions(sinew_tests PRIVATE SINEW_HAVE_URDFDOM)
    endif()
  endif()
  # FCL, as an oracle of distances; seen by one file.
  find_package(fcl QUIET)
  find_path(sinew_fcl_include fcl/narrowphase/distance.h)  # where every file finds it, as Debian installs it
  mark_as_advanced(sinew_fcl_include)
  if(fcl_FOUND AND sinew_fcl_include STREQUAL "/usr/include")
    target_link_libraries(sinew_tests PRIVATE $<LINK_ONLY:fcl>)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/contact/fcl_oracle_test.cpp PROPERTIES
      COMPILE_DEFINITIONS SINEW_HAVE_FCL SKIP_PRECOMPILE_HEADERS ON)
  endif()
  sinew_unity(sinew_tests 40000 FOLDERS tests/base 15000 tests/tree 20000 tests/constraint 24000 tests/spatial 20000
              tests/operators 20000 tests/delassus 24000 tests/lcp 20000 tests/support 9000)
  # One process each, for `ctest -R Urdf`; all of them at once are quicker by tools/run_tests.py, as `make test` does.
  gtest_discover_tests(sinew_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300 LABELS cases)
endif()

# A project outside this tree finds the installed library, links it and runs. A sanitized library would want the
# same flags in that project, so such builds leave the test out.
if(SINEW_INSTALL AND NOT SINEW_SANITIZE)
  add_test(NAME install.find_package
           COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DCONSUMER=${PROJECT_SOURCE_DIR}/tests/install
                   -DCXX=${CMAKE_CXX_COMPILER} -DGENERATOR=${CMAKE_GENERATOR} -DVERSION=${PROJECT_VERSION}
                   -DPACK_BYTES=${SINEW_PACK_BYTES} -P ${PROJECT_SOURCE_DIR}/tests/install/run.cmake)
  set_tests_properties(install.find_package PROPERTIES TIMEOUT 300)
endif()

# What must not compile: expressions that mix motion and force, objects that would keep a reference to a temporary.
foreach(case spatial:10 temporaries:57)
  string(REPLACE ":" ";" case ${case})
  list(GET case 0 stem)
  list(GET case 1 lines)
  add_test(NAME compile_fail.${stem}
           COMMAND ${CMAKE_COMMAND} -DCXX=${CMAKE_CXX_COMPILER} -DID=${CMAKE_CXX_COMPILER_ID}
                   -DINCLUDE=${PROJECT_SOURCE_DIR}/include -DFILE=${stem}.cpp -DCASES=${lines} -P ${PROJECT_SOURCE_DIR}/tests/compile_fail/run.cmake)
endforeach()
