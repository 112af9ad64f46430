// One shared-memory instruction with a chosen address per lane and a chosen set of lanes. Expressions
// of `lane` come as macros: OFFSET in bytes, ACTIVE as a condition. Every access is written in PTX,
// so that the compiler leaves it as it is.
// The kernels are templates so that only the one that is asked for, NAME<0>, is compiled.
// `zeros` holds zeros, which the compiler cannot know: it must not see through the addresses.
#ifndef OFFSET
#define OFFSET (lane * 4)
#endif
#ifndef ACTIVE
#define ACTIVE 1
#endif

#define SETUP                                                                          \
  __shared__ __align__(128) unsigned s[8192];                                          \
  const unsigned lane = (threadIdx.x & 31) + zeros[threadIdx.x & 31];                                              \
  const unsigned base = (unsigned)__cvta_generic_to_shared(s);                         \
  const unsigned address = base + (unsigned)(OFFSET) + zeros[threadIdx.x & 31];                                  \
  const bool active = (ACTIVE);                                                        \
  (void)address, (void)active;

#define LOAD(name, instruction, type, constraint)                                      \
  template <int> __global__ void name(unsigned* out, const unsigned* zeros) {                                     \
    SETUP                                                                              \
    type v = 0;                                                                        \
    if (active)                                                                        \
      asm volatile(instruction " %0, [%1];" : "=" constraint(v) : "r"(address) : "memory"); \
    out[threadIdx.x] = (unsigned)(v ^ (v >> (sizeof(v) * 4)));                         \
  }

LOAD(load_u8, "ld.volatile.shared.u8", unsigned short, "h")
LOAD(load_s8, "ld.volatile.shared.s8", short, "h")
LOAD(load_u16, "ld.volatile.shared.u16", unsigned short, "h")
LOAD(load_u32, "ld.volatile.shared.u32", unsigned, "r")
LOAD(load_u64, "ld.volatile.shared.u64", unsigned long long, "l")

template <int> __global__ void load_v2(unsigned* out, const unsigned* zeros) {
  SETUP
  unsigned a = 0, b = 0;
  if (active)
    asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
  out[threadIdx.x] = a + b;
}

template <int> __global__ void load_v4(unsigned* out, const unsigned* zeros) {
  SETUP
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (active)
    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
  out[threadIdx.x] = a + b + c + d;
}

#define STORE(name, instruction, type, constraint)                                     \
  template <int> __global__ void name(unsigned* out, const unsigned* zeros) {                                     \
    SETUP                                                                              \
    const type v = (type)out[threadIdx.x];                                             \
    if (active)                                                                        \
      asm volatile(instruction " [%0], %1;" ::"r"(address), constraint(v) : "memory"); \
  }

STORE(store_u8, "st.volatile.shared.u8", unsigned short, "h")
STORE(store_u16, "st.volatile.shared.u16", unsigned short, "h")
STORE(store_u32, "st.volatile.shared.u32", unsigned, "r")
STORE(store_u64, "st.volatile.shared.u64", unsigned long long, "l")

template <int> __global__ void store_v2(unsigned* out, const unsigned* zeros) {
  SETUP
  const unsigned v = out[threadIdx.x];
  if (active)
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%2};" ::"r"(address), "r"(v), "r"(v + 1) : "memory");
}

template <int> __global__ void store_v4(unsigned* out, const unsigned* zeros) {
  SETUP
  const unsigned v = out[threadIdx.x];
  if (active)
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(v), "r"(v + 1),
                 "r"(v + 2), "r"(v + 3) : "memory");
}

// Random addresses: `count` rounds over a table of 32 offsets each, kept inside 16 KiB.
#define RANDOM_SETUP(bytes)                                                            \
  __shared__ __align__(128) unsigned s[4096];                                          \
  const unsigned base = (unsigned)__cvta_generic_to_shared(s);                         \
  const unsigned mask = RANGE - bytes;

#ifndef RANGE
#define RANGE 16384
#endif
#ifndef WIDTH  // bytes a lane
#define WIDTH 4
#endif
#ifndef KEEP  // of 256 lanes that take part
#define KEEP 256
#endif
#ifndef PITCH
#define PITCH 4
#endif

template <int> __global__ void random_loads(const unsigned* table, unsigned* out, int count) {
  RANDOM_SETUP(WIDTH)
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned word = table[i * 32 + threadIdx.x];
    const unsigned address = base + (word & mask);
    if ((word >> 16 & 255) < KEEP) {
      unsigned a = 0, b = 0, c = 0, d = 0;
#if WIDTH == 4
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
#elif WIDTH == 8
      asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
#else
      asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
#endif
      sum += a + b + c + d;
    }
  }
  out[threadIdx.x] = sum;
}

template <int> __global__ void random_stores(const unsigned* table, unsigned* out, int count) {
  RANDOM_SETUP(WIDTH)
  for (int i = 0; i < count; ++i) {
    const unsigned word = table[i * 32 + threadIdx.x];
    const unsigned address = base + (word & mask);
    if ((word >> 16 & 255) < KEEP) {
#if WIDTH == 4
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
#elif WIDTH == 8
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" ::"r"(address), "r"(word) : "memory");
#else
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(word) : "memory");
#endif
    }
  }
  out[threadIdx.x] = s[threadIdx.x];
}

// Atomics. Without a use of the result they become reductions.
#define ATOMIC(name, text, type, constraint)                                           \
  template <int> __global__ void name(unsigned* out, const unsigned* zeros) {                                     \
    SETUP                                                                              \
    type v = 0;                                                                        \
    s[threadIdx.x] = 0;                                                                \
    __syncthreads();                                                                   \
    if (active)                                                                        \
      asm volatile(text : "=" constraint(v) : "r"(address), constraint((type)3) : "memory"); \
    out[threadIdx.x] = (unsigned)(v ^ (v >> (sizeof(v) * 4)));                         \
  }

ATOMIC(atomic_add, "atom.shared.add.u32 %0, [%1], %2;", unsigned, "r")
ATOMIC(atomic_add_u64, "atom.shared.add.u64 %0, [%1], %2;", unsigned long long, "l")
ATOMIC(atomic_exch, "atom.shared.exch.b32 %0, [%1], %2;", unsigned, "r")
ATOMIC(atomic_cas, "atom.shared.cas.b32 %0, [%1], 0, %2;", unsigned, "r")
ATOMIC(atomic_max, "atom.shared.max.s32 %0, [%1], %2;", unsigned, "r")
ATOMIC(atomic_and, "atom.shared.and.b32 %0, [%1], %2;", unsigned, "r")

template <int> __global__ void atomic_add_f32(unsigned* out, const unsigned* zeros) {
  SETUP
  s[threadIdx.x] = 0;
  __syncthreads();
  float v = 0;
  if (active)
    asm volatile("atom.shared.add.f32 %0, [%1], 0f3f800000;" : "=f"(v) : "r"(address) : "memory");
  out[threadIdx.x] = (unsigned)v;
}

template <int> __global__ void reduce_add(unsigned* out, const unsigned* zeros) {
  SETUP
  if (active)
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(out[threadIdx.x]) : "memory");
}

// ldmatrix: lane i gives the row at OFFSET.
#define LDMATRIX(name, shape, outputs, ...)                                            \
  template <int> __global__ void name(unsigned* out, const unsigned* zeros) {                                     \
    SETUP                                                                              \
    unsigned a = 0, b = 0, c = 0, d = 0;                                               \
    asm volatile("ldmatrix.sync.aligned.m8n8." shape ".shared.b16 " outputs            \
                 : __VA_ARGS__ : "r"(address) : "memory");                             \
    out[threadIdx.x] = a + b + c + d;                                                  \
  }

LDMATRIX(ldmatrix_x1, "x1", "{%0}, [%1];", "=r"(a))
LDMATRIX(ldmatrix_x1_trans, "x1.trans", "{%0}, [%1];", "=r"(a))
LDMATRIX(ldmatrix_x2, "x2", "{%0,%1}, [%2];", "=r"(a), "=r"(b))
LDMATRIX(ldmatrix_x2_trans, "x2.trans", "{%0,%1}, [%2];", "=r"(a), "=r"(b))
LDMATRIX(ldmatrix_x4, "x4", "{%0,%1,%2,%3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LDMATRIX(ldmatrix_x4_trans, "x4.trans", "{%0,%1,%2,%3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))

#define STMATRIX(name, shape, inputs, ...)                                             \
  template <int> __global__ void name(unsigned* out, const unsigned* zeros) {                                     \
    SETUP                                                                              \
    const unsigned v = out[threadIdx.x];                                               \
    asm volatile("stmatrix.sync.aligned.m8n8." shape ".shared.b16 [%0], " inputs       \
                 ::"r"(address), __VA_ARGS__ : "memory");                              \
  }

STMATRIX(stmatrix_x1, "x1", "{%1};", "r"(v))
STMATRIX(stmatrix_x2, "x2", "{%1,%2};", "r"(v), "r"(v + 1))
STMATRIX(stmatrix_x4, "x4", "{%1,%2,%3,%4};", "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3))
STMATRIX(stmatrix_x4_trans, "x4.trans", "{%1,%2,%3,%4};", "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3))

// Three neighbouring floats a lane: what the compiler makes of them.
template <int> __global__ void load_three_floats(const float* in, float* out) {
  __shared__ __align__(16) float f[32 * PITCH];
  const int lane = threadIdx.x;
  for (int i = lane; i < 32 * PITCH; i += 32) f[i] = in[i & 31];
  __syncthreads();
  out[lane] = f[lane * PITCH] + f[lane * PITCH + 1] + f[lane * PITCH + 2];
}
