// A scan whose warps hand their sums to the first one.
// trace: --grid 2 --block 128 --arg i32[256]=iota --arg i32[256]=zero --arg i32[2]=zero
// mutant 1: shared_race at first,again (the first warp does not wait for the sums)
// mutant 2: shared_race at sums,all (a warp's barrier where the block's is due)
// says 2: put __syncthreads() between the write and this read
// mutant 3: barrier at shift (one lane of each warp stays away)
// mutant 4: shared_race at total (one thread changes the total while another reads it)
// says 4: reads total, which thread (127,0,0) writes
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void scan(const int* in, int* out, int* tot) {
  __shared__ int w[4];
  __shared__ int total;
  int t = threadIdx.x, l = t & 31, g = blockIdx.x * 128 + t, v = in[g];
#if MUTANT == 3
  if (l > 0)
#endif
    for (int d = 1; d < 32; d *= 2) {
      int n = __shfl_up_sync(~0u, v, d);  //@shift
      if (l >= d) v += n;
    }
  if (l == 31) w[t / 32] = v;
#if MUTANT != 1
  __syncthreads();
#endif
  if (t < 4) {
    int s = w[t];  //@first
    for (int d = 1; d < 4; d *= 2) {
      int n = __shfl_up_sync(15u, s, d);
      if (t >= d) s += n;
    }
    w[t] = s;  //@again
    if (t == 3) total = s;
  }
#if MUTANT == 2
  __syncwarp();
#else
  __syncthreads();
#endif
  if (t >= 32) v += w[t / 32 - 1];  //@sums
  out[g] = v;
#if MUTANT == 4
  if (t == 127) total -= v;
  if (t == 64) tot[blockIdx.x] = total;  //@total
#else
  if (t == 64) tot[blockIdx.x] = total;  //@all
#endif
}
