# Compiles spatial.cpp for each case: 0 must compile, the others must not.
#   cmake -DCXX=<compiler> -DINCLUDE=<include folder> -P run.cmake
foreach(case RANGE 10)
  execute_process(
    COMMAND ${CXX} -std=c++20 -fsyntax-only -I${INCLUDE} -DSINEW_CASE=${case} ${CMAKE_CURRENT_LIST_DIR}/spatial.cpp
    RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(case EQUAL 0 AND NOT status EQUAL 0)
    message(FATAL_ERROR "what must compile does not:\n${complaint}")
  elseif(case GREATER 0 AND status EQUAL 0)
    message(FATAL_ERROR "case ${case} compiles and must not")
  endif()
endforeach()
