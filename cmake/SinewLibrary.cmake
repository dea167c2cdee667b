# The library sinew::sinew. CUDA launchers are compiled by their own target.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(tinyxml2 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
if(SINEW_BUNDLE)
  include(SinewBundle)
endif()
include(SinewHdf5)

file(GLOB_RECURSE sinew_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER sinew_sources EXCLUDE REGEX "/src/batch/cuda/")

if(SINEW_FUZZ)  # only the loaders are fuzzed, so the rest is not compiled
  set(sinew_loaded_sources ${sinew_sources})  # what loaders use of the rest
  list(FILTER sinew_loaded_sources INCLUDE REGEX
       "/src/operators/(beam|finite_elements|flexible_body|flexible_model|shape).cpp$|/src/tree/(crba|kinematics|mass_inverse|kernel/articulated_workspace).cpp$|/src/sim/(control_track|mocap|snapshot_bytes).cpp$|/src/contact/formulation_name.cpp$")
  list(FILTER sinew_sources EXCLUDE REGEX "/src/(tree|derivative|generate|operators|delassus|constraint|lcp|contact|sim|batch)/|/src/io/(record|report)")
  list(APPEND sinew_sources ${sinew_loaded_sources})
endif()

if(SINEW_SCALARS STREQUAL "double")  # batches are packs; threads are not
  set(sinew_thread_sources ${sinew_sources})
  list(FILTER sinew_thread_sources INCLUDE REGEX "/src/batch/(thread_pool|parallel_contacts).cpp$")
  list(FILTER sinew_sources EXCLUDE REGEX "/src/batch/")
  list(APPEND sinew_sources ${sinew_thread_sources})
endif()

# Algorithms for many scalars are compiled in three passes (src/base/scalar_pass.hpp): double and float; packs; counting
# and dual scalars, which the library needs to choose algorithms and to classify constraints.
set(sinew_packs_sources "")
set(sinew_checks_sources "")
foreach(source IN LISTS sinew_sources)
  file(STRINGS ${source} instances REGEX "^SINEW_FOR_EACH_(SINGLE_)?SCALAR_HERE")
  if(instances MATCHES "EACH_SCALAR_HERE")
    list(APPEND sinew_packs_sources ${source})
  endif()
  if(instances)
    list(APPEND sinew_checks_sources ${source})
  endif()
endforeach()

# What nearly every file of the library includes, parsed once per target.
function(sinew_precompile target)
  if(NOT SINEW_PCH)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <stdexcept>
                            <string> <utility> <vector> ${PROJECT_SOURCE_DIR}/include/sinew/model/model.hpp)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # what ccache asks for
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # With a precompiled <string> the false alarms of GCC bug 105651 (see SinewOptions.cmake) have these names too.
      target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-stringop-overread
                             -Wno-array-bounds)
    endif()
  endif()
endfunction()

function(sinew_library_options target)
  sinew_options(${target})
  # Position independent, so that a Python module can link it. -fno-semantic-interposition lets the compiler still
  # inline calls inside the library.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                       PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Under a sanitizer forced inlining triples the compile time and gains nothing.
  if(SINEW_SANITIZE)
    target_compile_definitions(${target} PRIVATE SINEW_COMPILE_QUICKLY SINEW_SANITIZED)
  endif()
  # A user's translation unit must see the same pack types as the library.
  target_compile_definitions(${target} PUBLIC SINEW_PACK_BYTES=${SINEW_PACK_BYTES})
  # Two files of src/linear use Eigen and two of src/io nlohmann-json, headers only. Private include paths: users do not
  # need them.
  target_include_directories(${target} SYSTEM PRIVATE
                             $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>
                             $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# Loaders, the compilation of models and the generation of code run once: they compile a third faster when little optimized.
set(sinew_setup_sources ${sinew_sources})
list(FILTER sinew_setup_sources INCLUDE REGEX "/src/(io|model|generate)/")
list(FILTER sinew_setup_sources EXCLUDE REGEX "/src/model/(configuration|triangle_mesh|triangle_mesh_hull).cpp$")
list(REMOVE_ITEM sinew_sources ${sinew_setup_sources})

add_library(sinew ${sinew_sources})
add_library(sinew::sinew ALIAS sinew)
sinew_library_options(sinew)
set_target_properties(sinew PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
sinew_unity(sinew 40000 FOLDERS src/batch 9000 src/derivative 10000 src/tree 9000 src/operators 20000 src/delassus 2500)
sinew_precompile(sinew)
# Exported as $<LINK_ONLY:...> from a static library, and not at all from a shared one.
target_link_libraries(sinew PRIVATE tinyxml2::tinyxml2 fmt::fmt Threads::Threads PNG::PNG ZLIB::ZLIB sinew::hdf5)

add_library(sinew_setup OBJECT ${sinew_setup_sources})
sinew_library_options(sinew_setup)
target_compile_options(sinew_setup PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(sinew_setup PRIVATE tinyxml2::tinyxml2 fmt::fmt PNG::PNG ZLIB::ZLIB sinew::hdf5)
target_sources(sinew PRIVATE $<TARGET_OBJECTS:sinew_setup>)
sinew_unity(sinew_setup 40000)
sinew_precompile(sinew_setup)

set(sinew_passes packs checks)
if(SINEW_SCALARS STREQUAL "double")
  target_compile_definitions(sinew PRIVATE SINEW_ONE_REAL)
  set(sinew_passes checks)
endif()
target_compile_definitions(sinew PRIVATE SINEW_SCALAR_PASS=1)
if(SINEW_PLAIN_BUILD)
  foreach(pass IN LISTS sinew_passes)
    sinew_plain_objects(objects sinew_${pass})
    target_sources(sinew PRIVATE ${objects})
  endforeach()
  target_link_options(sinew PRIVATE -Wl,-Bsymbolic-functions)
  set(sinew_passes "")
endif()
foreach(pass IN LISTS sinew_passes)
  add_library(sinew_${pass} OBJECT ${sinew_${pass}_sources})
  sinew_library_options(sinew_${pass})
  target_sources(sinew PRIVATE $<TARGET_OBJECTS:sinew_${pass}>)
  set_target_properties(sinew_${pass} PROPERTIES UNITY_BUILD ${SINEW_UNITY} UNITY_BUILD_BATCH_SIZE 4)
  if(pass STREQUAL "checks")  # dual numbers cost more
    set_target_properties(sinew_checks PROPERTIES UNITY_BUILD_BATCH_SIZE 2)
  endif()
  sinew_precompile(sinew_${pass})
  sinew_list_objects(sinew_${pass})
endforeach()
if(TARGET sinew_packs)
  target_compile_definitions(sinew_packs PRIVATE SINEW_SCALAR_PASS=2)
endif()
if(TARGET sinew_checks)
  target_compile_definitions(sinew_checks PRIVATE SINEW_SCALAR_PASS=3)
  # Scalars that count or differentiate are slow anyway.
  if(NOT SINEW_SANITIZE)
    target_compile_definitions(sinew_checks PRIVATE SINEW_COMPILE_QUICKLY)
  endif()
  target_compile_options(sinew_checks PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

# The steps of a device on the CPU: inlined as on a device they would take a minute to compile.
foreach(unit IN ITEMS cpu_backend cpu_backend_float cpu_large cpu_large_float)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/${unit}.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON COMPILE_DEFINITIONS SINEW_COMPILE_QUICKLY)
endforeach()

# GCC packs the scalars of a link into vectors: the shuffles cost these 2 to 30 % of their time (docs/peers.md).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(unit IN ITEMS tree/crba tree/rnea tree/mass_inverse delassus/pv delassus/pv_dynamics
          delassus/pv_forward_dynamics derivative/aba_derivatives derivative/rnea_derivatives)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${unit}.cpp PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -fno-tree-slp-vectorize)
  endforeach()
endif()

# Two files see HDF5.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/hdf5.cpp ${PROJECT_SOURCE_DIR}/src/io/hdf5_driver.cpp
                            PROPERTIES INCLUDE_DIRECTORIES ${SINEW_HDF5_INCLUDE})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/record_hdf5.cpp ${PROJECT_SOURCE_DIR}/src/io/report_words.cpp
                            ${PROJECT_SOURCE_DIR}/src/generate/generate.cpp
                            PROPERTIES COMPILE_DEFINITIONS SINEW_VERSION="${PROJECT_VERSION}")
# The page of reports (make viewer) is taken in by the assembler.
set(sinew_page ${PROJECT_SOURCE_DIR}/viewer/dist/page.html)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/report_page.cpp PROPERTIES
                            COMPILE_DEFINITIONS SINEW_REPORT_PAGE="${sinew_page}" OBJECT_DEPENDS ${sinew_page})
