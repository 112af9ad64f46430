#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

__global__ void mandel_complex(unsigned short* out, int w, int h, int cap) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  cuda::std::complex<float> c(-2.f + 3.f * x / w, -1.f + 2.f * y / h), z(0);
  int n = 0;
  while (n < cap && z.real() * z.real() + z.imag() * z.imag() < 4.f) {
    z = cuda::std::complex<float>(z.real() * z.real() - z.imag() * z.imag(),
                                  2 * z.real() * z.imag()) +
        c;
    ++n;
  }
  out[y * w + x] = n;
}

__global__ void complex_ops(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::std::complex<float> a(in[2 * i], in[2 * i + 1]), b(in[2 * i + 1], 0.5f);
  auto q = a / b + a * cuda::std::conj(b);
  out[i] = cuda::std::abs(q) + cuda::std::norm(a);
}

__global__ void array_sort(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::std::array<int, 8> a;
  for (int j = 0; j < 8; ++j) a[j] = in[j * n + i];
  for (int j = 1; j < 8; ++j) {
    int v = a[j], k = j;
    while (k > 0 && a[k - 1] > v) {
      a[k] = a[k - 1];
      --k;
    }
    a[k] = v;
  }
  out[i] = a[i & 7] + a.front();
}

__device__ float span_mean(cuda::std::span<const float> s) {
  float t = 0;
  for (float v : s) t += v;
  return s.empty() ? 0 : t / s.size();
}
__global__ void ragged_means(const float* in, const unsigned* sizes, float* out, int n) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += gridDim.x * blockDim.x)
    out[r] = span_mean(cuda::std::span<const float>(in + r * 16, sizes[r] % 17));
}

__device__ cuda::std::optional<int> parse(unsigned v) {
  if ((v & 7) == 3) return cuda::std::nullopt;
  return int(v >> 20);
}
__global__ void tuples(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto p = parse(in[i]);
  auto t = cuda::std::make_tuple(p.value_or(-1), cuda::std::popcount(in[i]),
                                 cuda::std::countl_zero(in[i] | 1));
  out[i] = cuda::std::get<0>(t) + cuda::std::get<1>(t) * 3 + cuda::std::get<2>(t) +
           (p.has_value() ? cuda::std::numeric_limits<short>::max() : 0);
}

__global__ void atomic_refs(const int* in, int* sums, unsigned long long* wide, float* real,
                            int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(sums[i % 5]);
    a.fetch_add(in[i] & 31, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> w(*wide);
    if (in[i] & 1) w.fetch_max(in[i] & 0xffff, cuda::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device> f(real[i % 3]);
    f.fetch_add(1.f, cuda::memory_order_relaxed);
  }
}

__global__ void block_atomic(const int* in, int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> total;
  if (threadIdx.x == 0) total.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  total.fetch_add(in[blockIdx.x * blockDim.x + threadIdx.x] & 7, cuda::memory_order_relaxed);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = total.load(cuda::memory_order_relaxed) + threadIdx.x;
}

// virtual functions, objects made by the kernel itself in local memory
struct Shape {
  __device__ virtual float area(float t) const = 0;
  __device__ virtual int kind() const { return 0; }
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area(float t) const override { return 3.14f * r * r + t; }
};
struct Square : Shape {
  float s;
  __device__ Square(float s) : s(s) {}
  __device__ float area(float t) const override {
    float a = s;
    for (int i = 0; i < 3; ++i) a = a * s - t;
    return a;
  }
  __device__ int kind() const override { return 1; }
};
struct Poly : Square {
  int n;
  __device__ Poly(float s, int n) : Square(s), n(n) {}
  __device__ float area(float t) const override {
    float a = 0;
    for (int i = 0; i < n; ++i) a += s * t;
    return a;
  }
  __device__ int kind() const override { return 2; }
};
__global__ void virtual_areas(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Circle c(in[i]);
  Square s(in[i] * 2);
  Poly p(in[i], i % 7);
  const Shape* shapes[3] = {&c, &s, &p};
  const Shape* chosen = shapes[i % 3];
  out[i] = chosen->area(0.25f) + shapes[(i / 3) % 3]->kind();
}

typedef float (*Op)(float, float);
__device__ __noinline__ float op_add(float a, float b) { return a + b; }
__device__ __noinline__ float op_mul(float a, float b) { return a * b; }
__device__ __noinline__ float op_pow(float a, float b) {
  float r = 1;
  int k = int(b * 7) & 7;
  while (k--) r *= a;
  return r;
}
__device__ __noinline__ float op_div(float a, float b) { return b == 0 ? 0 : a / b; }
__device__ Op kOps[4] = {op_add, op_mul, op_pow, op_div};
__global__ void op_table(const float* a, const float* b, const unsigned* code, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc = a[i];
  for (int j = 0; j < 4; ++j) acc = kOps[(code[i] >> 2 * j) & 3](acc, b[(i + j) % n]);
  out[i] = acc;
}

__device__ int ackermann_like(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann_like(m - 1, 1);
  return ackermann_like(m - 1, n - 1) + m;
}
__device__ int hanoi(int n, int from, int to) {
  if (n == 0) return 0;
  int via = 6 - from - to;
  return hanoi(n - 1, from, via) + from * to + hanoi(n - 1, via, to);
}
__global__ void recursions(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ackermann_like(in[i] & 3, (in[i] >> 2) & 3) + hanoi((in[i] >> 4) % 6, 1, 3);
}

// a small stack machine: switch of many cases
__global__ void stack_machine(const unsigned char* code, const int* in, int* out, int len, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int stack[16] = {in[i], in[(i + 1) % n], 3, 5}, top = 4, pc = 0, steps = 0;
  const unsigned char* c = code + (i & 3) * len;
  while (pc < len && ++steps < 100) {
    int op = c[pc++] % 17;
    switch (op) {
      case 0:
        if (top < 15) {
          stack[top] = stack[top - 1];
          ++top;
        }
        break;
      case 1:
        if (top > 2) {
          --top;
          stack[top - 1] += stack[top];
        }
        break;
      case 2:
        if (top > 2) {
          --top;
          stack[top - 1] -= stack[top];
        }
        break;
      case 3:
        if (top > 2) {
          --top;
          stack[top - 1] *= stack[top];
        }
        break;
      case 4:
        stack[top - 1] = -stack[top - 1];
        break;
      case 5:
        stack[top - 1] ^= 0x55;
        break;
      case 6: {
        int t = stack[top - 1];
        stack[top - 1] = stack[top - 2];
        stack[top - 2] = t;
      } break;
      case 7:
        if (stack[top - 1] & 1) pc += 2;
        break;
      case 8:
        if (top < 15) stack[top++] = pc;
        break;
      case 9:
        stack[top - 1] >>= 3;
        break;
      case 10:
        stack[top - 1] = __popc(stack[top - 1]);
        break;
      case 11:
        if (stack[top - 1] > stack[top - 2] && pc > 5 && (steps & 3) == 0) pc -= 5;
        break;
      case 12:
        stack[top - 1] = stack[(stack[top - 1] & 15) % top];
        break;
      case 13:
        stack[top - 1] |= 1;
        break;
      case 14:
        stack[top - 1] %= 1000;
        break;
      case 15:
        if (top < 15) stack[top++] = i;
        break;
      default:
        if (stack[top - 1] == 0) goto halt;
    }
  }
halt:
  out[i] = stack[top - 1] + steps;
}

template <typename F>
__device__ int count_while(int start, F f) {
  int k = 0;
  for (int v = start; f(v, k) && k < 64; ++k) v = v & 1 ? 3 * v + 1 : v >> 1;
  return k;
}
template <int... I>
__device__ int fold(const int* p, cuda::std::integer_sequence<int, I...>) {
  return ((p[I] * (I + 1)) + ...);
}
struct Fib {
  int v[20];
  constexpr Fib() : v{} {
    v[0] = 1;
    v[1] = 2;
    for (int i = 2; i < 20; ++i) v[i] = v[i - 1] + v[i - 2];
  }
};
__constant__ constexpr Fib kFib{};
__global__ void lambdas(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 6 > n) return;
  int a = count_while(in[i] & 255 | 1, [&](int v, int) { return v != 1; });
  int b = count_while(in[i] & 1023, [=](int v, int k) { return v > limit || k < 3; });
  int f = 0, left = in[i + 1] & 8191;
  for (int k = 17; k >= 0; --k)
    if (left >= kFib.v[k]) {
      left -= kFib.v[k];
      f |= 1 << k;
    }
  out[i] = a + b + f + fold(in + i, cuda::std::make_integer_sequence<int, 6>());
}

// nested loops with break, continue and a labelled way out
__global__ void nested_exits(const unsigned* in, int* out, int n) {
  int i = blockIdx.z * gridDim.x * blockDim.x * blockDim.y + blockIdx.x * blockDim.x * blockDim.y +
          threadIdx.y * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  int score = 0, a = 0;
  do {
    if (v & 1) {
      v >>= 1;
      continue;
    }
    for (int b = 0; b < 9; ++b) {
      int c = 0;
      while (true) {
        if (((v >> c) & 3) == 2) break;
        if (((v >> (c + b)) & 7) == 5) {
          score += c;
          goto out_of_all;
        }
        if (++c > 12) break;
      }
      if (c > b + 2 && (score & 1 || v > 0x80000000u)) continue;
      score += c > 4 ? b : a ? 2 : -1;
      if (score > 60) break;
    }
    v = v * 1664525u + 1013904223u;
  } while (++a < 6 && (score < 90 || a == 2));
out_of_all:
  out[i] = score * 8 + a;
}
