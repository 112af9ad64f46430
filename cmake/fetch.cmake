# Python packages as archives: downloaded once by pip, checked against a pinned SHA-256, unpacked into
# a cache that all build folders and clones share. Nothing is installed into Python.

if(DEFINED ENV{XDG_CACHE_HOME})
  set(TILESCOPE_CACHE_DIR "$ENV{XDG_CACHE_HOME}/tilescope")
else()
  set(TILESCOPE_CACHE_DIR "$ENV{HOME}/.cache/tilescope")
endif()

# tilescope_fetch(VARIABLE PACKAGE VERSION SHA256 ARCHIVE [SOURCE] [PART name] [ONLY pattern...])
#   VARIABLE  receives the folder the archive was unpacked into
#   ARCHIVE   the file's name, as people without a network must look for it
#   SOURCE    a source distribution instead of a wheel
#   ONLY      unpack what matches alone
#   PART      what that is called where another part of the same archive is unpacked elsewhere
function(tilescope_fetch variable package version sha256 archive)
  cmake_parse_arguments(PARSE_ARGV 5 fetch "SOURCE" "PART" "ONLY")
  string(SUBSTRING "${sha256}" 0 16 short_hash)
  set(folder "${TILESCOPE_CACHE_DIR}/${package}-${version}-${short_hash}${fetch_PART}")
  set(${variable} "${folder}" PARENT_SCOPE)
  if(EXISTS "${folder}/.complete")
    return()
  endif()

  file(MAKE_DIRECTORY "${TILESCOPE_CACHE_DIR}/downloads")
  file(LOCK "${TILESCOPE_CACHE_DIR}/downloads" DIRECTORY GUARD FUNCTION TIMEOUT 900)
  if(EXISTS "${folder}/.complete")  # another build got it meanwhile
    return()
  endif()
  set(file "${TILESCOPE_CACHE_DIR}/downloads/${archive}")
  set(found "")
  if(EXISTS "${file}")
    file(SHA256 "${file}" found)
  endif()
  if(NOT found STREQUAL sha256)
    _tilescope_download("${package}" "${version}" "${sha256}" "${archive}" "${fetch_SOURCE}")
    file(SHA256 "${file}" found)
  endif()
  if(NOT found STREQUAL sha256)
    message(FATAL_ERROR "${file} has SHA-256 ${found}, not the pinned ${sha256}: delete it.")
  endif()

    file(REMOVE_RECURSE "${folder}" "${folder}.part")
  set(patterns "")
  if(fetch_ONLY)
    set(patterns PATTERNS ${fetch_ONLY})
  endif()
  file(ARCHIVE_EXTRACT INPUT "${file}" DESTINATION "${folder}.part" ${patterns})
  file(TOUCH "${folder}.part/.complete")
  file(RENAME "${folder}.part" "${folder}")
  file(REMOVE "${file}")
endfunction()

function(_tilescope_download package version sha256 archive is_source)
  find_program(TILESCOPE_PYTHON python3)
  mark_as_advanced(TILESCOPE_PYTHON)
  set(downloads "${TILESCOPE_CACHE_DIR}/downloads")
  set(requirement "${downloads}/${package}.txt")
  file(WRITE "${requirement}" "${package}==${version} --hash=sha256:${sha256}\n")
  if(is_source)
    set(kind --no-binary :all: --no-build-isolation)
  else()
    set(kind --only-binary :all:)
  endif()
  list(JOIN kind " " kind_text)
  set(by_hand
    "Without one, copy ${TILESCOPE_CACHE_DIR} from a machine where Tilescope was built,
  or put the file ${archive}
  into ${downloads}
  (got, in a clone of Tilescope on a machine with a network, by
  PYTHONPATH=third_party/pip python3 -m pip download --no-deps ${kind_text} ${package}==${version})
  and run the same command again.")

  if(NOT TILESCOPE_PYTHON)
    message(FATAL_ERROR "${package} ${version} is downloaded by pip, and there is no python3. "
      "On Debian: apt-get install python3-pip")
  endif()
  message(NOTICE "-- Downloading ${package} ${version} (once; kept in ${TILESCOPE_CACHE_DIR})")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}/third_party/pip"
            PYTHONDONTWRITEBYTECODE=1
            "${TILESCOPE_PYTHON}" -m pip download --no-deps ${kind} --require-hashes
            --disable-pip-version-check --retries 2 --dest "${downloads}" -r "${requirement}"
    RESULT_VARIABLE failed ERROR_VARIABLE error)
  file(REMOVE "${requirement}")
  if(failed)
    message(FATAL_ERROR "Could not download ${package} ${version}. Is there a network?\n  ${by_hand}\n"
      "pip said:\n${error}")
  endif()
endfunction()
