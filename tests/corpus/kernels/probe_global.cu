// One instruction on global memory with a chosen address per lane and a chosen set of lanes, as in
// probe_shared.cu; and cp.async, whose shared address is SHARED.
#ifndef OFFSET
#define OFFSET (lane * 4)
#endif
#ifndef ACTIVE
#define ACTIVE 1
#endif
#ifndef SHARED
#define SHARED (lane * 16)
#endif

#define SETUP                                                                          \
  const unsigned lane = (threadIdx.x & 31) + zeros[threadIdx.x & 31];                                              \
  char* const address = data + (OFFSET) + zeros[threadIdx.x & 31];                                               \
  const bool active = (ACTIVE);                                                        \
  (void)lane;

#define LOAD(name, instruction, type, constraint)                                      \
  template <int> __global__ void name(char* data, const unsigned* zeros, unsigned* out) {                         \
    SETUP                                                                              \
    type v = 0;                                                                        \
    if (active)                                                                        \
      asm volatile(instruction " %0, [%1];" : "=" constraint(v) : "l"(address) : "memory"); \
    out[threadIdx.x] = (unsigned)(v ^ (v >> (sizeof(v) * 4)));                         \
  }

LOAD(load_u8, "ld.global.u8", unsigned short, "h")
LOAD(load_u16, "ld.global.u16", unsigned short, "h")
LOAD(load_u32, "ld.global.u32", unsigned, "r")
LOAD(load_u64, "ld.global.u64", unsigned long long, "l")
LOAD(load_nc_u32, "ld.global.nc.u32", unsigned, "r")
LOAD(load_cg_u32, "ld.global.cg.u32", unsigned, "r")
LOAD(load_volatile_u32, "ld.volatile.global.u32", unsigned, "r")
LOAD(load_generic_u32, "ld.u32", unsigned, "r")

template <int> __global__ void load_v4(char* data, const unsigned* zeros, unsigned* out) {
  SETUP
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (active)
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(address) : "memory");
  out[threadIdx.x] = a + b + c + d;
}

template <int> __global__ void store_u32(char* data, const unsigned* zeros) {
  SETUP
  if (active) asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(lane) : "memory");
}

template <int> __global__ void store_u8(char* data, const unsigned* zeros) {
  SETUP
  if (active) asm volatile("st.global.u8 [%0], %1;" ::"l"(address), "r"(lane) : "memory");
}

template <int> __global__ void store_u64(char* data, const unsigned* zeros) {
  SETUP
  if (active)
    asm volatile("st.global.u64 [%0], %1;" ::"l"(address), "l"((unsigned long long)lane) : "memory");
}

template <int> __global__ void store_v4(char* data, const unsigned* zeros) {
  SETUP
  if (active)
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(address), "r"(lane) : "memory");
}

#define ATOMIC(name, text, type, constraint)                                           \
  template <int> __global__ void name(char* data, const unsigned* zeros, unsigned* out) {                         \
    SETUP                                                                              \
    type v = 0;                                                                        \
    if (active)                                                                        \
      asm volatile(text : "=" constraint(v) : "l"(address), constraint((type)3) : "memory"); \
    out[threadIdx.x] = (unsigned)v;                                                    \
  }

ATOMIC(atomic_add, "atom.global.add.u32 %0, [%1], %2;", unsigned, "r")
ATOMIC(atomic_add_u64, "atom.global.add.u64 %0, [%1], %2;", unsigned long long, "l")
ATOMIC(atomic_exch, "atom.global.exch.b32 %0, [%1], %2;", unsigned, "r")
ATOMIC(atomic_cas, "atom.global.cas.b32 %0, [%1], 0, %2;", unsigned, "r")
ATOMIC(atomic_add_f32, "atom.global.add.f32 %0, [%1], %2;", float, "f")

template <int> __global__ void reduce_add(char* data, const unsigned* zeros) {
  SETUP
  if (active) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(address), "r"(lane) : "memory");
}

template <int> __global__ void reduce_add_f32(char* data, const unsigned* zeros) {
  SETUP
  if (active) asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(address) : "memory");
}

#ifndef SIZE
#define SIZE BYTES  // source bytes; the rest of the destination is zeroed
#endif
#ifndef BYTES
#define BYTES 16
#endif

template <int> __global__ void copy_async(char* data, const unsigned* zeros, unsigned* out) {
  __shared__ __align__(128) unsigned s[8192];
  SETUP
  const unsigned to = (unsigned)__cvta_generic_to_shared(s) + (unsigned)(SHARED);
  const unsigned size = SIZE;
  if (active) {
#ifdef BYPASS
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(address), "r"(size)
                 : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(address), "n"(BYTES),
                 "r"(size) : "memory");
#endif
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[threadIdx.x] = lane;
}
