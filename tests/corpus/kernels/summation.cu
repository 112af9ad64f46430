// Careful sums, moments, arg-extrema and selections.
#define FULL 0xffffffffu

// Neumaier's sum: which operand is larger decides the branch; two-sum merges within the warp.
__global__ void neumaier(const float* __restrict__ x, float2* __restrict__ out, int n) {
  float sum = 0.f, comp = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float v = x[i] * (float)(1 << (i % 13));
    const float t = __fadd_rn(sum, v);
    if (fabsf(sum) >= fabsf(v))
      comp = __fadd_rn(comp, __fadd_rn(__fsub_rn(sum, t), v));
    else
      comp = __fadd_rn(comp, __fadd_rn(__fsub_rn(v, t), sum));
    sum = t;
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float os = __shfl_down_sync(FULL, sum, o), oc = __shfl_down_sync(FULL, comp, o);
    const float s = __fadd_rn(sum, os);
    const float bb = __fsub_rn(s, sum);
    comp = __fadd_rn(__fadd_rn(comp, oc), __fadd_rn(__fsub_rn(sum, __fsub_rn(s, bb)), __fsub_rn(os, bb)));
    sum = s;
  }
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_float2(sum, comp);
}

// Welford over ragged groups, merged with Chan's formula; a 24-byte struct in shared memory.
struct Moments {
  double mean, m2;
  int n;
  int pad_;
};

__device__ Moments merge(const Moments& a, const Moments& b) {
  if (b.n == 0) return a;
  if (a.n == 0) return b;
  Moments r;
  r.n = a.n + b.n;
  r.pad_ = 0;
  const double delta = b.mean - a.mean;
  r.mean = a.mean + delta * b.n / r.n;
  r.m2 = a.m2 + b.m2 + delta * delta * a.n / r.n * b.n;
  return r;
}

__global__ void welford_groups(const float* x, const unsigned char* lengths, double* mean_var, int capacity) {
  __shared__ Moments part[96];
  const int t = threadIdx.x;
  const int len = lengths[blockIdx.x] % (capacity + 1);
  Moments m = {0, 0, 0, 0};
  for (int i = t; i < len; i += blockDim.x) {
    const double v = x[blockIdx.x * capacity + i];
    m.n++;
    const double d = v - m.mean;
    m.mean += d / m.n;
    m.m2 += d * (v - m.mean);
  }
  part[t] = m;
  for (int width = blockDim.x; width > 1;) {
    __syncthreads();
    const int half = (width + 1) / 2;
    if (t + half < width) part[t] = merge(part[t], part[t + half]);
    width = half;
  }
  if (t == 0) {
    mean_var[2 * blockIdx.x] = part[0].mean;
    mean_var[2 * blockIdx.x + 1] = part[0].n > 1 ? part[0].m2 / (part[0].n - 1) : 0.0;
  }
}

// Arg-max of columns of a row-major matrix; 12-byte results; ties go to the lower row.
struct Best {
  float value;
  int row;
  short column, votes;
};

__global__ void argmax_columns(const float* a, Best* best, int rows, int cols) {
  __shared__ Best s[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  Best b = {-1e30f, -1, (short)c, 0};
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += blockDim.y) {
      const float v = rintf(a[r * cols + c] * 8.f);  // many ties
      if (v > b.value) b = {v, r, (short)c, 1};
      else if (v == b.value) b.votes++;
    }
  s[threadIdx.y][threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (unsigned k = 1; k < blockDim.y; ++k) {
      const Best o = s[k][threadIdx.x];
      if (o.value > b.value || (o.value == b.value && o.row < b.row)) {
        const short votes = o.value == b.value ? b.votes + o.votes : o.votes;
        b = o;
        b.votes = votes;
      } else if (o.value == b.value) {
        b.votes += o.votes;
      }
    }
    best[c] = b;
  }
}

// Top K of a row: each thread keeps a sorted list, then the heads compete K times.
template <int K>
__global__ void topk_rows(const float* __restrict__ x, float* values, int* indices, int cols) {
  typedef unsigned long long Key;
  __shared__ Key heads[2];
  const int row = blockIdx.x, t = threadIdx.x;
  Key list[K];
  for (int k = 0; k < K; ++k) list[k] = 0;
  for (int c = t; c < cols; c += blockDim.x) {
    unsigned u = __float_as_uint(x[row * cols + c]);
    u = u & 0x80000000u ? ~u : u | 0x80000000u;
    Key key = ((Key)u << 32) | (unsigned)~c;
    if (key <= list[K - 1]) continue;
    int at = K - 1;
    while (at > 0 && list[at - 1] < key) {
      list[at] = list[at - 1];
      --at;
    }
    list[at] = key;
  }
  if (t < 2) heads[t] = 0;
  __syncthreads();
  int mine = 0;
  for (int k = 0; k < K; ++k) {
    const Key head = mine < K ? list[mine] : 0;
    atomicMax(&heads[k & 1], head);
    __syncthreads();
    const Key top = heads[k & 1];
    if (t == 0) heads[~k & 1] = 0;
    if (head == top && top) {
      ++mine;
      unsigned u = (unsigned)(top >> 32);
      u = u & 0x80000000u ? u & 0x7fffffffu : ~u;
      values[row * K + k] = __uint_as_float(u);
      indices[row * K + k] = ~(int)(unsigned)top;
    }
    __syncthreads();
  }
}

// One step of a beam search: W beams times V tokens, fixed-point log probabilities, the W best by
// a radix descent over the bits with block-wide counts.
__global__ void beam_step(const unsigned short* logits, const int* scores, int* next_scores, int* next_codes, int W, int V) {
  extern __shared__ int cand[];
  __shared__ int taken;
  const int n = W * V, t = threadIdx.x, base = blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) {
    int s = (scores[blockIdx.x * W + i / V] & 0xffff) + (logits[base + i] >> 2);
    cand[i] = s << 10 | i;  // unique
  }
  if (t == 0) taken = 0;
  __syncthreads();
  int threshold = 0;
  for (int bit = 27; bit >= 0; --bit) {
    const int trial = threshold | 1 << bit;
    int above = 0;
    for (int i0 = 0; i0 < n; i0 += blockDim.x) {
      const int i = i0 + t;
      above += __syncthreads_count(i < n && cand[i] >= trial);
    }
    if (above >= W) threshold = trial;
  }
  for (int i = t; i < n; i += blockDim.x)
    if (cand[i] >= threshold) {
      int rank = 0;
      for (int j = 0; j < n; ++j) rank += cand[j] > cand[i];
      next_scores[blockIdx.x * W + rank] = cand[i] >> 10;
      next_codes[blockIdx.x * W + rank] = (cand[i] & 1023) % V;
      atomicAdd(&taken, 1);
    }
  __syncthreads();
  if (t == 0 && taken != W) next_scores[blockIdx.x * W] = -1;
}

// Integer moments up to the fourth with 64-bit and 128-bit-by-hand accumulators.
__global__ void moments_u16(const unsigned short* v, unsigned long long* out, int n) {
  unsigned long long s1 = 0, s2 = 0, s3 = 0, lo = 0, hi = 0;
  const ushort4* v4 = reinterpret_cast<const ushort4*>(v);
  const int i0 = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  auto take = [&](unsigned long long x) {
    s1 += x;
    s2 += x * x;
    s3 += x * x * x;
    const unsigned long long q = x * x * x * x;
    lo += q;
    hi += lo < q;
  };
  for (int i = i0; i < n / 4; i += step) {
    const ushort4 q = v4[i];
    take(q.x), take(q.y), take(q.z), take(q.w);
  }
  if (i0 < n % 4) take(v[n / 4 * 4 + i0]);
  atomicAdd(out, s1);
  atomicAdd(out + 1, s2);
  atomicAdd(out + 2, s3);
  atomicAdd(out + 3, lo & 0xffffffffu);
  atomicAdd(out + 4, lo >> 32);
  atomicAdd(out + 5, hi);
}
