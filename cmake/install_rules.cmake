# One tree for every package: bin/tilescope; lib/tilescope with kernels, assets, shaders and the
# stand-ins for CUDA's libraries; share/ with what a desktop, a shell and man look for. The program
# finds lib/tilescope from its own place, so the tree may lie anywhere.
install(TARGETS tilescope RUNTIME DESTINATION bin)
install(DIRECTORY kernels shaders assets DESTINATION lib/tilescope)
install(DIRECTORY python DESTINATION lib/tilescope PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE third_party/README.md DESTINATION share/doc/tilescope)

if(TILESCOPE_PORTABLE)
  foreach(weight IN ITEMS Regular Medium SemiBold Bold)
    find_file(inter_${weight} Inter-${weight}.otf PATHS /usr/share/fonts/opentype/inter REQUIRED NO_CACHE)
    find_file(mono_${weight} JetBrainsMono-${weight}.ttf
      PATHS /usr/share/fonts/truetype/jetbrains-mono REQUIRED NO_CACHE)
    install(FILES "${inter_${weight}}" "${mono_${weight}}" DESTINATION lib/tilescope/assets/fonts)
  endforeach()
  foreach(package IN ITEMS fonts-inter fonts-jetbrains-mono)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/tilescope
      RENAME ${package}.copyright)
  endforeach()
endif()

install(FILES packaging/tilescope.desktop DESTINATION share/applications)
install(FILES packaging/tilescope.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES packaging/tilescope.xml DESTINATION share/mime/packages)

# What the program says of its own commands.
#   tilescope_install_output(FOLDER NAME WORD...)
function(tilescope_install_output folder name)
  list(JOIN ARGN " " words)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/tilescope\" ${words} OUTPUT_FILE \"\${folder}/${name}\"
      COMMAND_ERROR_IS_FATAL ANY)")
endfunction()
tilescope_install_output(share/bash-completion/completions tilescope completion bash)
tilescope_install_output(share/zsh/site-functions _tilescope completion zsh)
tilescope_install_output(share/fish/vendor_completions.d tilescope.fish completion fish)
tilescope_install_output(share/man/man1 tilescope.1 completion man)
