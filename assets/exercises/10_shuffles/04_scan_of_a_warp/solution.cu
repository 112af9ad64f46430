// out[i] is the sum of in from the first element of i's warp to element i: each warp adds up 32
// numbers of its own. A lane asks the lane s below it; the first s lanes have none there.
extern "C" __global__ void __launch_bounds__(128) warp_scan(const int* in, int* out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  int sum = i < n ? in[i] : 0;
  for (int s = 1; s < 32; s *= 2) {
    const int left = __shfl_up_sync(0xffffffff, sum, s);
    if (lane >= s) sum += left;  // LEFT
  }
  if (i < n) out[i] = sum;
}
