# Compiler and linker flags that stop the program at memory errors, against exploits.
# They apply to this build only: users of the installed libraries choose their own
# flags.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
if(NOT HEED_SANITIZE) # which finds the same, and more
  set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  add_compile_options(-fstack-protector-strong
                      $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=3>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fstack-clash-protection)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
endif()
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
