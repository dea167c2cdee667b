# Uses ccache if it is installed. It needs the sloppiness settings to cache files that use a precompiled header, and the
# base folder to serve other clones with the same objects: paths below it are then relative to the build folder.
if(SINEW_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SINEW_CCACHE_PROGRAM ccache)
  if(SINEW_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        ${SINEW_CCACHE_PROGRAM})
  endif()
endif()
