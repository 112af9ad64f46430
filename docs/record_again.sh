#!/usr/bin/env bash
# Measures again, on an H200, what docs/results.md marks or misses, and puts it into the shipped record:
# each point replaces the same point of the file (kernel, parameters, size, cold or warm).
#
#   docs/record_again.sh [SECTION…]        all of them, or some: ring throttled large serial plain camping warm unsettled counters beside lessons copies
#
# Run it in the repository. TILESCOPE is the program, RECORD the file that is written, PAUSE the seconds the GPU
# rests before what heats it. The program refuses to mix drivers or compilers in one file (assets/recorded/h200.json:
# driver 580.159.04, NVRTC 13.0): elsewhere set RECORD to a new file.
# A section takes minutes: one section a command where commands are cut off after ten. Afterwards:
#   docs/make_results.py
# fails where a sentence of the page is no longer so; ./test --gtest_filter='*ShippedRuns*' and ctest -R docs hold the rest.
set -uo pipefail
TILESCOPE=${TILESCOPE:-build/release/tilescope}
RECORD=${RECORD:-assets/recorded/h200.json}
PAUSE=${PAUSE:-20}
failed=0

again() {  # again run KERNEL …: with a second for each point unless it says otherwise
  local longer=(--max-seconds 1)
  [[ " $* " == *" --max-seconds "* ]] && longer=()
  echo "+ tilescope $* ${longer[*]}"
  "$TILESCOPE" "$@" "${longer[@]}" --no-history --record "$RECORD" || { echo "FAILED ($?): $*" >&2; failed=1; }
}
rested() {  # the same after a pause, so that no power cap is left from what ran before
  sleep "$PAUSE"
  again "$@"
}

# All of gemm/register_tile: what was recorded before its tiles could come by cp.async in two stages is another
# kernel's.
ring() {
  local size=2048x2048x1024 tiles=(-p TILE_M=64,128,256 -p TILE_N=64,128,256 -p TILE_K=8,16,32)
  again run gemm/register_tile --each --size $size,4096 --max-seconds 0.25
  again run gemm/register_tile --size 512,1024,1536,2048,4096,8192
  again run gemm/register_tile -p ASYNC=0 -p STAGES=1,2 --size $size,512,1024,2048,4096,8192 --max-seconds 0.25
  again run gemm/register_tile "${tiles[@]}" -p STAGES=1,2,3,4,5 --size $size --max-seconds 0.25
  again run gemm/register_tile "${tiles[@]}" -p ASYNC=0 -p STAGES=1,2 --size $size --max-seconds 0.25
  local small=(-p TILE_M=32,64 -p TILE_N=32,64,128 -p THREAD_M=4 -p THREAD_N=4 -p TILE_K=16,32)
  local wide=(-p TILE_M=64 -p TILE_N=64,128 -p THREAD_M=8 -p THREAD_N=4,8 -p TILE_K=16,32)
  again run gemm/register_tile "${small[@]}" -p STAGES=2,3,4 --size 512,1024 --max-seconds 0.25
  again run gemm/register_tile "${small[@]}" -p ASYNC=0 -p STAGES=2 --size 512,1024 --max-seconds 0.25
  again run gemm/register_tile "${wide[@]}" -p STAGES=2,3,4 --size 512,1024 --max-seconds 0.25
  again run gemm/register_tile "${wide[@]}" -p ASYNC=0 -p STAGES=2 --size 512,1024 --max-seconds 0.25
  again run gemm/register_tile --warm --size $size
}

# The 7 points whose every sample was under the power cap, and the one whose clock moved.
throttled() {
  rested run gemm/naive -p BLOCK_X=16 -p BLOCK_Y=16 --size 2048x2048x1024
  rested run gemm/naive -p BLOCK_X=16 -p BLOCK_Y=32 --size 2048x2048x1024
  rested run gemm/shared_thread_tile --size 512
  rested run gemm/shared_thread_tile --size 1024
  rested run gemm/shared_thread_tile --size 2048
  rested run gemm/rank_one --size 8192 --max-seconds 2
  rested run gemm/tensor_core -p TILE_N=256 --size 8192
  rested run gemm/tensor_core -p TILE_M=256 --size 8192
  rested run gemm/warpgroup --size 8192
}

# Points with fewer than 8 samples: long enough for 8 of the slowest.
large() {
  again run gemm/naive --size 8192 --max-seconds 5
  again run gemm/naive --size 4096 --max-seconds 2
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=1 --size 2048x2048x1024 --max-seconds 2
  local kernel
  for kernel in float4 thread_tile shared_tile rows_per_thread transposed_b rank_one shared_thread_tile transposed_a \
    register_buffer prefetch warp_tile; do
    again run "gemm/$kernel" --size 8192 --max-seconds 3
  done
}

# One thread for the whole matrix: 0.05, 0.2, 0.8 and 3.1 s a launch. 16384 takes 12.6 s and stays at one sample.
serial() {
  again run transpose/serial --size 1024,2048 --max-seconds 4
  again run transpose/serial --size 4096 --max-seconds 10 --deadline 100
  again run transpose/serial --size 8192 --max-seconds 30 --samples 8 --deadline 100
  again run transpose/serial --warm --size 1024,4096 --max-seconds 10 --deadline 100
}

# 002's plain kernel: a block for each column of C; at its two sizes, and at the default one.
plain() {
  again run gemm/naive -p BLOCK_X=1024 -p BLOCK_Y=1 -p LANES_DOWN=1 --size 1024
  again run gemm/naive -p BLOCK_X=512 -p BLOCK_Y=1 -p LANES_DOWN=1 --size 512
  again run gemm/naive -p BLOCK_X=1024 -p BLOCK_Y=1 -p LANES_DOWN=1 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=1,16,128 -p BLOCK_Y=1,16,128 -p LANES_DOWN=1 --size 2048x2048x1024
}

# Every transpose and copy of 004 around 4096; 3990 and 4100 are no multiples of 32.
camping() {
  local sizes=3584,3840,3968,3990,4000,4032,4064,4096,4100,4128
  again run transpose/naive --size $sizes
  again run transpose/tiled -p PAD=0 --size $sizes
  again run transpose/diagonal --size $sizes
  again run copy/plain -p LANES_DOWN=0,1 --size $sizes
  again run copy/through_tile --size $sizes
  again run transpose/swizzled --size $sizes
  again run transpose/tiled -p PAD=1 --size $sizes
}

warm() {
  again run gemm/warpgroup --warm --size 2048x2048x1024
}

# Points whose cuBLAS or copy in turn was more than 3 % slower than its median at that size. Only a program
# that waits for the reference's error too does better here.
unsettled() {
  again run gemm/naive --size 2048x2048x1024 --counters
  again run gemm/naive -p BLOCK_X=1 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=2 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=4 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=8 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=16 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=64 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=128 --size 2048x2048x1024
  again run gemm/naive -p LANES_DOWN=1 --size 2048x2048x1024
  again run gemm/thread_tile -p BLOCK_Y=4 --size 2048x2048x1024
  again run gemm/thread_tile -p THREAD_N=16 --size 2048x2048x1024
  again run gemm/rows_per_thread -p ROWS=1 --size 2048x2048x1024
  again run gemm/transposed_b --size 2048x2048x1024 --counters
  again run gemm/transposed_b -p ROWS=1 --size 2048x2048x1024
  again run gemm/rank_one -p TILE_N=32 --size 2048x2048x1024
  again run gemm/rank_one -p TILE_K=4 --size 2048x2048x1024
  again run gemm/shared_thread_tile -p TILE_M=32 --size 2048x2048x1024
  again run gemm/shared_thread_tile -p TILE_N=32 --size 2048x2048x1024
  again run gemm/shared_thread_tile -p TILE_K=32 --size 2048x2048x1024
  again run gemm/shared_thread_tile -p THREAD_M=16 --size 2048x2048x1024
  again run gemm/shared_thread_tile -p THREAD_N=16 --size 2048x2048x1024
  again run gemm/transposed_a -p TILE_K=32 --size 2048x2048x1024
  again run gemm/transposed_a -p THREAD_M=16 --size 2048x2048x1024
  again run gemm/transposed_a -p THREAD_N=16 --size 2048x2048x1024
  again run gemm/register_buffer -p TILE_M=64 --size 2048x2048x1024
  again run gemm/register_buffer -p TILE_K=32 --size 2048x2048x1024
  again run gemm/register_buffer -p THREAD_M=16 --size 2048x2048x1024
  again run gemm/register_buffer -p THREAD_N=16 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_M=32 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_M=64 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_N=32 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_N=64 --size 2048x2048x1024
  again run gemm/prefetch -p THREAD_M=16 --size 2048x2048x1024
  again run gemm/prefetch -p THREAD_N=16 --size 2048x2048x1024
  again run gemm/warp_tile -p TILE_M=32 --size 2048x2048x1024
  again run gemm/warp_tile -p TILE_N=64 --size 2048x2048x1024
  again run gemm/warp_tile -p WARP_M=64 --size 2048x2048x1024
  again run gemm/warp_tile -p WARP_N=128 --size 2048x2048x1024
  again run gemm/naive --size 2048
  again run gemm/naive --size 4096
  again run gemm/tensor_core --size 512
  again run copy/barriers --size 4096 --counters
  again run copy/barriers -p BLOCK=128 --size 4096
  again run divergence/switch --size 2048 --counters
  again run gemm/naive -p BLOCK_X=16 -p BLOCK_Y=16 -p LANES_DOWN=1 --size 2048x2048x1024
  again run gemm/shared_tile -p TILE=4 --size 1024
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=1 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=4 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=16 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=32 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=128 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=4 -p BLOCK_Y=1 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=4 -p BLOCK_Y=32 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=4 -p BLOCK_Y=64 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=4 -p BLOCK_Y=256 --size 2048x2048x1024
  again run gemm/naive -p BLOCK_X=16 -p BLOCK_Y=1 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_K=8 -p TILE_M=64 -p TILE_N=64 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_M=64 -p TILE_N=64 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_K=32 -p TILE_M=64 -p TILE_N=64 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_K=32 -p TILE_M=64 --size 2048x2048x1024
  again run gemm/prefetch -p TILE_K=32 -p TILE_N=64 --size 2048x2048x1024
  again run gemm/tensor_core -p TILE_M=64 --size 512
  again run gemm/tensor_core -p TILE_M=256 --size 512
  again run gemm/tensor_core -p TILE_N=64 --size 512
  again run gemm/tensor_core -p TILE_N=256 --size 512
  again run gemm/tensor_core -p TILE_K=16 --size 512
  again run gemm/tensor_core -p TILE_K=64 --size 512
  again run gemm/tensor_core -p WARP_M=32 --size 512
  again run gemm/tensor_core -p WARP_N=16 --size 512
  again run gemm/tensor_core -p WARP_N=32 --size 512
  again run gemm/tensor_core -p STAGES=2 --size 512
  again run gemm/tensor_core -p STAGES=3 --size 512
  again run gemm/tensor_core -p SWIZZLE=0 --size 512
}

# Hardware counters of parameter values, and of the two kernels that have none. Last, because a point that is
# measured again without --counters loses its counters.
counters() {
  again run transpose/tiled --each --size 4096 --counters
  again run transpose/tiled -p TILE=16,32 -p BLOCK_ROWS=16,32 -p PAD=0,1 --size 4096 --counters
  again run transpose/naive --each --size 4096 --counters
  again run transpose/diagonal -p PAD=0 --size 4096 --counters
  again run transpose/swizzled --each --size 4096 --counters
  again run copy/plain -p LANES_DOWN=0,1 --size 4096 --counters
  again run copy/wide -p VECTOR=1,2,4 -p ITEMS=1,2,4,8 --size 4096 --counters
  again run gemm/naive --each --size 2048x2048x1024 --counters
  again run gemm/naive -p BLOCK_X=16 -p BLOCK_Y=16 -p LANES_DOWN=0,1 --size 2048x2048x1024 --counters
  again run gemm/naive -p BLOCK_X=1 -p BLOCK_Y=128 --size 2048x2048x1024 --counters
  again run gemm/naive -p BLOCK_X=128 -p BLOCK_Y=1 --size 2048x2048x1024 --counters
  again run gemm/shared_tile --each --size 2048x2048x1024 --counters
  again run gemm/shared_tile --each --size 1024 --counters
  again run gemm/transposed_b --each --size 2048x2048x1024 --counters
  again run gemm/register_tile --each --size 2048x2048x1024 --counters
  again run gemm/register_tile -p ASYNC=0 -p STAGES=1,2 --size 2048x2048x1024 --counters
  again run gemm/tensor_core -p SWIZZLE=0 -p PAD=0,8 --size 2048x2048x1024 --counters
  again run gemm/tensor_core -p STAGES=2,3,4 --size 2048x2048x1024 --counters
  again run divergence/switch --each --size 2048 --counters
  again run gemm/warpgroup --size 2048x2048x1024 --counters
  again run transpose/serial --size 1024 --max-seconds 2 --counters
}

# The same at the kernels' default sizes, with those of cuBLAS or of the copy beside them.
beside() {
  again run gemm --size 2048x2048x1024 --counters
  again run gemm/shared_tile --each --size 1024 --max-seconds 0.5 --counters
  again run transpose/naive --size 4096 --max-seconds 0.5 --counters
  again run transpose/tiled -p PAD=0,1 --size 4096 --max-seconds 0.5 --counters
}

# What lessons compare and no other section has.
lessons() {
  again run gemm/column_tile --each --size 1024,512 --counters --max-seconds 0.5
  again run gemm/rows_per_thread --each --size 2048x2048x1024 --counters --max-seconds 0.5
  again run divergence/groups -p GROUP=1,2,4,8,16,32 --counters --max-seconds 0.5
  again run copy/structures -p FIELDS=1,2,4,8,16 -p APART=0,1 --size 4096 --counters --max-seconds 0.5
  again run copy/offset -p OFFSET=0,1,4,8,16 --size 4096 --counters --max-seconds 0.5
  again run transpose/one_sided -p RUN=1,2,4,8 -p RUNS_IN_LOADS=0,1 --size 4096 --counters --max-seconds 0.5
  again run transpose/pitched -p GAP=0,1,32,64 --size 3584,4000,4032,4096 --max-seconds 0.5
  again run transpose/tiled -p TILE=48 -p BLOCK_ROWS=8,16 -p PAD=0,1 --size 4000,4096 --max-seconds 0.5
  again run gather/plain --each --size 67108864 --max-seconds 0.5
}

# What tensor copies are worth, a step at a time, and the fastest transposes.
copies() {
  for kernel in warpgroup tensor_copy persistent multicast tensor_store staggered; do
    again run "gemm/$kernel" --size 2048x2048x1024,2048,4096,8192 --max-seconds 0.5
  done
  again run gemm/tensor_fed --size 2048x2048x1024,2048,4096,8192 --max-seconds 0.5
  again run gemm/tensor_fed --each --size 4096 --max-seconds 0.25
  again run gemm/split_k --size 512 --max-seconds 0.5
  again run gemm/split_k --size 1024 -p TILE_M=128 -p TILE_N=128 -p SLICES=2 --max-seconds 0.5
  again run gemm/feeder_warps --size 2048x2048x1024,2048,4096,8192 --max-seconds 0.5
  again run gemm/feeder_warps --each --size 4096 --max-seconds 0.25
  for kernel in register_tile tensor_fed; do again run "gemm/$kernel" --size 512,1024 --max-seconds 0.5; done
  again run gemm/three_tf32 --size 1024,2048,4096,8192 --max-seconds 0.5
  again run gemm/tensor_store --each --size 4096 --max-seconds 0.25
  again run transpose/registers --size 1024,2048,4096,8192,16384 --max-seconds 0.5
  again run transpose/swizzled -p TILE=64 -p BLOCK_ROWS=32 --size 1024,2048,4096,8192,16384 --max-seconds 0.5
  again run transpose/tensor_copy -p TILE=64,128 --size 1024,2048,4096,8192,16384 --max-seconds 0.5
}

sections=(ring throttled large serial plain camping warm unsettled counters beside lessons copies)
(($#)) || set -- "${sections[@]}"
for section in "$@"; do
  [[ " ${sections[*]} " == *" $section "* ]] || { echo "no section $section: ${sections[*]}" >&2; exit 1; }
  echo "== $section"
  "$section"
done
exit $failed
