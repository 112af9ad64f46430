#!/usr/bin/env bash
# kept_object.sh FOLDER COMPILER ARGUMENT… -o OBJECT … -MF DEPENDENCIES …
# Compiles a source of others, or takes the object from FOLDER where the same compiler, options and
# bytes of everything that is included have made it before: for another clone or build folder of this
# machine. A launcher of CMake's, where there is no ccache, which does the same for all sources.
set -euo pipefail

folder=$1
shift
command=("$@")
same=("$("$1" --version)")  # all that decides what comes out, but for the files
while (($#)); do
  case $1 in
    -o) object=$2 && shift ;;
    -MF) dependencies=$2 && shift ;;
    -MT) shift ;;
    *) same+=("$1") ;;
  esac
  shift
done
key=$(printf '%s\n' "${same[@]}" | sha256sum)
kept=$folder/${key:0:32}
if sha256sum --check --status "$kept.files" 2>/dev/null && cp "$kept.o" "$object" 2>/dev/null; then
  { printf '%s:' "$object" && cat "$kept.d"; } >"$dependencies"
  exit
fi
"${command[@]}"

keep() {
  mkdir -p "$folder" &&
    cp "$object" "$part.o" &&
    sed '1s/^[^:]*://' "$dependencies" >"$part.d" && # without its target
    tr -d '\\\n' <"$part.d" | xargs -n 1 | xargs -d '\n' sha256sum >"$part.files" &&
    mv "$part.o" "$kept.o" &&
    mv "$part.d" "$kept.d" &&
    mv "$part.files" "$kept.files"
}
part=$kept.$$
keep 2>/dev/null || rm -f "$part".*  # a full disk, a name with a space: it is only slower
