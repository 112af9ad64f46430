# The window's toolkit: Dear ImGui (docking) and its family, built from the source distribution of
# Dear ImGui Bundle. Only what something links is built.
#   tilescope_imgui          imgui, imgui_color_text_edit, imgui_command_palette
#   imgui_rich_md            Markdown with LaTeX and Mermaid; half of the family's build time
#   imgui_test_engine        tests only (its licence: third_party/README.md)
#   imgui_no_test_engine     what the program links in its place

set(TILESCOPE_IMGUI_BUNDLE_DIR "" CACHE PATH
  "Unpacked source distribution of imgui-bundle 1.93.0 (empty: it is downloaded)")
set(bundle "${TILESCOPE_IMGUI_BUNDLE_DIR}")
if(NOT bundle)
  set(family imgui ImGuiColorTextEdit imgui-command-palette imgui_rich_md
    imgui_microtex imgui_test_engine)
  list(TRANSFORM family REPLACE "(.+)" "imgui_bundle-1.93.0/external/\\1/*")
  tilescope_fetch(bundle imgui-bundle 1.93.0
    10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf
    imgui_bundle-1.93.0.tar.gz SOURCE ONLY "imgui_bundle-1.93.0/LICENSE" ${family})
  string(APPEND bundle "/imgui_bundle-1.93.0")
endif()
set(external "${bundle}/external")
if(NOT EXISTS "${external}/imgui/imgui/imgui.h")
  message(FATAL_ERROR "${bundle} holds no external/imgui/imgui/imgui.h: "
    "TILESCOPE_IMGUI_BUNDLE_DIR must be an unpacked imgui-bundle 1.93.0.")
endif()

# A program for other systems brings GLFW, which loads X11 or Wayland as it finds them.
if(TILESCOPE_PORTABLE)
  tilescope_fetch(glfw imgui-bundle 1.93.0
    10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf
    imgui_bundle-1.93.0.tar.gz SOURCE PART -glfw ONLY "imgui_bundle-1.93.0/external/glfw/*")
  set(GLFW_INSTALL OFF)
  set(GLFW_BUILD_DOCS OFF)
  set(GLFW_BUILD_TESTS OFF)
  set(GLFW_BUILD_EXAMPLES OFF)
  set(GLFW_LIBRARY_TYPE STATIC)
  add_subdirectory("${glfw}/imgui_bundle-1.93.0/external/glfw/glfw" "${PROJECT_BINARY_DIR}/glfw"
    EXCLUDE_FROM_ALL SYSTEM)
  add_library(PkgConfig::glfw ALIAS glfw)
endif()

# tilescope_imgui_part(NAME FOLDER SOURCES file... [USES target...] [KIND STATIC|OBJECT])
# Headers are found as <folder>/header.h and as header.h.
function(tilescope_imgui_part name folder)
  cmake_parse_arguments(PARSE_ARGV 2 part "" "KIND" "SOURCES;USES")
  if(NOT part_KIND)
    set(part_KIND STATIC)
  endif()
  list(TRANSFORM part_SOURCES PREPEND "${folder}/")
  add_library(${name} ${part_KIND} EXCLUDE_FROM_ALL ${part_SOURCES})
  cmake_path(GET folder PARENT_PATH parent)
  target_include_directories(${name} SYSTEM PUBLIC "${folder}" "${parent}")
  target_link_libraries(${name} PUBLIC ${part_USES})
  target_compile_options(${name} PRIVATE -w -O2)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${PROJECT_SOURCE_DIR}/third_party/kept_object.sh;${TILESCOPE_CACHE_DIR}/objects")
  endif()
endfunction()

tilescope_imgui_part(imgui "${external}/imgui/imgui"
  SOURCES imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp imgui_demo.cpp
    imgui_stacklayout.cpp misc/cpp/imgui_stdlib.cpp misc/freetype/imgui_freetype.cpp
    backends/imgui_impl_glfw.cpp backends/imgui_impl_opengl3.cpp
  USES Freetype::Freetype PkgConfig::glfw ${CMAKE_DL_LIBS})
target_include_directories(imgui SYSTEM PUBLIC "${external}/imgui/imgui/backends"
  "${external}/imgui/imgui/misc/cpp" "${external}/imgui/imgui/misc/freetype")
target_compile_definitions(imgui
  PUBLIC IMGUI_ENABLE_FREETYPE IMGUI_ENABLE_TEST_ENGINE "ImDrawIdx=unsigned int"
  PRIVATE IMGUI_IMPL_OPENGL_LOADER_CUSTOM)
# It calls OpenGL through the program's own pointers: one loader for the window and headless.
target_include_directories(imgui PRIVATE "${PROJECT_SOURCE_DIR}/app")
set_source_files_properties("${external}/imgui/imgui/backends/imgui_impl_opengl3.cpp" PROPERTIES
  COMPILE_OPTIONS "-include;ui/platform/gl.h")
set_source_files_properties("${external}/imgui/imgui/imgui_demo.cpp" PROPERTIES
  COMPILE_DEFINITIONS IMGUI_DISABLE_DEMO_WINDOWS)

tilescope_imgui_part(imgui_color_text_edit "${external}/ImGuiColorTextEdit/ImGuiColorTextEdit"
  SOURCES TextEditor.cpp TextDiff.cpp USES imgui)
target_compile_options(imgui_color_text_edit PRIVATE $<$<CONFIG:Release>:-O1>)  # a page of text a frame
tilescope_imgui_part(imgui_command_palette "${external}/imgui-command-palette/imgui-command-palette"
  SOURCES imcmd_command_palette.cpp imcmd_fuzzy_search.cpp USES imgui)

add_library(tilescope_imgui INTERFACE)
target_link_libraries(tilescope_imgui INTERFACE imgui imgui_color_text_edit imgui_command_palette)

# Dear ImGui is built once, with the test engine's hooks; the program answers them with nothing.
# Both are object libraries, for imgui needs them and not the other way round: link one directly.
add_library(imgui_no_test_engine OBJECT EXCLUDE_FROM_ALL
  "${PROJECT_SOURCE_DIR}/third_party/imgui_no_test_engine.cpp")
target_link_libraries(imgui_no_test_engine PRIVATE imgui)
tilescope_imgui_part(imgui_test_engine
  "${external}/imgui_test_engine/imgui_test_engine/imgui_test_engine" KIND OBJECT
  SOURCES imgui_capture_tool.cpp imgui_te_context.cpp imgui_te_coroutine.cpp imgui_te_engine.cpp
    imgui_te_exporters.cpp imgui_te_perftool.cpp imgui_te_ui.cpp imgui_te_utils.cpp
  USES imgui)
target_compile_definitions(imgui_test_engine PUBLIC
  IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1)

# imgui_rich_md and MicroTeX bring their own build; their options are set as it asks.
function(tilescope_rich_md)
  set(IMGUI_RICHMD_WITH_CODE_EDITOR ON)
  set(IMGUI_RICHMD_WITH_LATEX ON)
  set(IMGUI_RICHMD_WITH_MERMAID ON)
  set(IMGUI_RICHMD_WITH_DOWNLOAD_IMAGES OFF)
  set(IMGUI_RICHMD_BUILD_EXAMPLES OFF)
  set(IMGUI_RICHMD_BUILD_TESTS OFF)
  set(IMGUI_RICHMD_MICROTEX_DIR "${external}/imgui_microtex/MicroTeX")
  string(APPEND CMAKE_CXX_FLAGS " -w")
  string(APPEND CMAKE_C_FLAGS " -w")
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  add_subdirectory("${external}/imgui_rich_md/imgui_rich_md" "${PROJECT_BINARY_DIR}/imgui_rich_md"
    EXCLUDE_FROM_ALL SYSTEM)
endfunction()
tilescope_rich_md()
