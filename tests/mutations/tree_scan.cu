// An exclusive scan up and down a tree in shared memory, and the blocks' sums left for the next
// launch; indices are padded against bank conflicts.
// trace: --grid 3 --block 64 --arg i32[384]=iota --arg i32[384]=zero --arg i32[3]=zero
// mutant 1: shared_race at up (no barrier on the way up)
// mutant 2: shared_race at down,swap (no barrier on the way down)
// mutant 3: out_of_bounds ... at bring,up,swap,down,take,clear,last (room without the padding)
// mutant 4: uninitialised ... at up (the second half is not brought)
// mutant 5: barrier at meet (the barrier stands in the branch)
#ifndef MUTANT
#define MUTANT 0
#endif
#define N 128
#define AT(i) ((i) + (i) / 32)
#if MUTANT == 3
#define ROOM N
#else
#define ROOM AT(N)
#endif

__global__ void scan(const int* in, int* out, int* sums) {
  __shared__ int tree[ROOM];
  const int t = threadIdx.x;
  tree[AT(t)] = in[blockIdx.x * N + t];  //@bring
#if MUTANT != 4
  tree[AT(t + 64)] = in[blockIdx.x * N + t + 64];  //@bring
#endif
  int step = 1;
  for (int d = N / 2; d > 0; d /= 2) {
#if MUTANT != 1 && MUTANT != 5
    __syncthreads();
#endif
    if (t < d) {
#if MUTANT == 5
      __syncthreads();  //@meet
#endif
      tree[AT(step * (2 * t + 2) - 1)] += tree[AT(step * (2 * t + 1) - 1)];  //@up
    }
    step *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = tree[AT(N - 1)];  //@last
    tree[AT(N - 1)] = 0;                 //@clear
  }
  for (int d = 1; d < N; d *= 2) {
    step /= 2;
#if MUTANT != 2
    __syncthreads();
#endif
    if (t < d) {
      const int low = AT(step * (2 * t + 1) - 1);
      const int high = AT(step * (2 * t + 2) - 1);
      const int before = tree[low];  //@down_read
      tree[low] = tree[high];        //@swap
      tree[high] += before;          //@down
    }
  }
  __syncthreads();
  out[blockIdx.x * N + t] = tree[AT(t)];  //@take
  out[blockIdx.x * N + t + 64] = tree[AT(t + 64)];  //@take
}
