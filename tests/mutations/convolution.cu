// A 3 x 3 filter over a ragged image of bytes: tile and halo in shared memory, four channels.
// trace: --grid 3,2 --block 16,8 --arg u8[2640]=random:1 --arg u8[2640]=zero --arg f32[9]=random:2 --arg i32:44 --arg i32:15
// mutant 1: shared_race at bring,sum (no barrier between filling and use)
// mutant 2: uninitialised at sum (the halo's last column is never filled)
// mutant 3: out_of_bounds at load (the image's edge is not looked at)
// mutant 4: out_of_bounds at store (rows behind the last are written)
// mutant 5: out_of_bounds at bring,sum (a row less than the halo needs)
// mutant 6: barrier ... at wait (threads outside the image return before the barrier)
// mutant 7: misaligned at load (pixels of four bytes from an odd address)
// mutant 8: out_of_bounds at tap (one weight too many)
// mutant 9: global_race at store (columns are not told apart by block)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void convolve(const uchar4* in, uchar4* out, const float* weight, int w, int h) {
#if MUTANT == 5
  __shared__ float4 tile[9][18];
#else
  __shared__ float4 tile[10][18];
#endif
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#if MUTANT == 6
  if (x >= w || y >= h) return;
#endif
#if MUTANT == 2
  constexpr int kColumns = 17;
#else
  constexpr int kColumns = 18;
#endif
  for (int ty = threadIdx.y; ty < 10; ty += 8) {
    for (int tx = threadIdx.x; tx < kColumns; tx += 16) {
      const int sx = blockIdx.x * 16 + tx - 1, sy = blockIdx.y * 8 + ty - 1;
      float4 v = {0, 0, 0, 0};
#if MUTANT == 3
      if (sx >= 0 && sy >= 0) {
#else
      if (sx >= 0 && sy >= 0 && sx < w && sy < h) {
#endif
#if MUTANT == 7
        const uchar4 p = *(const uchar4*)((const char*)in + (sy * w + sx) * 3);  //@load
#else
        const uchar4 p = in[sy * w + sx];  //@load
#endif
        v = make_float4(p.x, p.y, p.z, p.w);
      }
      tile[ty][tx] = v;  //@bring
    }
  }
#if MUTANT != 1
  __syncthreads();  //@wait
#endif
  if (x >= w) return;
#if MUTANT != 4
  if (y >= h) return;
#endif
  float4 sum = {0, 0, 0, 0};
#if MUTANT == 8
  for (int k = 0; k < 10; ++k) {
    const int dy = k / 3 % 3, dx = k % 3;
#else
  for (int k = 0; k < 9; ++k) {
    const int dy = k / 3, dx = k % 3;
#endif
    const float4 v = tile[threadIdx.y + dy][threadIdx.x + dx];  //@sum
    const float by = weight[k];                                 //@tap
    sum.x += by * v.x, sum.y += by * v.y, sum.z += by * v.z, sum.w += by * v.w;
  }
#if MUTANT == 9
  const int to = y * w + x % 32;
#else
  const int to = y * w + x;
#endif
  out[to] = make_uchar4(sum.x, sum.y, sum.z, sum.w);  //@store
}
