# Read by find_package(heed CONFIG). The libraries are static, so a program that
# links them needs their libraries too.
include(${CMAKE_CURRENT_LIST_DIR}/HeedDependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/heed-targets.cmake)
