# What is found on the system or fetched; third_party/README.md says why each.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Freetype REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GIF 5 REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf cairo-png)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
find_package(benchmark QUIET)

include(fetch)
include("${PROJECT_SOURCE_DIR}/third_party/cuda.cmake")
if(TILESCOPE_UI)
  pkg_check_modules(epoxy REQUIRED IMPORTED_TARGET epoxy)
  pkg_check_modules(egl REQUIRED IMPORTED_TARGET egl)
  pkg_check_modules(glfw REQUIRED IMPORTED_TARGET glfw3>=3.3)
  include("${PROJECT_SOURCE_DIR}/third_party/imgui_bundle.cmake")
endif()

# The build's version and paths, for the few sources that need them. A header and no definitions on
# the command line: so all other sources compile to the same objects in every folder.
configure_file("${CMAKE_CURRENT_LIST_DIR}/build_config.h.in"
  "${PROJECT_BINARY_DIR}/config/build_config.h" @ONLY)
add_library(tilescope_config INTERFACE)
target_include_directories(tilescope_config INTERFACE "${PROJECT_BINARY_DIR}/config")
