# How every target of ours is compiled.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(TILESCOPE_CCACHE ccache)
mark_as_advanced(TILESCOPE_CCACHE)
if(TILESCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${TILESCOPE_CCACHE}")
  # What ccache's manual asks for beside -fpch-preprocess, so that it keeps what is compiled with
  # precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${TILESCOPE_CCACHE}")
endif()

# address;undefined or thread: third-party code is built with it too, so that it is seen whole.
set(TILESCOPE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address;undefined")
if(TILESCOPE_SANITIZE)
  list(JOIN TILESCOPE_SANITIZE "," sanitizers)
  # gcc's own std::regex looks uninitialised to it under the sanitizers.
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${sanitizers})
endif()

if(TILESCOPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

add_library(tilescope_warnings INTERFACE)
target_compile_options(tilescope_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wdouble-promotion -Werror
  $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)  # a loop that was not vectorised is no mistake

# Emulated arithmetic and the CPU references must round as the PTX says: no contraction of a*b+c
# anywhere in our code, whatever -march a layer asks for.
add_library(tilescope_build INTERFACE)
target_link_libraries(tilescope_build INTERFACE tilescope_warnings)
target_compile_options(tilescope_build INTERFACE -ffp-contract=off)

# The standard headers and libraries that most sources read, parsed once. Sources still include what
# they use: each header is compiled without this. One target may use another's where both are
# compiled with the same options.
#   tilescope_precompile(TARGET [HEADERS header...] [FROM target])
function(tilescope_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 precompile "" "FROM" "HEADERS")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()  # clang compares macros, too, and refuses to share
  endif()
  # gcc's false alarms about std::string (bug 105651) come from a system header, which a precompiled
  # one is no longer seen to be.
  target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-restrict
    -Wno-stringop-overread -Wno-stringop-overflow)
  if(precompile_FROM)
    target_precompile_headers(${target} REUSE_FROM ${precompile_FROM})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <bit> <chrono> <cmath> <cstddef>
    <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <vector> <fmt/format.h> ${precompile_HEADERS})
endfunction()
