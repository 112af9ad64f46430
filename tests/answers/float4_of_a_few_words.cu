// All 32 lanes read one of eight 16-byte words of shared memory: 128 B in 32 different banks. No two
// lanes read different words of one bank, so there is no bank conflict, whichever lanes share a word.
// How many wavefronts such a broadcast needs depends on which lanes share: neighbours that do halve
// them. No row is worse than the 4 wavefronts of a 16-byte access.
// trace: --grid 1 --block 32 --arg f32[32]=random:1 --arg f32[128]=zero
// counts: shared_load at take: requests 1, wavefronts 4, wavefronts_ideal 4
// trace 1: -D NEIGHBOURS_SHARE
// counts 1: shared_load at take: requests 1, wavefronts 2, wavefronts_ideal 2
#ifdef NEIGHBOURS_SHARE
#define CHOICE(t) ((t) / 2 % 8)
#else
#define CHOICE(t) ((t) % 8)
#endif

__global__ void halved(const float4* in, float4* out) {
  __shared__ float4 words[8];
  const int t = threadIdx.x;
  if (t < 8) words[t] = in[t];
  __syncthreads();
  float4 word = words[CHOICE(t)];  //@take
  word.x *= 0.5f;
  word.w *= 0.5f;
  out[t] = word;
}
