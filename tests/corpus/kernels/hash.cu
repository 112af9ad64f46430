// Hash tables and sketches.
__device__ __forceinline__ unsigned mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

__global__ void insert_own_table(const unsigned* keys, unsigned* table, int per,
                                 int slots) {  // one thread builds each table
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* mine = table + t * slots;
  for (int k = 0; k < per; ++k) {
    unsigned key = (keys[t * per + k] & 1023) + 1, h = mix(key) % slots;
    while (true) {
      unsigned old = atomicCAS(mine + h, 0u, key);
      if (old == 0 || old == key) break;
      if (++h == slots) h = 0;
    }
  }
}
__global__ void insert_turns(const unsigned* keys, unsigned* table, int* longest,
                             int per) {  // a warp's lanes in turn, shared table of 128
  __shared__ unsigned t[128];
  int lane = threadIdx.x, far = 0;
  for (int k = lane; k < 128; k += 32) t[k] = 0;
  __syncwarp();
  for (int k = 0; k < per; ++k)
    for (int l = 0; l < 32; ++l) {
      if (l == lane) {
        unsigned key = keys[(blockIdx.x * per + k) * 32 + lane] | 1, h = mix(key) & 127;
        int d = 0;
        for (; d < 128; ++d, h = (h + 1) & 127) {
          unsigned old = atomicCAS(t + h, 0u, key);
          if (!old || old == key) break;
        }
        far = max(far, d);
      }
      __syncwarp();
    }
  for (int k = lane; k < 128; k += 32) table[blockIdx.x * 128 + k] = t[k];
  far = __reduce_max_sync(~0u, far);
  if (lane == 0) longest[blockIdx.x] = far;
}
__global__ void probe(const unsigned* table, const unsigned* queries, int* found, int slots,
                      int n) {
  int hits = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned q = queries[i] & 255, h = mix(q) % slots;
    for (int step = 1; step < 20; ++step) {
      unsigned k = table[h] & 255;
      if (k < 30) break;  // empty
      if (k == q) {
        ++hits;
        break;
      }
      h = (h + step) % slots;  // triangular
    }
  }
  atomicAdd(found, hits);
}
__global__ void bloom_build(const unsigned* keys, unsigned* bits, int n, int hashes,
                            unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = mix(keys[i]), b = mix(a) | 1;
  for (int k = 0; k < hashes; ++k) {
    unsigned h = (a + k * b) & mask;
    atomicOr(bits + (h >> 5), 1u << (h & 31));
  }
}
__global__ void bloom_test(const unsigned* keys, const unsigned* bits, unsigned char* maybe, int n,
                           int hashes, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = mix(keys[i]), b = mix(a) | 1;
  int k = 0;
  while (k < hashes) {
    unsigned h = (a + k * b) & mask;
    if (!(bits[h >> 5] >> (h & 31) & 1)) break;
    ++k;
  }
  maybe[i] = k == hashes;
}
__global__ void count_min(const unsigned* keys, unsigned* rows, int n, int width) {
  extern __shared__ unsigned sketch[];
  for (int i = threadIdx.x; i < 4 * width; i += blockDim.x) sketch[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      atomicAdd(&sketch[r * width + mix(keys[i] + r * 0x9e3779b9u) % width], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * width; i += blockDim.x)
    if (sketch[i]) atomicAdd(rows + i, sketch[i]);
}
__global__ void hyperloglog(const unsigned* keys, int* registers, int n) {
  __shared__ int reg[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) reg[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned h = mix(keys[i]);
    atomicMax(&reg[h & 255], __clz(h | 255) + 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicMax(registers + i, reg[i]);
}
__global__ void cuckoo(const unsigned* keys, unsigned* out, int* kicked,
                       int per) {  // a thread per table in shared memory, evicting
  __shared__ unsigned t[2][32][40];
  int me = threadIdx.x, kicks = 0;
  for (int k = 0; k < 32; ++k) t[0][k][me] = t[1][k][me] = 0;
  for (int k = 0; k < per; ++k) {
    unsigned key = keys[(blockIdx.x * blockDim.x + me) * per + k] | 1;
    int side = 0, tries = 0;
    do {
      unsigned h = side ? mix(key) & 31 : key >> 9 & 31;
      unsigned old = t[side][h][me];
      t[side][h][me] = key;
      key = old;
      side ^= 1;
    } while (key && ++tries < 12);
    kicks += tries;
  }
  unsigned x = 0;
  for (int k = 0; k < 32; ++k) x ^= t[0][k][me] + t[1][k][me];
  out[blockIdx.x * blockDim.x + me] = x;
  kicked[blockIdx.x * blockDim.x + me] = kicks;
}
