# heed_page(TARGET)
#
# Builds web/ with npm and Vite in the build folder and packs the result into
# TARGET, as the source of heed::PageFiles() (heed/serve/page.h). Without Node, or
# where npm reaches no registry, PageFiles() is empty: the server has its API alone.
option(HEED_PAGE "Build the page that heed serve shows; needs Node and npm" ON)

set(HEED_PAGE_EMPTY "// Written by cmake/HeedPage.cmake: a build without the page.
#include \"heed/serve/page.h\"

namespace heed {

std::span<const PageFile> PageFiles() { return {}; }

}  // namespace heed
")

function(heed_page TARGET)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/page_files.cc)
  target_sources(${TARGET} PRIVATE ${source})
  if(HEED_PAGE)
    find_program(HEED_NODE NAMES node nodejs)
    find_program(HEED_NPM npm)
  endif()
  if(NOT HEED_PAGE OR NOT HEED_NODE OR NOT HEED_NPM)
    if(HEED_PAGE)
      message(STATUS "Node or npm not found: heed serve is built without its page")
    endif()
    file(CONFIGURE OUTPUT ${source} CONTENT "${HEED_PAGE_EMPTY}" @ONLY)
    return()
  endif()

  # A build that had to do without the page tries again once it is configured anew.
  if(EXISTS ${source})
    file(READ ${source} written LIMIT 80)
    if(HEED_PAGE_EMPTY MATCHES "^${written}")
      file(REMOVE ${source})
    endif()
  endif()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
  foreach(name package.json package-lock.json .npmrc vite.config.js embed.js index.html)
    list(APPEND inputs ${PROJECT_SOURCE_DIR}/web/${name})
  endforeach()
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DWEB=${PROJECT_SOURCE_DIR}/web -DSCRATCH=${PROJECT_BINARY_DIR}/page
            -DOUT=${source} -DNODE=${HEED_NODE} -DNPM=${HEED_NPM} -P
            ${PROJECT_SOURCE_DIR}/cmake/HeedPage.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/HeedPage.cmake
    COMMENT "Building the page of heed serve"
    VERBATIM)
endfunction()

# From here on: the step of the build.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# Leaves the loop below with what went wrong in `failed`.
macro(run WHAT)
  if(NOT failed)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE result
                    OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT result EQUAL 0)
      set(failed "${WHAT}")
    endif()
  endif()
endmacro()

file(MAKE_DIRECTORY ${SCRATCH})
file(REMOVE_RECURSE ${SCRATCH}/src ${SCRATCH}/dist)
foreach(name package.json package-lock.json .npmrc vite.config.js embed.js index.html src)
  file(COPY ${WEB}/${name} DESTINATION ${SCRATCH})
endforeach()
file(SHA256 ${WEB}/package-lock.json wanted)
set(installed "")
if(EXISTS ${SCRATCH}/node_modules/.heed)
  file(READ ${SCRATCH}/node_modules/.heed installed)
endif()
if(NOT installed STREQUAL wanted)
  run("npm could not install the packages" ${NPM} ci --omit=dev --fetch-retries=1
      --fetch-retry-mintimeout=2000)
  if(NOT failed)
    file(WRITE ${SCRATCH}/node_modules/.heed ${wanted})
  endif()
endif()
run("vite failed" ${NODE} node_modules/vite/bin/vite.js build --logLevel warn)
run("embed.js failed" ${NODE} embed.js dist ${OUT})
if(failed)
  message(NOTICE "${said}")
  message(NOTICE "heed serve is built without its page: ${failed} (see above). "
                 "Configure again to try again; -DHEED_PAGE=OFF does without it.")
  file(WRITE ${OUT} "${HEED_PAGE_EMPTY}")
endif()
