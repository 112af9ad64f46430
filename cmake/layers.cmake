# A folder of app/ is a layer and a static library tilescope_<layer>. Its sources are whatever .cpp
# lies in it, so a new file needs no line here.

# tilescope_layer(NAME [QUICK] [ON layer...] [USES target...])
#   QUICK -O1, which compiles in two thirds of the time: nobody waits for what the layer does
#   ON    the layers below that it may include (docs/architecture.md has the same table, tested)
#   USES  third-party targets
# What reads JSON is compiled apart, as tilescope_<layer>_json.
function(tilescope_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "QUICK" "" "ON;USES")
  set(target tilescope_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  list(TRANSFORM layer_ON PREPEND tilescope_)

  if(sources)
    set(json "")
    if(TARGET tilescope_json_precompiled)
      tilescope_json_sources(json ${sources})
      list(REMOVE_ITEM sources ${json})
    endif()
    add_library(${target} STATIC ${sources})
    set_property(GLOBAL APPEND PROPERTY TILESCOPE_LAYERS ${target})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE tilescope_build)
    tilescope_unite(${target} ${sources})
    # The first of those with the same options makes what the others share.
    set(first tilescope_core)
    if(layer_QUICK)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      set(first tilescope_kernel)
    endif()
    if(target STREQUAL first)
      tilescope_precompile(${target})
    else()
      tilescope_precompile(${target} FROM ${first})
    endif()
    if(json)
      add_library(${target}_json OBJECT ${json})
      set_property(GLOBAL APPEND PROPERTY TILESCOPE_LAYERS ${target}_json)
      target_include_directories(${target}_json PRIVATE "${PROJECT_SOURCE_DIR}/app")
      target_compile_options(${target}_json PRIVATE $<$<CONFIG:Release>:-O1>)
      target_link_libraries(${target}_json PRIVATE tilescope_build tilescope_config ${layer_ON}
        ${layer_USES})
      tilescope_unite(${target}_json ${json})
      tilescope_precompile(${target}_json FROM tilescope_json_precompiled)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_json>)
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
