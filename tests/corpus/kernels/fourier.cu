// Transforms in shared memory.
// 512 complex values by 256 threads, radix 2, bit-reversed on the way in.
extern "C" __global__ void fft_radix2(const float2* in, float2* out) {
  __shared__ float2 s[512];
  const int t = threadIdx.x;
  const float2* from = in + blockIdx.x * 512;
  s[__brev(t) >> 23] = from[t];
  s[__brev(t + 256) >> 23] = from[t + 256];
  for (int half = 1; half < 512; half <<= 1) {
    __syncthreads();
    const int k = t & (half - 1), at = 2 * t - k;
    float sn, cs;
    sincospif(-(float)k / half, &sn, &cs);
    const float2 a = s[at], b = s[at + half];
    const float2 w = {b.x * cs - b.y * sn, b.x * sn + b.y * cs};
    s[at] = {a.x + w.x, a.y + w.y};
    s[at + half] = {a.x - w.x, a.y - w.y};
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[t];
  out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

struct Complex {
  float re, im;
  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator-(Complex o) const { return {re - o.re, im - o.im}; }
  __device__ Complex operator*(Complex o) const {
    return {re * o.re - im * o.im, re * o.im + im * o.re};
  }
};

// Stockham radix 4: real and imaginary parts are exchanged one after the other through one array.
template <int kSize>
__global__ void fft_radix4(const Complex* in, Complex* out) {
  __shared__ float exchange[kSize];
  const int t = threadIdx.x;
  Complex v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) v[r] = in[blockIdx.x * kSize + t + r * kSize / 4];
#pragma unroll
  for (int span = 1; span < kSize; span *= 4) {
    const int k = t % span;
    const float angle = -6.2831853f * k / (4 * span);
#pragma unroll
    for (int r = 1; r < 4; ++r) {
      Complex w;
      __sincosf(r * angle, &w.im, &w.re);
      v[r] = v[r] * w;
    }
    const Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    v[0] = a + c;
    v[2] = a - c;
    v[1] = {b.re + d.im, b.im - d.re};
    v[3] = {b.re - d.im, b.im + d.re};
    if (span * 4 == kSize) break;
    const int to = (t - k) * 4 + k;
#pragma unroll
    for (int r = 0; r < 4; ++r) exchange[to + r * span] = v[r].re;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r].re = exchange[t + r * kSize / 4];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) exchange[to + r * span] = v[r].im;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r].im = exchange[t + r * kSize / 4];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) out[blockIdx.x * kSize + t + r * kSize / 4] = v[r];
}

// Walsh-Hadamard of 1,024: registers, then lanes, then warps.
extern "C" __global__ void hadamard(const int* in, int* out) {
  __shared__ int s[1024];
  const int t = threadIdx.x;  // 128
  int v[8];
  const int4* from = reinterpret_cast<const int4*>(in + blockIdx.x * 1024 + t * 8);
  *reinterpret_cast<int4*>(v) = from[0];
  *reinterpret_cast<int4*>(v + 4) = from[1];
#pragma unroll
  for (int h = 1; h < 8; h *= 2) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i & h) continue;
      const int a = v[i], b = v[i | h];
      v[i] = a + b;
      v[i | h] = a - b;
    }
  }
#pragma unroll
  for (int h = 1; h < 32; h *= 2) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int other = __shfl_xor_sync(~0u, v[i], h);
      v[i] = t & h ? other - v[i] : v[i] + other;
    }
  }
  for (int i = 0; i < 8; ++i) s[t * 8 + i] = v[i];
  __syncthreads();
  for (int i = t; i < 256; i += 128) {
    const int a = s[i], b = s[i + 256], c = s[i + 512], d = s[i + 768];
    int* const to = out + blockIdx.x * 1024 + i;
    to[0] = a + b + c + d;
    to[256] = a - b + c - d;
    to[512] = a + b - c - d;
    to[768] = a - b - c + d;
  }
}

// 8 x 8 cosine transform of an image of bytes, eight threads a tile, rows then columns.
extern "C" __global__ void dct8(const unsigned char* in, short* out, int pitch) {
  __shared__ float s[4][8][9];
  const int tile = threadIdx.y, lane = threadIdx.x;
  const int x = (blockIdx.x * 4 + tile) * 8, y = blockIdx.y * 8;
  const uint2 packed = *reinterpret_cast<const uint2*>(in + (y + lane) * pitch + x);
  float row[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    row[i] = (int)((i < 4 ? packed.x >> 8 * i : packed.y >> 8 * (i - 4)) & 255) - 128.0f;
  }
#pragma unroll 2
  for (int u = 0; u < 8; ++u) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += row[i] * cospif((2 * i + 1) * u / 16.0f);
    s[tile][lane][u] = sum * (u == 0 ? 0.35355339f : 0.5f);
  }
  __syncwarp();
  for (int u = 0; u < 8; ++u) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += s[tile][i][lane] * cospif((2 * i + 1) * u / 16.0f);
    out[(y + u) * pitch + x + lane] = (short)rintf(sum * (u == 0 ? 0.35355339f : 0.5f) / 4.0f);
  }
}
