// A row of packed bytes and, right behind it, one scale per 8 lanes, in one shared array. All 32 lanes
// store a word, though a row of 48 values has only 12: lanes 12 to 17 write their padding over the
// scales that lanes 0 and 8 write (words 12 and 13). Two lanes of one warp write different values to
// one word and nothing orders them. Rows of 128 values have 32 words, and nothing overlaps.
// trace: --grid 2 --block 32 --arg f32[256]=random:1 --arg i32[64]=zero
// trace 0: --kernel 'packed<128>'
// trace 1: --kernel 'packed<48>'
// mutant 1: shared_race at scale,pack (lanes 12 and 13 write where the scales are)
template <int LENGTH>
__global__ void packed(const float* rows, int* out) {
  constexpr int kWords = LENGTH / 4;
  __shared__ int space[32 + 8];
  const int lane = threadIdx.x;
  const float* row = rows + blockIdx.x * LENGTH;
  float most = 0.0f;
  int word = 0;
  for (int i = 0; i < 4; ++i) {
    const float value = lane < kWords ? row[lane * 4 + i] : 0.0f;
    most = fmaxf(most, fabsf(value));
    word |= (static_cast<int>(value * 127.0f) & 255) << 8 * i;
  }
  for (int d = 4; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  space[lane] = word;  //@pack
  if (lane % 8 == 0 && lane < kWords) space[kWords + lane / 8] = __float_as_int(most);  //@scale
  __syncthreads();
  out[blockIdx.x * 32 + lane] = space[lane];  //@all
}
