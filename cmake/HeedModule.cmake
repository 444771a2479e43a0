# heed_module(NAME [DEPS module...] [TEST_DEPS module...] [LIBS target...]
#             [PRIVATE_LIBS target...])
#
# Adds a static library for a folder of heed/. A folder that is not in DEPS is not
# linked. x_test.cc files become one test program.
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

# Instrumented code compiles two to three times slower with -O1 than with -O0. Code
# without loops of computation is compiled with -O0.
function(heed_sanitize_cheaply NAME)
  if(HEED_SANITIZE)
    target_compile_options(${NAME} PRIVATE -O0)
  endif()
endfunction()

# heed_optimize_little(NAME): for code without long loops of computation. -O1 takes two
# thirds of the compile time of -O3.
function(heed_optimize_little NAME)
  heed_sanitize_cheaply(${NAME})
  if(NOT HEED_SANITIZE)
    target_compile_options(${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# heed_precompile(NAME OWNER HEADER...)
#
# Precompiles the headers once for all targets that name OWNER. OWNER comes first, and
# all targets must share its flags. Sources still include what they need, because
# clang-tidy does not use precompiled headers.
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

# Upper modules: reading, printing and serving instead of computation.
set(HEED_UPPER_MODULES explain page render train tasks convert serve)

# heed_tests(NAME SOURCE...)
#
# Adds the program heed_NAME_test, whose tests are registered one by one as NAME/TEST.
# The programs of the course read no foreign data, so sanitizers leave them out.
function(heed_tests NAME)
  if(NOT HEED_TESTS OR NOT ARGN OR (HEED_SANITIZE AND NAME STREQUAL course))
    return()
  endif()
  add_executable(heed_${NAME}_test ${ARGN})
  target_link_libraries(heed_${NAME}_test PRIVATE heed_${NAME} heed_warnings
                                                  GTest::gtest_main GTest::gmock)
  # Most time is spent in the libraries; _FORTIFY_SOURCE requires optimisation.
  target_compile_options(heed_${NAME}_test PRIVATE -O0 -U_FORTIFY_SOURCE)
  heed_precompile(heed_${NAME}_test heed_base_test <gtest/gtest.h> ${HEED_COMMON_HEADERS})
  if(HEED_SANITIZE)
    # A process per test would spend most of its time on start and exit. Tests of
    # learning take two fifths of the time and run in the other builds; other tests
    # cover their code here.
    set(learning *Learning.* *Learns* *Learnt* *IsLearned* *SolvesTheTask* *ThatDecide*
                 *Bm25DoesNot* *LooksWhere* *MaskHides *MeanGradient TrainBench.Fields*
                 DecodeBench.Times*)
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
