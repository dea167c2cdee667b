# Objects of another build: what makes a sanitizer build short.
# Each build lists the objects of the targets below in <build>/objects/<target>.txt. A build with SINEW_PLAIN_BUILD links
# the objects of that build in place of compiling them once more under the sanitizers: the tests, which are twice as much
# code as what they test, and the passes for packs and for counting and dual scalars, whose source the first pass has
# checked. The library is a shared one then, and its calls stay inside (-Bsymbolic-functions): of an inline function it
# runs its own copy, with the sanitizers, and not that of the tests.
function(sinew_list_objects target)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/objects/${target}.txt CONTENT "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
endfunction()

# The objects of a target in SINEW_PLAIN_BUILD.
function(sinew_plain_objects result target)
  set(list ${SINEW_PLAIN_BUILD}/objects/${target}.txt)
  if(NOT EXISTS ${list})
    message(FATAL_ERROR "SINEW_PLAIN_BUILD: ${list} is missing. Build that folder first, or leave the option empty.")
  endif()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} objects REGEX "\\.o$")  # not a precompiled header, which CMake counts among them
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

if(SINEW_PLAIN_BUILD AND NOT (SINEW_SANITIZE AND BUILD_SHARED_LIBS))
  message(FATAL_ERROR "SINEW_PLAIN_BUILD is for builds with SINEW_SANITIZE and BUILD_SHARED_LIBS=ON (make asan)")
endif()
