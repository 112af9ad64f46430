// What the language allows: tables of functions, virtual calls, machines, gotos, 128 bits,
// places that are not aligned, blocks of odd shapes.
#include <cstdint>
#include <cstring>

// Expressions in postfix notation by a table of function pointers.
typedef int (*Binary)(int, int);
__device__ __noinline__ int op_add(int a, int b) { return a + b; }
__device__ __noinline__ int op_sub(int a, int b) { return a - b; }
__device__ __noinline__ int op_mul(int a, int b) { return a * b; }
__device__ __noinline__ int op_div(int a, int b) { return b == 0 ? 0 : b == -1 ? -(unsigned)a : a / b; }
__device__ __noinline__ int op_gcd(int a, int b) {
  unsigned x = abs(a & 0xfffff), y = abs(b & 0xfffff);
  while (y) {
    const unsigned r = x % y;
    x = y;
    y = r;
  }
  return x;
}
__device__ __noinline__ int op_power(int a, int b) {
  int r = 1;
  for (b &= 31; b; b >>= 1, a *= a) {
    if (b & 1) r *= a;
  }
  return r;
}
__device__ Binary const kOperators[6] = {op_add, op_sub, op_mul, op_div, op_gcd, op_power};
extern "C" __global__ void postfix(const uint8_t* code, int* out, int programs, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= programs) return;
  int stack[8], top = 0;
  for (int k = 0; k < length; ++k) {
    const int c = code[(i / 4) * length + k];
    if (top < 2 || (c & 1 && top < 8)) {
      stack[top++] = (c >> 1) - 60 + i % 4;
    } else {
      const int b = stack[--top], a = stack[--top];
      stack[top++] = kOperators[(c >> 1) % 6](a, b);
    }
  }
  int sum = 0;
  while (top) sum = sum * 31 + stack[--top];
  out[i] = sum;
}

// Shapes with virtual functions, made in place in local memory.
struct Shape {
  int id;
  __device__ explicit Shape(int i) : id(i) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 4; }
};
struct Square : Shape {
  int side;
  __device__ Square(int i, int s) : Shape(i), side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Triangle : Shape {
  int a, b;
  __device__ Triangle(int i, int x, int y) : Shape(i), a(x), b(y) {}
  __device__ int area() const override { return a * b / 2; }
  __device__ int corners() const override { return 3; }
};
struct Polygon final : Shape {
  int n;
  __device__ Polygon(int i, int k) : Shape(i), n(k) {}
  __device__ int area() const override {
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += k * id ^ n;
    return sum;
  }
  __device__ int corners() const override { return n; }
};
extern "C" __global__ void shapes(const uint32_t* in, int* areas, int* corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  alignas(8) unsigned char room[32];
  int area = 0, count = 0;
  for (uint32_t v = in[i]; v; v >>= 8) {
    Shape* s;
    switch (v & 3) {
      case 0: s = new (room) Square(i, v >> 2 & 63); break;
      case 1: s = new (room) Triangle(i, v >> 2 & 63, v >> 5 & 7); break;
      default: s = new (room) Polygon(v & 15, 3 + (v >> 2 & 15));
    }
    area += s->area();
    count += s->corners();
  }
  areas[i] = area;
  corners[i] = count;
}

// A byte-code machine with 24 instructions, each thread its own program counter.
extern "C" __global__ void byte_machine(const uint8_t* program, const int* input, int* out, int* executed,
                                        int size, int budget) {
  __shared__ uint8_t code[256];
  for (int k = threadIdx.x; k < size; k += blockDim.x) code[k] = program[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = input[i], b = i, c = 0, pc = 0, n = 0;
  int memory[4] = {1, 2, 3, 4};
  for (; n < budget; ++n) {
    if (pc >= size) pc -= size;
    const int k = code[pc++];
    switch (k % 24) {
      case 0: a += b; break;
      case 1: a -= k; break;
      case 2: a ^= b << 3; break;
      case 3: b = __popc(a); break;
      case 4: b = __clz(a | 1) * 5; break;
      case 5: c = a; break;
      case 6: a = c + 1; break;
      case 7: memory[b & 3] = a; break;
      case 8: a = memory[a & 3]; break;
      case 9: if (a & 8) ++pc; break;
      case 10: if (a > b) pc += k & 7; break;
      case 11: a = (int)((unsigned)a >> (b & 31)); break;
      case 12: a *= 3; break;
      case 13: a = a % 1000 - b; break;
      case 14: b += a >> 4; break;
      case 15: { const int s = a; a = b; b = s; } break;
      case 16: a = __brev(a); break;
      case 17: c += a & b; break;
      case 18: a = max(a, c); break;
      case 19: b = __ffs(b) - k; break;
      case 20: a = __byte_perm(a, b, 0x3615); break;
      case 21: if ((a ^ c) % 97 == 0) goto halt; break;
      case 22: a = __funnelshift_l(a, c, k); break;
      default: pc ^= 1;
    }
  }
halt:
  out[i] = a ^ b ^ c ^ memory[0] ^ memory[1] ^ memory[2] ^ memory[3];
  executed[i] = n;
}

// 64 bits: quotients, remainders, halves of products, square roots digit by digit.
extern "C" __global__ void wide_division(const int64_t* a, const int64_t* b, int64_t* out, uint64_t* roots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int64_t x = a[i], y = (b[i] >> (i & 31)) | 1;
  const uint64_t divisor = (uint64_t)y >> (i % 40) | 1;
  int64_t r = x / y ^ x % y;
  r += (int64_t)((uint64_t)x / divisor) - (int64_t)((uint64_t)x % divisor);
  r ^= __mul64hi(x, y) + (int64_t)__umul64hi((uint64_t)x, divisor);
  if (x % 1000003 < 0) r -= x / 10;
  uint64_t v = (uint64_t)x, root = 0;
  for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {
    if (v >= root + bit) {
      v -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  out[i] = r;
  roots[i] = root;
}

// Numbers at places of any alignment: copied through memcpy, bytes and shifted words.
extern "C" __global__ void off_place(const uint8_t* in, uint8_t* out, uint64_t* sums, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint8_t* p = in + i * 13 + shift;
  uint64_t v;
  uint16_t h;
  memcpy(&v, p, 8);
  memcpy(&h, p + 9, 2);
  const uint32_t* const words = reinterpret_cast<const uint32_t*>((uintptr_t)(p + 3) & ~(uintptr_t)3);
  const int away = ((uintptr_t)(p + 3) & 3) * 8;
  const uint32_t w = __funnelshift_r(words[0], words[1], away);
  sums[i] = v * 31 + h * 7ull + w;
  v = (v << 24 | v >> 40) ^ h;
  memcpy(out + i * 11 + shift, &v, 8);
  struct Triple { uint8_t c[3]; } t = {{(uint8_t)h, p[12], (uint8_t)(w >> 8)}};
  *reinterpret_cast<Triple*>(out + i * 11 + 8 + shift) = t;
}

// A search with gotos in a grid of odd blocks: 5 x 3 x 2 threads.
extern "C" __global__ void spiral_search(const uint8_t* field, int* found, int w, int h, int want) {
  const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int id = block * (blockDim.x * blockDim.y * blockDim.z) + tid;
  int x = (id * 7) % w, y = (id * 11) % h, dx = 1, dy = 0, leg = 1, left = 1, turns = 0, steps = 0;
again:
  if (x >= 0 && x < w && y >= 0 && y < h) {
    if (field[y * w + x] % 200 == want) goto done;
  } else if (turns > 2 * (w + h)) {
    steps = -1;
    goto done;
  }
  x += dx;
  y += dy;
  ++steps;
  if (--left == 0) {
    const int t = dx;
    dx = -dy;
    dy = t;
    if (++turns % 2 == 0) ++leg;
    left = leg;
  }
  goto again;
done:
  found[id] = steps;
}

// Templates and lambdas: a pipeline of stages folded at compile time, over a volatile total.
template <class F> __device__ int chain(int v, F f) { return f(v); }
template <class F, class... Rest> __device__ int chain(int v, F f, Rest... rest) {
  return chain(f(v), rest...);
}
template <class T, int N>
__global__ void pipeline(const T* in, int* out, int n) {
  __shared__ volatile int last[N];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int calls = 0;
  const auto halve = [&calls](int v) { return ++calls, v & 1 ? 3 * v + 1 : v / 2; };
  const auto fold = [n](int v) { return v % (n + 1); };
  const auto spread = [i](int v) {
    int s = v;
    for (int k = 0; k < N; ++k) {
      if ((s ^ k) % 5 == i % 5) break;
      s = s * 17 + k;
    }
    return s;
  };
  int r = 0;
  if (i < n) r = chain((int)in[i], fold, halve, spread, halve, [](int v) { return v < 0 ? -v : v; }, fold);
  if ((int)threadIdx.x < N) last[threadIdx.x] = r;
  __syncthreads();
  for (int k = 0; k < N; k += 2) r += last[(threadIdx.x + k) % N];
  if (i < n) out[i] = r * 4 + calls;
}

// Mutual recursion and a depth that the data give: Ackermann's little cousins.
__device__ int odd_steps(unsigned v, int depth);
__device__ __noinline__ int even_steps(unsigned v, int depth) {
  if (depth > 24 || v < 2) return depth;
  return v & 1 ? odd_steps(v, depth + 1) : even_steps(v / 2, depth + 1) + 1;
}
__device__ __noinline__ int odd_steps(unsigned v, int depth) {
  if (depth > 24 || v < 2) return -depth;
  if (v % 3 == 0) return odd_steps(v / 3, depth + 2) - even_steps(v / 9, depth + 3);
  return v & 1 ? even_steps(v + 1, depth + 1) : even_steps(v, depth + 1);
}
extern "C" __global__ void mutual(const uint32_t* in, int* out, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = even_steps(in[i] >> shift, 0);
}

// Dot products of bytes: nearest codeword of eight, four bytes a step, scaled by saturation.
extern "C" __global__ void nearest_code(const int* vectors, const int* codes, uint8_t* which, int* score,
                                        int n, int words) {
  extern __shared__ int book[];
  for (int k = threadIdx.x; k < 8 * words; k += blockDim.x) book[k] = codes[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = (int)0x80000000, who = -1;
  for (int c = 0; c < 8; ++c) {
    int dot = 0, lows = 0;
    unsigned squares = 0;
    for (int w = 0; w < words; ++w) {
      const int v = vectors[w * n + i], b = book[c * words + w];
      dot = __dp4a(v, b, dot);
      squares = __dp4a((unsigned)b, (unsigned)b, squares);
      lows = __dp2a_lo(v, b, lows);
      if (dot < -60000) goto next;  // hopeless
    }
    {
      const int s = __sad(dot, -(int)(squares >> 4), 0) + (lows >> 6) + __mulhi(dot, 1 << 20);
      if (s > best) best = s, who = c;
    }
  next:;
  }
  which[i] = who;
  score[i] = best;
}
