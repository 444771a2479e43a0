# heed_module(NAME [DEPS module...] [TEST_DEPS module...] [LIBS target...]
#             [PRIVATE_LIBS target...])
#
# One static library per folder of heed/, so that an include of a folder that is
# not named in DEPS does not link. x_test.cc files become one test program.
add_library(heed_options INTERFACE)
target_compile_features(heed_options INTERFACE cxx_std_20)
target_include_directories(
  heed_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(heed_warnings INTERFACE)
# GCC 12 reports a copy that cannot happen in string operators (its bug 105651).
target_compile_options(heed_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                                               $<$<BOOL:${HEED_WERROR}>:-Werror>)
if(HEED_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEED_SANITIZE)
  add_compile_definitions(HEED_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Instrumented code takes the compiler twice to three times as long with -O1 as
# without; what does not compute in loops runs without.
function(heed_sanitize_cheaply NAME)
  if(HEED_SANITIZE)
    target_compile_options(${NAME} PRIVATE -O0)
  endif()
endfunction()

# heed_optimize_little(NAME): for code that computes nothing in long loops. -O1
# compiles it in two thirds of the time that -O3 takes.
function(heed_optimize_little NAME)
  heed_sanitize_cheaply(${NAME})
  if(NOT HEED_SANITIZE)
    target_compile_options(${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# heed_precompile(NAME OWNER HEADER...)
#
# Reads the headers once for all targets that name OWNER, the first of them, with
# which they must share their flags. Files name what they need all the same:
# clang-tidy reads them without.
function(heed_precompile NAME OWNER)
  if(NAME STREQUAL OWNER)
    target_precompile_headers(${NAME} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${NAME} REUSE_FROM ${OWNER})
  endif()
endfunction()

set(HEED_COMMON_HEADERS
    <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
    <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
    <unordered_map> <utility> <vector>)

# The upper modules, which are read, printed and served, not computed.
set(HEED_UPPER_MODULES explain page render train tasks convert serve)

# heed_tests(NAME SOURCE...)
#
# The program heed_NAME_test of tests, which are run one by one as NAME/TEST.
function(heed_tests NAME)
  if(NOT HEED_TESTS OR NOT ARGN)
    return()
  endif()
  add_executable(heed_${NAME}_test ${ARGN})
  if(NAME MATCHES "^(kernels|ops|nn|models)$") # B, T, Case, Model mean another thing in each file
    set_target_properties(heed_${NAME}_test PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(heed_${NAME}_test PRIVATE heed_${NAME} heed_warnings
                                                  GTest::gtest_main GTest::gmock)
  # What takes time is in the libraries; without optimisation nothing is fortified.
  target_compile_options(heed_${NAME}_test PRIVATE -O0 -U_FORTIFY_SOURCE)
  heed_precompile(heed_${NAME}_test heed_base_test <gtest/gtest.h> ${HEED_COMMON_HEADERS})
  if(HEED_SANITIZE)
    # A process for each of thousands of tests would mostly start and end. How
    # well something is learned, which takes two fifths of the time, is for the
    # other builds: all that runs there runs in other tests as well.
    set(learning *Learning.* *Learns* *Learnt* *IsLearned* *SolvesTheTask* *ThatDecide*
                 *Bm25DoesNot* *LooksWhere*)
    list(JOIN learning ":" learning)
    foreach(shard RANGE 3)
      add_test(NAME ${NAME}/${shard} COMMAND heed_${NAME}_test)
      set_tests_properties(
        ${NAME}/${shard} PROPERTIES TIMEOUT 900 ENVIRONMENT
        "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard};GTEST_FILTER=-${learning}")
    endforeach()
  else()
    gtest_discover_tests(heed_${NAME}_test DISCOVERY_MODE PRE_TEST
                         TEST_PREFIX "${NAME}/" PROPERTIES TIMEOUT 300)
  endif()
endfunction()

set(HEED_MODULES "" CACHE INTERNAL "")

function(heed_module NAME)
  cmake_parse_arguments(ARG "" "" "DEPS;TEST_DEPS;LIBS;PRIVATE_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    return()
  endif()

  add_library(heed_${NAME} STATIC ${sources} ${headers})
  target_link_libraries(heed_${NAME} PUBLIC heed_options ${ARG_LIBS}
                        PRIVATE $<BUILD_INTERFACE:heed_warnings> ${ARG_PRIVATE_LIBS})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(heed_${NAME} PUBLIC heed_${dep})
  endforeach()
  set_target_properties(heed_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  set(HEED_MODULES ${HEED_MODULES} ${NAME} CACHE INTERNAL "")

  set(owner heed_base)
  set(common ${HEED_COMMON_HEADERS})
  if(NAME IN_LIST HEED_UPPER_MODULES)
    set(owner heed_explain)
    list(APPEND common ${PROJECT_SOURCE_DIR}/heed/base/json.h)
    heed_optimize_little(heed_${NAME})
  elseif(NAME MATCHES "^(base|io|text|data|metrics)$")
    heed_sanitize_cheaply(heed_${NAME})
  elseif(HEED_SANITIZE)
    set(owner heed_tensor)
  endif()
  heed_precompile(heed_${NAME} ${owner} ${common})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  heed_tests(${NAME} ${tests})
  if(TARGET heed_${NAME}_test)
    foreach(dep IN LISTS ARG_TEST_DEPS)
      target_link_libraries(heed_${NAME}_test PRIVATE heed_${dep})
    endforeach()
  endif()
endfunction()
