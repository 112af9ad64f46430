// Filters, transforms and decoders of signals.

// FIR, symmetric taps in constant memory, the samples with history in dynamic shared memory, decimating.
__constant__ float kTaps[24] = {-0.0012f, -0.0021f, 0.0008f, 0.0067f, 0.0059f, -0.0098f, -0.0227f, -0.0043f, 0.0451f, 0.0548f, -0.0265f,
                                -0.1411f, 0.3113f, 0.0901f, 0.0127f, -0.0333f, 0.0204f, 0.0011f, -0.0078f, 0.0032f, 0.0017f, -0.0009f, 0.f, 0.0001f};

template <int HALF, int DECIMATE>
__global__ void fir_decimate(const short* x, short* y, int n, int outs) {
  extern __shared__ int win[];
  const int first = blockIdx.x * blockDim.x * DECIMATE - 2 * HALF;
  const int span = blockDim.x * DECIMATE + 2 * HALF;
  for (int e = threadIdx.x; e < span; e += blockDim.x) {
    const int g = first + e;
    win[e] = g >= 0 && g < n ? x[g] : 0;
  }
  __syncthreads();
  const int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= outs) return;
  const int* p = win + threadIdx.x * DECIMATE;
  float acc = kTaps[HALF] * p[HALF];
#pragma unroll
  for (int k = 0; k < HALF; ++k) acc = fmaf(kTaps[k], (float)(p[k] + p[2 * HALF - k]), acc);
  const int r = __float2int_rn(acc);
  y[o] = (short)(r > 32767 ? 32767 : r < -32768 ? -32768 : r);
}

// A cascade of biquads, transposed direct form II, a channel a thread; 20 bytes of coefficients a section.
struct Biquad { float b0, b1, b2, a1, a2; };

template <int SECTIONS>
__global__ void biquad_cascade(const float* x, float* y, const Biquad* coef, float2* state, int channels, int samples) {
  const int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch >= channels) return;
  Biquad q[SECTIONS];
  float2 s[SECTIONS];
#pragma unroll
  for (int k = 0; k < SECTIONS; ++k) {
    q[k] = coef[(ch % 7) * SECTIONS + k];
    s[k] = state[k * channels + ch];
  }
  for (int t = 0; t < samples; ++t) {
    float v = x[t * channels + ch];
#pragma unroll
    for (int k = 0; k < SECTIONS; ++k) {
      const float out = q[k].b0 * v + s[k].x;
      s[k].x = q[k].b1 * v - 0.4f * q[k].a1 * out + s[k].y;
      s[k].y = q[k].b2 * v - 0.4f * q[k].a2 * out;
      v = out;
    }
    y[t * channels + ch] = v;
  }
#pragma unroll
  for (int k = 0; k < SECTIONS; ++k) state[k * channels + ch] = s[k];
}

// Goertzel: eight tones of a block of doubles, a warp a tone, the block split over the lanes then joined
// by the recurrence of phases.
extern "C" __global__ void goertzel(const float* x, double2* out, int n, const int* bins) {
  const int tone = threadIdx.y, lane = threadIdx.x;
  const double w = 2.0 * bins[tone] / n;
  const double coeff = 2.0 * cospi(w);
  const int per = (n + 31) / 32, lo = lane * per, hi = min(lo + per, n);
  const float* seg = x + blockIdx.x * n;
  double s1 = 0, s2 = 0;
  for (int i = lo; i < hi; ++i) {
    const double s = fma(coeff, s1, (double)seg[i] - s2);
    s2 = s1;
    s1 = s;
  }
  double sn, cs;
  sincospi(w, &sn, &cs);
  double re = s1 - s2 * cs, im = s2 * sn;  // spectrum of the piece, at its last sample
  sincospi(-w * (hi > lo ? hi - 1 : 0), &sn, &cs);
  double2 z = make_double2(re * cs - im * sn, re * sn + im * cs);
  for (int o = 1; o < 32; o <<= 1) {
    z.x += __shfl_xor_sync(~0u, z.x, o);
    z.y += __shfl_xor_sync(~0u, z.y, o);
  }
  if (lane == 0) out[blockIdx.x * blockDim.y + tone] = z;
}

// Haar wavelets, all levels in place in shared memory; integer S-transform, lossless, ragged lengths.
extern "C" __global__ void haar_integer(const short* in, short* out, int n) {
  extern __shared__ short buf[];
  short* tmp = buf + n;
  const short* src = in + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) buf[i] = src[i] >> 4;
  __syncthreads();
  for (int len = n; len > 1; len = (len + 1) / 2) {
    const int pairs = len / 2, low = (len + 1) / 2;
    for (int i = threadIdx.x; i < low; i += blockDim.x) {
      if (i < pairs) {
        const int a = buf[2 * i], b = buf[2 * i + 1], d = a - b;
        tmp[i] = (short)(b + (d >> 1));
        tmp[low + i] = (short)d;
      } else {
        tmp[i] = buf[2 * i];
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < len; i += blockDim.x) buf[i] = tmp[i];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = buf[i];
}

// Bluestein's chirp z-transform: the chirp by integer residues, the convolution directly; double2.
__device__ double2 cmul(double2 a, double2 b) { return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

extern "C" __global__ void bluestein_direct(const double2* x, double2* X, int n) {
  extern __shared__ double2 sm[];
  double2 *chirp = sm, *u = sm + n;
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    const int r = (int)((long long)k * k % (2 * n));
    double s, c;
    sincospi((double)r / n, &s, &c);
    chirp[k] = make_double2(c, s);
    u[k] = cmul(x[blockIdx.x * n + k], make_double2(c, -s));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    double2 acc = make_double2(0, 0);
    for (int j = 0; j < n; ++j) {
      const double2 p = cmul(u[j], chirp[abs(k - j)]);
      acc.x += p.x;
      acc.y += p.y;
    }
    const double2 w = chirp[k];
    X[blockIdx.x * n + k] = cmul(acc, make_double2(w.x, -w.y));
  }
}

// A split-radix-free FFT of 3 * 2^k points: Stockham passes by radix, chosen at run time by a switch.
extern "C" __global__ void fft_mixed(const float2* in, float2* out, int n) {
  extern __shared__ float2 points[];
  float2 *ping = points, *pong = points + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) ping[i] = in[blockIdx.x * n + i];
  int done = 1, left = n;
  while (left > 1) {
    __syncthreads();
    const int r = left % 4 == 0 ? 4 : left % 3 == 0 ? 3 : left % 5 == 0 ? 5 : 2;
    const int m = n / r;
    for (int i = threadIdx.x; i < m; i += blockDim.x) {
      const int k = i % done;
      float2 v[5];
      for (int q = 0; q < r; ++q) {
        float s, c;
        sincospif(-2.f * (q * k) / (float)(done * r), &s, &c);
        const float2 a = ping[i + q * m];
        v[q] = make_float2(a.x * c - a.y * s, a.x * s + a.y * c);
      }
      float2 y[5];
      switch (r) {
        case 2:
          y[0] = make_float2(v[0].x + v[1].x, v[0].y + v[1].y);
          y[1] = make_float2(v[0].x - v[1].x, v[0].y - v[1].y);
          break;
        case 4: {
          const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
          const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
          y[0] = make_float2(a.x + c.x, a.y + c.y);
          y[1] = make_float2(b.x + d.x, b.y + d.y);
          y[2] = make_float2(a.x - c.x, a.y - c.y);
          y[3] = make_float2(b.x - d.x, b.y - d.y);
          break;
        }
        default:
          for (int p = 0; p < r; ++p) {
            float2 acc = v[0];
            for (int q = 1; q < r; ++q) {
              float s, c;
              sincospif(-2.f * (p * q % r) / (float)r, &s, &c);
              acc.x += v[q].x * c - v[q].y * s;
              acc.y += v[q].x * s + v[q].y * c;
            }
            y[p] = acc;
          }
      }
      for (int p = 0; p < r; ++p) pong[i / done * done * r + k + p * done] = y[p];
    }
    done *= r;
    left /= r;
    float2* const t = ping;
    ping = pong;
    pong = t;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = ping[i];
}

// Viterbi of a rate 1/2 code with 64 states: two states a lane by shuffles, decisions as ballots.
extern "C" __global__ void viterbi64(const signed char* soft, unsigned* bits, int* metric, int steps) {
  __shared__ unsigned decide[128][2];
  const int lane = threadIdx.x;
  const signed char* in = soft + blockIdx.x * 2 * steps;
  int m0 = lane == 0 ? 0 : -100000, m1 = -100000;  // states lane and lane + 32
  for (int t = 0; t < steps; ++t) {
    const int a = in[2 * t], b = in[2 * t + 1];
    const int src = lane >> 1;  // state 2 s + bit comes from s and s + 32
    const int p00 = __shfl_sync(~0u, m0, src), p01 = __shfl_sync(~0u, m1, src);
    const int p10 = __shfl_sync(~0u, m0, src + 16), p11 = __shfl_sync(~0u, m1, src + 16);
    const auto gain = [&](int from, int to) {
      const int reg = from << 1 | (to & 1);
      return (__popc(reg & 0x6d) & 1 ? a : -a) + (__popc(reg & 0x4f) & 1 ? b : -b);
    };
    const int x0 = p00 + gain(src, lane), x1 = p01 + gain(src + 32, lane);
    const int y0 = p10 + gain(src + 16, lane + 32), y1 = p11 + gain(src + 48, lane + 32);
    const bool d0 = x1 > x0, d1 = y1 > y0;
    m0 = d0 ? x1 : x0;
    m1 = d1 ? y1 : y0;
    const unsigned w0 = __ballot_sync(~0u, d0), w1 = __ballot_sync(~0u, d1);
    if (lane < 2) decide[t][lane] = lane ? w1 : w0;
  }
  __syncwarp();
  int best = max(m0, m1) * 64 + (m1 > m0 ? lane + 32 : lane);
  best = __reduce_max_sync(~0u, best);
  if (lane == 0) {
    metric[blockIdx.x] = best >> 6;
    int state = best & 63;
    unsigned word = 0;
    for (int t = steps - 1; t >= 0; --t) {
      word |= (state & 1) << (t & 31);
      state = state >> 1 | (decide[t][state >> 5] >> (state & 31) & 1) << 5;
      if ((t & 31) == 0) {
        bits[blockIdx.x * ((steps + 31) / 32) + t / 32] = word;
        word = 0;
      }
    }
  }
}

// CORDIC with integers only: angle and magnitude of pairs; branches on signs.
__constant__ int kAtan[16] = {536870912, 316933406, 167458907, 85004756, 42667331, 21354465, 10679838, 5340245,
                              2670163,   1335087,   667544,    333772,   166886,   83443,    41722,    20861};

extern "C" __global__ void cordic(const short2* v, int2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = v[i].x << 8, y = v[i].y << 8;
  unsigned angle = 0;
  if (x < 0) {
    x = -x;
    y = -y;
    angle = 0x80000000u;
  }
#pragma unroll 1
  for (int k = 0; k < 16 && y != 0; ++k) {
    const int dx = y >> k, dy = x >> k;
    if (y > 0) {
      x += dx;
      y -= dy;
      angle += kAtan[k];
    } else {
      x -= dx;
      y += dy;
      angle -= kAtan[k];
    }
  }
  out[i] = make_int2(x, (int)angle);
}

// Autocorrelation and Levinson-Durbin, order P, a frame a block; one thread solves.
template <int P>
__global__ void lpc(const float* x, double* coef, int frame, int hop) {
  __shared__ double r[P + 1];
  const float* f = x + blockIdx.x * hop;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int k = warp; k <= P; k += blockDim.x / 32) {
    double s = 0;
    for (int i = lane; i + k < frame; i += 32) s += (double)f[i] * f[i + k];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) r[k] = k ? s : s * 1.0001 + 1e-9;
  }
  __syncthreads();
  if (threadIdx.x) return;
  double a[P + 1], old[P + 1], e = r[0];
  a[0] = 1;
  for (int k = 1; k <= P; ++k) {
    double acc = r[k];
    for (int j = 1; j < k; ++j) acc += a[j] * r[k - j];
    const double refl = -acc / e;
    for (int j = 0; j < k; ++j) old[j] = a[j];
    for (int j = 1; j < k; ++j) a[j] = old[j] + refl * old[k - j];
    a[k] = refl;
    e *= 1 - refl * refl;
  }
  for (int k = 0; k <= P; ++k) coef[blockIdx.x * (P + 1) + k] = a[k];
}
