// 256 complex values by 128 threads, radix 2, in shared memory; what is left over by a warp alone.
// trace: --grid 2 --block 128 --arg f32[1024]=random:1 --arg f32[1024]=zero --arg f32[8]=zero
// mutant 1: shared_race at fetch,first,second,keep_first,keep_second (no barrier between the rounds)
// mutant 2: shared_race ... at fetch,first,second,keep_first,keep_second (the first barrier is missing)
// mutant 3: out_of_bounds at second,keep_second (the halves are one round too far apart)
// mutant 4: uninitialised at first,second,last (every second value is never brought)
// mutant 5: barrier at wait (half of the threads leave the loop early)
// mutant 6: shared_race at read_power,power (the warp's lanes do not wait for each other)
// mutant 7: global_race at total (blocks add without an atomic)
// mutant 8: out_of_bounds ... at fetch (bits are reversed in one more than there are)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void fft(const float2* in, float2* out, float* power) {
  __shared__ float2 s[256];
  __shared__ float part[32];
  const int t = threadIdx.x;
#if MUTANT == 8
  constexpr int kShift = 23;
#else
  constexpr int kShift = 24;
#endif
  for (int i = t; i < 256; i += 128) {
#if MUTANT == 4
    if (i & 1) continue;
#endif
    s[__brev(i) >> kShift] = in[blockIdx.x * 256 + i];  //@fetch
  }
#if MUTANT != 2
  __syncthreads();
#endif
#if MUTANT == 3
  for (int half = 2; half <= 256; half *= 2) {
#else
  for (int half = 1; half < 256; half *= 2) {
#endif
#if MUTANT == 5
    if (t >= 64 && half == 128) break;
#endif
    const int k = t & (half - 1), at = 2 * t - k;
    float sn, cs;
    sincospif(-(float)k / half, &sn, &cs);
    const float2 a = s[at];         //@first
    const float2 b = s[at + half];  //@second
    const float2 w = {b.x * cs - b.y * sn, b.x * sn + b.y * cs};
    s[at] = {a.x + w.x, a.y + w.y};         //@keep_first
    s[at + half] = {a.x - w.x, a.y - w.y};  //@keep_second
#if MUTANT != 1
    __syncthreads();  //@wait
#endif
  }
  for (int i = t; i < 256; i += 128) {
    out[blockIdx.x * 256 + i] = s[i];  //@last
  }
  if (t < 32) {
    const float2 v = s[t];
    part[t] = v.x * v.x + v.y * v.y;  //@power
#if MUTANT != 6
    __syncwarp();
#endif
    const float sum = part[t] + part[31 - t];  //@read_power
    if (t == 0) {
#if MUTANT == 7
      power[0] += sum;  //@total
#else
      atomicAdd(power, sum);
#endif
    }
  }
}
