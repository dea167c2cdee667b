# With SINEW_BUNDLE: HDF5 and what it needs as static libraries inside the Python extension, so that a wheel brings none
# of the forty libraries behind Debian's shared HDF5 (curl, Kerberos, LDAP ...).
# Debian's static libraries are compiled for programs: their only references that a shared object cannot have are those
# to stdout and stderr. Copies in <build>/bundle name variables of bundled_streams.cpp instead.
find_program(SINEW_OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy REQUIRED)
set(sinew_bundle ${PROJECT_BINARY_DIR}/bundle)
file(MAKE_DIRECTORY ${sinew_bundle})

# sinew_bundle_library(TARGET NAME... [NEEDS TARGET...])
function(sinew_bundle_library target)
  cmake_parse_arguments(arg "" "" "NEEDS" ${ARGN})
  set(names ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM names PREPEND lib)
  list(TRANSFORM names APPEND .a)
  find_library(SINEW_BUNDLED_${target} NAMES ${names} REQUIRED)
  set(copy ${sinew_bundle}/${target}.a)
  execute_process(COMMAND ${SINEW_OBJCOPY} --redefine-sym stdout=sinew_bundled_stdout
                          --redefine-sym stderr=sinew_bundled_stderr ${SINEW_BUNDLED_${target}} ${copy}
                  COMMAND_ERROR_IS_FATAL ANY)
  add_library(sinew_bundled_${target} STATIC IMPORTED)
  list(TRANSFORM arg_NEEDS PREPEND sinew_bundled_)
  set_target_properties(sinew_bundled_${target} PROPERTIES IMPORTED_LOCATION ${copy}
                                                           INTERFACE_LINK_LIBRARIES "${arg_NEEDS};${CMAKE_DL_LIBS}")
endfunction()
sinew_bundle_library(z z)
sinew_bundle_library(aec aec)
sinew_bundle_library(sz sz NEEDS aec)
sinew_bundle_library(hdf5 hdf5_serial hdf5 NEEDS sz z)

add_library(sinew::hdf5 ALIAS sinew_bundled_hdf5)  # in place of the shared one
