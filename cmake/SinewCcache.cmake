# Uses ccache if it is installed. It needs the sloppiness settings to cache files that use a precompiled header.
if(SINEW_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SINEW_CCACHE_PROGRAM ccache)
  if(SINEW_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        ${SINEW_CCACHE_PROGRAM})
  endif()
endif()
