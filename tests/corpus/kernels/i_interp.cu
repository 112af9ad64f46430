// interpreters, state machines, recursion, function pointers, virtual calls
typedef unsigned char u8; typedef unsigned int u32; typedef unsigned long long u64;

__constant__ u8 prog[3][24] = {
  {1,5, 2, 3, 7,12, 4, 5, 6,250, 0,0, 0,0,0,0,0,0,0,0,0,0,0,0},
  {1,3, 8, 2, 1,2, 3, 9, 7,6, 4, 10, 6,246, 0,0,0,0,0,0,0,0,0,0},
  {2, 11,3, 5, 12, 9, 7,4, 3, 4, 6,248, 0,0,0,0,0,0,0,0,0,0,0,0}};

// a byte-code machine: every lane has its own program counter and stack
template<int DEPTH> __global__ void vm(const u32* __restrict__ in, int* out, int n, int fuel)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int stack[DEPTH];
  for (int i = 0; i < DEPTH; ++i) stack[i] = 0;
  int sp = 0, pc = 0, acc = (int)(in[t] & 1023u), which = t % 3;
  while (fuel-- > 0) {
    u8 op = prog[which][pc++];
    switch (op) {
      case 0: goto done;
      case 1: acc += prog[which][pc++]; break;
      case 2: stack[sp & (DEPTH - 1)] = acc; ++sp; break;
      case 3: acc ^= acc << 3; break;
      case 4: --sp; acc -= stack[sp & (DEPTH - 1)]; break;
      case 5: acc = acc / 3 + (acc & 7); break;
      case 6: if (acc & 64) { pc += (signed char)prog[which][pc]; if (pc < 0) pc = 0; } else ++pc; break;
      case 7: if (acc < 0) { acc = -acc; ++pc; } else { acc = (acc >> 1) ^ prog[which][pc++]; } break;
      case 8: acc = __popc(acc) * 77 + sp; break;
      case 9: acc = acc * 1103515245 + 12345; acc = (acc >> 8) & 0xffff; break;
      case 10: if (acc % 5 == 0) continue; acc += 11; break;
      case 11: { int r = prog[which][pc++]; acc = (acc << r) | ((u32)acc >> (32 - r)); break; }
      case 12: acc = __brev(acc) >> 7; break;
      default: acc = -1; goto done;
    }
    if (pc >= 24) pc = 0;
  }
done:
  out[t] = acc + sp * 1000000;
}

// text tokeniser as a state machine: counts numbers, words, strings, errors per chunk
struct Counts { u8 numbers, words, strings, errors; };
extern "C" __global__ void tokens(const u8* __restrict__ text, Counts* out, int n, int chunk)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int from = t * chunk, to = min(n, from + chunk);
  if (from >= n) return;
  Counts c = {0, 0, 0, 0};
  enum { SPACE, NUMBER, WORD, STRING, ESCAPE, COMMENT } state = SPACE;
  for (int i = from; i < to; ++i) {
    u8 ch = text[i] & 127;
    bool digit = ch >= '0' && ch <= '9', alpha = (ch | 32) >= 'a' && (ch | 32) <= 'z';
    switch (state) {
      case SPACE: if (digit) { state = NUMBER; ++c.numbers; } else if (alpha || ch == '_') { state = WORD; ++c.words; }
        else if (ch < 20) { state = STRING; ++c.strings; } else if (ch == '#') state = COMMENT; break;
      case NUMBER: if (alpha && ch != 'e') { ++c.errors; state = SPACE; } else if (!digit && ch != '.') state = SPACE; break;
      case WORD: if (!alpha && !digit) { state = SPACE; --i; if (ch == '_' ) { ++i; state = WORD; } else if (from < i && ch == '#') { state = COMMENT; ++i; } } break;
      case STRING: if (ch == '\\') state = ESCAPE; else if (ch < 20) state = SPACE; break;
      case ESCAPE: state = ch > 120 ? (++c.errors, SPACE) : STRING; break;
      case COMMENT: if (ch < 8 || ch == 32) state = SPACE; break;
    }
  }
  out[t] = c;
}

__device__ __noinline__ u32 ack(u32 m, u32 n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); }
extern "C" __global__ void ackermann(u32* out, int n, int mm, int nn)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = ack(i % mm, i % nn);
}

__device__ __noinline__ void quick(short* a, int lo, int hi, int depth)
{
  if (lo >= hi) return;
  if (hi - lo < 4 || depth > 12) {
    for (int i = lo + 1; i <= hi; ++i) { short x = a[i]; int j = i - 1; while (j >= lo && a[j] > x) { a[j + 1] = a[j]; --j; } a[j + 1] = x; }
    return;
  }
  short p = a[(lo + hi) >> 1]; int i = lo, j = hi;
  do { while (a[i] < p) ++i; while (a[j] > p) --j; if (i <= j) { short s = a[i]; a[i] = a[j]; a[j] = s; ++i; --j; } } while (i <= j);
  quick(a, lo, j, depth + 1);
  quick(a, i, hi, depth + 1);
}
extern "C" __global__ void quick_rows(short* data, int rows, int columns)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) quick(data + r * columns, 0, columns - 1 - r % 3, 0);
}

// tree in arrays, recursive sum in order with early stop
struct Node { int left, right; float value; };
__device__ __noinline__ float walk(const Node* t, int i, float limit, int& seen)
{
  if (i < 0) return 0.f;
  float s = walk(t, t[i].left, limit, seen);
  if (s > limit) return s;
  ++seen; s += t[i].value;
  return s + walk(t, t[i].right, limit - s, seen);
}
extern "C" __global__ void tree_walk(Node* tree, float* out, int* seen, int nodes)
{
  for (int i = threadIdx.x; i < nodes; i += blockDim.x) {
    Node v; v.left = 2 * i + 1 < nodes ? 2 * i + 1 : -1; v.right = 2 * i + 2 < nodes && i % 5 != 3 ? 2 * i + 2 : -1; v.value = 0.25f * (i % 7);
    tree[blockIdx.x * nodes + i] = v;
  }
  __syncthreads();
  int k = 0; int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = walk(tree + blockIdx.x * nodes, threadIdx.x % nodes, (threadIdx.x & 7) * 1.5f, k);
  seen[t] = k;
}

typedef float (*Op)(float, float);
__device__ __noinline__ float op_add(float a, float b) { return a + b; }
__device__ __noinline__ float op_mix(float a, float b) { return a * 0.5f - b * 0.25f; }
__device__ __noinline__ float op_root(float a, float b) { return sqrtf(fabsf(a)) + b; }
__device__ __noinline__ float op_loop(float a, float b) { int k = 0; while (a < b && k < 9) { a += 0.3f; ++k; } return a + k; }
__device__ Op table[4] = {op_add, op_mix, op_root, op_loop};
template<bool BY_WARP> __global__ void pointers(const float* __restrict__ x, float* y, int n, int rounds)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a = x[t], b = x[n - 1 - t];
  for (int r = 0; r < rounds; ++r) {
    Op f = table[BY_WARP ? ((threadIdx.x >> 5) + r) & 3 : (t * 7 + r) & 3];
    a = f(a, b);
    if (a > 6.f) break;
  }
  y[t] = a;
}

struct Shape { __device__ virtual float area() const = 0; __device__ virtual float grow(float k) { return k; } float w; };
struct Square : Shape { __device__ float area() const override { return w * w; } };
struct Disc : Shape { __device__ float area() const override { return 3.14159f * w * w; } __device__ float grow(float k) override { w += k; return w; } };
struct Poly : Shape { int sides; __device__ float area() const override { float s = 0; for (int i = 0; i < sides; ++i) s += w * 0.5f / (i + 1); return s; } __device__ float grow(float k) override { sides = min(sides + 1, 12); return k * sides; } };
union Any { Square s; Disc d; Poly p; __device__ Any() {} };
extern "C" __global__ void shapes(const float* in, float* out, int n, int kinds)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  Any a; Shape* p;
  switch (t % kinds) { case 0: p = new (&a.s) Square; break; case 1: p = new (&a.d) Disc; break; default: { Poly* q = new (&a.p) Poly; q->sides = 3 + (t & 3); p = q; } }
  p->w = in[t] + 1.5f;
  float sum = 0;
  for (int i = 0; i < 4; ++i) { sum += p->area(); if (p->grow(0.125f * i) > 2.f) break; }
  out[t] = sum;
}

// elevator-like state machine driven by shared command queue, one warp per machine
extern "C" __global__ void elevators(const u8* __restrict__ commands, int* log, int steps, int machines)
{
  __shared__ int floor_[32], moved[32]; __shared__ u8 mode[32];
  int m = threadIdx.x;
  if (m < 32) { floor_[m] = m; moved[m] = 0; mode[m] = m & 3; }
  __syncthreads();
  if (m >= machines) return;
  for (int s = 0; s < steps; ++s) {
    u8 c = commands[(blockIdx.x * steps + s) * machines + m];
    switch (mode[m]) {
      case 0: if (c & 1) mode[m] = 1; else if (c & 2) mode[m] = 2; break;
      case 1: ++floor_[m]; ++moved[m]; if (floor_[m] > 40 || (c & 12) == 12) mode[m] = 3; break;
      case 2: --floor_[m]; ++moved[m]; if (floor_[m] < 0) { floor_[m] = 0; mode[m] = 0; } else if (c > 200) mode[m] = 3; break;
      case 3: if (c % 3 == 0) mode[m] = 0; break;
    }
  }
  log[blockIdx.x * machines + m] = floor_[m] * 1000 + moved[m] * 10 + mode[m];
}
