// out[i] is the sum of in from the first element of i's warp to element i: each warp adds up 32
// numbers of its own. The sums pass through shared memory, and the block waits ten times.
// Let the lanes of a warp ask each other with __shfl_up_sync: no shared memory, no barrier.
extern "C" __global__ void __launch_bounds__(128) warp_scan(const int* in, int* out, int n) {
  __shared__ int sums[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  int sum = i < n ? in[i] : 0;
  for (int s = 1; s < 32; s *= 2) {
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (lane >= s) sum += sums[threadIdx.x - s];  // LEFT
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
