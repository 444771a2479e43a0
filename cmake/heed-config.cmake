# Read by find_package(heed CONFIG). The libraries are static, so programs that link
# them also need their dependencies.
include(${CMAKE_CURRENT_LIST_DIR}/HeedDependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/heed-targets.cmake)
