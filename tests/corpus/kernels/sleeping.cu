// How often an mbarrier is asked while others are still on their way to it.
__device__ inline unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ inline void prepare(unsigned long long* bar, unsigned count) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
  }
  __syncthreads();
}
__device__ inline void arrive(unsigned long long* bar) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(address(bar)) : "memory");
}
__device__ inline unsigned tried(unsigned long long* bar, unsigned parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(address(bar)), "r"(parity) : "memory");
  return done;
}
__device__ inline unsigned rounds_of(unsigned rounds, unsigned value) {
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

// The last warp arrives after `rounds` rounds of a loop; the others wait for it.
extern "C" __global__ void one_comes_late(unsigned* out, unsigned rounds) {
  __shared__ unsigned long long bar;
  __shared__ unsigned value;
  prepare(&bar, 1);
  if (threadIdx.x / 32 == blockDim.x / 32 - 1) {
    const unsigned last = rounds_of(rounds, 1);
    if (threadIdx.x % 32 == 0) {
      value = last;
      arrive(&bar);
    }
  } else {
    while (!tried(&bar, 0)) {
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
  }
}

// Lanes of one warp: those below `waiting` wait for the others, which have work to do first.
extern "C" __global__ void lanes_come_late(unsigned* out, unsigned waiting, unsigned rounds) {
  __shared__ unsigned long long bar;
  prepare(&bar, 32 - waiting);
  unsigned value = 0;
  if (threadIdx.x < waiting) {
    while (!tried(&bar, 0)) {
    }
  } else {
    value = rounds_of(rounds, threadIdx.x);
    arrive(&bar);
  }
  out[threadIdx.x] = value;
}

// Two warps hand a buffer to and fro, each with as much to do as its argument says.
extern "C" __global__ void to_and_fro(unsigned* out, unsigned times, unsigned here, unsigned there) {
  __shared__ unsigned long long full, empty;
  __shared__ unsigned buffer[32];
  prepare(&full, 32);
  prepare(&empty, 32);
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = 0;
  for (unsigned i = 0; i < times; ++i) {
    if (threadIdx.x < 32) {
      if (i > 0) {
        while (!tried(&empty, (i - 1) & 1)) {
        }
      }
      buffer[lane] = rounds_of(here, i + lane);
      arrive(&full);
    } else {
      while (!tried(&full, i & 1)) {
      }
      sum += buffer[31 - lane];
      arrive(&empty);
      sum = rounds_of(there, sum);
    }
  }
  out[threadIdx.x] = sum;
}
