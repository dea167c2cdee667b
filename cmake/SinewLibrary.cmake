# The library sinew::sinew. CUDA launchers are compiled by their own target.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(tinyxml2 REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
include(SinewHdf5)

file(GLOB_RECURSE sinew_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER sinew_sources EXCLUDE REGEX "/src/batch/cuda/")

# Sweeps are long once they are inlined: these files are compiled in three parts, one for each group of scalars
# (base/scalars.hpp), so that no translation unit takes ten seconds.
set(sinew_split tree/rnea tree/crba tree/aba tree/mass_inverse)
set(sinew_split_single delassus/pv delassus/efpa delassus/chang_khatib delassus/kjr delassus/operator)  # without packs
if(SINEW_FUZZ)  # the loaders are fuzzed; what they do not call is not compiled
  list(FILTER sinew_sources EXCLUDE REGEX "/src/(tree|delassus|constraint|lcp|contact|sim|batch)/|/src/io/(hdf5|record)")
  set(sinew_split "")
  set(sinew_split_single "")
endif()
foreach(stem IN LISTS sinew_split sinew_split_single)
  set(source ${PROJECT_SOURCE_DIR}/src/${stem}.cpp)
  list(REMOVE_ITEM sinew_sources ${source})
  foreach(group 1 2 3)
    if(group EQUAL 2 AND stem IN_LIST sinew_split_single)
      continue()
    endif()
    set(part ${PROJECT_BINARY_DIR}/parts/${stem}_${group}.cpp)
    set(text "#define SINEW_SCALAR_GROUP ${group}\n")
    if(group EQUAL 3 AND NOT SINEW_SANITIZE)
      string(APPEND text "#define SINEW_COMPILE_QUICKLY\n")
    endif()
    file(CONFIGURE OUTPUT ${part} CONTENT "${text}#include \"${source}\"\n" @ONLY)
    list(APPEND sinew_sources ${part})
  endforeach()
endforeach()

add_library(sinew ${sinew_sources})
add_library(sinew::sinew ALIAS sinew)
sinew_options(sinew)
set_target_properties(sinew PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                       POSITION_INDEPENDENT_CODE ON)
# Position independent, so that a Python module can link it; calls inside the library are bound (and inlined) as if it
# were not.
target_compile_options(sinew PRIVATE -fno-semantic-interposition)
target_include_directories(sinew PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                 PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Under a sanitizer every inlined access is watched: forced inlining triples the time to compile, and buys nothing.
if(SINEW_SANITIZE)
  target_compile_definitions(sinew PRIVATE SINEW_COMPILE_QUICKLY SINEW_SANITIZED)
endif()
# A user's translation unit must see the same pack types as the library was compiled with.
target_compile_definitions(sinew PUBLIC SINEW_PACK_BYTES=${SINEW_PACK_BYTES})
# Of Eigen only headers are used, by src/linear/sparse_ldl.cpp alone: by include path, so that users need not have it.
target_include_directories(sinew SYSTEM PRIVATE $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
# Exported as $<LINK_ONLY:...> from a static library, and not at all from a shared one.
target_link_libraries(sinew PRIVATE tinyxml2::tinyxml2 fmt::fmt Threads::Threads sinew::hdf5)
# One file sees HDF5.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/hdf5.cpp PROPERTIES INCLUDE_DIRECTORIES ${SINEW_HDF5_INCLUDE})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/record_hdf5.cpp PROPERTIES
                            COMPILE_DEFINITIONS SINEW_VERSION="${PROJECT_VERSION}")
