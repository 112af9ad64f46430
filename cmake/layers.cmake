# A folder of app/ is a layer and a static library tilescope_<layer>. Its sources are whatever .cpp
# lies in it, so a new file needs no line here.

# tilescope_layer(NAME [ON layer...] [USES target...])
#   ON    the layers below that it may include (docs/architecture.md has the same table, tested)
#   USES  third-party targets
function(tilescope_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "ON;USES")
  set(target tilescope_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  list(TRANSFORM layer_ON PREPEND tilescope_)

  if(sources)
    add_library(${target} STATIC ${sources})
    set_property(GLOBAL APPEND PROPERTY TILESCOPE_LAYERS ${target})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE tilescope_build)
    if(name MATCHES "^(core|cli)$")  # cli has options of its own
      tilescope_precompile(${target} HEADERS <nlohmann/json.hpp>)
    else()
      tilescope_precompile(${target} FROM tilescope_core)
    endif()
  else()  # nothing to compile yet
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/app"
    FILES ${headers})
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/app")
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} tilescope_config ${layer_ON} ${layer_USES})
endfunction()
