#!/usr/bin/env bash
# tests/corpus/pack.sh LAUNCHER FOLDER: puts the launcher where a GPU machine that has none of our
# libraries can run it: FOLDER/corpus_launcher with what it links in FOLDER/lib. The C and C++
# runtimes, CUDA and the driver are that machine's own.
set -euo pipefail

launcher=$1
folder=$2
mkdir -p "$folder/lib"
cp "$launcher" "$folder/corpus_launcher"
strip "$folder/corpus_launcher"
ldd "$launcher" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so' |
  xargs -r cp -L -t "$folder/lib"
du -sh "$folder"
