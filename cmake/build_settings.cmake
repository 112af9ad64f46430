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

# gcc looks for what it no longer needs whenever its memory has doubled, the precompiled headers' own
# included: an eighth of the time of a build. Below 600 MB it need not look.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=600000>")

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
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <bit> <bitset> <chrono>
    <cmath> <condition_variable> <cstddef> <cstdint> <deque> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <numeric> <optional> <set> <span> <stop_token> <string> <string_view>
    <thread> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>
    ${precompile_HEADERS})
endfunction()

# nlohmann/json.hpp is not among them: a source that has it read pays 0.3 s, used or not, for its
# operator ""_json has the whole parser instantiated. Those that do read it share a precompiled header
# of their own, and -O1, a third quicker to compile: no one waits for what is read or written there.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND
    NOT multi_config)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/config/json_precompiled.cpp" CONTENT "")
  add_library(tilescope_json_precompiled OBJECT EXCLUDE_FROM_ALL
    "${PROJECT_BINARY_DIR}/config/json_precompiled.cpp")
  target_link_libraries(tilescope_json_precompiled PRIVATE tilescope_build fmt::fmt)
  target_compile_options(tilescope_json_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
  tilescope_precompile(tilescope_json_precompiled HEADERS <nlohmann/json.hpp>)
endif()

# A pattern of what a source includes to read it: itself, or a header of ours that does, or one that
# includes such a one.
function(tilescope_json_pattern variable)
  file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/app" "${PROJECT_SOURCE_DIR}/app/*.h")
  set(readers "nlohmann/json\\.hpp")
  foreach(unused RANGE 3)
    foreach(header IN LISTS headers)
      file(STRINGS "${PROJECT_SOURCE_DIR}/app/${header}" found REGEX "#include [<\"](${readers})[>\"]")
      if(found)
        list(REMOVE_ITEM headers "${header}")
        string(APPEND readers "|${header}")
      endif()
    endforeach()
  endforeach()
  set(${variable} "#include [<\"](${readers})[>\"]" PARENT_SCOPE)
endfunction()
tilescope_json_pattern(TILESCOPE_JSON_PATTERN)

#   tilescope_json_sources(VARIABLE source...)  those of the sources that read it
function(tilescope_json_sources variable)
  set(readers "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" found REGEX "${TILESCOPE_JSON_PATTERN}")
    if(found)
      list(APPEND readers "${source}")
    endif()
  endforeach()
  set(${variable} ${readers} PARENT_SCOPE)
endfunction()

# The sources of a folder are compiled together, up to eight at a time: what they all include is read
# and instantiated once, in about half the time. Their unnamed namespaces are one then, so that no
# name may stand twice in a folder. Off, a change of one source compiles that one only.
option(TILESCOPE_UNITE "Compile the sources of a folder together" ON)

#   tilescope_unite(TARGET source...)
function(tilescope_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILESCOPE_UNITE} UNITY_BUILD_MODE GROUP)
  if(NOT TILESCOPE_UNITE)
    return()
  endif()
  # gcc takes them for headers, whose types must not hold those of an unnamed namespace.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set(count 0)
  set(last "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(count 0)
      set(last "${folder}")
    endif()
    math(EXPR group "${count} / 8")
    math(EXPR count "${count} + 1")
    cmake_path(GET folder FILENAME folder)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
