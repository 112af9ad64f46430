// Boxes and bulk copies alone, one lane issuing: what the hardware counts of them.
#include <cuda.h>

__device__ unsigned at(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }
__device__ void expect(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void begin(unsigned bar) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
}

template <int RANK>
__device__ void load_box(unsigned to, const CUtensorMap& map, int x, int y, int z, unsigned bar) {
  if constexpr (RANK == 1) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(to), "l"(&map), "r"(x), "r"(bar) : "memory");
  } else if constexpr (RANK == 2) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar) : "memory");
  } else {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(bar) : "memory");
  }
}

// `count` boxes of `bytes` each, from (x, y, z) on in steps of (dx, dy), one after the other.
template <int RANK>
__global__ void load_boxes(const __grid_constant__ CUtensorMap map, int x, int y, int z, int dx, int dy, int count, int bytes) {
  extern __shared__ __align__(1024) char box[];
  __shared__ alignas(8) unsigned long long full;
  begin(at(&full));
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    expect(at(&full), bytes);
    load_box<RANK>(at(box), map, x + i * dx, y + i * dy, z, at(&full));
    wait(at(&full), i & 1);
  }
}

__global__ void store_boxes(const __grid_constant__ CUtensorMap map, int x, int y, int dx, int dy, int count) {
  extern __shared__ __align__(1024) char box[];
  if (threadIdx.x != 0) return;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  for (int i = 0; i < count; ++i) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x + i * dx), "r"(y + i * dy), "r"(at(box)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

__global__ void add_boxes(const __grid_constant__ CUtensorMap map, int x, int y, int dx, int dy, int count) {
  extern __shared__ __align__(1024) char box[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) reinterpret_cast<float*>(box)[i] = 1.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x + i * dx), "r"(y + i * dy), "r"(at(box)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

__global__ void prefetch_boxes(const __grid_constant__ CUtensorMap map, int x, int y, int dx, int dy, int count) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i)
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(&map), "r"(x + i * dx), "r"(y + i * dy) : "memory");
}

// Block 0 of each cluster loads for both.
__global__ void __cluster_dims__(2, 1, 1) multicast_boxes(const __grid_constant__ CUtensorMap map, int count, int bytes) {
  extern __shared__ __align__(1024) char box[];
  __shared__ alignas(8) unsigned long long full;
  begin(at(&full));
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  for (int i = 0; i < count; ++i) {
    if (threadIdx.x == 0) expect(at(&full), bytes);
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at(box)), "l"(&map), "r"(0), "r"(i * 16), "r"(at(&full)), "h"(static_cast<unsigned short>(3)) : "memory");
    wait(at(&full), i & 1);
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void load_pieces(const char* from, int offset, int bytes, int count) {
  extern __shared__ __align__(1024) char box[];
  __shared__ alignas(8) unsigned long long full;
  begin(at(&full));
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    expect(at(&full), bytes);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(box)), "l"(from + offset + static_cast<long>(i) * 8192), "r"(bytes), "r"(at(&full)) : "memory");
    wait(at(&full), i & 1);
  }
}

__global__ void store_pieces(char* to, int offset, int bytes, int count) {
  extern __shared__ __align__(1024) char box[];
  if (threadIdx.x != 0) return;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  for (int i = 0; i < count; ++i) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + offset + static_cast<long>(i) * 8192), "r"(at(box)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// The same kernel without a copy: what the rest of it costs.
__global__ void no_copy(const __grid_constant__ CUtensorMap map) {
  extern __shared__ __align__(1024) char box[];
  __shared__ alignas(8) unsigned long long full;
  begin(at(&full));
  if (threadIdx.x != 0) return;
  expect(at(&full), 0);
  wait(at(&full), 0);
}

// A box whose elements a warp reads by rows, by columns, and by columns of 16-byte chunks, where the
// swizzle of 128 bytes has put them.
__global__ void read_box(const __grid_constant__ CUtensorMap map, float* out, int how) {
  __shared__ alignas(1024) float box[32][32];
  __shared__ alignas(8) unsigned long long full;
  begin(at(&full));
  if (threadIdx.x == 0) {
    expect(at(&full), sizeof box);
    load_box<2>(at(box), map, 0, 0, 0, at(&full));
  }
  wait(at(&full), 0);
  const int lane = threadIdx.x;
  float sum = 0;
  if (how == 0) {
    for (int row = 0; row < 32; ++row) sum += box[row][((lane / 4) ^ (row % 8)) * 4 + lane % 4];
  } else if (how == 1) {
    for (int col = 0; col < 32; ++col) sum += box[lane][((col / 4) ^ (lane % 8)) * 4 + col % 4];
  } else {
    for (int chunk = 0; chunk < 8; ++chunk) {
      const float4 four = *reinterpret_cast<const float4*>(&box[lane][(chunk ^ (lane % 8)) * 4]);
      sum += four.x + four.y + four.z + four.w;
    }
  }
  out[lane] = sum;
}
