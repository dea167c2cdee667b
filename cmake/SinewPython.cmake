# The extension module sinew._core of the Python package, from python/src; with the files of python/sinew it makes the
# package in <build>/python, which tests use as it is. pip builds the same through pyproject.toml.
# nanobind and NumPy come from the interpreter that Python_EXECUTABLE names.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE sinew_nanobind
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE sinew_status ERROR_QUIET)
if(NOT sinew_status EQUAL 0)
  message(FATAL_ERROR "Sinew: ${Python_EXECUTABLE} has no nanobind; run tools/setup.sh python, or pip install nanobind")
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -c "import numpy; print(numpy.get_include())" OUTPUT_VARIABLE sinew_numpy
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED PATHS ${sinew_nanobind} NO_DEFAULT_PATH)

file(GLOB sinew_python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
# One file for all Pythons from 3.12 on; 3.11 has no stable interface that is complete enough.
nanobind_add_module(sinew_python STABLE_ABI FREE_THREADED NB_SUPPRESS_WARNINGS NB_DOMAIN sinew NOMINSIZE
                    ${sinew_python_sources})
sinew_options(sinew_python)
set_target_properties(sinew_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/sinew
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(sinew_python PRIVATE SINEW_VERSION="${PROJECT_VERSION}")
# Nearly all time is spent in the library; only what checks arrays has to be quick.
target_compile_options(sinew_python PRIVATE $<$<CONFIG:Release>:-O2>)
target_include_directories(sinew_python SYSTEM PRIVATE ${sinew_numpy})
target_link_libraries(sinew_python PRIVATE sinew::sinew)
if(SINEW_BUNDLE)
  target_sources(sinew_python PRIVATE ${PROJECT_SOURCE_DIR}/cmake/bundled_streams.cpp)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/bundled_streams.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_link_options(sinew_python PRIVATE -Wl,--gc-sections)
endif()
# Nothing of the static libraries is seen from outside: other modules may have other versions of the same.
file(WRITE ${PROJECT_BINARY_DIR}/python/exports.txt "{ global: PyInit__core; local: *; };\n")
target_link_options(sinew_python PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${PROJECT_BINARY_DIR}/python/exports.txt)
if(SINEW_PCH)
  target_precompile_headers(sinew_python PRIVATE ${PROJECT_SOURCE_DIR}/python/src/common.hpp)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sinew_python PRIVATE -fpch-preprocess)  # what ccache asks for
  endif()
  # It imports NumPy's interface for all others, which a precompiled header has not.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/python/src/arrays.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()

# The Python files beside it, as links, so that an edit counts at once.
file(GLOB sinew_python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/sinew/*)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/sinew)
foreach(file IN LISTS sinew_python_files)
  cmake_path(GET file FILENAME name)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/sinew/${name} SYMBOLIC)
endforeach()

# Type stubs, made from the module itself.
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/python/sinew/_core/__init__.pyi
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_BINARY_DIR}/python ${Python_EXECUTABLE} -m nanobind.stubgen -q -r
          -m sinew._core -O ${PROJECT_BINARY_DIR}/python/sinew
  DEPENDS sinew_python
  COMMENT "Type stubs of sinew._core"
  VERBATIM)
add_custom_target(sinew_python_stubs ALL DEPENDS ${PROJECT_BINARY_DIR}/python/sinew/_core/__init__.pyi)

if(SKBUILD)
  install(TARGETS sinew_python LIBRARY DESTINATION sinew COMPONENT python)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/sinew/_core DESTINATION sinew COMPONENT python)
  # The manual and the examples: python -m sinew says where they are.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION sinew/manual COMPONENT python FILES_MATCHING PATTERN "*.md")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/python/ DESTINATION sinew/examples COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.toml")
endif()
