// python/src/numpy_api.hpp - NumPy's C interface, imported once by arrays.cpp
#pragma once
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL sinew_numpy_api
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#if !defined(SINEW_IMPORTS_NUMPY)
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
