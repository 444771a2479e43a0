# heed_embed_page(TARGET [ENTRY FILE])
#
# Builds web/ with npm and Vite in the build folder and packs the result into TARGET, as
# the source of heed::PageFiles() (heed/page/page_files.h). The source is a separate
# object file; a program that defines PageFiles() does not link it. Without Node, or if
# npm reaches no registry, PageFiles() is empty: the server has only its API, and `heed
# explain --out x.html` reports what is missing.
# ENTRY: TypeScript file in another folder that registers its own kinds and views before
# it starts the page (web/build.js). Programs that link TARGET get this page.
# Projects that include Heed by add_subdirectory call this function in the same way.
option(HEED_PAGE "Build the page of heed serve and of explanations; needs Node and npm" ON)

# Writes a source with no files. It is a function because a parent project does not see
# variables of Heed.
function(heed_write_empty_page FILE)
  set(text "// Written by cmake/HeedPage.cmake: a build without the page.
#include \"heed/page/page_files.h\"

namespace heed {

std::span<const PageFile> PageFiles() { return {}; }

}  // namespace heed
")
  file(CONFIGURE OUTPUT ${FILE} CONTENT "${text}" @ONLY)
endfunction()

function(heed_embed_page TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 page "" "ENTRY" "")
  # The caller may be in another project.
  get_filename_component(heed ${CMAKE_CURRENT_FUNCTION_LIST_DIR} DIRECTORY)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_page_files.cc)
  target_sources(${TARGET} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(missing "")
  if(HEED_PAGE)
    find_program(HEED_NODE NAMES node nodejs)
    find_program(HEED_NPM npm)
    if(NOT HEED_NODE OR NOT HEED_NPM)
      set(missing "Node or npm not found")
    else()
      execute_process(COMMAND ${HEED_NODE} --version OUTPUT_VARIABLE version
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REPLACE "v" "" version "${version}")
      if(version VERSION_LESS 18)
        set(missing "Node 18 or later is needed, found ${version}")
      endif()
    endif()
  endif()
  if(missing)
    message(STATUS "${missing}: heed is built without its page")
  endif()
  if(missing OR NOT HEED_PAGE)
    heed_write_empty_page(${source})
    return()
  endif()

  # Reconfiguring retries a page build that failed earlier.
  if(EXISTS ${source})
    file(READ ${source} written LIMIT 80)
    if(written MATCHES "a build without the page")
      file(REMOVE ${source})
    endif()
  endif()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${heed}/web/src/*)
  if(page_ENTRY)
    get_filename_component(page_ENTRY ${page_ENTRY} ABSOLUTE)
    get_filename_component(folder ${page_ENTRY} DIRECTORY)
    file(GLOB beside CONFIGURE_DEPENDS ${folder}/*.ts ${folder}/*.css)
    list(APPEND inputs ${beside})
  endif()
  foreach(name package.json package-lock.json .npmrc vite.config.js build.js embed.js index.html)
    list(APPEND inputs ${heed}/web/${name})
  endforeach()
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DWEB=${heed}/web -DSCRATCH=${heed_BINARY_DIR}/page
            -DOUT=${source} -DENTRY=${page_ENTRY} -DNODE=${HEED_NODE} -DNPM=${HEED_NPM} -P
            ${heed}/cmake/HeedPage.cmake
    DEPENDS ${inputs} ${heed}/cmake/HeedPage.cmake
    COMMENT "Building the page"
    VERBATIM)
endfunction()

# The rest runs as a script at build time.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# run(COMMAND...): runs a command in SCRATCH and sets `result` and `said`.
macro(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE result
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
endmacro()

file(MAKE_DIRECTORY ${SCRATCH})
# Only one page is built at a time.
file(LOCK ${SCRATCH}/.lock GUARD PROCESS)
file(REMOVE_RECURSE ${SCRATCH}/src ${SCRATCH}/dist)
foreach(name package.json package-lock.json .npmrc vite.config.js build.js embed.js index.html src)
  file(COPY ${WEB}/${name} DESTINATION ${SCRATCH})
endforeach()
file(SHA256 ${WEB}/package-lock.json wanted)
set(installed "")
if(EXISTS ${SCRATCH}/node_modules/.heed)
  file(READ ${SCRATCH}/node_modules/.heed installed)
endif()
if(NOT installed STREQUAL wanted)
  run(${NPM} ci --omit=dev --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=2000)
  if(NOT result EQUAL 0)
    message(NOTICE "${said}\nheed is built without its page: npm could not install the "
                   "packages (see above). Configure again to try again; -DHEED_PAGE=OFF does "
                   "without the page.")
    heed_write_empty_page(${OUT})
    return()
  endif()
  file(WRITE ${SCRATCH}/node_modules/.heed ${wanted})
endif()
set(entry "")
if(ENTRY)
  set(entry --entry ${ENTRY})
endif()
run(${NODE} build.js --out ${OUT} ${entry})
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
