# One libFuzzer program, sinew_fuzz, of all tests/fuzz/*.cpp, with the whole library instrumented, and the readers of
# the command.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "SINEW_FUZZ needs Clang (use the preset fuzz)")
endif()
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
target_compile_options(sinew PRIVATE -fsanitize=fuzzer-no-link
                                     -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/cmake/fuzz_numerics.txt)

file(GLOB sinew_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(APPEND sinew_fuzz_sources apps/common/input_text.cpp apps/common/json_text.cpp apps/common/places.cpp
     apps/common/problem_file.cpp apps/common/start_state_json.cpp apps/eval/exchange.cpp apps/eval/state_json.cpp
     apps/view/door.cpp apps/view/orders.cpp)
add_executable(sinew_fuzz ${sinew_fuzz_sources})
sinew_options(sinew_fuzz)
target_include_directories(sinew_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src
                                              ${PROJECT_SOURCE_DIR}/apps)
target_compile_options(sinew_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(sinew_fuzz PRIVATE -fsanitize=fuzzer)
target_link_libraries(sinew_fuzz PRIVATE sinew::sinew nlohmann_json::nlohmann_json fmt::fmt)
