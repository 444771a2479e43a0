# Every third-party library, found once. Also read by the installed package.
find_package(Threads REQUIRED)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64") # elsewhere not used
  find_package(dnnl REQUIRED CONFIG)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(Boost 1.81 REQUIRED CONFIG) # headers of Asio and Beast
find_package(yaml-cpp REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(LIBRSVG REQUIRED IMPORTED_TARGET librsvg-2.0)
pkg_check_modules(GDK_PIXBUF REQUIRED IMPORTED_TARGET gdk-pixbuf-2.0)
pkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET sndfile)
pkg_check_modules(VORBISFILE REQUIRED IMPORTED_TARGET vorbisfile)
pkg_check_modules(SAMPLERATE REQUIRED IMPORTED_TARGET samplerate)
# Their -pthread would keep a module from the precompiled header of the others.
set_target_properties(PkgConfig::LIBRSVG PkgConfig::GDK_PIXBUF
                      PROPERTIES INTERFACE_COMPILE_OPTIONS "")
