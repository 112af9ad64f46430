// Where a row of 20 numbers rises: each lane looks at the next one's, the last at that of a lane
// which has left.
// trace: --grid 2 --block 32 --arg f32[40]=random:1 --arg i32[40]=zero --arg f32[40]=zero --arg i32:20
// mutant 1: barrier at next (a branch depends on it)
// mutant 2: barrier at next (it goes through shared memory)
// mutant 3: barrier at next (it is handed to a function)
// mutant 4: barrier at next (it is an index)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __noinline__ float middle(float a, float b) { return 0.5f * (a + b); }

__global__ void rises(const float* in, int* up, float* steps, int n) {
  __shared__ float heights[33];
  const int t = threadIdx.x;
  if (t >= n) return;
  const int at = blockIdx.x * n + t;
  const float own = in[at];
  const float next = __shfl_down_sync(__activemask(), own, 1);  //@next
#if MUTANT == 1
  if (next > own) up[at] = 1;
#else
  if (t + 1 < n && next > own) up[at] = 1;
#endif
  heights[t] = next - own;
  __syncwarp(__activemask());
#if MUTANT == 2
  steps[at] = heights[t];
#elif MUTANT == 3
  steps[at] = middle(own, next);
#elif MUTANT == 4
  if (t > 0) steps[at] = heights[(int)(next * 8.0f) & 15];
#else
  if (t + 1 < n) steps[at] = heights[t];
#endif
}
