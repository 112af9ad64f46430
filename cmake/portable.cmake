# What ./package builds: one program that needs a C library alone, as old as glibc 2.28. Everything else
# is linked in or loaded while it runs. Sources are compiled as ever, and with the same options.
option(TILESCOPE_PORTABLE "Link the third-party libraries in, for systems older than this one" OFF)
set(TILESCOPE_OLDEST_GLIBC 2.28)

#   tilescope_old_glibc(TARGET)  links an executable or a shared library so
function(tilescope_old_glibc target)
  if(NOT TILESCOPE_PORTABLE)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:old_glibc_of_${type}>)
  # Before 2.34 threads and dlopen() were in libraries of their own.
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -s
    "-L${PROJECT_BINARY_DIR}/old_glibc" "LINKER:--exclude-libs,ALL"
    "LINKER:--push-state,--no-as-needed" -l:libpthread.so.0 -l:libdl.so.2 "LINKER:--pop-state")
endfunction()

# After the libraries were found.
function(tilescope_link_libraries_in)
  if(NOT TILESCOPE_PORTABLE)
    return()
  endif()
  find_library(png_library png16 REQUIRED NO_CACHE)
  find_library(brotli_library brotlidec REQUIRED NO_CACHE)
  find_library(brotli_common_library brotlicommon REQUIRED NO_CACHE)
  find_library(pixman_library pixman-1 REQUIRED NO_CACHE)
  find_library(fontconfig_library fontconfig REQUIRED NO_CACHE)
  find_library(expat_library expat REQUIRED NO_CACHE)
  set_property(TARGET Freetype::Freetype APPEND PROPERTY INTERFACE_LINK_LIBRARIES
    "${png_library}" "${brotli_library}" "${brotli_common_library}" ZLIB::ZLIB)
  # Cairo finds no font by itself here, but its code for that is linked in.
  set_property(TARGET PkgConfig::cairo APPEND PROPERTY INTERFACE_LINK_LIBRARIES
    "${pixman_library}" "${fontconfig_library}" "${expat_library}" Freetype::Freetype
    "${png_library}" ZLIB::ZLIB m)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_suffixes} PARENT_SCOPE)
endfunction()

if(TILESCOPE_PORTABLE)
  set(shared_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)  # until tilescope_link_libraries_in()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/third_party/old_glibc.py"
      ${TILESCOPE_OLDEST_GLIBC} "${PROJECT_BINARY_DIR}/old_glibc" "${CMAKE_C_COMPILER}"
    COMMAND_ERROR_IS_FATAL ANY)

  foreach(type IN ITEMS EXECUTABLE SHARED_LIBRARY)
    add_library(old_glibc_of_${type} OBJECT "${PROJECT_SOURCE_DIR}/third_party/old_glibc.c")
    target_compile_options(old_glibc_of_${type} PRIVATE -Wall -Wextra -Werror)
  endforeach()
  target_compile_definitions(old_glibc_of_EXECUTABLE PRIVATE TILESCOPE_OLD_GLIBC_START)

  # Debian has fmt as a shared library alone.
  add_library(tilescope_fmt STATIC "${PROJECT_SOURCE_DIR}/third_party/fmt_library.cpp")
  # As with the shared one, so that every source compiles to the same object in both builds.
  target_compile_definitions(tilescope_fmt PUBLIC FMT_SHARED)
  add_library(fmt::fmt ALIAS tilescope_fmt)
endif()
