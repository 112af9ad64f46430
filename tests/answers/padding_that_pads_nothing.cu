// A tree of maxima over 256 words. GAP is meant to leave a word free after every 32, but + binds more
// tightly than >>, so it is (i >> (5 + i)) >> 10, always 0: all of the conflicts are still there.
// Strides of 2, 4, 8, 16 and 32 words: 2-, 4-, 8-, 8- and 8-way conflicts, then 4, 2, 1 as lanes
// run out. Two loads per step: 2 x (4 x 2 + 2 x 4 + 8 + 8 + 8 + 4 + 2 + 1) = 94 wavefronts in
// 2 x (4 + 2 + 6) = 24 requests.
// trace: --grid 1 --block 128 --shared 1056 --arg f32[256]=random:1 --arg f32[1]=zero
// counts: shared_load at join: requests 24, wavefronts 94, wavefronts_ideal 24
// counts: shared_store at join: requests 12, wavefronts 47, wavefronts_ideal 12
// With brackets the gaps are there, and no step has a conflict but those of a few lanes.
// trace 1: -D BRACKETS
// counts 1: shared_load at join: requests 24, wavefronts 24, wavefronts_ideal 24
#ifdef BRACKETS
#define GAP(i) (((i) >> 5) + ((i) >> 10))
#else
#define GAP(i) ((i) >> 5 + (i) >> 10)
#endif

__global__ void largest(const float* in, float* out) {
  extern __shared__ float tree[];
  const int t = threadIdx.x;
  tree[t + GAP(t)] = in[t];
  tree[t + 128 + GAP(t + 128)] = in[t + 128];
  int step = 1;
#pragma unroll 1
  for (int pairs = 128; pairs > 0; pairs /= 2) {
    __syncthreads();
    if (t < pairs) {
      int left = step * (2 * t + 1) - 1, right = left + step;
      left += GAP(left);
      right += GAP(right);
      tree[right] = fmaxf(tree[right], tree[left]);  //@join
    }
    step *= 2;
  }
  if (t == 0) out[0] = tree[255 + GAP(255)];
}
