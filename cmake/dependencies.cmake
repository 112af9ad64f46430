# What is found on the system or fetched; third_party/README.md says why each.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
include(portable)
if(NOT TILESCOPE_PORTABLE)
  find_package(fmt 9 REQUIRED)
endif()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Freetype REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GIF 5 REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf cairo-png)
tilescope_link_libraries_in()
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
find_package(benchmark QUIET)

include(fetch)
include("${PROJECT_SOURCE_DIR}/third_party/cuda.cmake")
if(TILESCOPE_UI)
  if(NOT TILESCOPE_PORTABLE)
    pkg_check_modules(glfw REQUIRED IMPORTED_TARGET glfw3>=3.3)
  endif()
  include("${PROJECT_SOURCE_DIR}/third_party/imgui_bundle.cmake")
endif()

set(TILESCOPE_SOURCE_TREE "${PROJECT_SOURCE_DIR}")
if(TILESCOPE_PORTABLE)  # nothing of this machine is where the program will be
  foreach(place IN ITEMS SOURCE_TREE CUDA_LIBRARY_HINTS CUDA_INCLUDE_HINTS NVDISASM_HINT PTXAS_HINT)
    set(TILESCOPE_${place} "")
  endforeach()
endif()

# The build's version and paths, for the few sources that need them. A header and no definitions on
# the command line: so all other sources compile to the same objects in every folder.
configure_file("${CMAKE_CURRENT_LIST_DIR}/build_config.h.in"
  "${PROJECT_BINARY_DIR}/config/build_config.h" @ONLY)
add_library(tilescope_config INTERFACE)
target_include_directories(tilescope_config INTERFACE "${PROJECT_BINARY_DIR}/config")
