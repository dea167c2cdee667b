# Installs the build into a temporary prefix, moves the prefix (an installation can be moved), then configures, builds
# and runs the project beside this file in a temporary folder outside the tree. Called by ctest with -D BUILD_DIR,
# CONSUMER, CXX, GENERATOR, VERSION, PACK_BYTES.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE work OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${what} failed (${status}):\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

step("install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/first --component development)
file(RENAME ${work}/first ${work}/prefix)
file(COPY ${CONSUMER}/ DESTINATION ${work}/consumer)
# Users need not have Eigen: finding it is forbidden here.
step("configure" ${CMAKE_COMMAND} -S ${work}/consumer -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
     -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DWANTED_VERSION=${VERSION}
     -DEXPECTED_PACK_BYTES=${PACK_BYTES})
step("build" ${CMAKE_COMMAND} --build ${work}/build)
step("run" ${work}/build/app)
file(REMOVE_RECURSE ${work})
message(STATUS "${output}")
