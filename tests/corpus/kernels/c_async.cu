// What an mbarrier of another block counts: its arrivals, asynchronous stores and reductions, bulk
// copies into one block and into several.
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ unsigned mapped(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void init(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred over;\nAGAIN:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n"
      "@!over bra AGAIN;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// A ring: every round each block sends its row on and receives the one of the block before.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(const int* in, int* out, int rounds) {
  __shared__ __align__(16) int row[2][128];
  __shared__ __align__(8) unsigned long long full[2];
  const unsigned t = threadIdx.x;
  const unsigned next = (rank_in_cluster() + 1) % 4;
  if (t == 0) {
    init(shared_address(&full[0]), 1);
    init(shared_address(&full[1]), 1);
    expect(shared_address(&full[0]), 512);
    expect(shared_address(&full[1]), 512);
  }
  meet();
  int value = in[blockIdx.x * 128 + t];
  for (int r = 0; r < rounds; ++r) {
    const unsigned to = mapped(shared_address(&row[r % 2][t]), next);
    const unsigned bar = mapped(shared_address(&full[r % 2]), next);
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(value + r), "r"(bar)
        : "memory");
    wait(shared_address(&full[r % 2]), r / 2 % 2);
    value = row[r % 2][t];
    __syncthreads();
    if (t == 0) expect(shared_address(&full[r % 2]), 512);
    meet();
  }
  out[blockIdx.x * 128 + t] = value;
}

// The same of 8 and 16 bytes a lane, once.
extern "C" __global__ void __cluster_dims__(2, 1, 1) wide_stores(const int4* in, int4* out) {
  __shared__ __align__(16) int4 quads[64];
  __shared__ __align__(16) int2 pairs[64];
  __shared__ __align__(8) unsigned long long full;
  const unsigned t = threadIdx.x;
  const unsigned other = rank_in_cluster() ^ 1;
  if (t == 0) {
    init(shared_address(&full), 1);
    expect(shared_address(&full), 64 * 24);
  }
  meet();
  const int4 value = in[blockIdx.x * 64 + t];
  const unsigned bar = mapped(shared_address(&full), other);
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::
          "r"(mapped(shared_address(&quads[t]), other)),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(bar)
      : "memory");
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
          mapped(shared_address(&pairs[t]), other)),
      "r"(value.x + 1), "r"(value.y + 2), "r"(bar)
      : "memory");
  wait(shared_address(&full), 0);
  const int4 quad = quads[63 - t];
  const int2 pair = pairs[t];
  out[blockIdx.x * 64 + t] = make_int4(quad.x, quad.y + pair.x, quad.z + pair.y, quad.w);
  meet();
}

// Sums, extremes and bits of all lanes of the cluster in block 0.
extern "C" __global__ void __cluster_dims__(4, 1, 1) async_sums(const unsigned* in, unsigned* out,
                                                                int one_of) {
  __shared__ __align__(16) unsigned words[128];
  __shared__ __align__(8) unsigned long long full;
  const unsigned t = threadIdx.x;
  const unsigned bytes = 4 * 4 * 4 * blockDim.x;
  for (unsigned i = t; i < 128; i += blockDim.x) words[i] = i / 32 == 2 ? 0xffffffffu : 0;
  if (rank_in_cluster() == 0 && t == 0) {
    init(shared_address(&full), 1);
    expect(shared_address(&full), bytes);
  }
  meet();
  const unsigned value = in[blockIdx.x * blockDim.x + t];
  const unsigned at = mapped(shared_address(&words[t % one_of]), 0);
  const unsigned bar = mapped(shared_address(&full), 0);
#define SEND(operation, offset)                                                              \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." operation \
               " [%0], %1, [%2];" ::"r"(at + offset),                                        \
               "r"(value), "r"(bar)                                                          \
               : "memory")
  SEND("add.u32", 0);
  SEND("max.u32", 128);
  SEND("and.b32", 256);
  SEND("xor.b32", 384);
  if (rank_in_cluster() == 0) {
    wait(shared_address(&full), 0);
    for (unsigned i = t; i < 128; i += blockDim.x) out[blockIdx.x / 4 * 128 + i] = words[i];
  }
  meet();
}

// Two blocks hand a buffer to and fro, each told by arrivals of the other.
extern "C" __global__ void __cluster_dims__(2, 1, 1) remote_arrivals(const int* in, int* out,
                                                                     int rounds) {
  __shared__ int buffer[128];
  __shared__ __align__(8) unsigned long long turn;
  const unsigned t = threadIdx.x;
  const unsigned rank = rank_in_cluster();
  if (t == 0) init(shared_address(&turn), blockDim.x);
  meet();
  const unsigned there = mapped(shared_address(&buffer[t]), rank ^ 1);
  const unsigned bar = mapped(shared_address(&turn), rank ^ 1);
  int value = in[blockIdx.x * blockDim.x + t];
  for (int r = 0; r < rounds; ++r) {
    if (r % 2 == static_cast<int>(rank)) {
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar)
                   : "memory");
    } else {
      wait(shared_address(&turn), r / 2 % 2);
      value = value * 3 + *(volatile int*)&buffer[(t + 1) % blockDim.x];
      __syncthreads();
    }
  }
  out[blockIdx.x * blockDim.x + t] = value;
  meet();
}

// Each block copies its row into the next block's memory in bulk.
extern "C" __global__ void __cluster_dims__(4, 1, 1) bulk_to_peer(const int* in, int* out) {
  __shared__ __align__(128) int mine[256];
  __shared__ __align__(128) int theirs[256];
  __shared__ __align__(8) unsigned long long full;
  const unsigned t = threadIdx.x;
  const unsigned next = (rank_in_cluster() + 1) % 4;
  for (unsigned i = t; i < 256; i += blockDim.x) mine[i] = in[blockIdx.x * 256 + i] ^ i;
  if (t == 0) {
    init(shared_address(&full), 1);
    expect(shared_address(&full), 1024);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  meet();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 1024, "
        "[%2];" ::"r"(mapped(shared_address(theirs), next)),
        "r"(shared_address(mine)), "r"(mapped(shared_address(&full), next))
        : "memory");
  }
  wait(shared_address(&full), 0);
  for (unsigned i = t; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = theirs[255 - i];
  meet();
}

// Each block fetches a quarter of a tile and all get it.
extern "C" __global__ void __cluster_dims__(4, 1, 1) multicast(const int* in, int* out) {
  __shared__ __align__(128) int tile[1024];
  __shared__ __align__(8) unsigned long long full;
  const unsigned t = threadIdx.x;
  const unsigned rank = rank_in_cluster();
  if (t == 0) {
    init(shared_address(&full), 1);
    expect(shared_address(&full), 4096);
  }
  meet();
  if (t == 0) {
    const unsigned short all = 0xf;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], 1024, [%2], %3;" ::"r"(shared_address(tile + 256 * rank)),
        "l"(in + blockIdx.x / 4 * 1024 + 256 * rank), "r"(shared_address(&full)), "h"(all)
        : "memory");
  }
  wait(shared_address(&full), 0);
  int sum = 0;
  for (unsigned i = t; i < 1024; i += blockDim.x) sum += tile[i] * static_cast<int>(rank + 1);
  out[blockIdx.x * blockDim.x + t] = sum;
  meet();
}
