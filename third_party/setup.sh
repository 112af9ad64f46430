# Shared by ./run and ./test, which source it from the root of the project: packages, configure,
# build. Silent when there is nothing to do; progress and mistakes go to stderr.
# shellcheck shell=bash

say() { printf 'tilescope: %s\n' "$*" >&2; }
die() { say "$1"; exit "${2:-1}"; }

# Debian packages of the given groups that are not installed, one a line.
missing_packages() {
  local group wanted=()
  for group in "$@"; do
    read -r -a names <<<"$(sed -n "s/^$group //p" third_party/debian_packages.txt | tr '\n' ' ')"
    wanted+=("${names[@]}")
  done
  # dpkg-query fails where a package is unknown; what it lists as installed is what counts.
  { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true; } |
    sed -n 's/^installed //p' | sort -u | comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) -
}

# install_packages GROUP...: asks nothing. A stamp newer than the list skips the check.
install_packages() {
  local stamp missing as_root=() log=build/packages.log
  stamp=build/.packages-$(IFS=_; printf '%s' "$*")
  [[ $stamp -nt third_party/debian_packages.txt ]] && return
  mkdir -p build
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: see third_party/debian_packages.txt for what must be there"
    touch "$stamp"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]})); then
    if ((EUID != 0)); then
      as_root=(sudo -n)
      if ! sudo -n true 2>/dev/null; then
        die "these Debian packages are missing. Install them, then run the same command again:
  sudo apt-get install -y --no-install-recommends ${missing[*]}" 3
      fi
    fi
    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq
      -o Dpkg::Use-Pty=0 -o Acquire::Retries=2)
    if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 </dev/null; then
      # No package lists yet, or old ones.
      if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends \
        "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" >&2
        die "apt-get could not install them (whole output: $log). Is there a network? With one, run:
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" 3
      fi
    fi
  fi
  touch "$stamp"
}

# Shows what ninja does: one line that counts on a terminal, now and then a line elsewhere, and
# whatever a compiler says. Nothing when nothing was built.
show_progress() {
  local line count total shown=-1 tick
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
      count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
      [[ ${BASH_REMATCH[3]} == Re-checking* || ${BASH_REMATCH[3]} == Re-running* ]] && continue
      if [[ -t 2 ]]; then
        printf '\r\033[Ktilescope: building %d of %d' "$count" "$total" >&2
        shown=$count
      else
        tick=$((count * 5 / total))
        ((tick > shown)) && say "building $count of $total"
        shown=$tick
      fi
    elif [[ $line != "ninja: "*"no work to do." && $line != "ninja: Entering"* &&
      $line != "-- "* && -n $line ]]; then
      [[ -t 2 && $shown -ge 0 ]] && printf '\r\033[K' >&2
      printf '%s\n' "$line" >&2
    fi
  done
  [[ -t 2 && $shown -ge 0 ]] && printf '\r\033[K' >&2
  return 0
}

# build_in DIR TARGET...: configures once (ninja repeats it where CMake files change), then builds.
# CMAKE_ARGS holds what the first configure is told.
build_in() {
  local dir=$1
  shift
  mkdir -p "$dir"
  exec {lock}>"$dir/.lock"
  flock "$lock"  # two at once would build the same files
  if [[ ! -e $dir/build.ninja ]]; then
    say "setting up $dir (the first time downloads what is missing and builds for some minutes)"
    cmake --log-level=NOTICE -S . -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      ${CMAKE_ARGS[@]+"${CMAKE_ARGS[@]}"} >&2 || {
      rm -f "$dir/build.ninja"
      die "could not be set up: the reason is above" 3
    }
  fi
  NINJA_STATUS='[%f/%t] ' ninja -C "$dir" "$@" 2>&1 | show_progress ||
    die "the build failed: the first error is above"
  exec {lock}>&-
}

# TILESCOPE_UI=OFF in the environment: the commands and the worker alone, in a folder of their own.
# shellcheck disable=SC2034  # dir and groups are for the script that sources this
choose_build() {
  dir=build/release
  groups=(build window)
  CMAKE_ARGS=()
  if [[ ${TILESCOPE_UI:-ON} == OFF ]]; then
    dir=build/commands
    groups=(build)
    CMAKE_ARGS=(-DTILESCOPE_UI=OFF)
  fi
}
