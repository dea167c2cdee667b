# The command `sinew` (the target is sinew_app, for the library has the name).
# apps/<command>/ holds what a command does, apps/common/ what several share; a folder with a main.cpp is a program of
# its own.
file(GLOB_RECURSE sinew_app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.cpp)
file(GLOB sinew_tool_mains CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/main.cpp)
foreach(main IN LISTS sinew_tool_mains)
  cmake_path(GET main PARENT_PATH folder)
  list(FILTER sinew_app_sources EXCLUDE REGEX "^${folder}/")
endforeach()
# What `sinew` can do, in the order of its help; a new command is a folder of apps/ and its name here.
set(sinew_all_commands info check eval count bench generate lcp sim view report render compare reproduce verify sweep version
    completion man)
set(SINEW_COMMANDS all CACHE STRING "Commands of sinew that are compiled: all, or a list of names, as info;sim;report")
if(SINEW_COMMANDS STREQUAL "all")
  set(sinew_commands ${sinew_all_commands})
else()
  set(sinew_commands ${SINEW_COMMANDS})
endif()
set(sinew_command_lines "")
foreach(name IN LISTS sinew_commands)
  if(NOT name IN_LIST sinew_all_commands)
    message(FATAL_ERROR "SINEW_COMMANDS: '${name}' is no command of sinew; there are: ${sinew_all_commands}")
  endif()
  string(APPEND sinew_command_lines "SINEW_COMMAND(${name})\n")
endforeach()
foreach(name IN LISTS sinew_all_commands)
  if(NOT name IN_LIST sinew_commands)
    list(FILTER sinew_app_sources EXCLUDE REGEX "/apps/${name}/")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/commands.inc CONTENT "${sinew_command_lines}")
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
# Boost.Beast, headers only, for `sinew view`: seen by some files of apps/view.
find_path(SINEW_BOOST_INCLUDE boost/beast/version.hpp)
mark_as_advanced(SINEW_BOOST_INCLUDE)
if("view" IN_LIST sinew_commands AND NOT SINEW_BOOST_INCLUDE)
  message(FATAL_ERROR "Sinew: Boost.Beast is missing; install it (Debian: libboost-dev), set SINEW_BOOST_INCLUDE, or leave "
                      "the command out with -DSINEW_APPS=OFF")
endif()

add_executable(sinew_app ${sinew_app_sources})
sinew_options(sinew_app)
set_target_properties(sinew_app PROPERTIES OUTPUT_NAME sinew)
# All work is done by the library: optimizing the command buys nothing.
target_compile_options(sinew_app PRIVATE $<$<CONFIG:Release>:-O1>)
target_include_directories(sinew_app PRIVATE ${PROJECT_SOURCE_DIR}/apps ${PROJECT_BINARY_DIR}/generated)
if(SINEW_PCH)
  target_precompile_headers(sinew_app PRIVATE <fmt/format.h> <nlohmann/json.hpp>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sinew_app PRIVATE -fpch-preprocess)  # what ccache asks for
  endif()
endif()
target_compile_definitions(sinew_app PRIVATE SINEW_VERSION="${PROJECT_VERSION}")
target_link_libraries(sinew_app PRIVATE sinew::sinew CLI11::CLI11 nlohmann_json::nlohmann_json fmt::fmt)
target_link_libraries(sinew_app PRIVATE Threads::Threads)
# What is no template in Asio and Beast is compiled once, in beast.cpp. Optimizing takes a third of the time of these, and
# they send some dozens of messages a second.
set(sinew_boost_sources server.cpp stream_viewer.cpp viewer.cpp visitor.cpp beast.cpp)
list(TRANSFORM sinew_boost_sources PREPEND ${PROJECT_SOURCE_DIR}/apps/view/)
set_source_files_properties(${sinew_boost_sources} PROPERTIES
  COMPILE_DEFINITIONS "BOOST_ASIO_SEPARATE_COMPILATION;BOOST_BEAST_SEPARATE_COMPILATION;BOOST_ASIO_DISABLE_CO_AWAIT"
  COMPILE_OPTIONS $<$<CONFIG:Release>:-O0> SKIP_PRECOMPILE_HEADERS ON)
if(NOT SINEW_BOOST_INCLUDE STREQUAL "/usr/include")
  target_include_directories(sinew_app SYSTEM PRIVATE ${SINEW_BOOST_INCLUDE})
endif()
sinew_unity(sinew_app 30000 FOLDERS apps/common 12000)

# Programs that make files of this repository: apps/<name>/*.cpp becomes sinew_<name>, which is not installed.
foreach(main IN LISTS sinew_tool_mains)
  cmake_path(GET main PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_executable(sinew_${name} ${sources})
  sinew_options(sinew_${name})
  target_link_libraries(sinew_${name} PRIVATE sinew::sinew fmt::fmt tinyxml2::tinyxml2)
endforeach()
