// ldmatrix.x4 takes four 8 x 8 matrices of 16-bit elements. Rows of 128 B put the eight rows of each
// matrix into the same four banks: 8 wavefronts per matrix, 32 per instruction. With the 16-byte
// chunks of a row mixed with row % 8 each matrix takes one, 4 per instruction. The 16-byte stores
// that fill the tile take 4 in both forms.
// 2 warps x 4 steps = 8 requests; 2 warps x 4 rounds = 8 stores.
// trace: --grid 1 --block 64 --arg u32[1024]=random:1 --arg u32[64]=zero
// counts: ldmatrix at take: requests 8, wavefronts 256, wavefronts_ideal 32
// counts: shared_store at fill: requests 8, wavefronts 32, wavefronts_ideal 32
// trace 1: -D MIXED
// counts 1: ldmatrix at take: requests 8, wavefronts 32, wavefronts_ideal 32
// counts 1: shared_store at fill: requests 8, wavefronts 32, wavefronts_ideal 32
#ifdef MIXED
#define CHUNK(row, chunk) ((row) * 8 + ((chunk) ^ (row) % 8))
#else
#define CHUNK(row, chunk) ((row) * 8 + (chunk))
#endif

__global__ void checksums(const uint4* rows, unsigned* sums) {
  __shared__ uint4 tile[32 * 8];
  const int t = threadIdx.x, lane = t % 32;
  for (int i = t; i < 32 * 8; i += 64) tile[CHUNK(i / 8, i % 8)] = rows[i];  //@fill
  __syncthreads();
  unsigned sum = 0;
#pragma unroll 1
  for (int step = 0; step < 4; ++step) {
    const int row = t / 32 * 16 + lane % 16, chunk = step * 2 + lane / 16;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[CHUNK(row, chunk)]));
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));  //@take
    sum ^= a ^ b ^ c ^ d;
  }
  sums[t] = sum;
}
