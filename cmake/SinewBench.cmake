# sinew_bench: every bench/**/*_bench.cpp in one Google Benchmark program.
file(GLOB_RECURSE sinew_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*_bench.cpp)
if(NOT sinew_bench_sources)
  message(STATUS "Sinew: bench/ holds no *_bench.cpp, so there is no sinew_bench")
  return()
endif()
find_package(benchmark REQUIRED)

add_executable(sinew_bench ${sinew_bench_sources})
sinew_options(sinew_bench)
target_include_directories(sinew_bench PRIVATE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/tests
                                               ${PROJECT_SOURCE_DIR}/src)
set_property(SOURCE ${PROJECT_SOURCE_DIR}/bench/io/load_bench.cpp
             APPEND PROPERTY COMPILE_DEFINITIONS SINEW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(sinew_bench PRIVATE sinew::sinew benchmark::benchmark_main)
