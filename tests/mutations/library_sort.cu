// Each warp sorts its 128 keys with CUB, whose merges read one past the keys and do not choose it.
// trace: --grid 1 --block 128 --arg i32[512]=random:1 --arg i32[512]=zero
// mutant 1: shared_race ... at sort (two warps share one room)
// mutant 2: shared_race ... at sort,again (the same room again, without a barrier)
#include <cub/warp/warp_merge_sort.cuh>
#ifndef MUTANT
#define MUTANT 0
#endif

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void sort(const int* in, int* out) {
  using Sort = cub::WarpMergeSort<int, 4, 32>;
  __shared__ typename Sort::TempStorage rooms[4];
  const int t = threadIdx.x;
  int keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = in[4 * t + i];
#if MUTANT == 1
  Sort(rooms[t / 64]).Sort(keys, Less{});  //@sort
#else
  Sort(rooms[t / 32]).Sort(keys, Less{});  //@sort
#endif
#if MUTANT == 2
  for (int i = 0; i < 4; ++i) keys[i] ^= 5;
  Sort(rooms[3 - t / 32]).Sort(keys, Less{});  //@again
#endif
  for (int i = 0; i < 4; ++i) out[4 * t + i] = keys[i];
}
