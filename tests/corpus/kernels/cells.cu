// Cellular automata.
__global__ void life_bits(const unsigned* in, unsigned* out, int words,
                          int h) {  // 32 cells per word, wraps
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= h) return;
  unsigned s0 = 0, s1 = 0, s2 = 0, mid = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = in + (y + dy + h) % h * words;
    unsigned c = row[x], l = __funnelshift_l(row[(x + words - 1) % words], c, 1),
             r = __funnelshift_r(c, row[(x + 1) % words], 1);
    unsigned nb[3] = {l, r, c};
    for (int k = 0; k < (dy ? 3 : 2); ++k) {
      unsigned a = nb[k], c0 = s0 & a;
      s0 ^= a;
      unsigned c1 = s1 & c0;
      s1 ^= c0;
      s2 |= c1;
    }
    if (!dy) mid = c;
  }
  out[y * words + x] = ~s2 & s1 & (s0 | mid);
}
template <int W, int H>
__global__ void life_bytes(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char t[H + 2][W + 2];
  int bx = blockIdx.x * W, by = blockIdx.y * H;
  for (int i = threadIdx.y * W + threadIdx.x; i < (W + 2) * (H + 2); i += W * H) {
    int x = bx + i % (W + 2) - 1, y = by + i / (W + 2) - 1;
    t[i / (W + 2)][i % (W + 2)] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] & 1 : 0;
  }
  __syncthreads();
  int x = threadIdx.x, y = threadIdx.y, n = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      if (i != 1 || j != 1) n += t[y + j][x + i];
  if (bx + x < w && by + y < h) out[(by + y) * w + bx + x] = n == 3 || (n == 2 && t[y + 1][x + 1]);
}
__global__ void rule_shuffled(unsigned* rows, int steps, unsigned rule) {  // 1024 cells per warp
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned c = rows[i];
  for (int s = 0; s < steps; ++s) {
    unsigned before = __shfl_sync(~0u, c, lane - 1), after = __shfl_sync(~0u, c, lane + 1);
    unsigned l = c << 1 | before >> 31, r = c >> 1 | after << 31, n = 0;
    for (int k = 0; k < 8; ++k)
      if (rule >> k & 1) n |= (k & 4 ? l : ~l) & (k & 2 ? c : ~c) & (k & 1 ? r : ~r);
    c = n;
  }
  rows[i] = c;
}
__global__ void ants(unsigned char* grids, int* where, int side, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char* g = grids + i * side * side;
  int x = side / 2, y = side / 2, d = i & 3, s = 0;
  for (; s < steps; ++s) {
    int c = g[y * side + x] & 1;
    g[y * side + x] ^= 1;
    d = (d + (c ? 1 : 3)) & 3;
    switch (d) {
      case 0:
        --y;
        break;
      case 1:
        ++x;
        break;
      case 2:
        ++y;
        break;
      default:
        --x;
    }
    if (x < 0 || y < 0 || x >= side || y >= side) break;
  }
  where[i] = s;
}
__global__ void sandpile(const unsigned* in, unsigned* out, int* topples,
                         int side) {  // one block settles a small pile
  extern __shared__ unsigned z[];
  int n = side * side, rounds = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) z[i] = in[blockIdx.x * n + i] & 7;
  __syncthreads();
  bool moving;
  do {
    moving = false;
    for (int c = 0; c < 2; ++c) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = i % side, y = i / side;
        if (((x + y) & 1) == c && z[i] >= 4) {
          atomicSub(&z[i], 4u);
          moving = true;
          if (x) atomicAdd(&z[i - 1], 1u);
          if (x + 1 < side) atomicAdd(&z[i + 1], 1u);
          if (y) atomicAdd(&z[i - side], 1u);
          if (y + 1 < side) atomicAdd(&z[i + side], 1u);
        }
      }
      __syncthreads();
    }
    ++rounds;
  } while (__syncthreads_or(moving) && rounds < 50);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = z[i];
  if (threadIdx.x == 0) topples[blockIdx.x] = rounds;
}
__global__ void wireworld(const unsigned char* in, unsigned char* out, int w, int h) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    int x = i % w, y = i / w, c = in[i] & 3;
    switch (c) {
      case 0:
        break;
      case 1:
        c = 2;
        break;
      case 2:
        c = 3;
        break;
      case 3: {
        int heads = 0;
        for (int j = max(0, y - 1); j <= min(h - 1, y + 1) && heads < 3; ++j)
          for (int k = max(0, x - 1); k <= min(w - 1, x + 1); ++k)
            if ((in[j * w + k] & 3) == 1) ++heads;
        if (heads == 1 || heads == 2) c = 1;
      }
    }
    out[i] = c;
  }
}
