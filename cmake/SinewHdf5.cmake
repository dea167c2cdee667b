# sinew::hdf5, the C library, and SINEW_HDF5_INCLUDE. CMake's own FindHDF5 needs a C compiler, this does not. Used by
# the build and by an installed Sinew. Debian has the serial library in a folder of its own.
find_path(SINEW_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(SINEW_HDF5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(SINEW_HDF5_INCLUDE SINEW_HDF5_LIBRARY)
if(NOT SINEW_HDF5_INCLUDE OR NOT SINEW_HDF5_LIBRARY)
  message(FATAL_ERROR "Sinew: HDF5 is missing; install it (Debian: libhdf5-dev) or set SINEW_HDF5_INCLUDE and "
                      "SINEW_HDF5_LIBRARY")
endif()
if(NOT TARGET sinew::hdf5)
  add_library(sinew::hdf5 UNKNOWN IMPORTED)
  set_target_properties(sinew::hdf5 PROPERTIES IMPORTED_LOCATION ${SINEW_HDF5_LIBRARY})
endif()
