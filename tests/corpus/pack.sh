#!/usr/bin/env bash
# tests/corpus/pack.sh LAUNCHER FOLDER [LIST...]: puts the launcher where a GPU machine that has none of
# our libraries can run it: FOLDER/corpus_launcher with what it links in FOLDER/lib, read_counters.py,
# the kernels and the lists (all of them, or those named). The C and C++ runtimes, CUDA and the driver
# are that machine's own. There:
#   OUT=FOLDER/out FOLDER/read_counters.py --launcher FOLDER/corpus_launcher --lists LIST...
set -euo pipefail

launcher=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
lists=("${@:3}")
[ ${#lists[@]} -gt 0 ] || lists=(launches.json probes.json applications.json meeting.json numerics.json
  integers.json memory.json turns.json courses.json programs.json calls.json copies.json more.json
  everyday.json irregular.json rare.json tuners.json samples.json clusters.json
  holdout.json libraries.json unseen.json fresh.json pairs.json)
mkdir -p "$folder/lib"
cp "$launcher" "$folder/corpus_launcher"
strip "$folder/corpus_launcher"
ldd "$launcher" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so' |
  xargs -r cp -L -t "$folder/lib"
cp -r "$here/kernels" "$here/read_counters.py" "${lists[@]/#/$here/}" "$folder"
du -sh "$folder"
