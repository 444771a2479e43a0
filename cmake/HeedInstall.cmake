# Installation by cmake --install, for projects that use
#   find_package(heed CONFIG REQUIRED)
#   target_link_libraries(app PRIVATE heed::heed)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(HEED_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

list(TRANSFORM HEED_MODULES PREPEND heed_ OUTPUT_VARIABLE heed_libraries)
set_target_properties(heed_options PROPERTIES EXPORT_NAME options)
install(TARGETS heed heed_options ${heed_libraries} EXPORT heed-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heed-targets NAMESPACE heed:: DESTINATION ${HEED_PACKAGE_DIR})

install(DIRECTORY heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h"
        PATTERN "*_test*" EXCLUDE
        PATTERN "*testing.h" EXCLUDE
        PATTERN "*-inl.h" EXCLUDE)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/heed-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/heed-config.cmake cmake/HeedDependencies.cmake
              ${PROJECT_BINARY_DIR}/heed-config-version.cmake
        DESTINATION ${HEED_PACKAGE_DIR})
