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

# The rest of an installation, where the command was built.
if(EXISTS ${BUILD_DIR}/sinew)
  foreach(component runtime data doc)
    step("install ${component}" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix --component ${component})
  endforeach()
  step("simulate" ${work}/prefix/bin/sinew check ${work}/prefix/share/sinew/models/humanoid.xml)
  foreach(file share/man/man1/sinew-sim.1 share/bash-completion/completions/sinew share/zsh/vendor-completions/_sinew
          share/fish/vendor_completions.d/sinew.fish share/doc/sinew/docs/tutorial.md share/doc/sinew/examples/hello.cpp)
    if(NOT EXISTS ${work}/prefix/${file})
      file(REMOVE_RECURSE ${work})
      message(FATAL_ERROR "the installation has no ${file}")
    endif()
  endforeach()
endif()
file(REMOVE_RECURSE ${work})
message(STATUS "${output}")
