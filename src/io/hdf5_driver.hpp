// src/io/hdf5_driver.hpp - HDF5's driver for plain files, without the mark of a writer
// HDF5 marks the head of a file while somebody writes it, and refuses to open a marked file. A process that is killed
// would leave the mark behind. Records have a lock that ends with its process (io/record_lock.hpp), so their files are
// written without the mark: whoever opens one finds it open.
#pragma once
#include <cstdint>

namespace sinew::hdf5 {

// form: a list of properties of file access. False: HDF5 did not take the driver.
bool use_unmarked_files(std::int64_t form);

}  // namespace sinew::hdf5
