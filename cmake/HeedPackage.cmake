# Debian packages by cpack (./dev package): heed (the command, manual pages and
# completions), heed-mpi (training in several processes with mpirun), libheed0 (the C
# interface), python3-heed, and libheed-dev (development files for C and C++).
set(package_files ${PROJECT_SOURCE_DIR}/cmake/package)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heed)
# Without this summary, cpack puts a line before each description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "heed built using CMake")
set(CPACK_PACKAGE_VENDOR "Heed")
set(CPACK_PACKAGE_CONTACT "Heed maintainers <maintainers@heed.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${package_files}/prepare.cmake)
set(CPACK_HEED_PACKAGE_FILES ${package_files})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library development python)
if(TARGET heed_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # heed_0.1.0_amd64.deb

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME heed)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
# Libraries that are loaded on first use, so shlibdeps does not find them.
string(JOIN ", " loaded "librsvg2-2 (>= 2.52)" libgdk-pixbuf-2.0-0 libsndfile1 libvorbisfile3 libsamplerate0)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${loaded}")
# Fonts for text in PNG pictures.
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS fonts-dejavu-core)
# Scripts that register the unit heed.service with systemd.
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA
    ${package_files}/postinst ${package_files}/prerm ${package_files}/postrm)
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
"train, run and explain attention models
Heed trains small, fast models of text with every attention mechanism of the
literature on ordinary processors, runs them, and shows what they looked at:
translation, tagging, classification, language models, forecasting, retrieval.
heed serve answers over HTTP, with a page to look inside.
This package has the command, its manual pages, shell completion and a systemd
unit for the server.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME heed-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "heed (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION
"train attention models in several processes
With this package mpirun starts several processes of heed train, on one machine
or many, which train one model together, to the same bits for any number.")

# The shared library with the C interface, and the Python package on top of it.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libheed0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${loaded}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${package_files}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"attention models, C interface
Heed trains, runs and explains attention models on ordinary processors.
This package has the shared library with a stable C interface, for programs in
C, Go, Rust, Julia, Python and every other language that calls C.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-heed)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.8), libheed0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"attention models from Python
Heed trains, runs and explains attention models on ordinary processors.
With this package, `import heed` loads, trains and explains models, computes
attention of arrays with gradients, and shows it in notebooks.")

# Development files for find_package(heed) and for programs in C.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libheed-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
string(JOIN ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
       "libheed0 (= ${PROJECT_VERSION})" g++ cmake pkg-config libdnnl-dev ocl-icd-opencl-dev opencl-c-headers libhwy-dev
       libsentencepiece-dev libprotobuf-dev libicu-dev libfmt-dev zlib1g-dev libzip-dev libyaml-cpp-dev
       "libboost1.81-dev | libboost-dev (>= 1.81)" "${loaded}" libjpeg-dev
       nlohmann-json3-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"attention models in C++, library and headers
Heed trains small, fast models of text with every attention mechanism of the
literature on ordinary processors, runs them, and shows what they looked at.
This package has the static libraries, the headers and what CMake's
find_package(heed CONFIG) reads.")

include(CPack)
