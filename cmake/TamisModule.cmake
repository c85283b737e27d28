# Compiler settings shared by all targets, and the two functions that declare a module and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(tamis_flags INTERFACE)
target_include_directories(tamis_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
# -ffp-contract=off: a compiler that fuses a multiply and an add here but not there would change results between builds.
target_compile_options(tamis_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -ffp-contract=off
  $<$<BOOL:${TAMIS_WERROR}>:-Werror>)
if(TAMIS_SANITIZE)
  target_compile_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE})
endif()

# tamis_module(name SOURCES a.cc ... [DEPS targets ...])
# A static library tamis_<name> from the sources of the current folder.
function(tamis_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(tamis_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tamis_${name} PUBLIC tamis_flags ${ARG_DEPS})
endfunction()

# tamis_test(name SOURCES a_test.cc ... [DEPS targets ...] [ARGS ...])
# One GoogleTest program; ctest runs and counts each of its cases.
function(tamis_test name)
  if(NOT TAMIS_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tamis_flags ${ARG_DEPS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TAMIS_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()
include(GoogleTest)
