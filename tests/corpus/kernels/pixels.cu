// Pictures: filters on packed pixels, contours, components, dithering, cells.
typedef unsigned char u8;
typedef unsigned int u32;

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }

// A 3 x 3 median on four channels at once: vector minima and maxima of bytes.
#define SORT2(a, b)                 \
  do {                              \
    const u32 t_ = __vminu4(a, b);  \
    b = __vmaxu4(a, b);             \
    a = t_;                         \
  } while (0)
extern "C" __global__ void median_rgba(const u32* in, u32* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  u32 p[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    p[k] = in[clampi(y + k / 3 - 1, 0, h - 1) * w + clampi(x + k % 3 - 1, 0, w - 1)];
  }
  SORT2(p[1], p[2]); SORT2(p[4], p[5]); SORT2(p[7], p[8]);
  SORT2(p[0], p[1]); SORT2(p[3], p[4]); SORT2(p[6], p[7]);
  SORT2(p[1], p[2]); SORT2(p[4], p[5]); SORT2(p[7], p[8]);
  SORT2(p[0], p[3]); SORT2(p[5], p[8]); SORT2(p[4], p[7]);
  SORT2(p[3], p[6]); SORT2(p[1], p[4]); SORT2(p[2], p[5]);
  SORT2(p[4], p[7]); SORT2(p[4], p[2]); SORT2(p[6], p[4]); SORT2(p[4], p[2]);
  out[y * w + x] = p[4];
}

// Bilateral filter with a table of weights by difference of brightness.
__constant__ u8 kNear[9] = {2, 3, 2, 3, 4, 3, 2, 3, 2};
extern "C" __global__ void bilateral(const uchar4* in, uchar4* out, int w, int h) {
  __shared__ uchar4 tile[10][18];
  __shared__ unsigned short weight[256];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  for (int i = t; i < 256; i += 128) weight[i] = 256 * 64 / (64 + i * i / 4);
  for (int i = t; i < 180; i += 128) {
    const int y = clampi(blockIdx.y * 8 + i / 18 - 1, 0, h - 1);
    const int x = clampi(blockIdx.x * 16 + i % 18 - 1, 0, w - 1);
    tile[i / 18][i % 18] = in[y * w + x];
  }
  __syncthreads();
  const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 8 + ty;
  if (x >= w || y >= h) return;
  const auto luma = [](uchar4 c) { return (c.x * 2 + c.y * 5 + c.z) >> 3; };
  const int own = luma(tile[ty + 1][tx + 1]);
  u32 r = 0, g = 0, b = 0, sum = 0;
  for (int k = 0; k < 9; ++k) {
    const uchar4 c = tile[ty + k / 3][tx + k % 3];
    const u32 f = weight[abs(luma(c) - own)] * kNear[k];
    r += f * c.x, g += f * c.y, b += f * c.z, sum += f;
  }
  out[y * w + x] = make_uchar4(r / sum, g / sum, b / sum, tile[ty + 1][tx + 1].w);
}

// Marching squares: lengths of contour pieces by sixteen cases, crossings by interpolation.
extern "C" __global__ void contour_cases(const u8* field, int* pieces, float* crossing, int w, int h,
                                         int level) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 1 >= w || y + 1 >= h) return;
  const int a = field[y * w + x], b = field[y * w + x + 1];
  const int c = field[(y + 1) * w + x + 1], d = field[(y + 1) * w + x];
  const int which = (a > level) | (b > level) << 1 | (c > level) << 2 | (d > level) << 3;
  const auto cut = [level](int p, int q) { return (float)(level - p) / (float)(q - p); };
  float at = -1.0f;
  int count = 1;
  switch (which) {
    case 0:
    case 15:
      count = 0;
      break;
    case 1:
    case 14:
      at = cut(a, b) * cut(a, d);
      break;
    case 2:
    case 13:
      at = cut(a, b) - cut(b, c);
      break;
    case 3:
    case 12:
      at = cut(a, d) + cut(b, c);
      break;
    case 4:
    case 11:
      at = cut(b, c) * cut(d, c);
      break;
    case 5:
      count = 2;
      at = a + c > b + d ? cut(a, b) : cut(a, d);
      break;
    case 10:
      count = 2;
      if (a + c <= b + d) at = cut(d, c);
      break;
    case 6:
    case 9:
      at = cut(a, b) + cut(d, c);
      break;
    default:
      at = cut(a, d) * cut(d, c);
  }
  crossing[y * w + x] = at;
  if (count) atomicAdd(pieces + which, count);
}

// Integral image of a tile: rows by warps, columns by threads. The picture has 48 x 20.
extern "C" __global__ void integral_image(const u8* in, u32* out) {
  __shared__ u32 s[20][49];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const u8* image = in + blockIdx.x * 960;
  for (int y = warp; y < 20; y += warps) {
    u32 carry = 0;
    for (int x0 = 0; x0 < 48; x0 += 32) {
      const int x = x0 + lane;
      u32 v = x < 48 ? image[y * 48 + x] : 0;
#pragma unroll
      for (int o = 1; o < 32; o <<= 1) {
        const u32 k = __shfl_up_sync(~0u, v, o);
        v += lane >= o ? k : 0;
      }
      v += carry;
      if (x < 48) s[y][x] = v;
      carry = __shfl_sync(~0u, v, 31);
    }
  }
  __syncthreads();
  for (int x = threadIdx.x; x < 48; x += blockDim.x) {
    u32 sum = 0;
    for (int y = 0; y < 20; ++y) out[blockIdx.x * 960 + y * 48 + x] = sum += s[y][x];
  }
}

// Flood from the middle until it stands still: a block, cells of bytes, two planes.
extern "C" __global__ void flood(const u8* in, u8* out, int* rounds, int w, int h, int wall) {
  extern __shared__ u8 planes[];
  u8 *now = planes, *then = planes + w * h;
  const int x = threadIdx.x, seed = h / 2 * w + w / 2;
  for (int y = threadIdx.y; y < h; y += blockDim.y) {
    const int i = y * w + x;
    now[i] = i == seed ? 2 : in[blockIdx.x * w * h + i] < wall;  // 1: wall, 2: wet
  }
  int round = 0;
  for (bool wet = true; wet; ++round) {
    __syncthreads();
    wet = false;
    for (int y = threadIdx.y; y < h; y += blockDim.y) {
      const int i = y * w + x;
      u8 v = now[i];
      if (v == 0) {
        if ((x > 0 && now[i - 1] == 2) || (x < w - 1 && now[i + 1] == 2) || (y > 0 && now[i - w] == 2) ||
            (y < h - 1 && now[i + w] == 2)) {
          v = 2;
          wet = true;
        }
      }
      then[i] = v;
    }
    u8* const swap = now;
    now = then;
    then = swap;
    wet = __syncthreads_or(wet);
  }
  for (int y = threadIdx.y; y < h; y += blockDim.y) {
    out[blockIdx.x * w * h + y * w + x] = now[y * w + x];
  }
  if (x == 0 && threadIdx.y == 0) rounds[blockIdx.x] = round;
}

// Floyd and Steinberg: a warp walks the rows as a wavefront, three columns apart.
extern "C" __global__ void error_diffusion(const u8* in, u32* bits, int w) {
  __shared__ int errors[33][72];
  const int lane = threadIdx.x;
  for (int i = lane; i < 33 * 72; i += 32) errors[i / 72][i % 72] = 0;
  __syncwarp();
  const u8* row = in + (blockIdx.x * 32 + lane) * w;
  u32 word = 0;
  for (int step = 0; step < w + 93; ++step) {
    const int x = step - 3 * lane;
    if (x >= 0 && x < w) {
      const int v = row[x] + (errors[lane][x + 1] >> 4);
      const bool on = v > 127;
      const int e = v - (on ? 255 : 0);
      word |= (u32)on << (x & 31);
      if ((x & 31) == 31 || x == w - 1) {
        bits[(blockIdx.x * 32 + lane) * ((w + 31) / 32) + x / 32] = word;
        word = 0;
      }
      errors[lane][x + 2] += 7 * e;
      errors[lane + 1][x] += 3 * e;
      errors[lane + 1][x + 1] += 5 * e;
      errors[lane + 1][x + 2] += e;
    }
    __syncwarp();
  }
}

// Equalisation: a histogram per warp, its sum as a table, pixels through the table.
extern "C" __global__ void equalise(const u32* in, u32* out, int words) {
  __shared__ int bins[4][256];
  __shared__ u8 table[256];
  const int t = threadIdx.x, warp = t >> 5;
  for (int i = t; i < 1024; i += 128) bins[i >> 8][i & 255] = 0;
  __syncthreads();
  for (int i = t; i < words; i += 128) {
    u32 v = in[blockIdx.x * words + i];
    v &= 0x3f7f1fff;  // not quite flat
#pragma unroll
    for (int k = 0; k < 4; ++k) atomicAdd(&bins[warp][__byte_perm(v, 0, 0x4440 | k)], 1);
  }
  __syncthreads();
  int mine = 0;
  const int a = bins[0][2 * t] + bins[1][2 * t] + bins[2][2 * t] + bins[3][2 * t];
  const int b = bins[0][2 * t + 1] + bins[1][2 * t + 1] + bins[2][2 * t + 1] + bins[3][2 * t + 1];
  mine = a + b;
  for (int o = 1; o < 32; o <<= 1) {
    const int k = __shfl_up_sync(~0u, mine, o);
    if ((t & 31) >= o) mine += k;
  }
  __syncthreads();
  if ((t & 31) == 31) bins[0][warp] = mine;
  __syncthreads();
  for (int k = 0; k < warp; ++k) mine += bins[0][k];
  table[2 * t] = (mine - b) * 255 / (4 * words);
  table[2 * t + 1] = mine * 255 / (4 * words);
  __syncthreads();
  for (int i = t; i < words; i += 128) {
    const u32 v = in[blockIdx.x * words + i] & 0x3f7f1fff;
    const u32 low = table[v & 255] | table[v >> 8 & 255] << 8;
    out[blockIdx.x * words + i] = low | (table[v >> 16 & 255] | table[v >> 24] << 8) << 16;
  }
}

// Cells on a torus of bytes, several generations in shared memory; births and deaths by table.
extern "C" __global__ void life_torus(const u8* in, u8* out, int* living, int generations) {
  __shared__ u8 a[16][40], b[16][40];
  u8(*from)[40] = a;
  u8(*to)[40] = b;
  const int x = threadIdx.x, y = threadIdx.y;
  from[y][x] = in[(blockIdx.x * 16 + y) * 40 + x] % 3 == 0;
  const int left = x ? x - 1 : 39, right = x == 39 ? 0 : x + 1;
  const int up = (y + 15) & 15, down = (y + 1) & 15;
  for (int g = 0; g < generations; ++g) {
    const int alive = __syncthreads_count(from[y][x]);
    if (x + y == 0) living[blockIdx.x * generations + g] = alive;
    if (alive == 0) break;
    const int n = from[up][left] + from[up][x] + from[up][right] + from[y][left] + from[y][right] +
                  from[down][left] + from[down][x] + from[down][right];
    to[y][x] = n == 3 || (n == 2 && from[y][x]);
    u8(*swap)[40] = from;
    from = to;
    to = swap;
  }
  out[(blockIdx.x * 16 + y) * 40 + x] = from[y][x];
}

// Erosion and dilation of bit images: rows of words, ballots make the words.
extern "C" __global__ void open_bits(const u8* in, u32* out, int w, int h, int threshold) {
  __shared__ u32 rows[34][4], eroded[34][4];
  const int lane = threadIdx.x, y = threadIdx.y, words = w / 32;
  for (int r = y; r < h; r += blockDim.y) {
    for (int k = 0; k < words; ++k) {
      const u32 m = __ballot_sync(~0u, in[(blockIdx.x * h + r) * w + k * 32 + lane] > threshold);
      if (lane == 0) rows[r][k] = m;
    }
  }
  __syncthreads();
  for (int pass = 0; pass < 2; ++pass) {
    u32(*const from)[4] = pass ? eroded : rows;
    const int cells = words * h;
    for (int i = y * 32 + lane; i < cells; i += 32 * blockDim.y) {
      const int r = i / words, k = i % words;
      const u32 edge = pass ? 0u : ~0u;
      const auto sides = [&](int rr) {
        if (rr < 0 || rr >= h) return edge;
        const u32 v = from[rr][k], l = k ? from[rr][k - 1] : edge, n = k + 1 < words ? from[rr][k + 1] : edge;
        const u32 a = __funnelshift_l(l, v, 1), b = __funnelshift_r(v, n, 1);
        return pass ? v | a | b : v & a & b;
      };
      const u32 up = sides(r - 1), mid = sides(r), low = sides(r + 1);
      if (pass) out[(blockIdx.x * h + r) * words + k] = up | mid | low;
      else eroded[r][k] = up & mid & low;
    }
    __syncthreads();
  }
}

// Fixed-point Julia set with 64-bit products.
extern "C" __global__ void julia_fixed(unsigned short* out, int w, int h, int cr, int ci, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  long long zr = ((long long)x * 3 << 28) / w - (3ll << 27), zi = ((long long)y << 29) / h - (1 << 28);
  int n = 0;
  do {
    const long long rr = zr * zr >> 28, ii = zi * zi >> 28;
    if (rr + ii > 4ll << 28) break;
    zi = (zr * zi >> 27) + ci;
    zr = rr - ii + cr;
  } while (++n < limit);
  out[y * w + x] = n;
}
