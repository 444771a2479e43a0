# Finds every third-party library. Also read by the installed package.
find_package(Threads REQUIRED)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64") # elsewhere not used
  find_package(dnnl REQUIRED CONFIG)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)
find_package(Boost 1.81 REQUIRED CONFIG) # headers of Asio and Beast
find_package(yaml-cpp REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
