# Compile options of every target of Sinew: sinew_options(<target>).

# The processor. `native` has a different spelling on the two architectures we support.
set(sinew_arch_flags "")
if(SINEW_NATIVE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)")
    set(sinew_arch_flags -mcpu=native)
  else()
    set(sinew_arch_flags -march=native)
  endif()
endif()

# Any report of a sanitizer ends the program, so that the test fails.
set(sinew_sanitize_flags "")
if(SINEW_SANITIZE)
  set(sinew_sanitize_flags -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

# Bytes in a vector register under these flags, found by preprocessing config.hpp.
function(sinew_find_pack_bytes result)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/pack_bytes_probe.cpp)
  file(WRITE ${probe} "#include \"sinew/base/config.hpp\"\nsinew_pack_bytes SINEW_PACK_BYTES\n")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${sinew_build_type}}")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_ARG1} ${flags} ${sinew_arch_flags} -std=c++20 -E -P
            -I${PROJECT_SOURCE_DIR}/include ${probe}
    OUTPUT_VARIABLE text
    ERROR_VARIABLE complaint
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT text MATCHES "sinew_pack_bytes ([0-9]+)")
    message(FATAL_ERROR "Sinew: cannot find the width of a vector register in sinew/base/config.hpp: ${complaint}")
  endif()
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
if(CMAKE_BUILD_TYPE)
  string(TOUPPER ${CMAKE_BUILD_TYPE} sinew_build_type)
endif()
sinew_find_pack_bytes(SINEW_PACK_BYTES)
message(STATUS "Sinew: ${SINEW_PACK_BYTES} bytes per vector register")

function(sinew_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow
                         -Wno-missing-field-initializers)  # designated initializers may leave out fields with defaults
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -Wno-sign-conversion)  # part of -Wconversion there, not in GCC
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms on "text" + std::string (GCC bug 105651) and on the clean-up of partly constructed aggregates.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC collects garbage less often: a tenth of the compile time of the tests, up to 1 GB of memory per compiler.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
  if(SINEW_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Determinism: whether a*b+c is fused into one rounding depends on the compiler, its version, its inliner and the
  # processor. Without fusing, the same source gives the same bits everywhere, in packs as in scalars.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  target_compile_options(${target} PRIVATE ${sinew_arch_flags} ${sinew_sanitize_flags})
  target_link_options(${target} PRIVATE ${sinew_sanitize_flags})
endfunction()
