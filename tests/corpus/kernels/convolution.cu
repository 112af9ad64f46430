// Convolutions as networks and image filters have them: unfolded, direct with a halo in shared
// memory, depthwise, dilated, separable; pooling.
__constant__ float kTaps[81] = {0.11f, -0.2f, 0.3f, 0.05f, 0.4f, -0.6f,
                                0.7f,  0.08f, 0.9f, 1.0f,  -1.1f};

// Each thread unfolds one 3 x 3 patch of one channel: columns[(c * 9 + tap) * outputs + at].
extern "C" __global__ void im2col(const float* __restrict__ image, float* __restrict__ columns,
                                  int channels, int h, int w, int pad, int stride, int oh, int ow) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < channels * oh * ow;
       i += gridDim.x * blockDim.x) {
    const int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
    float* to = columns + (c * 9 * oh + y) * ow + x;
    for (int ky = 0; ky < 3; ++ky) {
      for (int kx = 0; kx < 3; ++kx) {
        const int sx = x * stride + kx - pad, sy = y * stride + ky - pad;
        *to = sx >= 0 && sy >= 0 && sx < w && sy < h ? image[(c * h + sy) * w + sx] : 0.0f;
        to += oh * ow;
      }
    }
  }
}

// Direct 3 x 3 over all channels: a tile with a halo of one, four output channels a thread.
extern "C" __global__ void conv3x3(const float* image, const float* weight, float* out,
                                   int channels, int h, int w) {
  __shared__ float tile[10][18];
  __shared__ float taps[4][9];
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8, first = blockIdx.z * 4;
  const int t = threadIdx.y * 16 + threadIdx.x;
  float sum[4] = {0, 0, 0, 0};
  for (int c = 0; c < channels; ++c) {
    for (int i = t; i < 180; i += 128) {
      const int y = y0 + i / 18 - 1, x = x0 + i % 18 - 1;
      tile[i / 18][i % 18] =
          (unsigned)y < (unsigned)h && (unsigned)x < (unsigned)w ? image[(c * h + y) * w + x] : 0.f;
    }
    if (t < 36) taps[t / 9][t % 9] = weight[((first + t / 9) * channels + c) * 9 + t % 9];
    __syncthreads();
#pragma unroll
    for (int ky = 0; ky < 3; ++ky) {
#pragma unroll
      for (int kx = 0; kx < 3; ++kx) {
        const float v = tile[threadIdx.y + ky][threadIdx.x + kx];
#pragma unroll
        for (int o = 0; o < 4; ++o) sum[o] = fmaf(v, taps[o][ky * 3 + kx], sum[o]);
      }
    }
    __syncthreads();
  }
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < w && y < h) {
    for (int o = 0; o < 4; ++o) out[((first + o) * h + y) * w + x] = sum[o];
  }
}

// One channel a block row, weights in constant memory, channels last.
extern "C" __global__ void depthwise(const float* in, float* out, int h, int w, int channels) {
  const int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
  if (x >= w || c >= channels) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
    if (sx < 0 || sx >= w || sy < 0 || sy >= h) continue;
    sum += in[(sy * w + sx) * channels + c] * kTaps[(c % 9) * 9 + k];
  }
  out[(y * w + x) * channels + c] = sum > 0.0f ? sum : 0.01f * sum;
}

template <int kTap, int kDilation>
__global__ void dilated_1d(const float* in, float* out, int n) {
  constexpr int kHalo = kTap / 2 * kDilation;
  __shared__ float s[128 + 2 * kHalo];
  const int first = blockIdx.x * 128 - kHalo;
  for (int i = threadIdx.x; i < 128 + 2 * kHalo; i += blockDim.x) {
    const int at = min(max(first + i, 0), n - 1);
    s[i] = in[at];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < kTap; ++k) sum += kTaps[k] * s[threadIdx.x + k * kDilation];
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = sum;
}

// Columns of a separable filter as in the SDK: eight results a thread, the tile padded against
// conflicts.
extern "C" __global__ void separable_columns(const float* in, float* out, int h, int pitch) {
  __shared__ float s[16][8 * 6 + 1];
  const int x = blockIdx.x * 16 + threadIdx.x, y0 = (blockIdx.y * 4 - 1) * 8 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const int y = y0 + i * 8;
    s[threadIdx.x][threadIdx.y + i * 8] = y >= 0 && y < h ? in[y * pitch + x] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 5; ++i) {
    float sum = 0.0f;
#pragma unroll
    for (int j = -8; j <= 8; ++j) sum += kTaps[8 - j] * s[threadIdx.x][threadIdx.y + i * 8 + j];
    if (y0 + i * 8 < h) out[(y0 + i * 8) * pitch + x] = sum;
  }
}

// 2 x 2 maximum with the place it came from, by float2.
extern "C" __global__ void maxpool(const float2* in, float* out, unsigned char* where, int oh,
                                   int ow) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  const float2 a = in[2 * y * ow + x], b = in[(2 * y + 1) * ow + x];
  float best = a.x;
  int at = 0;
  if (a.y > best) best = a.y, at = 1;
  if (b.x > best) best = b.x, at = 2;
  if (b.y > best) best = b.y, at = 3;
  out[y * ow + x] = best;
  where[y * ow + x] = at;
}
