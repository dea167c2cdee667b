# examples/<name>.cpp becomes example_<name>, a program that uses the public headers alone, as a user's would. Each runs
# as a test, in the root of the repository, where models/ is.
file(GLOB sinew_example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source IN LISTS sinew_example_sources)
  cmake_path(GET source STEM name)
  add_executable(example_${name} ${source})
  sinew_options(example_${name})
  target_compile_options(example_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(example_${name} PRIVATE sinew::sinew fmt::fmt)
  if(SINEW_TESTS)
    add_test(NAME example.${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(example.${name} PROPERTIES TIMEOUT 120)
  endif()
endforeach()
