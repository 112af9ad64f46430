// How other people touch global memory: records of odd sizes, odd pitches, hints, gathers.
template <int N>
struct Rec {
  float v[N];
};

template <int N>
__global__ void scale_records(const Rec<N>* __restrict__ in, Rec<N>* __restrict__ out, int n,
                              float s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Rec<N> r = in[i];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < N; ++k) sum += r.v[k];
#pragma unroll
    for (int k = 0; k < N; ++k) r.v[k] = r.v[k] * s + sum;
    out[i] = r;
  }
}

struct __align__(8) Six {
  float2 a, b, c;
};
struct Twelve {
  float4 a, b, c;
};

// Rows of a 3x4 affine matrix applied to points kept as three float2 (two points).
extern "C" __global__ void affine(const Twelve* m, const Six* p, Six* q, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Twelve t = m[i % 13];
    Six s = p[i], r;
    r.a.x = t.a.x * s.a.x + t.a.y * s.b.x + t.a.z * s.c.x + t.a.w;
    r.b.x = t.b.x * s.a.x + t.b.y * s.b.x + t.b.z * s.c.x + t.b.w;
    r.c.x = t.c.x * s.a.x + t.c.y * s.b.x + t.c.z * s.c.x + t.c.w;
    r.a.y = t.a.x * s.a.y + t.a.y * s.b.y + t.a.z * s.c.y + t.a.w;
    r.b.y = t.b.x * s.a.y + t.b.y * s.b.y + t.b.z * s.c.y + t.b.w;
    r.c.y = t.c.x * s.a.y + t.c.y * s.b.y + t.c.z * s.c.y + t.c.w;
    q[i] = r;
  }
}

struct Mixed {
  signed char tag;
  short level;
  int id;
  double weight;
  float v[3];
};

extern "C" __global__ void mixed_fields(const Mixed* in, double* total, int n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Mixed& m = in[i];
  total[i] = m.tag + 2.0 * m.level + (m.id & 0xff) + (m.weight != m.weight ? 1.0 : 0.0);
}

// Eight particles side by side: array of structures of arrays.
struct Eight {
  float x[8], y[8], z[8], m[8];
};

extern "C" __global__ void drift_aosoa(Eight* e, const float* __restrict__ dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = i >> 3, l = i & 7;
  if (i >= n) return;
  const float k = __ldg(dt) * e[b].m[l];
  e[b].x[l] += k;
  e[b].y[l] -= k;
  e[b].z[l] = e[b].x[l] * e[b].y[l];
}

// A box of rows with a pitch in bytes, an element at a time.
template <typename T>
__global__ void copy_pitched(const unsigned char* src, int spitch, unsigned char* dst, int dpitch,
                             int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    const T* s = (const T*)(src + (size_t)y * spitch);
    T* d = (T*)(dst + (size_t)y * dpitch);
    d[x] = s[x];
  }
}

// Words at any offset, put together from bytes; eight to a thread.
extern "C" __global__ void unaligned_words(const unsigned char* __restrict__ in, unsigned* out,
                                           int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    unsigned w;
    memcpy(&w, in + offset + 7 * i + 3 * k, 4);
    sum = sum * 31u + w;
  }
  out[i] = sum;
}

// Column sums, norms: one thread to a column of a matrix with a pitch of 4093 floats.
extern "C" __global__ void column_norms(const float* a, float* norm, int rows, int cols, int ld) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float sum = 0.0f;
#pragma unroll 4
  for (int r = 0; r < rows; ++r) {
    const float v = a[r * ld + c];
    sum = fmaf(v, v, sum);
  }
  norm[c] = sqrtf(sum);
}

// The same by rows: a thread walks its row, as beginners write it.
extern "C" __global__ void row_norms(const float* a, float* norm, int rows, int cols, int ld) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int c = 0; c < cols; ++c) sum += fabsf(a[(long long)r * ld + c]);
  norm[r] = sum;
}

// Hints given in assembler, and some of the intrinsics.
extern "C" __global__ void hinted(const float4* a, const float2* b, const float* c, float4* out,
                                  double* wide, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v;
  asm volatile("ld.global.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(a + i));
  float2 u;
  asm volatile("ld.global.nc.L2::128B.v2.f32 {%0,%1}, [%2];" : "=f"(u.x), "=f"(u.y) : "l"(b + 3 * i));
  float s;
  asm volatile("ld.global.cv.f32 %0, [%1];" : "=f"(s) : "l"(c + 5 * i));
  float lu;
  asm volatile("ld.global.lu.f32 %0, [%1];" : "=f"(lu) : "l"(c + 5 * i + 1));
  const float last = __ldcv(c + 5 * i + 2) + __ldlu(c + 5 * i + 3) + __ldg(c + 5 * i + 4);
  v.x += u.x * s;
  v.y += u.y * lu;
  v.z *= last;
  asm volatile("st.global.L1::no_allocate.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
  __stwt(wide + i, (double)v.x + v.y);
}

// Rows of an embedding table; D elements of T, a group of D / V threads to a row.
template <typename T, int D, int V>
__global__ void embed(const T* __restrict__ table, const int* __restrict__ id, T* out, int tokens,
                      int mask) {
  struct Chunk {
    T e[V];
  };
  constexpr int kGroup = D / V;
  const int t = blockIdx.x * blockDim.x + threadIdx.x, token = t / kGroup, part = t % kGroup;
  if (token >= tokens) return;
  const int row = id[token] & mask;
  *(Chunk*)(out + token * D + part * V) = *(const Chunk*)(table + row * D + part * V);
}

// The gradient of that: rows are added where ids meet.
extern "C" __global__ void embed_back(float* table, const int* id, const float* grad, int tokens,
                                      int d, int mask) {
  for (int token = blockIdx.x * blockDim.y + threadIdx.y; token < tokens;
       token += gridDim.x * blockDim.y) {
    float* to = table + (id[token] & mask) * d;
    for (int k = threadIdx.x; k < d; k += blockDim.x) atomicAdd(to + k, grad[token * d + k]);
  }
}

// volatile input, a 16-bit one, and an unsigned long long store at every third place.
extern "C" __global__ void volatile_inputs(const volatile short* in, volatile float* f,
                                           unsigned long long* out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i + 1 >= n) return;
  const int a = in[i], b = in[i + 1];
  f[2 * i] = a * 0.5f;
  const float back = f[2 * i];
  out[3 * i] = ((unsigned long long)(unsigned)(a * b) << 32) | __float_as_uint(back);
}
